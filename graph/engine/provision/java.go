package provision

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"nomograph/graph/engine/files"
	"nomograph/internal/pattern"
)

var javaVersion = pattern.New(`version "(?:1\.)?(\d+)`)

// javaFor is the oldest Java that a Neo4j version runs on.
func javaFor(neo4j string) int {
	if strings.HasPrefix(neo4j, "5.") {
		return 17
	}
	return 21 // the versions named by year
}

// findJava looks in JAVA_HOME, then in PATH, and takes the first that is new enough. The error says what was found. A program
// that lies in the working folder is nobody's choice, and a java that is a version manager's looks for its choice where it
// runs: so relative paths are passed over, and none is run in the working folder.
func findJava(ctx context.Context, needed int) (program, version string, err error) {
	var candidates []string
	if home := os.Getenv("JAVA_HOME"); filepath.IsAbs(home) {
		name := "java"
		if runtime.GOOS == "windows" {
			name = "java.exe"
		}
		candidates = append(candidates, filepath.Join(home, "bin", name))
	}
	if inPath, err := exec.LookPath("java"); err == nil {
		candidates = append(candidates, inPath)
	}
	var found []string
	for _, program := range candidates {
		cmd := exec.CommandContext(ctx, program, "-version")
		cmd.Dir = elsewhere
		text, err := cmd.CombinedOutput()
		if err != nil {
			found = append(found, fmt.Sprintf("%s does not run", program))
			continue
		}
		match := javaVersion.FindSubmatch(text)
		if match == nil {
			found = append(found, fmt.Sprintf("%s does not say its version", program))
			continue
		}
		if major, _ := strconv.Atoi(string(match[1])); major < needed {
			found = append(found, fmt.Sprintf("%s is Java %d", program, major))
			continue
		}
		return program, string(text), nil
	}
	if len(found) == 0 {
		return "", "", fmt.Errorf("no java in JAVA_HOME or PATH")
	}
	return "", "", fmt.Errorf("no Java %d: %s", needed, strings.Join(found, ", "))
}

// elsewhere is a folder that nobody has cloned a repository into: the root.
const elsewhere = string(os.PathSeparator)

// QuickCompiler has Java compile once and quickly, instead of again what is used much: decision 0122.
const QuickCompiler = "-XX:TieredStopAtLevel=1"

// The flags that Neo4j's own scripts set, and three for a small graph that starts often: the plain collector, room for what
// is compiled, and no core file of half a gigabyte.
var javaFlags = []string{
	"--add-opens=java.base/java.nio=ALL-UNNAMED",
	"--add-opens=java.base/java.io=ALL-UNNAMED",
	"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
	"--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
	"--enable-native-access=ALL-UNNAMED",
	"-Dfile.encoding=UTF-8",
	"-XX:+UseSerialGC",
	// Compiled code fills the 48 MB that go with it within minutes; then methods are thrown away and compiled again.
	"-XX:ReservedCodeCacheSize=240m",
	"-XX:-CreateCoredumpOnCrash",
	"-XX:+ExitOnOutOfMemoryError",
}

// WriteArguments writes the Java @argfile, of mode 0600, that runs a main class of Neo4j: no password in a process list, and
// no limit on the class path's length, which 213 jars exceed on Windows.
func (p Programs) WriteArguments(file string, flags []string, class string, args ...string) error {
	var text strings.Builder
	for _, arg := range slices.Concat(javaFlags, flags, []string{"-cp", strings.Join(p.jars, string(os.PathListSeparator)), class}, args) {
		text.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(arg) + "\"\n")
	}
	return files.Write(file, []byte(text.String()))
}
