package shell

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

func removeFiles(s *state, c *call) value {
	recursive := c.has("-r", "-R", "--recursive")
	valued := ""
	if c.name == "shred" || c.name == "wipe" {
		valued = "nsi"
	}
	for _, target := range c.words(valued, "--iterations", "--size") {
		s.remove(target, recursive)
	}
	return value{}
}

// removeTrees handles programs that delete folders without an option such as -r.
func removeTrees(s *state, c *call) value {
	for _, target := range c.words("") {
		s.remove(target, true)
	}
	return value{}
}

// gio handles gio trash, which moves files to the trash.
func gio(s *state, c *call) value {
	if words := c.words(""); len(words) > 1 && (words[0].text == "trash" || words[0].text == "remove") {
		for _, target := range words[1:] {
			s.remove(target, true)
		}
		return value{}
	}
	return unknownProgram(s, c)
}

func truncate(s *state, c *call) value {
	for _, target := range c.words("sr", "--size", "--reference") {
		if target.labels&tree != 0 {
			s.remove(target, true)
		}
		s.write(target, value{})
	}
	return value{}
}

func moveFiles(s *state, c *call) value {
	targets := c.words("tS", "--target-directory", "--suffix")
	to, ok := c.targetFolder()
	if !ok {
		if len(targets) < 2 {
			return value{}
		}
		to, targets = targets[len(targets)-1], targets[:len(targets)-1]
	}
	for _, from := range targets {
		full := s.absolute(from.text)
		add(&s.effects.DeletesOf, deletePlaces(full, true, s.ownFolder())...)
		add(&s.effects.Deletes, s.withHost(full))
		content := s.content(from)
		if isEnvironment(full) || isCredentials(full) {
			content.labels |= secret
		}
		s.rename(full, s.absolute(to.text))
		s.place(from, to, content)
	}
	return value{}
}

// rename records that the content of one path is now at another. It avoids cycles of names.
func (s *state) rename(from, to string) {
	if from == to {
		return
	}
	at := to
	for range maxItems {
		if at = s.links[at]; at == from {
			delete(s.links, to)
			break
		}
	}
	s.links[from] = to
}

func copyFiles(s *state, c *call) value {
	sources := c.words("tSmog", "--target-directory", "--suffix", "--mode", "--owner", "--group")
	to, ok := c.targetFolder()
	if !ok {
		if len(sources) < 2 {
			return value{}
		}
		to, sources = sources[len(sources)-1], sources[:len(sources)-1]
	}
	if c.has("-d") && c.name == "install" {
		return value{}
	}
	if mode, ok := c.option("-m", "--mode"); ok && c.name == "install" && setsID(mode.text) {
		add(&s.effects.Protections, "a program that runs as its owner")
	}
	if c.name == "ditto" || c.has("-T", "--no-target-directory") {
		s.mergeInto(to, sources...)
	} else if c.has("-r", "-R", "-a", "--recursive", "--archive") {
		for _, from := range sources {
			if strings.Trim(path.Base(from.text), ".") != "" {
				from.text = strings.TrimRight(from.text, "/") // cp does not distinguish FOLDER and FOLDER/
			}
			s.copyTrees(to, from)
		}
	}
	for _, from := range sources {
		content := s.read(from)
		if holdsSecretFolder(s.absolute(from.text)) && len(readPlaces(s.absolute(from.text)+"/key")) > 0 {
			add(&s.effects.ReadsOf, Credentials)
		}
		s.place(from, to, content)
	}
	return value{}
}

// place notes that a file with this content is copied or moved to a path.
func (s *state) place(from, to, content value) {
	s.write(to, content)
	s.noteInFolder(to, from)
}

// mergeInto notes folders or archives that are unpacked into a system folder, where their files may replace any file.
func (s *state) mergeInto(target value, sources ...value) {
	full := s.followLinks(s.absolute(target.text))
	if s.host != "" || !slices.Contains(mergedFolders, full) {
		return
	}
	for _, from := range sources {
		if path.Clean(from.text) != full &&
			!(s.absolute(from.text) != "/" && strings.HasPrefix(s.absolute(from.text), full+"/")) {
			add(&s.effects.Writes, full)
			add(&s.effects.WritesOf, System)
		}
	}
}

