package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/joho/godotenv"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/internal/pattern"
)

const (
	dotenv    = ".env"
	maxDotenv = 64 << 10 // bytes, before and after variables are expanded
)

// readDotenv returns the settings of a .env file by key, or none if the file is missing or not readable.
func readDotenv(path string) (map[string]string, error) {
	content, err := dotenvContent(path)
	if content == nil || err != nil {
		return nil, err
	}
	return parseDotenv(path, content)
}

// dotenvContent returns the content of a .env file, or nil if there is no readable regular file.
func dotenvContent(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // reading a pipe or device might never end
		return nil, nil
	}
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, nil
	case err != nil:
		return nil, notDotenv(path)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxDotenv+1))
	if err != nil {
		return nil, notDotenv(path)
	}
	return append([]byte{}, content...), nil
}

func parseDotenv(path string, content []byte) (map[string]string, error) {
	text, err := document.Text(path, content[:min(len(content), maxDotenv+1)])
	switch {
	case len(content) > maxDotenv, err == nil && expandedSize(text) > maxDotenv:
		return nil, apperr.Newf(apperr.Validation, "%s is larger than %d kB with its variables expanded", path,
			maxDotenv>>10).WithHint("Remove variables that are not needed")
	case err != nil:
		return nil, err
	}
	entries, err := godotenv.Unmarshal(text)
	if err != nil {
		return nil, notDotenv(fmt.Sprintf("%s:%d", path, brokenLine(text)))
	}
	values := map[string]string{}
	for _, s := range Settings {
		if value := entries[s.Env]; value != "" {
			values[s.Key] = value
		}
	}
	return values, nil
}

// brokenLine returns the line of the first entry that the parser refuses. An entry with quotes can have several lines.
func brokenLine(text string) int {
	lines, entry := strings.SplitAfter(text, "\n"), 0
	for next := 1; next <= len(lines); next++ {
		if _, err := godotenv.Unmarshal(strings.Join(lines[entry:next], "")); err == nil {
			entry = next
		}
	}
	return entry + 1
}

// notDotenv omits the parser's message, because it quotes the line, which may contain a password.
func notDotenv(path string) error {
	return apperr.Newf(apperr.Validation, "%s is not a valid .env file", path).
		WithHint("Write one NAME=value per line; quote values with blanks, quotes or #")
}

var (
	dotenvLine     = pattern.New(`^\s*(?:export\s+)?([\w.]+)\s*[=:]\s*(.*?)\s*$`)
	dotenvVariable = pattern.New(`\$[({]?(\w+)`)
	plainName      = pattern.New(`^(["']?)(\w[\w./:@-]{0,199})(["']?)(?:\s+#.*)?$`)
)

// expandedSize returns the size of the values after variables are expanded. A few lines that refer to each other twice
// would otherwise fill the memory.
func expandedSize(text string) int {
	sizes, all := map[string]int{}, 0
	for line := range strings.Lines(text) {
		found := dotenvLine.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		size := len(found[2])
		for _, name := range dotenvVariable.FindAllStringSubmatch(found[2], -1) {
			size = min(size+sizes[name[1]], maxDotenv+1)
		}
		sizes[found[1]] = size
		all = min(all+size, maxDotenv+1)
	}
	return all
}

// parseUntrusted returns the settings of an untrusted .env file, read line by line without expanding variables.
func parseUntrusted(content []byte) map[string]string {
	values := map[string]string{}
	text, _ := document.Text("", content[:min(len(content), maxDotenv)]) // Trust reports other encodings
	for line := range strings.Lines(text) {
		found := dotenvLine.FindStringSubmatch(line)
		if found == nil || found[2] == "" {
			continue
		}
		if i := slices.IndexFunc(Settings, func(s Setting) bool { return s.Env == found[1] }); i >= 0 {
			values[Settings[i].Key] = found[2]
		}
	}
	return values
}
