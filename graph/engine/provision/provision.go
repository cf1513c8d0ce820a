// Package provision finds or downloads the programs that an engine needs: the jars of one Neo4j release, and the Java
// or Docker that runs them. Downloads are pinned by their SHA-256.
//
//	found, err := provision.Find(ctx, provision.Source{Cache: folder, Version: provision.Version})
//	if err != nil {
//		return err // an *apperr.Error: unavailable, with everything that is missing
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
	// Version is the default Neo4j version.
	Version = "5.26.30"
	// Oldest is the oldest supported Neo4j version.
	Oldest = "5.26.0"
	// EnvMirror is the variable of Source.Mirror.
	EnvMirror = "NOMOGRAPH_ENGINE_MIRROR"
)

// Source configures where the programs come from.
type Source struct {
	Home    string   // existing Neo4j installation; empty: use Beside, or download one
	Version string   // Neo4j version, three numbers
	Cache   string   // directory of downloads and class-data archives
	Mirror  string   // URL to download from instead of the public repositories
	Beside  []Bundle // installed with this program; see Beside
}

// Bundle is a Java runtime and the jars of Neo4j.
type Bundle struct{ Java, Jars string }

// Beside returns where an archive or a package puts Java and Neo4j, relative to a program with symbolic links
// resolved: beside it, or in the Python environment that it was installed into.
func Beside(program string) (found []Bundle) {
	self, err := filepath.EvalSymlinks(program)
	if err != nil {
		return nil
	}
	found = []Bundle{{filepath.Join(filepath.Dir(self), "engine", "jre"),
		filepath.Join(filepath.Dir(self), "engine", "lib")}}
	for _, below := range []string{"lib/python3*", "Lib"} {
		sites, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(self)), filepath.FromSlash(below),
			"site-packages"))
		for _, site := range sites {
			found = append(found, Bundle{filepath.Join(site, filepath.FromSlash(runtimeInWheel)),
				filepath.Join(site, "nomograph_engine", "lib")})
		}
	}
	return found
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

// plan is what a start would use, and what it would download first.
type plan struct {
	Programs
	fetchJars, fetchJava []file
	noJava               error // why Java must be downloaded
}

// Find finds or downloads Neo4j and a program to run it with. It returns unavailable on failure.
func Find(ctx context.Context, from Source) (Programs, error) {
	p, err := look(ctx, from)
	if err == nil && len(p.fetchJars)+len(p.fetchJava) > 0 {
		err = alone(ctx, from.Cache, func() error { return p.fetch(ctx, from) })
	}
	if err == nil || ctx.Err() != nil {
		return p.Programs, err
	}
	return p.inDocker(ctx, from, err)
}

// Fetch downloads Neo4j and Java for a platform, such as linux/arm64, to the directories lib and jre of dir. Files
// that are there stay.
func Fetch(ctx context.Context, from Source, dir, platform string) error {
	jars, wheel := jarsOf(from.Version), javaOf(platform)
	if jars == nil || wheel == nil {
		return apperr.Newf(apperr.Validation, "Neo4j %s for %s cannot be downloaded", from.Version, platform).
			WithHint("Versions: %s. Platforms: %s", strings.Join(versions(), ", "), strings.Join(platforms(), ", "))
	}
	return alone(ctx, dir, func() error {
		if _, err := fetchJars(ctx, from.Mirror, filepath.Join(dir, "lib"), jars); err != nil {
			return err
		}
		return fetchJava(ctx, from.Mirror, filepath.Join(dir, "jre"), wheel)
	})
}