// copyTrees notes folders that are copied into a folder of the system. A folder keeps its name there, unless its path
// ends with a slash or a pattern: then its contents are merged.
func (s *state) copyTrees(target value, sources ...value) {
	for _, from := range sources {
		base := path.Base(from.text)
		if strings.HasSuffix(from.text, "/") || strings.HasSuffix(from.text, "/.") || base == "." || base == ".." ||
			strings.ContainsAny(base, "*?[$") || from.incomplete {
			s.mergeInto(target, from)
			continue
		}
		full := path.Join(s.followLinks(s.absolute(target.text)), base)
		if s.host == "" && s.absolute(from.text) != full &&
			(slices.Contains(mergedFolders, full) || slices.Contains(writePlaces(full+"/"), System) ||
				slices.Contains(writePlaces(full+"/"), Startup)) {
			add(&s.effects.Writes, full)
			add(&s.effects.WritesOf, System)
		}
	}
}

// followLinks resolves links that the command has created, for a path and for the path's folder.
func (s *state) followLinks(full string) string {
	return s.linkedPaths(s.followFolderLinks(full))[0]
}

// linkedPaths returns the paths to which links lead from a path, the final one first. Each is listed once, even if
// links form a cycle.
func (s *state) linkedPaths(full string) []string {
	paths := []string{full}
	for to, ok := s.links[full]; ok && !slices.Contains(paths, to) && s.step(); to, ok = s.links[to] {
		paths = append(paths, to)
	}
	slices.Reverse(paths)
	return paths
}

// setsID reports whether a mode sets the setuid or setgid bit, so that a program runs as the file's owner or group.
func setsID(mode string) bool {
	octal := strings.Trim(mode, "01234567") == "" && len(mode) == 4
	return octal && strings.IndexByte("2467", mode[0]) >= 0 ||
		!octal && strings.Contains(mode, "s") && strings.ContainsAny(mode, "+=")
}

// touchFiles creates empty files. In a folder whose files the machine runs, even an empty file is a change.
func touchFiles(s *state, c *call) value {
	for _, file := range c.words("dtr", "--date", "--reference", "--time") {
		full := s.followFolderLinks(s.absolute(file.text))
		add(&s.effects.Writes, s.withHost(full))
		if _, inside := inHome(full); s.host == "" && !inside && isStartupFile(full) {
			add(&s.effects.WritesOf, Startup)
		}
	}
	return value{}
}

// noteInFolder notes the places of a file that is put into a folder.
func (s *state) noteInFolder(folder, file value) {
	if base := path.Base(file.text); base != "." && base != "/" && folder.text != "" {
		full := s.followFolderLinks(s.absolute(folder.text + "/" + base))
		for _, of := range writePlaces(full) {
			if of == Startup || of == AgentFiles || of == System {
				add(&s.effects.WritesOf, of)
			}
		}
	}
}

func linkFiles(s *state, c *call) value {
	words := c.words("St", "--suffix", "--target-directory")
	if folder, ok := c.targetFolder(); ok {
		for _, from := range words {
			linkFiles(s, &call{name: c.name, args: []value{from, known(folder.text + "/" + path.Base(from.text))}})
		}
		return value{}
	}
	if len(words) < 2 {
		return value{}
	}
	to, from := s.absolute(words[len(words)-1].text), s.absolute(words[0].text)
	if to != from {
		s.links[to] = from
	}
	s.files[to] = s.content(words[0])
	add(&s.effects.Writes, s.withHost(to))
	add(&s.effects.WritesOf, writePlaces(to)...)
	return value{}
}

// changeMode changes the permissions of files. On a whole system tree it is as harmful as a deletion.
func changeMode(s *state, c *call) value {
	recursive := c.has("-R", "-r", "--recursive")
	words := c.words("mxM")
	if at := slices.IndexFunc(c.args, func(a value) bool {
		return len(a.text) > 1 && a.text[0] == '-' && strings.Trim(a.text[1:], "rwxXst") == ""
	}); c.name == "chmod" && at >= 0 {
		words = append([]value{c.args[at]}, (&call{args: slices.Delete(slices.Clone(c.args), at, at+1)}).words("")...)
	}
	mode := ""
	if _, reference := c.option("--reference"); !reference && len(words) > 0 && c.name != "setfacl" &&
		(c.name != "chattr" || strings.ContainsAny(words[0].text[:min(1, len(words[0].text))], "+=")) {
		mode, words = words[0].text, words[1:]
	}
	if c.name == "chmod" {
		s.noteModes(c, mode, words)
	}
	for _, target := range words {
		full := s.absolute(target.text)
		tree := recursive || target.labels&tree != 0
		add(&s.effects.WritesOf, slices.Concat(
			when(tree && isGitData(full), GitData),
			when(tree && s.host == "" && slices.Contains(deletePlaces(full, true, s.ownFolder()), System), System),
			when((!tree || s.host != "") && (slices.Contains(systemFiles, full) || isOneOf(full, "/", "/etc", "/usr")),
				System),
		)...)
	}
	return value{}
}

