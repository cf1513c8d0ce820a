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
	// Version is the default Neo4j version. pom.xml has the same.
	Version = "5.26.30"
	// Oldest is the oldest supported Neo4j version.
	Oldest = "5.26.0"
)

// Source configures where the programs come from.
type Source struct {
	Home    string // existing Neo4j installation; empty: download one with Maven
	Version string // Neo4j version to download, three numbers
	Cache   string // directory of downloads and class-data archives
	Log     string // file for Maven's output
}

// Programs are the programs of one Neo4j version.
type Programs struct {
	Version string
	Java    string // program path; empty with Docker
	Docker  string // program path; empty with Java

	jars        []string // in class path order, on which a class-data archive depends
	javaVersion string   // full version text
	cache       string
}

// Find finds or downloads Neo4j and a program to run it with. If something is missing, it returns unavailable with all
// missing parts and the commands that install them.
func Find(ctx context.Context, from Source) (Programs, error) {
	found, mvn, err := findPrograms(ctx, from)
	if err == nil && mvn != "" {
		found.jars, err = fetch(ctx, from, mvn)
	}
	return found, err
}

// Describe returns one line about what Find would find, or its error. It downloads nothing.
func Describe(ctx context.Context, from Source) (string, error) {
	found, mvn, err := findPrograms(ctx, from)
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

// findPrograms searches for installed programs. mvn is the Maven that must download the jars; empty if they exist or come with
// Docker.
func findPrograms(ctx context.Context, from Source) (found Programs, mvn string, err error) {
	found = Programs{Version: from.Version, cache: from.Cache}
	if from.Home != "" {
		if found.jars, found.Version, err = jarsOfHome(from.Home); err != nil {
			return found, "", err
		}
	} else {
		found.jars = fetchedJars(from)
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

// folder returns the directory of downloaded jars.
func (s Source) folder() string { return filepath.Join(s.Cache, "neo4j-"+s.Version) }

// notInstalled returns the error for a machine that has neither the requirements of Neo4j nor Docker.
func notInstalled(version string, missing []string, cause error) error {
	java := javaFor(version)
	requirement := map[string]string{"java": fmt.Sprintf("Java %d or newer", java), "maven": "Maven (mvn)"}
	debian := fmt.Sprintf("openjdk-%d-jre-headless", java)
	if java == 17 { // Debian 13 has only newer ones
		debian = "default-jre-headless"
	}
	packages := map[string]map[string]string{
		"linux":   {"java": debian, "maven": "maven"},
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
		lacks = append(lacks, requirement[part])
		names = append(names, packages[system][part])
	}
	return apperr.Newf(apperr.Unavailable, "The private Neo4j %s needs %s, which %s not found (%s)",
		version, strings.Join(lacks, " and "), map[bool]string{true: "was", false: "were"}[len(lacks) == 1], reason).
		WithHint("Install it with: %s %s (Debian or Ubuntu; use the matching package elsewhere, or set JAVA_HOME). Or set "+
			"NEO4J_URI to a running Neo4j or NEO4J_HOME to an installed one, or start Docker",
			command[system], strings.Join(names, " ")).Because(cause)
}
