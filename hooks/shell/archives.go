package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
)

// unpack handles programs that print the content of compressed files.
func unpack(s *state, c *call) value {
	out := cat(s, c)
	return value{incomplete: true, labels: out.labels | unpacked}
}

// unzip prints the files or their names, or writes them.
func unzip(s *state, c *call) value {
	out := unknownProgram(s, c)
	switched := &call{args: slices.DeleteFunc(slices.Clone(c.args),
		func(a value) bool { return strings.HasPrefix(a.text, "-d") })}
	if len(c.args) > 0 && !switched.has("-l", "-t", "-Z", "-p", "-c", "-v", "-z") {
		folder, _ := c.option("-d")
		var members []value
		if words := c.words("d"); len(words) > 1 && !switched.has("-x") {
			members = words[1:]
		}
		s.unpackInto(folder, members...)
	}
	if switched.has("-p", "-c") && !switched.has("-l", "-Z", "-t") {
		out = value{incomplete: true, labels: out.labels | unpacked}
	}
	return out
}

// unpackInto notes files that an archive, or some members of it, may replace in a folder of the system. No folder means
// the current one.
func (s *state) unpackInto(folder value, members ...value) {
	if folder.text == "" && s.cwd == s.projectFolder {
		return
	}
	target := known(cmp.Or(folder.text, "."))
	if len(members) == 0 {
		s.mergeInto(target, value{})
	}
	for _, member := range splitLines(members) {
		full := path.Join(s.followLinks(s.absolute(target.text)), member.text)
		if strings.ContainsAny(member.text, "*?[$") || member.incomplete {
			s.mergeInto(target, value{})
		} else if places := slices.Concat(writePlaces(full), writePlaces(full+"/")); s.host == "" &&
			(slices.Contains(mergedFolders, full) || slices.Contains(places, System) ||
				slices.Contains(places, Startup)) {
			add(&s.effects.Writes, full)
			add(&s.effects.WritesOf, System)
		}
	}
}

// splitLines returns the names in lists of files with one name per line.
func splitLines(lists []value) (names []value) {
	for _, list := range lists {
		for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(list.text, "\x00", "\n")), "\n") {
			names = append(names, list.with(line))
		}
	}
	return names
}

// archive is what the arguments of tar say.
type archive struct {
	file, folder                        value
	toFile                              bool // whether file is given
	extracts, removes, prints, absolute bool
	strips                              bool // leading folders of the names
	members                             []value
}

// tar reads folders into an archive, which may be a file, a pipe or another machine, or extracts it.
func tar(s *state, c *call) value {
	var a archive
	c = &call{name: c.name, args: withDashes(c.args)}
	a.members = append(c.eachOption(func(option string, v value) { s.tarOption(&a, option, v) }), a.members...)
	switch {
	case a.extracts && a.prints:
		labels := s.content(a.file).labels | s.stdin.labels | unpacked
		if slices.ContainsFunc(a.members, func(member value) bool { return holdsSecrets(s.absolute(member.text)) }) {
			labels |= secret
		}
		return unknown(labels)
	case a.extracts:
		return s.extract(a)
	}
	return s.createArchive(a, c.excludesGit())
}

// withDashes turns the first argument of tar, such as xfz, into options with their values: -x -f FILE -z.
func withDashes(args []value) (dashed []value) {
	if len(args) == 0 || strings.HasPrefix(args[0].text, "-") {
		return args
	}
	letters, args := args[0].text, args[1:]
	for _, letter := range letters {
		option := "-" + string(letter)
		dashed = append(dashed, known(option))
		if slices.Contains(valuedOptions()["tar"], option) && len(args) > 0 {
			dashed, args = append(dashed, args[0]), args[1:]
		}
	}
	return append(dashed, args...)
}

