package engine

import (
	"context"
	"fmt"
	"strings"
)

// Runtime says what the engine runs with, or returns the fault that a start would return for what is missing. It fetches
// and starts nothing.
func Runtime(ctx context.Context, o Options) (string, error) {
	o = o.Defaults()
	jars, version, origin := provisioned(o), Version, o.neo4jDir()
	if o.Home != "" {
		var err error
		if jars, version, err = jarsOfHome(o.Home); err != nil {
			return "", err
		}
		origin = o.Home
	}
	var missing []string
	_, java, javaErr := findJava(ctx, javaFor(version))
	if javaErr != nil {
		missing = append(missing, "java")
	}
	if jars == nil {
		origin = "will be fetched at the first start"
		if _, err := findMaven(); err != nil {
			missing = append(missing, "maven")
		}
	}
	if len(missing) == 0 {
		first, _, _ := strings.Cut(java, "\n")
		return fmt.Sprintf("%s; Neo4j %s: %s", first, version, origin), nil
	}
	if docker, ok := findDocker(ctx); ok && o.Home == "" {
		return fmt.Sprintf("Neo4j %s in Docker (%s)", version, docker), nil
	}
	return "", notInstalled(missing, javaErr)
}
