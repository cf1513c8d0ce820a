package readonly

import (
	"slices"
	"strings"
)

// SecretLabels are the labels of nodes that hold hashes of secrets. No pattern of a caller matches such a node, so
// that no expression can read or compare its properties. Such a node has at most one relationship: it is never in the
// middle of a path, where a pattern does not name it.
var SecretLabels = []string{"Token", "SignOut"}

// insertion is a text that Parse adds to a query, at a place of its source.
type insertion struct {
	at   int
	text string
}

var withoutSecretLabels = "!(" + strings.Join(SecretLabels, "|") + ")"

// hideSecrets excludes the nodes with secrets from a node of a pattern, whose label expression, if it has one, is from
// start to end.
func (p *parser) hideSecrets(labeled bool, start, end int) {
	if labeled {
		p.added = append(p.added, insertion{start, "("}, insertion{end, ")&" + withoutSecretLabels})
		return
	}
	p.added = append(p.added, insertion{end, ":" + withoutSecretLabels + " "})
}

// withoutSecrets returns a part of the source, which begins with a token, with the insertions, and their places in
// that part.
func (p *parser) withoutSecrets(begin, end int) (string, []insertion) {
	added := p.added
	slices.SortStableFunc(added, func(a, b insertion) int { return a.at - b.at })
	var b strings.Builder
	at := begin
	for i, in := range added {
		b.WriteString(p.src[at:in.at])
		b.WriteString(in.text)
		at, added[i].at = in.at, in.at-begin
	}
	b.WriteString(p.src[at:end])
	return strings.TrimSpace(b.String()), added
}

// Place returns the place in the source of a place in Body, both in bytes.
func (q Query) Place(inBody int) int {
	for _, in := range q.added {
		if inBody <= in.at {
			break
		}
		inBody = max(in.at, inBody-len(in.text))
	}
	return q.begin + inBody
}
