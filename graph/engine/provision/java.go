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

// javaFor returns the oldest Java version for a Neo4j version.
func javaFor(neo4j string) int {
	if strings.HasPrefix(neo4j, "5.") {
		return 17
	}
	return 21 // versions named by year
}

// findJava searches JAVA_HOME and then PATH and returns the first Java that is new enough. Its error lists what was
// found. It skips relative paths and does not run Java in the working directory: a program there was not chosen by the
// user, and java commands of version managers read the working directory.
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
		cmd.Dir = neutralFolder
		text, err := cmd.CombinedOutput()
		if err != nil {
			found = append(found, fmt.Sprintf("%s does not run", program))
			continue
		}
		match := javaVersion.FindSubmatch(text)
		if match == nil {
			found = append(found, fmt.Sprintf("%s does not report its version", program))
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

// neutralFolder is a directory that is not a cloned repository: the root.
const neutralFolder = string(os.PathSeparator)

// QuickCompiler makes Java compile once and quickly instead of recompiling hot code; see decision 0122.
const QuickCompiler = "-XX:TieredStopAtLevel=1"

// javaFlags are the flags of Neo4j's own scripts, and three for a small graph that starts often: the serial garbage
// collector, a larger code cache, and no core dumps of half a gigabyte.
var javaFlags = []string{
	"--add-opens=java.base/java.nio=ALL-UNNAMED",
	"--add-opens=java.base/java.io=ALL-UNNAMED",
	"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
	"--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
	"--enable-native-access=ALL-UNNAMED",
	"-Dfile.encoding=UTF-8",
	"-XX:+UseSerialGC",
	// Compiled code fills the default of 48 MB within minutes; methods are then discarded and compiled again.
	"-XX:ReservedCodeCacheSize=240m",
	"-XX:-CreateCoredumpOnCrash",
	"-XX:+ExitOnOutOfMemoryError",
}

// Environ returns the environment of Java, which decodes paths in its arguments and its working directory by the locale. In the locale C
// it knows ASCII only.
func Environ() []string {
	if runtime.GOOS != "linux" { // macOS always decodes UTF-8
		return os.Environ()
	}
	return append(os.Environ(), "LC_ALL=C.UTF-8")
}

// WriteArguments writes a Java @argfile with mode 0600 that runs a main class of Neo4j. It keeps the password out of
// process lists and avoids the command-line limit of Windows, which a class path of 213 jars exceeds.
func (p Programs) WriteArguments(file string, flags []string, class string, args ...string) error {
	var text strings.Builder
	for _, arg := range slices.Concat(javaFlags, flags, []string{"-cp", strings.Join(p.jars, string(os.PathListSeparator)), class}, args) {
		text.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(arg) + "\"\n")
	}
	return files.Write(file, []byte(text.String()))
}
