package engine

import (
	"context"
	"errors"
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
	var causes []error
	_, java, err := findJava(ctx, javaFor(version))
	if err != nil {
		missing, causes = append(missing, "java"), append(causes, err)
	}
	if jars == nil {
		origin = "will be fetched at the first start"
		if _, err := findMaven(); err != nil {
			missing, causes = append(missing, "maven"), append(causes, err)
		}
	}
	if len(missing) == 0 {
		first, _, _ := strings.Cut(java, "\n")
		return fmt.Sprintf("%s; Neo4j %s: %s", first, version, origin), nil
	}
	if docker, ok := findDocker(ctx); ok && o.Home == "" {
		return fmt.Sprintf("Neo4j %s in Docker (%s)", version, docker), nil
	}
	return "", notInstalled(missing, errors.Join(causes...))
}
