package shell

import (
	"path"
	"slices"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

// convention is a file that a program runs although the command does not name it.
type convention struct {
	programs string   // names of programs
	words    []string // first arguments of calls that run the file; empty means every call
	files    []string
	language string
}

// Formats of command files that no interpreter of code.go reads.
const (
	shellLanguage = "sh"
	recipes       = "recipes"   // indented commands
	commandLists  = "commands"  // YAML with commands
	processes     = "processes" // NAME: COMMAND
	settings      = "settings"  // INI with commands
)

var conventions = sync.OnceValue(func() []convention {
	return []convention{
		{programs: "pytest py.test", files: []string{"conftest.py", "tests/conftest.py", "test/conftest.py", "**/test_*.py", "**/*_test.py"}, language: "python3"},
		{programs: "tox", files: []string{"tox.ini", "setup.cfg"}, language: settings},
		{programs: "waf", files: []string{"wscript"}, language: "python3"},
		{programs: "nox", files: []string{"noxfile.py"}, language: "python3"},
		{programs: "invoke inv", files: []string{"tasks.py"}, language: "python3"},
		{programs: "fab", files: []string{"fabfile.py"}, language: "python3"},
		{programs: "scons", files: []string{"SConstruct", "SConscript"}, language: "python3"},
		{programs: "doit", files: []string{"dodo.py"}, language: "python3"},
		{programs: "locust", files: []string{"locustfile.py"}, language: "python3"},
		{programs: "pip pip3 uv poetry pipx", words: []string{"install", "wheel", "build", "pip", "sync"}, files: []string{"setup.py", "build.py"}, language: "python3"},
		{programs: "rake", files: []string{"Rakefile", "rakefile", "Rakefile.rb"}, language: "ruby"},
		{programs: "bundle bundler", files: []string{"Gemfile"}, language: "ruby"},
		{programs: "vagrant", files: []string{"Vagrantfile"}, language: "ruby"},
		{programs: "pod", files: []string{"Podfile"}, language: "ruby"},
		{programs: "fastlane", files: []string{"Fastfile", "fastlane/Fastfile"}, language: "ruby"},
		{programs: "gradle gradlew", files: []string{"build.gradle", "build.gradle.kts", "settings.gradle", "init.gradle"}, language: "groovy"},
		{programs: "gulp", files: []string{"gulpfile.*"}, language: "node"},
		{programs: "grunt", files: []string{"Gruntfile.*"}, language: "node"},
		{programs: "jest vitest mocha ava playwright cypress jasmine", files: []string{"jest.config.*", "jest.setup.*", "vitest.config.*", "vite.config.*", ".mocharc.*", "ava.config.*", "playwright.config.*", "cypress.config.*", "**/*.test.*", "**/*.spec.*"}, language: "node"},
		{programs: "vite webpack rollup eslint prettier tailwindcss postcss babel next nuxt astro tsup gatsby", files: []string{"vite.config.*", "webpack.config.*", "rollup.config.*", "eslint.config.*", ".eslintrc.*", "prettier.config.*", "tailwind.config.*", "postcss.config.*", "babel.config.*", "next.config.*", "nuxt.config.*", "astro.config.*", "tsup.config.*", "gatsby-config.*", "gatsby-node.*"}, language: "node"},
		{programs: "mix", files: []string{"mix.exs"}, language: "elixir"},
		{programs: "direnv", words: []string{"allow", "exec", "reload"}, files: []string{".envrc"}, language: shellLanguage},
		{programs: "makepkg", files: []string{"PKGBUILD"}, language: shellLanguage},
		{programs: "configure", files: []string{"configure"}, language: shellLanguage},
		{programs: "just", files: []string{"justfile", "Justfile", ".justfile"}, language: recipes},
		{programs: "task go-task", files: []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"}, language: commandLists},
		{programs: "pre-commit", words: []string{"run", "install"}, files: []string{".pre-commit-config.yaml"}, language: commandLists},
		{programs: "lefthook", files: []string{"lefthook.yml", ".lefthook.yml"}, language: commandLists},
		{programs: "act", files: []string{".github/workflows/*"}, language: commandLists},
		{programs: "gitlab-runner", words: []string{"exec"}, files: []string{".gitlab-ci.yml"}, language: commandLists},
		{programs: "process-compose", files: []string{"process-compose.yml", "process-compose.yaml"}, language: commandLists},
		{programs: "overmind foreman honcho", words: []string{"start", "run", "s"}, files: []string{"Procfile"}, language: processes},
	}
})

var conventionsOf = sync.OnceValue(func() map[string][]convention {
	byProgram := map[string][]convention{}
	for _, one := range conventions() {
		for _, program := range strings.Fields(one.programs) {
			byProgram[program] = append(byProgram[program], one)
		}
	}
	return byProgram
})

// fileOptions name the file of commands of a program.
var fileOptions = sync.OnceValue(func() map[string][]string {
	return map[string][]string{"just": {"-f", "--justfile"}, "task": {"-t", "--taskfile"}, "go-task": {"-t", "--taskfile"}, "rake": {"-f", "--rakefile"}, "gradle": {"-b", "--build-file", "-I", "--init-script"}, "gradlew": {"-b", "--build-file", "-I", "--init-script"},
		"nox": {"-f", "--noxfile"}, "fab": {"-f", "--fabfile"}, "scons": {"-f", "--file"}, "pytest": {"-c"}, "gulp": {"-f", "--gulpfile"}, "grunt": {"--gruntfile"}, "foreman": {"-f", "--procfile"}, "honcho": {"-f", "--procfile"}, "pre-commit": {"-c", "--config"}, "act": {"-W", "--workflows"}, "tox": {"-c", "--conf"},
		"jest": {"-c", "--config"}, "vitest": {"-c", "--config"}, "mocha": {"--config", "-r", "--require"}, "playwright": {"-c", "--config"}, "vite": {"-c", "--config"}, "webpack": {"-c", "--config"}, "rollup": {"-c", "--config"}, "eslint": {"-c", "--config"}, "babel": {"--config-file"}}
})

// folderOptions name the folder in which a program looks for its files of commands.
var folderOptions = sync.OnceValue(func() map[string][]string {
	return map[string][]string{"task": {"-d", "--dir"}, "go-task": {"-d", "--dir"}, "just": {"-d", "--working-directory"}, "pytest": {"--rootdir"}, "act": {"-C", "--directory"}, "jest": {"--rootDir"}, "vitest": {"--root"}, "tox": {"--root"}}
})

// runConventionFiles runs the files that a program reads by itself, if the command has written them, or gives them on standard input.
func (s *state) runConventionFiles(c *call) {
	if listsOnly(c) {
		return
	}
	if c.name == "ansible-playbook" {
		s.runPlaybooks(c)
		return
	}
	known := conventionsOf()[c.name]
	if len(known) == 0 {
		return
	}
	if named, ok := c.option(fileOptions()[c.name]...); ok && !strings.HasPrefix(named.text, "--") && fileOptions()[c.name] != nil {
		content := s.scriptContent(named)
		if named.text == "-" {
			content = s.stdin
		}
		s.runFileOf(known[0].language, content)
		return
	}
	if len(s.files) == 0 {
		return
	}
	folder := ""
	if named, ok := c.option(folderOptions()[c.name]...); ok && folderOptions()[c.name] != nil {
		folder = strings.TrimSuffix(named.text, "/") + "/"
	}
	words := c.words("")
	for _, one := range known {
		if len(one.words) > 0 && (len(words) == 0 || !slices.Contains(one.words, words[0].text)) {
			continue
		}
		for _, name := range one.files {
			if content, ok := s.files[s.absolute(folder+name)]; ok {
				s.runFileOf(one.language, content)
				continue
			}
			if !strings.Contains(name, "*") {
				continue
			}
			base, anywhere := strings.CutPrefix(name, "**/")
			for file, content := range s.files {
				whole := s.absolute(folder + name)
				if anywhere {
					whole, file = base, path.Base(file)
				}
				if ok, _ := path.Match(whole, file); !ok {
					continue
				}
				if anywhere { // a test may hold commands that it only checks
					content.text = s.startingCalls(one.language, content.text)
				}
				s.runFileOf(one.language, content)
			}
		}
	}
}

// startedListPattern matches a list of words; in JavaScript, a program may precede it.
var startedListPattern = pattern.New(`(?:(?:"[^"\n]*"|'[^'\n]*')\s*,\s*)?\[\s*(?:"[^"\n]*"|'[^'\n]*')\s*(?:,\s*(?:"[^"\n]*"|'[^'\n]*')\s*)*,?\s*\]`)

var (
	// setTextPattern matches the assignment of a text or a list of texts to a variable, and passedNamePattern a
	// variable as an argument.
	setTextPattern    = pattern.New(`\b([A-Za-z_]\w*)\s*=\s*(\[[^\[\]]*\]|"[^"\n]*"|'[^'\n]*')`)
	passedNamePattern = pattern.New(`(\(\s*)([A-Za-z_]\w*)(\s*[,)])`)
)

// startingCalls returns only the calls in code that start programs or delete files, with the texts of variables. It
// runs lists of words, and leaves only the program in the result: its arguments are not commands.
func (s *state) startingCalls(language, text string) string {
	if len(text) > maxText {
		return text
	}
	text, _ = foldTexts(language, plusJoinPattern.ReplaceAllString(text, ""))
	set := map[string]string{}
	for _, found := range setTextPattern.FindAllStringSubmatch(text, -1) {
		set[found[1]] = found[2]
	}
	places := slices.Concat(startPattern.FindAllStringIndex(text, -1), deletePattern.FindAllStringIndex(text, -1))
	slices.SortFunc(places, func(a, b []int) int { return a[0] - b[0] })
	var calls strings.Builder
	end := 0
	for _, at := range places {
		if next := strings.TrimLeft(strings.TrimLeftFunc(text[at[1]:], func(r rune) bool { return r < 128 && isNameByte(byte(r)) }), " "); at[0] < end || !strings.ContainsAny(text[at[0]:at[1]], "(\"'`{") && !strings.HasPrefix(next, "(") {
			continue
		}
		end = endOfCall(text, at[1])
		call := passedNamePattern.ReplaceAllStringFunc(text[at[0]:end], func(passed string) string {
			found := passedNamePattern.FindStringSubmatch(passed)
			if given, ok := set[found[2]]; ok {
				return found[1] + given + found[3]
			}
			return passed
		})
		calls.WriteString(startedListPattern.ReplaceAllStringFunc(call, func(list string) string {
			var words []value
			for _, word := range wordPattern.FindAllStringSubmatch(list, -1) {
				words = append(words, known(word[1]+word[2]))
			}
			s.child().run(words)
			return wordPattern.FindString(list)
		}))
		calls.WriteString("\n")
		if calls.Len() > maxText {
			s.unresolved(TooComplex)
			break
		}
	}
	return calls.String()
}

// endOfCall returns where the arguments of a call end that begin at a place of code, or the line without parentheses.
func endOfCall(text string, at int) int {
	depth, quoted := 0, byte(0)
	if at > 0 && text[at-1] == '(' {
		depth = 1
	}
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case quoted != 0:
			switch c {
			case '\\':
				i++
			case quoted:
				quoted = 0
			}
		case c == '"', c == '\'', c == '`':
			quoted = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth <= 0 {
				return i + 1
			}
		case depth == 0 && (c == '\n' || c == ';'):
			return i
		}
	}
	return len(text)
}

