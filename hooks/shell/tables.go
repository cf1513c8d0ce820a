package shell

import (
	_ "embed"
	"strings"
)

var (
	// programTable lists programs by their role, and placeTable paths by what they belong to: see their first lines.
	//
	//go:embed programs.tsv
	programTable string
	//go:embed places.tsv
	placeTable string
)

// programsWith returns the programs with a role, and their words in the table, nil without words.
func programsWith(role string) map[string][]string {
	programs := map[string][]string{}
	for line := range strings.Lines(programTable) {
		if fields := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3); len(fields) == 3 && fields[0] == role {
			programs[fields[1]] = append([]string(nil), strings.Fields(fields[2])...)
		}
	}
	return programs
}

// placesOfKind returns the paths, names or parts of paths of one kind.
func placesOfKind(kind string) (names []string) {
	for line := range strings.Lines(placeTable) {
		if found, name, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t"); ok && found == kind {
			names = append(names, name)
		}
	}
	return names
}

// Kinds of places.tsv.
var (
	systemFolders    = placesOfKind("system folder")
	wholeFolders     = placesOfKind("whole folder")
	deletableFolders = placesOfKind("deletable folder")
	homeFolders      = placesOfKind("home folder")
	systemFiles      = placesOfKind("system file")
	systemFilesIn    = placesOfKind("folder of system files")
	agentFiles       = placesOfKind("setting of an agent")
	keyNames         = placesOfKind("name of a key")
	keyEndings       = placesOfKind("ending of a key")
	keyPaths         = placesOfKind("key")
	keyFolders       = placesOfKind("folder of keys")
	browserFolders   = placesOfKind("folder of a browser")
	fixtureFolders   = placesOfKind("folder of fixtures")
	profiles         = placesOfKind("profile")
	startupFolders   = placesOfKind("startup folder")
)
