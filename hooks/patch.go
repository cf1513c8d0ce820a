package hooks

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/hooks/shell"
	"nomograph/internal/apperr"
)

// maxPatched is the maximum number of files of a patch, because each is checked.
const maxPatched = 100

// patchHeaders begin the lines of a patch for apply_patch that name a file.
var patchHeaders = map[string]Kind{"*** Add File: ": FileWrite, "*** Update File: ": FileWrite,
	"*** Move to: ": FileWrite, "*** Delete File: ": FileDelete}

// patchActions returns the actions of the patches in texts, none if they name no file. A relative name is in dir. It
// returns a validation_error for too many files.
func patchActions(texts []string, dir, cwd string) (actions []Action, err error) {
	for _, text := range texts {
		before := ""
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			kind, file := patchedFile(before, line)
			before = line
			switch {
			case file == "":
				continue
			case len(actions) == maxPatched:
				return nil, apperr.Newf(apperr.Validation, "The patch changes more than %d files", maxPatched).
					WithHint("Split the patch into smaller ones")
			case dir != "" && !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "~"):
				file = path.Join(dir, file)
			}
			actions = append(actions, File(kind, file, cwd, ""))
		}
	}
	return actions, nil
}

// patchedFile returns the file that a line of a patch names, "" for other lines. The two lines of a unified diff name
// one.
func patchedFile(before, line string) (Kind, string) {
	for prefix, kind := range patchHeaders {
		if file, ok := strings.CutPrefix(line, prefix); ok {
			return kind, file
		}
	}
	from, is := strings.CutPrefix(before, "--- ")
	to, ok := strings.CutPrefix(line, "+++ ")
	switch {
	case !is || !ok:
		return "", ""
	case strings.HasPrefix(to, "/dev/null"):
		return FileDelete, diffName(from, "a/")
	}
	return FileWrite, diffName(to, "b/")
}

// diffName returns the name in a line of a unified diff, which a time may follow.
func diffName(text, prefix string) string {
	name, _, _ := strings.Cut(text, "\t")
	return strings.TrimPrefix(name, prefix)
}

// isPatchTool reports whether a tool applies patches.
func isPatchTool(tool string) bool {
	name := strings.Join(wordsOf(tool), " ")
	return strings.Contains(" "+name+" ", " patch ") || strings.Contains(name, "applypatch")
}

// withPatch returns the action of a command, and those of the patch that it gives to apply_patch. texts are the
// command as the client wrote it. A patch whose files cannot be read makes the command unresolved.
func withPatch(run Action, texts []string, cwd string) ([]Action, error) {
	all := strings.Join(texts, "\n")
	if !strings.Contains(all, "apply_patch") && !strings.Contains(all, "applypatch") {
		return []Action{run}, nil
	}
	dir, called := "", len(texts) > 0 && isPatchTool(texts[0]) && !strings.ContainsAny(texts[0], " \n")
	for _, text := range texts {
		if in, ok := patchCall(text); ok {
			dir, called = in, true
		}
	}
	if !called {
		return []Action{run}, nil
	}
	files, err := patchActions(texts, dir, cwd)
	if len(files) == 0 {
		unresolved, _ := run.Params["unresolved"].([]any)
		run.Params["unresolved"] = append(unresolved, shell.TooComplex)
	}
	return append([]Action{run}, files...), err
}

// patchCall reports whether a command calls apply_patch, and in which folder.
func patchCall(command string) (dir string, called bool) {
	if len(command) > shell.MaxCommand { // it is unresolved already
		return "", false
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return "", false
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if !ok || called || len(call.Args) == 0 {
			return !called
		}
		last := literal(call.Args[len(call.Args)-1])
		switch name := path.Base(literal(call.Args[0])); {
		case name == "cd":
			if dir = path.Join(dir, last); path.IsAbs(last) || strings.HasPrefix(last, "~") {
				dir = last
			}
		case name == "apply_patch" || name == "applypatch":
			called = true
		case len(call.Args) > 2 && strings.HasSuffix(name, "sh"): // bash -lc TEXT
			if in, ok := patchCall(last); ok {
				dir, called = path.Join(dir, in), true
			}
		}
		return true
	})
	return dir, called
}

// literal returns the text of a word without expansions, "" for other words.
func literal(word *syntax.Word) string {
	var text strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.WriteString(part.Value)
		case *syntax.SglQuoted:
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			text.WriteString(literal(&syntax.Word{Parts: part.Parts}))
		default:
			return ""
		}
	}
	return text.String()
}

// textsIn returns the texts in a value, at any depth.
func textsIn(value any) (found []string) {
	switch value := value.(type) {
	case string:
		return []string{value}
	case fields:
		return textsIn(map[string]any(value))
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			found = append(found, textsIn(value[name])...)
		}
	case []any:
		for _, each := range value {
			found = append(found, textsIn(each)...)
		}
	}
	return found
}