// listOptions make a program show or check its file of commands, without running commands in it.
var listOptions = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"just": {"-l", "--list", "--summary", "--dump", "--show", "--fmt", "--variables"}, "task": {"-l", "--list", "-a", "--list-all", "-n", "--dry"}, "go-task": {"-l", "--list", "-a", "--list-all", "-n", "--dry"},
		"act": {"-l", "--list", "-n", "--dryrun", "-g", "--graph", "--validate"}, "ansible-playbook": {"--syntax-check", "--list-tasks", "--list-hosts", "--list-tags"},
	}
})

// listsOnly reports whether a call has one of the program's listOptions, and not as the value of another option.
func listsOnly(c *call) bool {
	options := listOptions()[c.name]
	for i := 0; i < len(c.args) && len(options) > 0; i++ {
		switch text := c.args[i].text; {
		case slices.Contains(options, text):
			return true
		case text == "--", c.name == "just" && !strings.HasPrefix(text, "-"): // just passes what follows to the recipe
			return false
		case text == "-v", text == "--verbose":
		case strings.HasPrefix(text, "-") && !strings.Contains(text, "="):
			i++
		}
	}
	return false
}

// onThisHost are words of playbooks and of calls of Ansible that make a play run on this machine.
var onThisHost = []string{"localhost", "127.0.0.1", "local_action", "::1"}

