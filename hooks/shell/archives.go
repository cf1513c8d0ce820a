package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// unpack handles programs that print the content of compressed files.
func unpack(s *state, c *call) value {
	out := cat(s, c)
	return value{incomplete: true, labels: out.labels | unpacked}
}

// unzip prints the files or their names, or writes them.
func unzip(s *state, c *call) value {
	out := unknownProgram(s, c)
	switched := &call{args: slices.DeleteFunc(slices.Clone(c.args), func(a value) bool { return strings.HasPrefix(a.text, "-d") })}
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

// unpackInto notes files that an archive, or some members of it, may replace in a folder of the system. No folder means the current one.
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
		} else if places := slices.Concat(writePlaces(full), writePlaces(full+"/")); s.host == "" && (slices.Contains(mergedFolders, full) || slices.Contains(places, System) || slices.Contains(places, Startup)) {
			add(&s.effects.Writes, full)
			add(&s.effects.WritesOf, System)
		}
	}
}

// splitLines returns the names in lists of files with one name per line.
func splitLines(lists []value) (names []value) {
	for _, list := range lists {
		for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(list.text, "\x00", "\n")), "\n") {
			names = append(names, value{text: line, incomplete: list.incomplete, labels: list.labels})
		}
	}
	return names
}

// tar reads folders into an archive, which may be a file, a pipe or another machine.
func tar(s *state, c *call) value {
	args := append([]value{}, c.args...)
	dashed := len(args) > 0 && strings.HasPrefix(args[0].text, "-")
	if len(args) > 0 && !dashed { // tar czf
		args[0].text = "-" + args[0].text
	}
	var out, dir, program value
	toFile, extracts, removes, prints, absolute, strips := false, false, false, false, false, false
	var members []value
	for i := 0; i < len(args); i++ {
		text := args[i].text
		next := func() value {
			if i+1 < len(args) {
				i++
				return args[i]
			}
			return value{}
		}
		long, given, ok := strings.Cut(text, "=")
		switch {
		case strings.HasPrefix(text, "--"):
			arg := func() value {
				if ok {
					return value{text: given, incomplete: args[i].incomplete, labels: args[i].labels}
				}
				return next()
			}
			switch long {
			case "--file":
				out, toFile = arg(), true
			case "--use-compress-program", "--to-command", "--rsh-command", "--info-script", "--new-volume-script", "--checkpoint-action", "--rmt-command":
				program = arg()
				s.runText(value{text: strings.TrimPrefix(program.text, "exec="), incomplete: program.incomplete, labels: program.labels}, nil)
			case "--extract", "--get":
				extracts = true
			case "--to-stdout":
				prints = true
			case "--remove-files":
				removes = true
			case "--directory", "--cd":
				dir = arg()
			case "--one-top-level":
				if ok {
					dir = arg()
				}
			case "--absolute-names":
				absolute = true
			case "--strip-components", "--strip":
				arg()
				strips = true
			case "--exclude", "--transform", "--exclude-from", "--owner", "--group", "--mode", "--checkpoint", "--newer", "--newer-mtime", "--after-date", "--suffix", "--blocking-factor", "--warning", "--starting-file", "--index-file", "--format", "--xform", "--label":
				arg()
			case "--files-from":
				members = append(members, s.read(arg()))
			}
		case strings.HasPrefix(text, "-") && len(text) > 1:
			for j := 1; j < len(text); j++ {
				operand := func() value {
					if rest := text[j+1:]; rest != "" && (i != 0 || dashed) {
						j = len(text)
						return value{text: rest, incomplete: args[i].incomplete}
					}
					return next()
				}
				switch text[j] {
				case 'f':
					out, toFile = operand(), true
				case 'I', 'F':
					s.runText(operand(), nil)
				case 'C':
					dir = operand()
				case 'T', 'X':
					members = append(members, s.read(operand()))
				case 'O':
					prints = true
				case 'P':
					absolute = true
				case 'x':
					extracts = true
				case 'b', 'g', 'N', 'L', 'K', 'V', 'H':
					operand()
				}
			}
		default:
			members = append(members, args[i])
		}
	}
	if extracts {
		if prints {
			labels := s.content(out).labels | s.stdin.labels | unpacked
			for _, member := range members {
				if holdsSecrets(s.absolute(member.text)) {
					labels |= secret
				}
			}
			return value{incomplete: true, labels: labels}
		}
		if absolute {
			dir = known("/")
		}
		installs := strips && toFile && s.absolute(cmp.Or(dir.text, ".")) == "/usr" && s.content(out).labels&network == 0 // a program's archive, such as Node's, whose folders bin and lib go into /usr
		if !installs {
			s.unpackInto(dir, members...)
		}
		if toFile {
			return s.content(out)
		}
		return unknown(s.stdin.labels)
	}
	excludesGit := c.excludesGit()
	archive := unknown(0)
	for _, member := range splitLines(members) {
		v := member
		if dir.text != "" && !strings.HasPrefix(v.text, "/") {
			v.text = strings.TrimSuffix(dir.text, "/") + "/" + v.text
		}
		if isEnvironment(s.absolute(v.text)) || isCredentials(s.absolute(v.text)) {
			archive.labels |= s.read(v).labels
		}
		archive.labels |= s.content(v).labels
		archive.labels |= s.repositoryIn(v.text, excludesGit)
		if removes {
			s.remove(v, true)
		}
	}
	if toFile && out.text != "-" && out.text != "" {
		if host, ok := remotePath(out.text); ok {
			s.noteHost(host)
			s.send(archive)
			return unknown(0)
		}
		s.write(out, archive)
		return unknown(0)
	}
	return archive
}