func (s *state) tarOption(a *archive, option string, v value) {
	switch option {
	case "-f", "--file":
		a.file, a.toFile = v, true
	case "-C", "--directory", "--cd":
		a.folder = v
	case "-T", "-X", "--files-from":
		a.members = append(a.members, s.read(v))
	case "-x", "--extract", "--get":
		a.extracts = true
	case "-O", "--to-stdout":
		a.prints = true
	case "-P", "--absolute-names":
		a.absolute = true
	case "--remove-files":
		a.removes = true
	case "--strip-components", "--strip":
		a.strips = true
	case "-I", "-F", "--use-compress-program", "--to-command", "--checkpoint-action":
		v.text = strings.TrimPrefix(v.text, "exec=")
		s.runText(v, nil)
	}
}

// extract notes files that an archive may replace.
func (s *state) extract(a archive) value {
	if a.absolute {
		a.folder = known("/")
	}
	// A program's archive, such as Node's, has folders bin and lib for /usr.
	installs := a.strips && a.toFile && s.absolute(cmp.Or(a.folder.text, ".")) == "/usr" &&
		s.content(a.file).labels&network == 0
	if !installs {
		s.unpackInto(a.folder, a.members...)
	}
	if a.toFile {
		return s.content(a.file)
	}
	return unknown(s.stdin.labels)
}

// createArchive reads members into an archive.
func (s *state) createArchive(a archive, excludesGit bool) value {
	content := unknown(0)
	for _, member := range splitLines(a.members) {
		if a.folder.text != "" && !strings.HasPrefix(member.text, "/") {
			member.text = strings.TrimSuffix(a.folder.text, "/") + "/" + member.text
		}
		content.labels |= s.labelsOfFile(member) | s.repositoryIn(member.text, excludesGit)
		if a.removes {
			s.remove(member, true)
		}
	}
	if !a.toFile || a.file.text == "-" || a.file.text == "" {
		return content
	}
	if host, ok := remotePath(a.file.text); ok {
		s.noteHost(host)
		s.send(content)
	} else {
		s.write(a.file, content)
	}
	return unknown(0)
}

func zip(s *state, c *call) value {
	if command, ok := c.option("-TT", "--unzip-command"); ok {
		s.runText(command.with(strings.TrimSuffix(command.text, "#")), nil)
	}
	words := (&call{args: withoutExcluded(c.args)}).words("Pnbto", "--password")
	if c.has("-@") && len(words) == 1 {
		for name := range strings.FieldsSeq(s.stdin.text) {
			words = append(words, value{text: name, labels: s.stdin.labels})
		}
	}
	return s.pack(c, words, c.has("-m", "--move"))
}

// sevenZip handles 7z and similar programs: 7z a ARCHIVE FILE... packs, and 7z x ARCHIVE FILE... extracts.
func sevenZip(s *state, c *call) value {
	words := c.words("", "--password")
	if len(words) < 2 {
		return unknown(s.stdin.labels)
	}
	if operation := words[0].text; (operation == "x" || operation == "e") && !c.has("-so") {
		folder, _ := c.option("-o")
		s.unpackInto(folder, words[2:]...)
		return unknown(s.stdin.labels)
	}
	return s.pack(c, words[1:], c.has("-sdel"))
}

// pack writes files into the archive that the first word names, "-" for standard output. It may remove the files.
func (s *state) pack(c *call, words []value, removes bool) value {
	if len(words) < 2 {
		return unknown(s.stdin.labels)
	}
	content, excludesGit := unknown(0), c.excludesGit()
	for _, member := range words[1:] {
		content.labels |= s.labelsOfFile(member) | s.repositoryIn(member.text, excludesGit)
		if removes {
			s.remove(member, true)
		}
	}
	if words[0].text == "-" || c.contains("-so") {
		return content
	}
	s.write(words[0], content)
	if name := words[0].text; !strings.Contains(path.Base(name), ".") {
		for _, ending := range []string{".zip", ".7z", ".rar"} {
			s.write(known(name+ending), content)
		}
	}
	return unknown(0)
}

