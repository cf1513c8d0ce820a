package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nomograph/internal/golden"
)

func TestQuestionWord_WordingOfQuestions_IsNotSubject(t *testing.T) {
	for question, want := range map[string]string{
		"How can we use it?":                      "",
		"What about the":                          "",
		"How do I file taxes in Denmark?":         "file taxes denmark",
		"What did we decide about PostgreSQL?":    "postgresql",
		"Can we use Kafka for events of billing?": "kafka events billing",
	} {
		var words []string
		for _, term := range subject(terms(question)) {
			words = append(words, term.word)
		}
		golden.Equal(t, fmt.Sprint(question, " is about"), strings.Join(words, " "), want)
	}
}

func TestJudge_Texts_AreRelevantByWordsAndMeaning(t *testing.T) {
	for _, c := range []struct {
		question, title, text string
		phrases               []string
		want                  bool
	}{
		{"Which database do we use for the ledger?", "Use PostgreSQL for the ledger of the bank",
			"A relational database with transactions", nil, true},
		{"authentication of users", "Sign in with JSON web tokens", "Users authenticate with a token", nil, true},
		{"auth", "Authentication by certificates", "", nil, true},
		{"How do I file taxes in Denmark?", "Write each log file as JSON lines", "One file a day", nil, false},
		{"xqzvbn flurble", "Use PostgreSQL for the ledger of the bank", "", nil, false},
		{"认证服务", "使用认证服务的令牌", "", nil, true},
		{"The rotation of certificates is due on staging before the deadline of Friday", "Renewal",
			"Ask the platform team", []string{"certificate"}, true},
		{"How do I file taxes in Denmark?", "Renewal", "Ask the platform team", []string{"how"}, false},
	} {
		of := hitText{title: c.title, text: c.text, phrases: c.phrases}
		golden.Equal(t, fmt.Sprint(c.question, " and ", c.title, ": relevant"), newCheck(c.question, nil, manyTexts).
			relevant(nil, of), c.want)
	}
}

func TestScale_EmbedderWithHighCosines_MapsToTheBuiltInScale(t *testing.T) {
	x := &Index{}
	if x.scale() != nil {
		t.Error("a scale is known before the embedder answered")
	}
	x.spread.Store(&spread{mean: 0.72, deviation: 0.02})
	builtin := builtinSpread()
	if got := x.scale()(0.72); math.Abs(got-builtin.mean) > 1e-9 {
		t.Errorf("the mean of unrelated texts becomes %v, want %v", got, builtin.mean)
	}
	if near, far := x.scale()(0.9), x.scale()(0.75); near < minCosine || far >= minCosine {
		t.Errorf("0.9 becomes %v and 0.75 %v, want only the first above %v", near, far, minCosine)
	}
	x.spread.Store(&spread{mean: 1, deviation: 0})
	if x.scale() != nil {
		t.Error("an embedder that puts all texts in one place has a scale")
	}
}

// unbounded is an index without a relevance floor: it always returns the nearest decisions.
func unbounded(x *Index) *Index {
	without := &Index{corpus: x.corpus, db: x.db, embedder: x.embedder}
	without.corpus.textOf = nil
	return without
}

// relevanceOfRecords measures what the bound of relevance costs and hides: recall@10 with and without it, of records by
// their titles and sentences and of the records that they link to, and the questions without an answer that find
// nothing.
func relevanceOfRecords(t *testing.T, x *Index, records []record, relevant func(link string) bool) {
	const depth = 10
	without := unbounded(x)
	nonsense := linesOf(t, "testdata/nonsense.txt")
	for _, mode := range []string{Hybrid, Semantic, Keyword} {
		questions, with, bare := 0, 0.0, 0.0
		recall := func(x *Index, text string, wanted []string) (share float64) {
			got := uids(ask(t, x, Question{Text: text, Mode: mode, Limit: depth}))
			for _, id := range wanted {
				if slices.Contains(got, id) {
					share += 1 / float64(len(wanted))
				}
			}
			return share
		}
		for i := 0; i < len(records); i += max(len(records)/50, 1) {
			r := records[i]
			words, sentences := strings.Fields(r.Title),
				strings.Split(strings.Join(strings.Fields(r.Abstract), " "), ". ")
			own, whole := []string{r.ID}, r.Title+"\n"+firstOf(r.Abstract, 300)
			var linked []string
			for _, link := range r.Links {
				if relevant(link.Type) && link.Target != r.ID && !slices.Contains(linked, link.Target) {
					linked = append(linked, link.Target)
				}
			}
			for _, q := range []struct {
				text   string
				wanted []string
			}{
				{"What did we decide about " + r.Title + "?", own},
				{"How do we handle " + strings.Join(words[:(len(words)+1)/2], " ") + "?", own},
				{sentences[len(sentences)/2], own},
				{whole, own},
				{whole, linked},
			} {
				if len(subject(terms(q.text))) == 0 || len(q.wanted) == 0 {
					continue
				}
				questions++
				found, all := recall(x, q.text, q.wanted), recall(without, q.text, q.wanted)
				if with, bare = with+found, bare+all; found < all {
					t.Logf("%s loses of %v for %q", mode, q.wanted, q.text)
				}
			}
		}
		answered := 0
		for _, text := range nonsense {
			if got := uids(ask(t, x, Question{Text: text, Mode: mode, Limit: depth})); len(got) > 0 {
				t.Logf("%s finds for %q: %v", mode, text, got)
				answered++
			}
		}
		t.Logf("%s: recall@%d of %d questions is %.3f, and %.3f without the bound; %d of %d nonsense questions find something",
			mode, depth, questions, with/float64(questions), bare/float64(questions), answered, len(nonsense))
		if with < 0.99*bare || answered > len(nonsense)/10 {
			t.Errorf("%s: got recall %.3f of %.3f and %d answers to nonsense, want 99%% and at most 1 in 10", mode,
				with, bare, answered)
		}
	}
}