func zip(s *state, c *call) value {
	for i, a := range c.args {
		if a.text == "-TT" && i+1 < len(c.args) {
			s.runText(value{text: strings.TrimSuffix(c.args[i+1].text, "#"), incomplete: c.args[i+1].incomplete}, nil)
		}
	}
	if command, ok := c.option("--unzip-command"); ok {
		s.runText(command, nil)
	}
	valued := "xPnbto"
	if c.name != "zip" { // other programs have the value in the same word as the option
		valued = ""
	}
	words := c.words(valued, "--password")
	if c.name == "zip" {
		words = (&call{args: withoutExcluded(c.args)}).words(valued[1:], "--password")
	}
	if c.name != "zip" && len(words) > 0 && (words[0].text == "x" || words[0].text == "e") && !c.has("-so") {
		folder, _ := c.option("-o")
		var members []value
		if len(words) > 2 {
			members = words[2:]
		}
		s.unpackInto(folder, members...)
		return unknown(s.stdin.labels)
	}
	if c.name != "zip" && len(words) > 1 {
		words = words[1:]
	}
	if c.has("-@") && len(words) == 1 {
		for _, name := range strings.Fields(s.stdin.text) {
			words = append(words, value{text: name, labels: s.stdin.labels})
		}
	}
	if len(words) < 2 {
		return unknown(s.stdin.labels)
	}
	archive := unknown(0)
	excludesGit := c.excludesGit()
	for _, member := range words[1:] {
		archive.labels |= s.labelsOfFile(member) | s.repositoryIn(member.text, excludesGit)
		if c.has("-m", "--move") && c.name == "zip" || c.has("-sdel") {
			s.remove(member, true)
		}
	}
	if words[0].text == "-" || slices.ContainsFunc(c.args, func(a value) bool { return a.text == "-so" }) {
		return archive
	}
	s.write(words[0], archive)
	if name := words[0].text; !strings.Contains(path.Base(name), ".") {
		for _, ending := range []string{".zip", ".7z", ".rar"} {
			s.write(known(name+ending), archive)
		}
	}
	return unknown(0)
}

// withoutExcluded returns the arguments of zip without the names that it leaves out: -x NAME NAME..., up to @ or the next option.
// A name in the same word as the option, such as -xNAME, is the only one.
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

// repositoryIn returns repository if a member of an archive is the data of a repository, or the whole project with that data.
func (s *state) repositoryIn(member string, excludesGit bool) label {
	full := s.absolute(member)
	wholeProject := full == "." && s.projectFolder == "" && s.host == "" && !s.leftProject || full == path.Clean(s.projectFolder) && s.projectFolder != ""
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
	ending := map[string]string{"pigz": ".gz", "lz4": ".lz4", "lzma": ".lzma", "lzop": ".lzo", "brotli": ".br", "compress": ".Z", "pbzip2": ".bz2", "pixz": ".pxz", "gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}[c.name]
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
