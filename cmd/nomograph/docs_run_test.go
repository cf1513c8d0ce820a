package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// shell runs the commands of a page in one shell, so that later commands see variables and files of earlier ones.
type shell struct {
	stdin  io.WriteCloser
	stdout *bufio.Reader
}

func startShell(t *testing.T, g *graphtest.Graph) *shell {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	if err := os.Symlink(graphtest.Binary(t), filepath.Join(bin, "nomograph")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), "sh")
	cmd.Dir = dir
	cmd.Env = append(g.Environ(t), "HOME="+t.TempDir(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"NOMOGRAPH_AGENT=ada", "NOMOGRAPH_PROJECT=acme/shop")
	stdin := graphtest.Must(cmd.StdinPipe())(t)
	stdout := graphtest.Must(cmd.StdoutPipe())(t)
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Skipf("no POSIX shell: %v", err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	return &shell{stdin, bufio.NewReader(stdout)}
}

// run returns the output of a command on both streams, and its exit code.
func (s *shell) run(t *testing.T, command string) (output []string, code int) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "sh", "-n", "-c", command).
		CombinedOutput(); err != nil { // the shell would wait for the end of a quotation
		t.Fatalf("the command %q is not one of a shell: %s", command, out)
	}
	const end = "@@end@@ "
	graphtest.Must(fmt.Fprintf(s.stdin, "{ %s\n} </dev/null\nprintf '\\n%s%%d\\n' $?\n", command, end))(t)
	for {
		line, err := s.stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("the shell ended at %q: %v", command, err)
		}
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, end) {
			_, _ = fmt.Sscanf(line, end+"%d", &code)
			for len(output) > 0 && output[len(output)-1] == "" {
				output = output[:len(output)-1]
			}
			return output, code
		}
		output = append(output, line)
	}
}

// shown is a command of a page and what the page shows of its output. output is nil if the page shows none.
type shown struct {
	command string
	output  []string
}

func examplesIn(b block) []shown {
	var found []shown
	lines := strings.Split(strings.TrimSuffix(b.text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		command, prompted := strings.CutPrefix(line, "$ ")
		if b.language == "console" && !prompted {
			if len(found) > 0 {
				found[len(found)-1].output = append(found[len(found)-1].output, line)
			}
			continue
		}
		if command == "" || strings.HasPrefix(command, "#") {
			continue
		}
		for strings.HasSuffix(command, "\\") && i+1 < len(lines) {
			i++
			command += "\n" + lines[i]
		}
		if at := regexp.MustCompile(`<<-?'?(\w+)'?`).FindStringSubmatch(command); at != nil {
			for i+1 < len(lines) && lines[i] != at[1] {
				i++
				command += "\n" + lines[i]
			}
		}
		found = append(found, shown{command: command})
	}
	return found
}

var (
	changing  = regexp.MustCompile(`\d{4}-\d{2}-\d{2}(?:T[0-9:.]+Z)?|\b[0-9a-f]{8}(?:[0-9a-f]*|-[0-9a-f-]+)\b|\.\.\.`)
	shownID   = regexp.MustCompile(`\b[0-9a-f]{8}\b`)
	shownCode = regexp.MustCompile(`#.*\bexit (?:code )?(\d)`)
)

// matches reports whether got is the output that a page shows. "..." stands for any text, or alone on a line for any
// lines. It maps ids on the page to the real ones in ids.
func matches(want, got []string, ids map[string]string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "..." {
		for skip := 0; skip <= len(got); skip++ {
			if matches(want[1:], got[skip:], ids) {
				return true
			}
		}
		return false
	}
	if len(got) == 0 {
		return false
	}
	pattern, last := "^", 0
	var named []string
	for _, at := range changing.FindAllStringIndex(want[0], -1) {
		pattern += regexp.QuoteMeta(want[0][last:at[0]])
		switch text := want[0][at[0]:at[1]]; {
		case text == "...":
			pattern += ".*"
		case shownID.MatchString(text) && len(text) == 8:
			pattern += "([0-9a-f]{8})"
			named = append(named, text)
		case text[4] == '-':
			pattern += `[0-9T:.Z-]+`
		default:
			pattern += `[0-9a-f-]+`
		}
		last = at[1]
	}
	found := regexp.MustCompile(pattern + regexp.QuoteMeta(want[0][last:]) + "$").
		FindStringSubmatch(strings.TrimRight(got[0], " "))
	if found == nil || !matches(want[1:], got[1:], ids) {
		return false
	}
	for i, id := range named {
		ids[id] = found[i+1]
	}
	return true
}

// exitCodeOf returns the exit code of an example's comment. Without one, it is 5 if the output says denied or not
// recorded, else 0.
func exitCodeOf(e shown) string {
	if found := shownCode.FindStringSubmatch(e.command); found != nil {
		return found[1]
	}
	if len(e.output) > 0 && (e.output[0] == "denied" || e.output[0] == "not recorded") {
		return "5"
	}
	return "0"
}

// TestDocs_Examples_RunAsShown runs the examples of each page in order, on a graph with the packs core and releases,
// and compares their output where the page shows one. A block that is a file becomes that file first.
func TestDocs_Examples_RunAsShown(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	pages, examples := map[string][]block{}, 0
	var names []string
	for _, b := range documented(t) {
		if !slices.Contains(names, b.page) {
			names = append(names, b.page)
		}
		pages[b.page] = append(pages[b.page], b)
		if runs(b) {
			examples += len(examplesIn(b))
		}
	}
	if examples < 150 {
		t.Errorf("got %d examples, want at least 150", examples)
	}
	for _, name := range names {
		if !slices.ContainsFunc(pages[name], func(b block) bool { return runs(b) }) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			g := graphtest.New(t)
			toolstest.ApplyShipped(t, g, "core", "releases")
			sh, ids := startShell(t, g), map[string]string{}
			for _, b := range pages[name] { // files first: a page may use a file before it shows the file
				if b.file != "" {
					sh.run(t, "cat > "+b.file+" <<'@@EOF@@'\n"+b.text+"@@EOF@@")
				}
			}
			for _, b := range pages[name] {
				if !runs(b) {
					continue
				}
				if b.before != "" {
					if output, code := sh.run(t, b.before); code != 0 {
						t.Errorf("before a block: %s\n  exit code %d\n  %s", b.before, code,
							strings.Join(output, "\n  "))
					}
				}
				for _, e := range examplesIn(b) {
					command := shownID.ReplaceAllStringFunc(e.command, func(id string) string {
						if now, ok := ids[id]; ok {
							return now
						}
						return id
					})
					output, code := sh.run(t, command)
					if want := exitCodeOf(e); fmt.Sprint(code) != want {
						t.Errorf("%s\n  exit code %d, want %s\n  %s", command, code, want, strings.Join(output, "\n  "))
					} else if e.output != nil && !matches(e.output, output, ids) {
						t.Errorf("%s\n  got\n    %s\n  want\n    %s", command, strings.Join(output, "\n    "),
							strings.Join(e.output, "\n    "))
					}
				}
			}
		})
	}
}

// runs reports whether the commands of a block are run here. The tests of server/rest run the commands with curl.
func runs(b block) bool {
	return (b.language == "sh" || b.language == "console") && b.skipped == "" && !strings.HasPrefix(b.text, "curl ")
}