// withoutExcluded returns the arguments of zip without the names that it leaves out: -x NAME NAME..., up to @ or the
// next option. A name in the same word as the option, such as -xNAME, is the only one.
func withoutExcluded(args []value) (kept []value) {
	excluded := false
	for _, a := range args {
		switch {
		case a.text == "@":
			excluded = false
			continue
		case strings.HasPrefix(a.text, "--"):
			excluded = a.text == "--exclude"
		case strings.HasPrefix(a.text, "-") && len(a.text) > 1:
			if excluded = strings.HasSuffix(a.text, "x"); strings.HasPrefix(a.text, "-x") && len(a.text) > 2 {
				continue
			}
		}
		if !excluded {
			kept = append(kept, a)
		}
	}
	return kept
}

// repositoryIn returns repository if a member of an archive is the data of a repository, or the whole project with that
// data.
func (s *state) repositoryIn(member string, excludesGit bool) label {
	full := s.absolute(member)
	wholeProject := full == "." && s.projectFolder == "" && s.host == "" && !s.leftProject ||
		full == path.Clean(s.projectFolder) && s.projectFolder != ""
	if isGitData(full) || wholeProject && !excludesGit {
		return repository
	}
	return 0
}

// excludesGit reports whether an archive leaves out the data of the repository: --exclude of tar, -x of zip and 7z.
func (c *call) excludesGit() bool {
	for i, a := range c.args {
		text, excludes := a.text, false
		if text == "--exclude-vcs" && c.name != "zip" {
			return true
		}
		for _, prefix := range []string{"--exclude=", "-xr!", "-x!", "-x"} {
			if rest, ok := strings.CutPrefix(text, prefix); ok && (prefix != "-x" || rest == "" || c.name != "tar") {
				text, excludes = rest, true
				break
			}
		}
		for j := i - 1; j >= 0 && !excludes && !strings.HasPrefix(text, "-"); j-- { // zip takes several names
			if before := c.args[j].text; strings.HasPrefix(before, "-") {
				excludes = before == "--exclude" && (j == i-1 || c.name == "zip") || before == "-x" && c.name == "zip"
				break
			}
		}
		name := path.Base(strings.TrimRight(text, "/*"))
		if strings.HasSuffix(text, ".git*") {
			name = ".git"
		}
		if ok, _ := path.Match(name, ".git"); excludes && ok {
			return true
		}
	}
	return false
}

// labelsOfFile returns the labels of a file that is added to an archive. It notes a read of a file with secrets.
func (s *state) labelsOfFile(file value) label {
	if len(readPlaces(s.absolute(file.text))) > 0 {
		s.noteRead(file.text)
	}
	return s.content(file).labels
}

// compressors maps programs that compress files to the ending of their output.
var compressors = sync.OnceValue(func() map[string]string { return textsWith("compresses") })

func compress(s *state, c *call) value {
	words := c.words("S", "--suffix")
	if len(words) == 0 {
		v := value{incomplete: true, labels: s.stdin.labels}
		if c.has("-d", "--decompress") {
			v.labels |= unpacked
		}
		return v
	}
	if to, ok := c.option("-o", "--output"); ok {
		labels := s.stdin.labels
		for _, file := range words {
			labels |= s.labelsOfFile(file)
		}
		s.write(to, unknown(labels))
	}
	ending := compressors()[c.name]
	if given, ok := c.option("-S", "--suffix"); ok {
		ending = given.text
	}
	out := unknown(0)
	for _, file := range words {
		content := unknown(s.labelsOfFile(file))
		out.labels |= content.labels
		if c.has("-d", "--decompress") {
			out.labels |= unpacked
		}
		if !c.has("-c", "--stdout", "-d", "--decompress", "-t", "-l") {
			s.write(value{text: file.text + ending, incomplete: file.incomplete}, unknown(content.labels))
		}
	}
	return out
}
