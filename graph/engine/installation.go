package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"nomograph/fault"
)

// Version is the Neo4j that is provisioned when Options.Home names no other. pom.xml holds the same one.
const Version = "5.26.30"

// installation is the programs of one Neo4j version, and what runs them: a Java or a Docker.
type installation struct {
	o           Options
	log         zerolog.Logger
	version     string
	jars        []string // in the order of the class path, which a class-data archive depends on
	java        string   // the program; empty with Docker
	javaVersion string   // all that it says about itself
	docker      string   // the program; empty with Java
	journal     *journal
}

// install finds or provisions Neo4j and something to run it with. What is missing is the fault unavailable, which names
// every missing part at once and the commands that bring them.
func install(ctx context.Context, o Options, log zerolog.Logger) (*installation, error) {
	in := &installation{o: o, log: log, version: Version}
	var err error
	if o.Home != "" {
		if in.jars, in.version, err = jarsOfHome(o.Home); err != nil {
			return nil, err
		}
	} else {
		in.jars = provisioned(o)
	}

	var missing []string
	var causes []error
	in.java, in.javaVersion, err = findJava(ctx, javaFor(in.version))
	if err != nil {
		missing, causes = append(missing, "java"), append(causes, err)
	}
	mvn := ""
	if in.jars == nil {
		if mvn, err = findMaven(); err != nil {
			missing, causes = append(missing, "maven"), append(causes, err)
		}
	}
	if len(missing) > 0 {
		if docker, ok := findDocker(ctx); ok && o.Home == "" {
			in.docker, in.jars, in.java = docker, nil, ""
			return in, nil
		}
		return nil, notInstalled(missing, errors.Join(causes...))
	}
	if in.jars == nil {
		in.jars, err = provision(ctx, o, mvn)
	}
	return in, err
}

// notInstalled is the fault for a machine that has neither what Neo4j needs nor a Docker.
func notInstalled(missing []string, cause error) error {
	what := map[string]string{"java": "Java 17 or newer", "maven": "Maven (mvn)"}
	packages := map[string]map[string]string{
		"linux":   {"java": "openjdk-17-jre-headless", "maven": "maven"},
		"darwin":  {"java": "openjdk@17", "maven": "maven"},
		"windows": {"java": "EclipseAdoptium.Temurin.17.JRE", "maven": "Apache.Maven"},
	}
	command := map[string]string{
		"linux": "apt-get install -y", "darwin": "brew install", "windows": "winget install",
	}
	system := runtime.GOOS
	if command[system] == "" {
		system = "linux"
	}
	reason := strings.ReplaceAll(fmt.Sprint(cause), "\n", "; ")
	var lacks, names []string
	for _, part := range missing {
		lacks = append(lacks, what[part])
		names = append(names, packages[system][part])
	}
	return fault.Newf(fault.Unavailable, "The private Neo4j needs %s, which %s not found (%s)",
		strings.Join(lacks, " and "), map[bool]string{true: "was", false: "were"}[len(lacks) == 1], reason).
		WithHint("Install it with: %s %s (on Debian or Ubuntu; elsewhere the package of the same purpose). Or set "+
			"NEO4J_URI to a Neo4j that runs already, NEO4J_HOME to an installed one, or start Docker",
			command[system], strings.Join(names, " ")).Because(cause)
}

// jarsOfHome takes an installation as it is, and its version from the name of its kernel's jar.
func jarsOfHome(home string) (jars []string, version string, err error) {
	lib := filepath.Join(home, "lib")
	jars, err = jarsIn(lib)
	if err != nil {
		return nil, "", notANeo4j(home, err)
	}
	for _, jar := range jars {
		name := strings.TrimSuffix(filepath.Base(jar), ".jar")
		if v, ok := strings.CutPrefix(name, "neo4j-kernel-"); ok && v[0] >= '0' && v[0] <= '9' {
			return jars, v, nil
		}
	}
	return nil, "", notANeo4j(home, fmt.Errorf("no neo4j-kernel jar among %d jars in %s", len(jars), lib))
}

func notANeo4j(home string, cause error) error {
	return fault.Newf(fault.Unavailable, "NEO4J_HOME is not a Neo4j installation: %s", home).
		WithHint("It should hold lib/neo4j-kernel-<version>.jar. Without NEO4J_HOME an engine of our own is provisioned").
		Because(cause)
}

// jarsIn lists a folder's jars by name, so that the class path is the same every time.
func jarsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var jars []string
	for _, entry := range entries {
		if !entry.IsDir() && strings.HasSuffix(entry.Name(), ".jar") {
			jars = append(jars, filepath.Join(dir, entry.Name()))
		}
	}
	slices.Sort(jars)
	return jars, nil
}