// runPlaybooks runs the commands of playbooks on the hosts that they name.
func (s *state) runPlaybooks(c *call) {
	inventory, _ := c.option("-i", "--inventory")
	connection, _ := c.option("-c", "--connection")
	given := inventory.text
	if given != "" {
		given += s.scriptContent(inventory).text
	}
	for _, file := range c.words("ciuelMtf", "--connection", "--inventory", "--extra-vars", "--limit", "--tags", "--skip-tags", "--user", "--forks") {
		content := s.scriptContent(file)
		host := hostOfPlays(content.text)
		if connection.text == "local" || slices.ContainsFunc(onThisHost, func(word string) bool { return strings.Contains(given+content.text, word) }) || localConnectionPattern.MatchString(given+content.text) {
			host = ""
		}
		sub := s.child()
		if host != "" {
			sub.host, sub.cwd = host, ""
		}
		sub.runCommandLists(content)
	}
}

var (
	playHostsPattern       = pattern.New(`(?m)^\s*(?:-\s+)?hosts\s*:\s*["'\[]*([\w.-]+)`)
	localConnectionPattern = pattern.New(`connection\w*["']?\s*[:=]\s*["']?local\b`)
)

// hostOfPlays returns the first host that a playbook names, or "" if it names none.
func hostOfPlays(text string) string {
	if found := playHostsPattern.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// runFileOf runs the content of a file of commands.
func (s *state) runFileOf(language string, content value) {
	s.noteCode(value{labels: content.labels.ofProject() & unread})
	if content.text == "" || len(content.text) > maxText || s.readsConvention[content.text] || !s.step() {
		return
	}
	s.readsConvention[content.text] = true // a recipe may call its own program
	defer delete(s.readsConvention, content.text)
	switch language {
	case shellLanguage:
		s.runText(content, nil)
	case recipes:
		s.runIndented(content.text)
	case commandLists:
		s.runCommandLists(content)
	case settings:
		s.runSettings(content.text)
	case processes:
		for line := range strings.Lines(content.text) {
			if _, command, ok := strings.Cut(line, ":"); ok && line[0] != '#' {
				s.runText(known(strings.TrimSpace(command)), nil)
			}
		}
	default:
		s.child().scanCode(language, content)
	}
}

// runIndented runs the recipes of just: lines that begin with a space.
func (s *state) runIndented(text string) {
	for line := range strings.Lines(text) {
		if command := strings.TrimSpace(line); command != "" && (line[0] == ' ' || line[0] == '\t') {
			s.runText(known(strings.TrimLeft(command, "@- ")), nil)
		} else if _, given, ok := strings.Cut(command, "`"); ok { // NAME := `COMMAND`
			if given, _, closed := strings.Cut(given, "`"); closed {
				s.runText(known(given), nil)
			}
		}
	}
}

// runSettings runs the commands of tox: "commands = COMMAND", with more commands in indented lines.
func (s *state) runSettings(text string) {
	commands := false
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';' {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			at := strings.IndexAny(line, "=:")
			if commands = at >= 0 && strings.HasPrefix(line, "commands"); !commands {
				continue
			}
			line = line[at+1:]
		}
		if command := strings.TrimSpace(line); commands && command != "" {
			s.runText(known(strings.TrimLeft(command, "- ")), nil)
		}
	}
}