// noteModes notes modes of files that let a program run as its owner, others read a key, or nobody run a program.
func (s *state) noteModes(c *call, mode string, words []value) {
	setsUser, letsRead := setsID(mode), letsOthersRead(c)
	if setsUser && s.host == "" && setsOwnerPattern.MatchString(mode) {
		add(&s.effects.Protections, "a program that runs as its owner")
	}
	takes := strings.Contains(mode, "-") || strings.Trim(mode, "0") == "" && mode != ""
	for _, target := range words {
		full := s.absolute(target.text)
		takesFromAll := takes && !strings.ContainsAny(mode, "gow") && !strings.HasPrefix(full, "/var/log/")
		add(&s.effects.WritesOf, slices.Concat(
			when(takes && isAgentSetting(full), AgentFiles),
			when(takesFromAll && slices.Contains(writePlaces(full), System), System),
			when(setsUser && slices.Contains(deletePlaces(full, false, s.ownFolder()), System), System),
			when(letsRead && isCredentials(full) && !c.has("-R", "-r", "--recursive"), Credentials),
		)...)
	}
}

// setsOwnerPattern matches modes that set the setuid bit.
var setsOwnerPattern = pattern.New(`^(?:[46]\d{3}$|[ua+])`)

// letsOthersRead reports whether a chmod lets other users read a file.
func letsOthersRead(c *call) bool {
	words := c.words("")
	if len(words) == 0 {
		return false
	}
	mode := words[0].text
	if strings.Trim(mode, "01234567") == "" && mode != "" {
		return mode[len(mode)-1] >= '4'
	}
	who, what, ok := strings.Cut(mode, "+")
	return ok && strings.Contains(what, "r") && (who == "" || strings.ContainsAny(who, "ao"))
}

func dd(s *state, c *call) value {
	in, out := s.stdin, value{}
	written := false
	for _, a := range c.args {
		if text, ok := strings.CutPrefix(a.text, "if="); ok {
			in = s.read(a.with(text))
		}
		if text, ok := strings.CutPrefix(a.text, "of="); ok {
			out, written = a.with(text), true
		}
	}
	if written {
		if !s.timeLimited && !limitsSize(c) && slices.ContainsFunc(c.args, func(a value) bool {
			return isOneOf(a.text, "if=/dev/zero", "if=/dev/urandom", "if=/dev/random", "if=/dev/full")
		}) {
			in.labels |= endlessData
		}
		s.write(out, in)
		return value{}
	}
	return in
}

// minFilling is the size of a file that fills most disks, in bytes.
const minFilling = 1e12

// sizeOf parses a size such as 10G into bytes; 0 if unknown.
func sizeOf(text string) float64 {
	digits := strings.TrimRight(text, "ckKMGTPEZYiBb")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0
	}
	if unit := strings.TrimPrefix(text, digits); unit != "" {
		n *= math.Pow(1024, float64(max(strings.IndexByte("bkmgtpezy", strings.ToLower(unit)[0]), 0)))
	}
	return n
}

func cutAnyPrefix(text string, prefixes ...string) (rest string, ok bool) {
	for _, prefix := range prefixes {
		if rest, ok = strings.CutPrefix(text, prefix); ok {
			return rest, true
		}
	}
	return text, false
}

// limitsSize reports whether options of dd limit its output, so that it does not fill a disk.
func limitsSize(c *call) bool {
	count, size := float64(-1), float64(512)
	for _, a := range c.args {
		if text, ok := strings.CutPrefix(a.text, "count="); ok {
			if count = sizeOf(text); count == 0 && strings.Trim(text, "0") != "" && !a.incomplete {
				return false
			}
		} else if text, ok := cutAnyPrefix(a.text, "bs=", "ibs="); ok {
			if size = sizeOf(text); size == 0 && !a.incomplete {
				return false
			}
		}
	}
	return count >= 0 && count*size < minFilling
}