// Describe returns one line about what Find would find, or its error. It downloads nothing.
func Describe(ctx context.Context, from Source) (string, error) {
	p, err := look(ctx, from)
	if err != nil {
		p.Programs, err = p.inDocker(ctx, from, err)
		return fmt.Sprintf("Neo4j %s in Docker (%s)", p.Version, p.Docker), err
	}
	version, _, _ := strings.Cut(p.javaVersion, "\n")
	java, neo4j := fmt.Sprintf("%s at %s", version, p.Java), "to be downloaded at the first start, "+
		megabytes(p.fetchJars)
	if p.fetchJava != nil {
		java = "Java to be downloaded at the first start, " + megabytes(p.fetchJava)
	}
	if p.jars != nil {
		neo4j = "at " + filepath.Dir(p.jars[0])
	}
	return fmt.Sprintf("%s; Neo4j %s %s", java, p.Version, neo4j), nil
}

// look searches for installed and downloaded programs.
func look(ctx context.Context, from Source) (p plan, err error) {
	p.Programs = Programs{Version: from.Version, cache: from.Cache}
	if from.Home != "" {
		p.jars, p.Version, err = jarsOfHome(from.Home)
	} else {
		p.jars, p.fetchJars, err = from.findJars()
	}
	if err != nil {
		return p, err
	}
	p.Java, p.javaVersion, p.noJava = findJava(ctx, from.javas(), javaFor(p.Version))
	if p.noJava != nil {
		if p.fetchJava = javaOf(platform); p.fetchJava == nil {
			return p, errors.New("there is none to download for " + platform)
		}
	}
	return p, nil
}

const platform = runtime.GOOS + "/" + runtime.GOARCH

// findJars returns the jars, or what must be downloaded.
func (s Source) findJars() (jars []string, wanted []file, err error) {
	if wanted = jarsOf(s.Version); wanted == nil {
		return nil, nil, fmt.Errorf("only these versions can be downloaded: %s", strings.Join(versions(), ", "))
	}
	for _, bundle := range append(s.Beside, Bundle{Jars: s.jarFolder()}) {
		if jars = in(bundle.Jars, wanted); jars != nil {
			return jars, nil, nil
		}
	}
	return nil, wanted, nil
}

// fetch downloads what is missing, unless another process was faster.
func (p *plan) fetch(ctx context.Context, from Source) (err error) {
	if p.fetchJava != nil {
		home, needed := from.javaFolder(), javaFor(p.Version)
		if p.Java, p.javaVersion, err = findJava(ctx, []string{javaIn(home)}, needed); err != nil {
			if err = fetchJava(ctx, from.Mirror, home, p.fetchJava); err == nil {
				p.Java, p.javaVersion, err = findJava(ctx, []string{javaIn(home)}, needed)
			}
		}
	}
	if err == nil && p.fetchJars != nil {
		p.jars, err = fetchJars(ctx, from.Mirror, from.jarFolder(), p.fetchJars)
	}
	return err
}

func (s Source) jarFolder() string { return filepath.Join(s.Cache, "neo4j-"+s.Version, "lib") }

// javaFolder returns the directory of a downloaded Java.
func (s Source) javaFolder() string {
	name := "java"
	for _, wheel := range javaOf(platform) {
		name, _, _ = strings.Cut(wheel.name(), "-py3-")
	}
	return filepath.Join(s.Cache, name)
}

// inDocker returns Docker after an error. If no Docker engine answers, it returns the error with all causes.
func (p plan) inDocker(ctx context.Context, from Source, cause error) (Programs, error) {
	if docker, ok := findDocker(ctx); ok && from.Home == "" {
		return Programs{Version: from.Version, Docker: docker}, nil
	}
	var explained *apperr.Error
	if errors.As(cause, &explained) {
		return p.Programs, explained
	}
	cause = errors.Join(p.noJava, cause)
	return p.Programs, apperr.Newf(apperr.Unavailable, "The private Neo4j %s cannot be prepared: %s", p.Version,
		strings.ReplaceAll(cause.Error(), "\n", "; ")).
		WithHint("Check the network: downloads use HTTPS_PROXY and %s. Without network, unpack an archive nomograph-...-full, which has Java and Neo4j. "+
			"Or install Java %d, and set JAVA_HOME and NEO4J_HOME; or set NEO4J_URI to a running Neo4j; or start Docker", EnvMirror, javaFor(p.Version)).Because(cause)
}