// commandKeys are keys of YAML files whose values are commands.
var commandKeys = []string{"cmd", "cmds", "command", "commands", "sh", "shell", "raw", "run", "script", "before_script", "after_script", "entry", "exec", "win_shell", "ansible.builtin.shell", "ansible.builtin.command", "ansible.builtin.raw"}

var (
	yamlKeyPattern = pattern.New(`^(?:-\s+)*["']?([\w.-]+)["']?\s*:(?:\s+(.*))?$`)
	// yamlFlowPattern matches a command in {KEY: VALUE}, and yamlTasksPattern tasks in {NAME: COMMAND}.
	yamlFlowPattern  = pattern.New(`[{,]\s*["']?(\w+)["']?\s*:\s*("(?:\\.|[^"\\])*"|'(?:\'\'|[^'])*'|\[[^\]]*\]|[^,{}\[\]"'\n]+)`)
	yamlTasksPattern = pattern.New(`\btasks["']?\s*:\s*\{`)
	yamlTextPattern  = pattern.New(`"(?:\\.|[^"\\])*"|'(?:''|[^'])*'`)
)

// runCommandLists runs the commands of a YAML file: the values of commandKeys, and tasks that are only a text.
func (s *state) runCommandLists(content value) {
	if content.text == "" || len(content.text) > maxText {
		return
	}
	if strings.Contains(content.text, "{") {
		tasks := yamlTasksPattern.MatchString(content.text)
		for _, found := range yamlFlowPattern.FindAllStringSubmatch(content.text, maxItems) {
			if tasks || slices.Contains(commandKeys, found[1]) {
				s.runYAML(found[2])
			}
		}
	}
	commands, tasks, task := -1, -1, -1 // indentation of the keys that contain the lines
	for line := range strings.Lines(content.text) {
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		if text == "" || text[0] == '#' {
			continue
		}
		if commands >= 0 && indent <= commands && !(indent == commands && strings.HasPrefix(text, "- ")) {
			commands = -1
		}
		if tasks >= 0 && indent <= tasks {
			tasks, task = -1, -1
		}
		found := yamlKeyPattern.FindStringSubmatch(text)
		switch {
		case found != nil && slices.Contains(commandKeys, found[1]):
			commands = indent
			if given := strings.Trim(found[2], "|>+- "); given != "" {
				s.runYAML(found[2])
			}
		case found != nil && found[1] == "tasks" && found[2] == "":
			tasks = indent
		case found != nil && tasks >= 0 && (task < 0 || indent == task):
			if task = indent; found[2] != "" {
				s.runYAML(found[2])
			}
		case commands >= 0 && (found == nil || !strings.HasPrefix(text, "- ")):
			s.runYAML(strings.TrimPrefix(text, "- "))
		}
	}
}

// runYAML runs a value of YAML: a text, or a list of texts.
func (s *state) runYAML(text string) {
	if text = strings.TrimSpace(text); text == "" || !s.step() {
		return
	}
	if text[0] != '[' && text[0] != '{' && text[0] != '"' && text[0] != '\'' {
		s.runText(known(text), nil)
		return
	}
	for _, quoted := range yamlTextPattern.FindAllString(text, maxItems) {
		s.runText(known(strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)), nil)
	}
	if text[0] == '[' {
		for _, word := range strings.Split(strings.Trim(text, "[] "), ",") {
			if word = strings.TrimSpace(word); word != "" && word[0] != '"' && word[0] != '\'' {
				s.runText(known(word), nil)
			}
		}
	}
}
