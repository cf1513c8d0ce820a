package targets

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/internal/pattern"
)

// meaning is what the name of a parameter says about its value.
type meaning int

const (
	other meaning = iota
	content
	pathLike
	commandLike
)

// Words of keys, normalized by Fold.
var (
	contentWords = pattern.Words{Text: `content contents text texts body bodies message messages msg description descriptions desc comment comments summary title subject note notes prompt prompts
		markdown html diff patch reason reasons explanation document documents documentation snippet string strings str goal intent question query answer thought thoughts rationale caption
		instruction instructions changelog readme`}
	metaWords = pattern.Words{Text: `type types format formats mode encoding size count id ids hash sha mime language branch ref env environment version host port ext extension timeout limit status line lines
		number index offset`}
	pathWords = pattern.Words{Text: `path paths file files filename filenames filepath filepaths pathname pathnames dir dirs directory directories dirname dirpath folder folders foldername target targets
		destination destinations dest dst uri uris cwd workdir outfile infile outdir outpath`}
	commandWords = pattern.Words{Text: `command commands cmd cmds cmdline commandline script scripts shell bash zsh powershell argv exec run`}
	pluralWords  = pattern.Words{Text: `commands cmds scripts`}
	argsWords    = pattern.Words{Text: `args arguments argv parameters params options flags`}
)

// keyWords splits a key into words: filePath, file_path, File-Path and "file path" are the words file and path.
func keyWords(key string) []string {
	var apart strings.Builder
	before := rune(0)
	for _, r := range normalize.Visible(key) {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(before):
			apart.WriteByte(' ')
		}
		apart.WriteRune(r)
		before = r
	}
	return strings.Fields(normalize.Fold(apart.String()))
}

func meaningOf(key string) (m meaning, last string) {
	parts := keyWords(key)
	if len(parts) == 0 {
		return other, ""
	}
	last = parts[len(parts)-1]
	switch {
	case contentWords.Has(last):
		return content, last
	case metaWords.Has(last) && !(len(parts) > 1 && last == "line" &&
		commandWords.Has(parts[len(parts)-2])): // command_line
		return other, last
	case slices.ContainsFunc(parts, pathWords.Has):
		return pathLike, last
	case slices.ContainsFunc(parts, commandWords.Has):
		return commandLike, last
	}
	return other, last
}

// Named returns the paths and commands in parameters, as written. These are values at any depth under a key with such a
// meaning, in any spelling, and other values that are clearly a path or command as a whole. Contents, messages and
// descriptions are ignored. A command whose arguments are a list, or are in an adjacent field, is returned as one text.
func Named(params map[string]any) (paths, commands []string) {
	var n named
	n.object(params, other)
	return n.paths, n.commands
}

type named struct {
	paths, commands []string
	unfolded        int // nesting level of JSON texts
}

const maxJSONDepth = 4 // maximum nesting level of JSON texts

func (n *named) value(value any, m meaning, last string, inside bool) {
	switch v := value.(type) {
	case string:
		n.text(v, m, last, inside)
	case map[string]any:
		n.object(v, m)
	case []string:
		list := lists.Map(v, func(text string) any { return text })
		n.list(list, m, last, inside)
	case []any:
		n.list(v, m, last, inside)
	}
}

func (n *named) list(list []any, m meaning, last string, inside bool) {
	if argv, ok := joinWords(list); ok && m != content {
		dashed := slices.ContainsFunc(list, func(one any) bool {
			return strings.HasPrefix(strings.TrimSpace(one.(string)), "-")
		})
		if m == commandLike && (dashed || !pluralWords.Has(last)) || m == other && isCommand(argv) {
			n.commands = append(n.commands, argv)
			if m == commandLike {
				return
			}
		}
	}
	for _, one := range list {
		n.value(one, m, last, inside)
	}
}

// joinWords returns a list of texts as one command line.
func joinWords(list []any) (string, bool) {
	texts := make([]string, len(list))
	for i, one := range list {
		text, ok := one.(string)
		if !ok {
			return "", false
		}
		texts[i] = text
	}
	return strings.Join(texts, " "), len(texts) > 1
}