// allocate handles fallocate.
func allocate(s *state, c *call) value {
	content := unknown(0)
	size, _ := c.option("-l", "--length")
	if n := sizeOf(cmp.Or(size.text, clusterValue(c, 'l'))); n >= minFilling &&
		!c.has("-p", "-d", "-c", "-z", "-i", "--punch-hole", "--dig-holes", "--collapse-range", "--zero-range",
			"--insert-range") {
		content.labels |= endlessData
	}
	for _, file := range c.words("lo", "--length", "--offset") {
		s.write(file, content)
	}
	return unknown(0)
}

// diskReaders and diskErasers map programs that change disks to the words with which they only read, and to those with
// which they erase.
var (
	diskReaders = sync.OnceValue(func() map[string][]string { return programsWith("looks") })
	diskErasers = sync.OnceValue(func() map[string][]string { return programsWith("erases") })
)

// diskProgram handles programs that change disks, unless their arguments make them only read.
func diskProgram(s *state, c *call) value {
	erasing, ok := diskErasers()[c.name]
	switch {
	case c.has(diskReaders()[c.name]...), ok && !c.has(erasing...):
		return unknown(0)
	case ok, strings.HasPrefix(c.name, "lv"), strings.HasPrefix(c.name, "vg"), strings.HasPrefix(c.name, "pv"):
		add(&s.effects.WritesOf, Device)
	}
	for _, a := range c.words("LtNbmiE") {
		if full := s.absolute(a.text); isDevice(full) || strings.HasPrefix(full, "/dev/") {
			add(&s.effects.Writes, s.withHost(full))
			add(&s.effects.WritesOf, Device)
		}
	}
	return unknown(0)
}

// rsync copies folders, also from and to other machines, and may delete what only the target has.
func rsync(s *state, c *call) value {
	var dryRun, recursive, deletes, moves bool
	all := value{}
	words := c.eachOption(func(option string, v value) {
		switch option {
		case "-n", "--dry-run":
			dryRun = true
		case "--no-dry-run", "--no-n":
			dryRun = false
		case "-r", "-a", "--recursive", "--archive":
			recursive = true
		case "--remove-source-files":
			moves = true
		case "-e", "--rsh":
			if !strings.HasPrefix(v.text, "ssh") {
				s.runText(v, nil)
			}
		case "--files-from":
			for name := range strings.FieldsSeq(s.read(v).text) {
				all.labels |= s.labelsOfFile(known(name))
			}
		default:
			deletes = deletes || strings.HasPrefix(option, "--del")
		}
	})
	if len(words) < 2 {
		return unknown(0)
	}
	to, from := words[len(words)-1], words[:len(words)-1]
	for _, source := range from {
		if host, ok := remotePath(source.text); ok {
			s.noteHost(host)
			all = concat(all, unknown(network))
			continue
		}
		all = concat(all, s.read(source))
		if moves && !dryRun {
			s.remove(source, true)
		}
	}
	if host, ok := remotePath(to.text); ok {
		s.noteHost(host)
		s.send(all)
		_, file, _ := strings.Cut(strings.TrimPrefix(to.text, host), ":")
		s.noteRemoteSync(file, deletes)
		return unknown(0)
	}
	if dryRun {
		return unknown(0)
	}
	if deletes && !isDeployment(s.absolute(to.text)) {
		s.remove(to, true)
	}
	if recursive {
		s.copyTrees(to, from...)
	}
	s.write(to, all)
	return unknown(0)
}

// noteRemoteSync notes a folder of another machine that rsync makes equal.
func (s *state) noteRemoteSync(folder string, deletes bool) {
	s.noteRemoteWrite(folder)
	if full := path.Clean(folder); deletes &&
		(slices.Contains(systemFolders, full) || slices.Contains(wholeFolders, full)) {
		add(&s.effects.DeletesOf, RemoteHost)
	}
}

// isDeployment reports whether a path is one site or application, which a deployment replaces.
func isDeployment(full string) bool {
	for _, folder := range []string{"/var/www/", "/srv/", "/opt/", "/usr/share/nginx/html/"} {
		if rest, ok := strings.CutPrefix(full+"/", folder); ok && len(rest) > 1 && !strings.ContainsAny(rest, "*?$") {
			return true
		}
	}
	return false
}

// remotePath reports whether a path of scp or rsync is on another machine.
func remotePath(text string) (host string, ok bool) {
	if strings.Contains(text, "://") {
		return text, true
	}
	colon, slash := strings.IndexByte(text, ':'), strings.IndexByte(text, '/')
	if colon <= 0 || slash >= 0 && slash < colon || colon == 1 {
		return "", false
	}
	return text[:colon], true
}
