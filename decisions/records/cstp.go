package records

import (
	"io/fs"
	"path"

	"nomograph/internal/pattern"
)

// CSTPSource is the source of CSTP's decisions.
const CSTPSource = "cstp"

// CSTP reads a folder of decisions of cognition-agent-decisions: decisions/YYYY/MM/DATE-decision-ID.yaml.
func CSTP(folder fs.FS, source string) Sequence {
	return files(folder, []string{".yaml", ".yml"}, func(name, text string) ([]Entry, *Problem) {
		e, problem := CSTPDecision(name, source, text)
		return []Entry{e}, problem
	})
}

// The id is also in the file name, because a YAML parser may mistake the id in the text for a number.
var cstpName = pattern.New(`(?:^|-)([0-9a-f]{8})\.ya?ml$`)

// CSTPDecision parses one file. name is its path, for messages and for the id in it.
func CSTPDecision(name, source, text string) (Entry, *Problem) {
	values, problem := readYAML(name, text)
	if problem != nil {
		return Entry{}, problem
	}
	if values == nil {
		return Entry{}, &Problem{Place: name, Why: "it contains no fields"}
	}
	if id := cstpName.FindStringSubmatch(path.Base(name)); id != nil {
		values["id"] = id[1]
	}
	e, problem := entryOf(name, source, values)
	e.Source = source
	return e, problem
}
