package cypher

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// visibilityConditions maps a label to the condition under which a restricted caller sees a node of that label. NODE
// stands for the node. The parameter $caller is {agent: STRING, identity: STRING, projects: LIST<STRING>}, with
// projects in lower case.
var visibilityConditions = map[string]string{
	"Decision": `(toLower(NODE.project) IN $caller.projects AND (NODE.visibility <> 'private' OR toLower(NODE.agent) = $caller.agent))`,
	"Chunk":    `(toLower(NODE.project) IN $caller.projects AND (NODE.visibility <> 'private' OR toLower(NODE.agent) = $caller.agent))`,
	"Session": `EXISTS { MATCH (said:Chunk) WHERE said.session = NODE.uid AND ` +
		`toLower(said.project) IN $caller.projects AND (said.visibility <> 'private' OR toLower(said.agent) = $caller.agent) }`,
	"Verdict": `(toLower(NODE.project) IN $caller.projects AND NOT EXISTS { (NODE)-[:JUDGED]->(hidden:Decision) WHERE NOT coalesce(` +
		`toLower(hidden.project) IN $caller.projects AND (hidden.visibility <> 'private' OR toLower(hidden.agent) = $caller.agent), false) })`,
	"Execution": `(toLower(NODE.project) IN $caller.projects)`,
	"Intent":    `(toLower(NODE.project) IN $caller.projects OR NODE.agent_key = $caller.agent)`,
	"Approval":  `(toLower(NODE.project) IN $caller.projects OR $caller.identity IN [NODE.agent_key, NODE.asked_by])`,
	"Proposal":  `(toLower(NODE.project) IN $caller.projects OR NODE.proposer = $caller.identity)`,
	"Appeal": `EXISTS { (NODE)-[:AGAINST]->(denial:Verdict) WHERE toLower(denial.project) IN $caller.projects AND NOT EXISTS { (denial)-[:JUDGED]->(hidden:Decision) WHERE NOT coalesce(` +
		`toLower(hidden.project) IN $caller.projects AND (hidden.visibility <> 'private' OR toLower(hidden.agent) = $caller.agent), false) } }`,
	"MemoryProject": `(NODE.key IN $caller.projects)`,
	"Atlas":         `(NODE.project IS NULL OR toLower(toStringOrNull(NODE.project)) IN $caller.projects)`,
	"Context":       `(NODE.project IS NULL OR toLower(toStringOrNull(NODE.project)) IN $caller.projects)`,
}

var marker = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\btrue /\* (?:visible: (\w+(?:\.\w+)*):(\w+)|unrestricted) \*/`)
})

// restrict returns a statement for a restricted caller, or "" if the statement has no marker:
//
//	MATCH (d:Decision {id: $id}) WHERE true /* visible: d:Decision */ RETURN d
//	CASE WHEN true /* unrestricted */ THEN count(r) ELSE 0 END
//
// It replaces the first kind of marker by the condition of the label, and the second by false. Any other block comment
// is an error, because a misspelled marker would show a restricted caller everything.
func restrict(text string) (string, error) {
	if !strings.Contains(text, "/*") {
		return "", nil
	}
	restricted := marker().ReplaceAllStringFunc(text, func(found string) string {
		part := marker().FindStringSubmatch(found)
		if part[2] == "" {
			return "false"
		}
		condition, ok := visibilityConditions[part[2]]
		if !ok {
			return found
		}
		return strings.ReplaceAll(condition, "NODE", part[1])
	})
	if _, unread, ok := strings.Cut(restricted, "/*"); ok {
		comment, _, _ := strings.Cut(unread, "*/")
		return "", fmt.Errorf("cannot read the marker /*%s*/: write `true /* visible: VARIABLE:LABEL */` or `true /* unrestricted */`", comment)
	}
	return restricted, nil
}
