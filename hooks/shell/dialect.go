package shell

import (
	"strings"
	"unicode"

	"nomograph/internal/pattern"
)

// Dialect is the language of a command.
type Dialect int

// The dialects.
const (
	Guess      Dialect = iota // by the command: Unix unless it has the form of another dialect
	Unix                      // sh, Bash, zsh and others
	PowerShell                // Windows PowerShell and PowerShell 7
	Cmd                       // the command prompt of Windows
)

var (
	// cmdletCallPattern matches a cmdlet or an alias that no Unix program is named like, where a command begins.
	cmdletCallPattern = pattern.New(`(?:^|[;|&({=\n]\s*)(?:([A-Z][a-z]+-[A-Z]\w+|(?i:[a-z]+-[a-z]+))|((?i)iex|iwr|irm|gci|sls|ri))(?:\s|$|\))`)
	properNounPattern = pattern.New(`^[A-Z][a-z]+-[A-Z]`)
	// cmdletParameterPattern matches parameters of PowerShell, and variables of its environment.
	cmdletParameterPattern = pattern.New(`\s-(?:Recurse|Force|LiteralPath|ErrorAction|OutFile|ItemType|Destination|Uri)\b|\s-recurse\s+-force|\s-r\s+-fo\b|\$env:\w|\[(?:System\.)?(?:IO|Net|Convert|Environment)[.\]]|(?:^|[;&|\n]\s*)(?:&\s*["']?)?\.{1,2}\\[\w.]|(?:^|[;\n]\s*)&\s`)
	// batchPattern matches commands of cmd with its switches.
	batchPattern = pattern.New(`(?i)(?:^|[&|\n]\s*)(?:(?:rd|rmdir|del|erase|xcopy|robocopy)\s+(?:[^&|\n]*\s)?/[a-z]{1,5}\b|format\s+[a-z]:|type\s+\S*[.\\]|mklink\s|for\s+/[a-z]\s|copy\s+\S*\\|del\s+\S*\\)|%(?:USERPROFILE|APPDATA|LOCALAPPDATA|SystemRoot|windir|TEMP|SystemDrive)%`)
	// drivePattern matches a path of Windows without quotes.
	drivePattern = pattern.New(`(?:^|\s)[A-Za-z]:\\`)
)

// dialectsOf returns the dialects in which a command may be read if nothing else says which one it is. More than one
// are read if the command is valid in each.
func dialectsOf(command string) []Dialect {
	for _, found := range cmdletCallPattern.FindAllStringSubmatch(command, 20) {
		name := strings.ToLower(found[1])
		if _, ok := cmdlets()[name]; ok || name != "" && found[1][0] < 'a' && strings.Contains(found[1], "-") &&
			properNounPattern.MatchString(found[1]) {
			return []Dialect{PowerShell}
		}
		if found[2] != "" &&
			(strings.ContainsAny(command, "|(") && strings.Contains(strings.ToLower(command), "iex") ||
				strings.Contains(command, "-Uri") || strings.Contains(command, "http")) {
			return []Dialect{PowerShell}
		}
	}
	switch {
	case cmdletParameterPattern.MatchString(command):
		return []Dialect{PowerShell}
	case batchPattern.MatchString(command):
		return []Dialect{Unix, Cmd}
	case drivePattern.MatchString(command):
		return []Dialect{Unix, PowerShell}
	}
	return []Dialect{Unix}
}

// IsWindowsPath reports whether a path begins with the letter of a drive.
func IsWindowsPath(name string) bool {
	return len(name) > 1 && name[1] == ':' && unicode.IsLetter(rune(name[0])) &&
		(len(name) == 2 || strings.IndexByte(`\/*`, name[2]) >= 0)
}

// isRegistryKey reports whether a path is a key of the registry of Windows, as PowerShell writes it: HKCU:/Software.
func isRegistryKey(name string) bool {
	return len(name) > 5 && (cutFoldOK(name, "hklm:") || cutFoldOK(name, "hkcu:"))
}

func cutFoldOK(text, prefix string) bool {
	_, ok := cutFold(text, prefix)
	return ok
}

// drivePrefixPattern matches the beginnings of a path on a drive of Windows: of a device, in WSL, in Cygwin and in Git
// Bash.
var drivePrefixPattern = pattern.New(`^(?:(?i)[/\\]{1,2}[?.][/\\]([a-z]):|/(?:mnt|cygdrive)/([a-z])(?:/|$)|/(c)(?:/|$)|/([d-z])(?:/(?:Users|Windows|Program Files|ProgramData)(?:/|$)))`)

// windowsSpelling returns a path on a drive of Windows as C:/Users, and other paths unchanged.
func windowsSpelling(name string) string {
	if found := drivePrefixPattern.FindStringSubmatch(name); found != nil {
		rest := name[len(found[0]):]
		if found[4] != "" { // the pattern needs the folder after the letter
			rest = name[2:]
		}
		name = strings.Join(found[1:], "") + ":/" + strings.TrimLeft(rest, `\/`)
	}
	if !IsWindowsPath(name) {
		return name
	}
	return strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], `\`, "/")
}
