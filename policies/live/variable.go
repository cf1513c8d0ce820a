package live

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/joho/godotenv"
)

// assignment returns the text that sets a variable in a format.
func assignment(format, name, value string) string {
	switch format {
	case "fish":
		return fmt.Sprintf("set -gx %s %s\n", name, quote(value, fishQuotes.Replace(value), "'"))
	case "dotenv":
		return dotenv(name, value)
	case "github":
		if !strings.ContainsAny(value, "\r\n") {
			return fmt.Sprintf("%s=%s\n", name, value)
		}
		end := fmt.Sprintf("end_%x", sha256.Sum256([]byte(value))) // no value contains its own hash
		return fmt.Sprintf("%s<<%s\n%s\n%s\n", name, end, value, end)
	}
	return fmt.Sprintf("export %s=%s\n", name, quote(value, shellQuotes.Replace(value), "'"))
}

var (
	shellQuotes  = strings.NewReplacer("'", `'\''`)          // POSIX: single quotes make everything literal
	fishQuotes   = strings.NewReplacer(`\`, `\\`, "'", `\'`) // fish: all characters but these two
	dotenvQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "\n", `\n`, "\r", `\r`)
)

// dotenv returns the first quoting that is read back unchanged, or "" if no quoting is, because readers of the format
// differ.
func dotenv(name, value string) string {
	for _, written := range []string{quote(value, value, "'"), `"` + dotenvQuotes.Replace(value) + `"`} {
		line := name + "=" + written + "\n"
		if read, err := godotenv.Unmarshal(line + "NEXT=1\n"); err == nil && len(read) == 2 && read[name] == value {
			return line
		}
	}
	return ""
}

// quote returns the value unchanged if every reader takes it literally, else quoted.
func quote(value, escaped, quote string) string {
	if value != "" && !slices.ContainsFunc([]rune(value), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
			!strings.ContainsRune("_-.:/+,@%", r)
	}) {
		return value
	}
	return quote + escaped + quote
}
