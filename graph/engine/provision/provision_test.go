package provision

import (
	"slices"
	"strings"
	"testing"

	"nomograph/internal/progress"
)

func TestProgress_MavenOutput_IsCounted(t *testing.T) {
	output := `[INFO] Scanning for projects...
Downloading from central: .../neo4j-5.26.30.pom
Downloaded from central: .../neo4j-5.26.30.pom (3 kB at 10 kB/s)
Downloaded from central: .../neo4j-5.26.30.jar (3 kB at 10 kB/s)
Downloaded from central: .../neo4j-server-5.26.30.jar (3 kB at 10 kB/s)
[INFO] Copying neo4j-5.26.30.jar to lib/neo4j-5.26.30.jar
`
	var done []int64
	ctx := progress.Listen(t.Context(), func(s progress.Step) { done = append(done, s.Done) })
	countJars(ctx, Version, strings.NewReader(output))
	if !slices.Equal(done, []int64{1, 2, 1}) {
		t.Errorf("steps %v", done)
	}
}

func TestPom_Version_MatchesTheEngine(t *testing.T) {
	if !strings.Contains(string(pom), "<neo4j.version>"+Version+"</neo4j.version>") {
		t.Errorf("pom.xml is not of %s", Version)
	}
}
