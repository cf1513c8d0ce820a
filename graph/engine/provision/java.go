package provision

import (
	"bytes"
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

// javaIn returns the path of java in a runtime.
func javaIn(home string) string {
	name := "java"
	if runtime.GOOS == "windows" {
		name = "java.exe"
	}
	return filepath.Join(home, "bin", name)
}

// javas returns the Java programs that may run Neo4j, the preferred ones first: those beside this program, JAVA_HOME,
// PATH, and a downloaded one. It skips relative paths, because a program in the working directory was not chosen by
// the user.
func (s Source) javas() (programs []string) {
	for _, dir := range s.Beside {
		programs = append(programs, javaIn(dir.Java))
	}
	programs = slices.DeleteFunc(programs, missing)
	if home := os.Getenv("JAVA_HOME"); filepath.IsAbs(home) {
		programs = append(programs, javaIn(home))
	}
	if inPath, err := exec.LookPath("java"); err == nil {
		programs = append(programs, inPath)
	}
	if fetched := javaIn(s.javaFolder()); !missing(fetched) {
		programs = append(programs, fetched)
	}
	return programs
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return err != nil
}

// findJava returns the first Java that is new enough. Its error lists what was found. It does not run Java in the
// working directory, which java commands of version managers read.
func findJava(ctx context.Context, programs []string, needed int) (program, version string, err error) {
	var found []string
	for _, program := range programs {
		cmd := exec.CommandContext(ctx, program, "-version")
		cmd.Dir = neutralFolder
		text, err := cmd.CombinedOutput()
		if err != nil {
			if reason, _, _ := strings.Cut(string(bytes.TrimSpace(text)), "\n"); reason != "" {
				err = fmt.Errorf("%w: %s", err, reason)
			}
			found = append(found, fmt.Sprintf("%s does not run (%s)", program, err))
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
	return "", "", fmt.Errorf("no Java %d or newer: %s", needed, strings.Join(found, ", "))
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

// Environ returns the environment of Java, which decodes paths in its arguments and its working directory by the
// locale. In the locale C it knows ASCII only.
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
	for _, arg := range slices.Concat(javaFlags, flags,
		[]string{"-cp", strings.Join(p.jars, string(os.PathListSeparator)), class}, args) {
		text.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(arg) + "\"\n")
	}
	return files.Write(file, []byte(text.String()))
}