func (n *named) object(fields map[string]any, around meaning) {
	if around == content {
		return
	}
	arguments := "" // arguments next to a command
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if parts := keyWords(key); len(parts) > 0 && argsWords.Has(parts[len(parts)-1]) {
			switch v := fields[key].(type) {
			case string:
				arguments += " " + v
			case []any:
				if text, ok := joinWords(append([]any{""}, v...)); ok {
					arguments += text
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		m, last := meaningOf(key)
		inherited := m == other && around != other
		if inherited {
			m = around
		}
		if m == other && isPath(key) { // {"/etc/hosts": "new content"}
			n.paths = append(n.paths, key)
			if _, ok := fields[key].(string); ok {
				continue
			}
		}
		if text, ok := fields[key].(string); ok && m == commandLike && !argsWords.Has(last) && arguments != "" {
			n.commands = append(n.commands, text+arguments)
			continue
		}
		n.value(fields[key], m, last, inherited)
	}
}

func (n *named) text(text string, m meaning, last string, inside bool) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || m == content {
		return
	}
	if (trimmed[0] == '{' || trimmed[0] == '[') && n.unfolded < maxJSONDepth { // some clients send arguments as text
		var value any
		if json.Unmarshal([]byte(trimmed), &value) == nil {
			n.unfolded++
			n.value(value, m, last, inside)
			n.unfolded--
			return
		}
	}
	switch {
	case m == pathLike && (!inside || !strings.ContainsAny(trimmed, "\r\n")):
		n.paths = append(n.paths, text)
	case m == commandLike:
		n.commands = append(n.commands, text)
	case m == other && isPath(text):
		n.paths = append(n.paths, text)
	case m == other && isCommand(text):
		n.commands = append(n.commands, text)
	}
}

const maxValueLength = 4096 // maximum bytes of a value that can be a path or command

var (
	plainPath  = pattern.New(`^(?:/[^/\s]|/$|~[^/\s]*(?:/|$)|\.{1,2}/|//[?.a-z0-9]|[a-z]:/|file:|\$\{?\w+\}?/|%\w+%/)`)
	remotePath = pattern.New(`^([a-z][a-z0-9+.-]+)://[^/]*(/.*)$`)
	hostPath   = pattern.New(`^[a-z0-9_.@-]{2,}:(/.*)$`)
	webSchemes = pattern.Words{Text: `http https ws wss data mailto urn`}
)

// isPath reports whether a whole text clearly is a path: absolute, or relative with a characteristic prefix.
func isPath(text string) bool {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	if len(text) == 0 || len(text) > maxValueLength || strings.ContainsAny(text, "\r\n") {
		return false
	}
	return slices.ContainsFunc(decodings(text), func(form string) bool {
		form = strings.ReplaceAll(strings.TrimSpace(form), `\`, "/")
		return plainPath.MatchString(form) || len(pathsIn(form)) > 1
	})
}

// pathsIn returns the paths that a text can refer to: the text itself, and the path in an address such as
// sftp://host/prod or host:/prod.
func pathsIn(text string) []string {
	text = strings.TrimSpace(text)
	if found := remotePath.FindStringSubmatch(text); found != nil {
		if webSchemes.Has(found[1]) || found[1] == "file" {
			return []string{text}
		}
		return []string{text, found[2]}
	}
	if found := hostPath.FindStringSubmatch(text); found != nil && found[0] != "" && !strings.HasPrefix(text, "file:") {
		return []string{text, found[1]}
	}
	return []string{text}
}

// Program names that start a command. Those in the second list are also English words, so they need an option or path
// as well.
var (
	programs = pattern.Words{Text: `rm rmdir mv cp ln chmod chown chgrp dd mkfs shred truncate sed awk tee git gh svn hg curl wget ssh scp sftp rsync nc docker podman kubectl helm terraform tofu ansible aws gcloud
		az psql mysql sqlite3 mongosh redis-cli cypher-shell npm npx yarn pnpm pip pip3 uv python python3 node deno bun ruby perl php bash sh zsh fish pwsh powershell sudo doas su systemctl
		crontab kill pkill killall reboot shutdown mount umount fdisk apt apt-get dnf yum brew cargo rustc go-build javac mvn gradle tar unzip gunzip iptables ufw eval xargs nohup chroot del rd
		format-volume remove-item move-item copy-item nomograph`}
	wordyPrograms = pattern.Words{Text: `go make find cat kill move copy env source exec test touch cut sort head tail watch time nice service halt format set`}
	optionOrPath  = pattern.New(`(^|\s)-{1,2}\w|[/\\$=*~;|>&]`)
)

// isCommand reports whether a whole text clearly is a command.
func isCommand(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) == 0 || len(text) > maxValueLength || strings.ContainsAny(text, "\r\n") {
		return false
	}
	line := normalize.Name(text)
	first, rest, _ := strings.Cut(line, " ")
	program := programOf(strings.Trim(first, `"'`))
	return programs.Has(program) && rest != "" || wordyPrograms.Has(program) && optionOrPath.MatchString(rest)
}
