package search

import (
	"math"
	"slices"
	"strings"
	"testing"
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
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q is about %q, want %q", question, got, want)
		}
	}
}

func TestJudge_Texts_AreRelevantByWordsAndMeaning(t *testing.T) {
	for _, c := range []struct {
		question, title, text string
		phrases               []string
		want                  bool
	}{
		{"Which database do we use for the ledger?", "Use PostgreSQL for the ledger of the bank", "A relational database with transactions", nil, true},
		{"authentication of users", "Sign in with JSON web tokens", "Users authenticate with a token", nil, true},
		{"auth", "Authentication by certificates", "", nil, true},
		{"How do I file taxes in Denmark?", "Write each log file as JSON lines", "One file a day", nil, false},
		{"xqzvbn flurble", "Use PostgreSQL for the ledger of the bank", "", nil, false},
		{"认证服务", "使用认证服务的令牌", "", nil, true},
		{"The rotation of certificates is due on staging before the deadline of Friday", "Renewal", "Ask the platform team", []string{"certificate"}, true},
		{"How do I file taxes in Denmark?", "Renewal", "Ask the platform team", []string{"how"}, false},
	} {
		of := hitText{title: c.title, text: c.text, phrases: c.phrases}
		if got := newRelevanceCheck(c.question, subject(terms(c.question)), nil).relevant(nil, of); got != c.want {
			t.Errorf("%q and %q: got relevant %v, want %v", c.question, c.title, got, c.want)
		}
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

// offTopic are questions that neither record set answers.
var offTopic = strings.Split(`How do I file taxes in Denmark?
What is the best recipe for lasagna?
Who won the football world cup in 1998?
How do I get a passport for my child?
Which vaccines does a newborn need?
How long should I boil an egg?
What is the capital of Mongolia?
Can we use the swimming pool on Sundays?
What about the weather in Lisbon?
How do I repair a flat bicycle tire?
Where can I buy winter boots?
Which wine goes with salmon?
How do we treat a sprained ankle?
Plan a birthday party for a six year old
How many calories are in a banana?
How do I train a puppy to sit?
Book a flight to Tokyo in April
What does the doctor say about back pain?
how to grow tomatoes on a balcony
Which museum shows Vermeer?
What are the rules of chess?
history of the roman empire
How do I remove a wine stain from a carpet?
Painting the kitchen walls
Which yoga poses help against stress?
What was the name of the dog in the film?
Write a poem about autumn leaves
Should I lease or buy a car?
knitting pattern for a baby blanket`, "\n")

// nonsense are questions without a subject, or whose subject is not a word.
var nonsense = []string{"xqzvbn flurble", "asdf qwer zxcv", "blorp", "how can we use", "what about", "wibble wobble frobnicate quux", "zzzzzz yyyyyy", "lorem ipsum dolor sit amet",
	"kjhgf dsaqw poiuy", "glorbnax the snizzle of vrontak", "1234567 zz", "qqqq"}

// unbounded is an index without a relevance floor: it always returns the nearest decisions.
func unbounded(x *Index) *Index {
	without := &Index{corpus: x.corpus, db: x.db, embedder: x.embedder, shares: x.shares, matchCounts: x.matchCounts}
	without.corpus.textOf = nil
	return without
}

// relevanceOfRecords searches for 50 to 100 records in four ways, with and without the floor, and for subjects of no record.
func relevanceOfRecords(t *testing.T, x *Index, records []record) {
	without := unbounded(x)
	found := func(x *Index, mode, text string) []string {
		return uids(ask(t, x, Question{Text: text, Mode: mode, Limit: 5}))
	}
	for _, mode := range []string{Hybrid, Semantic, Keyword} {
		questions, with, lost := 0, 0, 0
		for i := 0; i < len(records); i += max(len(records)/50, 1) {
			r := records[i]
			words, sentences := strings.Fields(r.Title), strings.Split(strings.Join(strings.Fields(r.Abstract), " "), ". ")
			for _, text := range []string{
				"What did we decide about " + r.Title + "?",
				"How do we handle " + strings.Join(words[:(len(words)+1)/2], " ") + "?",
				sentences[len(sentences)/2],
				r.Title + "\n" + firstOf(r.Abstract, 300),
			} {
				if len(subject(terms(text))) == 0 {
					continue
				}
				questions++
				if slices.Contains(found(x, mode, text), r.ID) {
					with++
				} else if slices.Contains(found(without, mode, text), r.ID) {
					lost++
					t.Logf("%s loses %s for %q", mode, r.ID, text)
				}
			}
		}
		answered := 0
		for _, text := range offTopic {
			if got := found(x, mode, text); len(got) > 0 {
				t.Logf("%s finds for %q: %v", mode, text, got)
				answered++
			}
		}
		for _, text := range nonsense {
			if got := found(x, mode, text); len(got) > 0 {
				t.Errorf("%s finds for %q: %v", mode, text, got)
			}
		}
		t.Logf("%s: %d questions find their record %d times, and %d more without the floor; %d of %d off-topic questions find something", mode, questions, with, lost, answered, len(offTopic))
		if float64(with) < 0.97*float64(with+lost) || answered > len(offTopic)/20 {
			t.Errorf("%s: got %d of %d records and %d off-topic answers, want 97%% and at most 1 in 20", mode, with, with+lost, answered)
		}
	}
}
