package shell

import (
	_ "embed"
	"strings"
	"sync"
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

// commonWords are words that several rules use, by what they are.
var commonWords = sync.OnceValue(func() map[string][]string { return programsWith("common") })

// Kinds of places.tsv.
var (
	systemFolders    = placesByKind["system folder"]
	wholeFolders     = placesByKind["whole folder"]
	deletableFolders = placesByKind["deletable folder"]
	homeFolders      = placesByKind["home folder"]
	systemFiles      = placesByKind["system file"]
	systemFilesIn    = placesByKind["folder of system files"]
	agentFiles       = placesByKind["setting of an agent"]
	keyNames         = placesByKind["name of a key"]
	keyEndings       = placesByKind["ending of a key"]
	keyPaths         = placesByKind["key"]
	keyFolders       = placesByKind["folder of keys"]
	browserFolders   = placesByKind["folder of a browser"]
	fixtureFolders   = placesByKind["folder of fixtures"]
	profiles         = placesByKind["profile"]
	startupFolders   = placesByKind["startup folder"]
)
