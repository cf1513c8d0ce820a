// Package provision finds or downloads the programs that an engine needs: the jars of one Neo4j release, and the Java
// or Docker that runs them.
//
//	found, err := provision.Find(ctx, provision.Source{Cache: folder, Log: file})
//	if err != nil {
//		return err // an *apperr.Error: unavailable, with everything that is missing and the commands that install it
//	}
//	cmd := exec.Command(found.Java, "@"+arguments) // a file that found.WriteArguments has written
package provision

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"nomograph/internal/apperr"
)

const (
	// Version is the Neo4j that is provisioned when Source names no other. pom.xml holds the same one.
	Version = "5.26.30"
	// Oldest is the first that Nomograph runs on.
	Oldest = "5.26.0"
)

// Source says where the programs come from.
type Source struct {
	Home    string // an existing Neo4j installation; empty: fetch one through Maven
	Version string // of the Neo4j to fetch; three numbers
	Cache   string // what is fetched, and class-data archives
	Log     string // the file of Maven's output
}

// Programs are those of one Neo4j version.
type Programs struct {
	Version string
	Java    string // the program; empty with Docker
	Docker  string // the program; empty with Java

	jars        []string // in the order of the class path, which a class-data archive depends on
	javaVersion string   // all that it says about itself
	cache       string
}

// Find finds or fetches Neo4j and something to run it with. What is missing is the fault unavailable, which names every
// missing part at once and the commands that bring them.
func Find(ctx context.Context, from Source) (Programs, error) {
	found, mvn, err := look(ctx, from)
	if err == nil && mvn != "" {
		found.jars, err = fetch(ctx, from, mvn)
	}
	return found, err
}

// Describe says in a line what Find would find, or returns its fault. It fetches nothing.
func Describe(ctx context.Context, from Source) (string, error) {
	found, mvn, err := look(ctx, from)
	if err != nil {
		return "", err
	}
	if found.Docker != "" {
		return fmt.Sprintf("Neo4j %s in Docker (%s)", found.Version, found.Docker), nil
	}
	origin := from.folder()
	switch {
	case from.Home != "":
		origin = from.Home
	case mvn != "":
		origin = "will be fetched at the first start"
	}
	java, _, _ := strings.Cut(found.javaVersion, "\n")
	return fmt.Sprintf("%s; Neo4j %s: %s", java, found.Version, origin), nil
}

// look takes what is there. mvn is the Maven that has to fetch the jars; empty where they are there, or come with Docker.
func look(ctx context.Context, from Source) (found Programs, mvn string, err error) {
	found = Programs{Version: from.Version, cache: from.Cache}
	if from.Home != "" {
		if found.jars, found.Version, err = jarsOfHome(from.Home); err != nil {
			return found, "", err
		}
	} else {
		found.jars = fetched(from)
	}

	var missing []string
	var causes []error
	found.Java, found.javaVersion, err = findJava(ctx, javaFor(found.Version))
	if err != nil {
		missing, causes = append(missing, "java"), append(causes, err)
	}
	if found.jars == nil {
		if mvn, err = findMaven(); err != nil {
			missing, causes = append(missing, "maven"), append(causes, err)
		}
	}
	if len(missing) == 0 {
		return found, mvn, nil
	}
	if docker, ok := findDocker(ctx); ok && from.Home == "" {
		return Programs{Version: from.Version, Docker: docker}, "", nil
	}
	return found, "", notInstalled(found.Version, missing, errors.Join(causes...))
}

// folder is where what is fetched lies.
func (s Source) folder() string { return filepath.Join(s.Cache, "neo4j-"+s.Version) }

// notInstalled is the fault for a machine that has neither what a version of Neo4j needs nor a Docker.
func notInstalled(version string, missing []string, cause error) error {
	java := javaFor(version)
	what := map[string]string{"java": fmt.Sprintf("Java %d or newer", java), "maven": "Maven (mvn)"}
	packages := map[string]map[string]string{
		"linux":   {"java": fmt.Sprintf("openjdk-%d-jre-headless", java), "maven": "maven"},
		"darwin":  {"java": fmt.Sprintf("openjdk@%d", java), "maven": "maven"},
		"windows": {"java": fmt.Sprintf("EclipseAdoptium.Temurin.%d.JRE", java), "maven": "Apache.Maven"},
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
	return apperr.Newf(apperr.Unavailable, "The private Neo4j %s needs %s, which %s not found (%s)",
		version, strings.Join(lacks, " and "), map[bool]string{true: "was", false: "were"}[len(lacks) == 1], reason).
		WithHint("Install it with: %s %s (Debian or Ubuntu; use the matching package elsewhere, or set JAVA_HOME). Or set "+
			"NEO4J_URI to a running Neo4j or NEO4J_HOME to an installed one, or start Docker",
			command[system], strings.Join(names, " ")).Because(cause)
}
