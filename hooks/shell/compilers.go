package shell

import (
	"path"
	"slices"
	"strings"
)

// sourceEndings maps the extension of a source file to the name of its language.
var sourceEndings = map[string]string{".go": "go", ".c": "c", ".cc": "c", ".cpp": "c", ".cxx": "c", ".m": "c", ".rs": "rust", ".java": "java", ".kt": "java", ".cs": "csharp", ".swift": "swift", ".hs": "haskell", ".nim": "nim", ".zig": "zig", ".d": "d", ".ts": "node", ".tsx": "node", ".mts": "node"}

// compile reads source files that the command itself has written. Other files belong to the project.
func compile(s *state, c *call) value {
	var whole string // "run" or "build" of a package such as ./..., whose files the command does not name
	for _, word := range c.words("oIDLlx") {
		if slices.Contains([]string{"run", "build", "test", "install", "generate"}, word.text) {
			whole = word.text
		}
		s.noteCompiled(s.absolute(word.text))
	}
	if whole != "" {
		for file := range s.files {
			if sourceEndings[path.Ext(file)] != "" && strings.HasPrefix(file, s.cwd) {
				s.noteCompiled(file)
			}
		}
	}
	if c.name == "gcc" || c.name == "cc" || c.name == "clang" || c.name == "tcc" || c.name == "go" && whole == "run" {
		if slices.ContainsFunc(c.args, func(a value) bool { return a.text == "-" }) {
			s.noteCode(value{labels: s.stdin.labels & unread})
			s.scanCode("c", s.stdin)
		}
	}
	if out, ok := c.option("-o"); ok && !out.incomplete {
		s.write(out, unknown(0))
	}
	if code, ok := c.option("-e"); ok && (c.name == "ghc" || c.name == "scala") {
		s.scanCode("haskell", code)
	}
	if verbs := remoteVerbs()[c.name]; verbs != nil {
		return remoteProgram(s, c)
	}
	return unknownProgram(s, c)
}

func (s *state) noteCompiled(full string) {
	language := sourceEndings[path.Ext(full)]
	content, written := s.files[full]
	if language == "" || !written {
		return
	}
	s.noteCode(value{labels: content.labels.ofProject() & unread})
	if !content.incomplete && content.text != "" {
		s.child().scanCode(language, content)
	}
}
