package claims

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"

	"nomograph/internal/pattern"
)

// Claim is one statement, parted into what it is about and what it says of it.
type Claim struct {
	Text   string
	Key    []string // stems of what it is about, sorted, each once
	Values []string // numbers with their units, dates, in order
	Denies bool
}

const (
	minStems = 2    // that a claim is about: fewer say too little to be compared
	maxStems = 24   // longer sentences state several things
	sameKey  = 0.75 // Jaccard similarity of two keys, where one contains the other
)

// Replaces reports whether two claims are about the same, and say something else of it. Which one is newer is for the caller to say.
func (c Claim) Replaces(o Claim) bool {
	if c.Denies == o.Denies && (len(c.Values) == 0 || slices.Equal(c.Values, o.Values)) || len(c.Values) != len(o.Values) {
		return false
	}
	return sameSubject(c.Key, o.Key)
}

// Repeats reports whether two claims say the same of the same.
func (c Claim) Repeats(o Claim) bool {
	return c.Denies == o.Denies && slices.Equal(c.Values, o.Values) && slices.Equal(c.Key, o.Key)
}

// sameSubject reports whether two sorted keys are equal, or one of them only adds a word or so to the other.
func sameSubject(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < minStems || float64(len(a)) < sameKey*float64(len(b)) {
		return false
	}
	for _, stem := range a {
		if _, ok := slices.BinarySearch(b, stem); !ok {
			return false
		}
	}
	return true
}

// In gives the claims of a text, in order. Questions, what somebody tells of themselves, and what is about too little or too much are none.
func In(text string) (all []Claim) {
	for _, sentence := range sentences(text) {
		if c, ok := of(sentence); ok {
			all = append(all, c)
		}
	}
	return all
}

var (
	speaker = pattern.New(`^[\pL\pN][^\n:]{0,60}: +`)
	// ends of a sentence: a mark with a blank behind it. A clause that gives a reason says nothing of the subject.
	ends   = pattern.New(`[.!?;]+(?:\s+|$)|\s+[—–-]\s+|,?\s+(?:because|since|so that|although|but)\s+`)
	number = pattern.New(`^[$€£]?v?\d[\d.,:/_-]*(?:%|[a-z]{1,3})?$`)
	bare   = pattern.New(`^\d[\d.,]*$`)
	hexID  = pattern.New(`^[0-9a-f]{8}$`)
)

// sentences cuts a text at lines and sentences; a question keeps its mark.
func sentences(text string) (all []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(speaker.ReplaceAllString(strings.TrimSpace(strings.TrimLeft(line, "-*# \t")), ""))
		for from := 0; from < len(line); {
			end, next := len(line), len(line)
			if at := ends.FindStringIndex(line[from:]); at != nil {
				if end, next = from+at[0], from+at[1]; strings.ContainsRune(line[end:next], '?') {
					end = next
				}
			}
			if s := strings.TrimSpace(line[from:end]); s != "" {
				all = append(all, s)
			}
			from = next
		}
	}
	return all
}

// of reads one sentence.
func of(sentence string) (Claim, bool) {
	if strings.HasSuffix(strings.TrimRight(sentence, `"') `), "?") {
		return Claim{}, false
	}
	c := Claim{Text: sentence}
	tokens := tokensOf(sentence)
	for i, token := range tokens {
		previous, next := "", ""
		if i > 0 {
			previous = tokens[i-1]
		}
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		value := valueOf(token)
		switch {
		case token == "i" || strings.HasPrefix(token, "i'"):
			return Claim{}, false
		case negates(token):
			c.Denies = !c.Denies
		case value != "" && (units[next] || !bare.MatchString(value) || len(c.Key) == 0 || leads[previous]):
			c.Values = append(c.Values, value)
		case value != "": // the second of several things of a kind: service 2
			c.Key = append(c.Key, "#"+value)
		case units[token] && valueOf(previous) != "":
			c.Values[len(c.Values)-1] += " " + english.Stem(token, true)
		case !fillers[token]:
			c.Key = append(c.Key, stem(token))
		}
	}
	slices.Sort(c.Key)
	c.Key = slices.Compact(c.Key)
	return c, len(c.Key) >= minStems && len(c.Key) <= maxStems
}

// tokensOf are the words of a sentence in lower case, without the marks around them.
func tokensOf(text string) (all []string) {
	for word := range strings.FieldsFuncSeq(strings.ReplaceAll(strings.ToLower(text), "’", "'"), func(r rune) bool { return unicode.IsSpace(r) || r == '=' || r == '(' || r == ')' }) {
		word = strings.TrimFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("%$€£", r)
		})
		if word = strings.TrimSuffix(word, "'s"); word != "" && !hexID.MatchString(word) {
			all = append(all, word)
		}
	}
	return all
}

// valueOf is what a word says as a number, a date or a day; "" where it is none.
func valueOf(token string) string {
	switch {
	case numerals[token] != "":
		return numerals[token]
	case number.MatchString(token):
		return strings.ReplaceAll(token, ",", "")
	case dates[token]:
		return token
	}
	return ""
}

func negates(token string) bool { return negations[token] || strings.HasSuffix(token, "n't") }

// Agree reports whether the numbers, dates, names and negations of two texts are the same: only then near-duplicates say the same.
func Agree(a, b string) bool { return slices.Equal(particulars(a), particulars(b)) }

// particulars are what near-duplicates must share, sorted, each once.
func particulars(text string) (all []string) {
	for _, sentence := range sentences(text) {
		for i, word := range strings.Fields(sentence) {
			trimmed := strings.TrimFunc(word, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("%$€£", r)
			})
			token := strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(trimmed, "’", "'")), "'s")
			switch value := valueOf(token); {
			case token == "" || hexID.MatchString(token):
			case value != "":
				all = append(all, value)
			case negates(token):
				all = append(all, "not")
			case strings.IndexFunc(trimmed, unicode.IsUpper) > 0 || i > 0 && unicode.IsUpper([]rune(trimmed)[0]) && !fillers[token]:
				all = append(all, "="+token)
			case strings.ContainsFunc(trimmed, unicode.IsDigit) || strings.ContainsAny(trimmed, "_./"):
				all = append(all, "="+token)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

const maxStemLength = 40 // bytes: what is longer is no word

func stem(word string) string {
	if len(word) > maxStemLength {
		return word
	}
	return english.Stem(word, true)
}

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

var (
	negations = set(`not no never cannot without neither nor`)
	// fillers say nothing of the subject, or only that this is how it is now.
	fillers = set(`a an and are as at be been by for from if in into is it its of on or such that the their then there these they this those to was were will with
		has have had do does did can could should would must may might shall than so also just really actually now currently today onwards onward on anymore longer any
		new newly still again instead always only per we our you your us correction update updated note remember fact after every about around within over under up`)
	// leads stand before a number that is a value, where another word before it makes it one of several things of a kind.
	leads = set(`a an is are was were be to after at of in by than about around every for under over within from and or with has have had takes take costs cost
		port version limit ttl timeout size level value threshold maximum minimum max min rate budget count quota retries until since before equals`)
	units = set(`s sec secs second seconds m min mins minute minutes h hr hrs hour hours day days week weeks month months year years ms millisecond milliseconds
		b kb mb gb tb byte bytes kib mib gib percent euro euros dollar dollars usd eur times requests tokens items rows replicas nodes cores threads retries attempts`)
	dates    = set(`january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday`)
	numerals = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
		"fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000"}
)
