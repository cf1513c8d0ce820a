package config

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/joho/godotenv"

	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

const (
	dotenv    = ".env"
	maxDotenv = 64 << 10 // bytes, as written and with its variables put in
)

// readDotenv gives the settings of a .env file by their keys. One that is not there, or may not be read, has none.
func readDotenv(path string) (map[string]string, error) {
	content, err := dotenvContent(path)
	if content == nil || err != nil {
		return nil, err
	}
	return parseDotenv(path, content)
}

// dotenvContent gives the bytes of a .env file, nil where there is no regular file that may be read.
func dotenvContent(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // a pipe or a device would never end
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
	if len(content) > maxDotenv || grown(content) > maxDotenv {
		return nil, apperr.Newf(apperr.Validation, "%s is larger than %d kB with its variables expanded", path, maxDotenv>>10).WithHint("Remove variables that are not needed")
	}
	given, err := godotenv.UnmarshalBytes(content)
	if err != nil {
		return nil, notDotenv(path)
	}
	values := map[string]string{}
	for _, s := range Settings {
		if value := given[s.Env]; value != "" {
			values[s.Key] = value
		}
	}
	return values, nil
}

// notDotenv leaves out what the parser says: it quotes the line, which may hold a password.
func notDotenv(path string) error {
	return apperr.Newf(apperr.Validation, "%s is not a valid .env file", path).
		WithHint("Write one NAME=value per line; quote values with blanks, quotes or #")
}

var (
	dotenvLine     = pattern.New(`^\s*(?:export\s+)?([\w.]+)\s*[=:]\s*(.*?)\s*$`)
	dotenvVariable = pattern.New(`\$[({]?(\w+)`)
	plainName      = pattern.New(`^(["']?)(\w[\w./:@-]{0,199})(["']?)(?:\s+#.*)?$`)
)

// grown is how many bytes the values have once their variables are put in, which the parser does: a few lines that name one
// another twice would fill the memory.
func grown(content []byte) int {
	sizes, all := map[string]int{}, 0
	for line := range bytes.Lines(content) {
		found := dotenvLine.FindSubmatch(line)
		if found == nil {
			continue
		}
		size := len(found[2])
		for _, name := range dotenvVariable.FindAllSubmatch(found[2], -1) {
			size = min(size+sizes[string(name[1])], maxDotenv+1)
		}
		sizes[string(found[1])] = size
		all = min(all+size, maxDotenv+1)
	}
	return all
}

// glance gives the settings of a .env that nobody trusts, line by line and without a parser that puts variables in.
func glance(content []byte) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(string(content[:min(len(content), maxDotenv)])) {
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

// unexpanded gives the settings as the parser finds them, also where glance does not see them, such as behind a quote that ends
// a line later. Variables stay as they are written: putting them in may take without end.
func unexpanded(content []byte) map[string]string {
	const aside = "\x1a" // stands for $ meanwhile
	values, err := godotenv.UnmarshalBytes(bytes.ReplaceAll(content[:min(len(content), maxDotenv)], []byte("$"), []byte(aside)))
	if err != nil {
		return glance(content) // it cannot be trusted either
	}
	given := map[string]string{}
	for _, s := range Settings {
		given[s.Key] = strings.ReplaceAll(values[s.Env], aside, "$")
	}
	return given
}
