package claims

import (
	"slices"
	"strings"
	"unicode"

	"nomograph/internal/pattern"
	"nomograph/search"
)

// Claim is one statement, split into its subject (Key) and the values that it states.
type Claim struct {
	Text   string
	Key    []string // stems of the subject, sorted, without duplicates
	Values []string // numbers with their units, and dates, in text order
	Denies bool
}

const (
	minStems = 2    // minimum number of stems in a key; shorter keys are too vague to compare
	maxStems = 24   // maximum number of stems in a key; longer sentences state several things
	sameKey  = 0.75 // minimum Jaccard similarity of two keys, one of which contains the other
)

// Replaces reports whether two claims have the same subject but different values or polarity. It does not decide which
// claim is newer.
func (c Claim) Replaces(o Claim) bool {
	if c.Denies == o.Denies && (len(c.Values) == 0 || slices.Equal(c.Values, o.Values)) ||
		len(c.Values) != len(o.Values) {
		return false
	}
	return sameSubject(c.Key, o.Key)
}

// Repeats reports whether two claims have the same subject, values and polarity.
func (c Claim) Repeats(o Claim) bool {
	return c.Denies == o.Denies && slices.Equal(c.Values, o.Values) && slices.Equal(c.Key, o.Key)
}

// sameSubject reports whether two sorted keys are equal, or the longer one adds only a few stems to the shorter one.
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

// In returns the claims of a text, in order. It ignores questions, sentences in the first person singular, and
// sentences with fewer than minStems or more than maxStems subject stems.
func In(text string) (all []Claim) {
	for _, sentence := range sentences(text) {
		if c, ok := claimOf(sentence); ok {
			all = append(all, c)
		}
	}
	return all
}

var (
	speaker = pattern.New(`^[\pL\pN][^\n:]{0,60}: +`)
	// sentenceEnd matches the end of a sentence: punctuation followed by a space, or the start of a subordinate
	// clause, which says nothing about the subject.
	sentenceEnd = pattern.New(`[.!?;]+(?:\s+|$)|\s+[—–-]\s+|,?\s+(?:because|since|so that|although|but)\s+`)
	number      = pattern.New(`^[$€£]?v?\d[\d.,:/_-]*(?:%|[a-z]{1,3})?$`)
	plainNumber = pattern.New(`^\d[\d.,]*$`)
	hexID       = pattern.New(`^[0-9a-f]{8}$`)
)

// sentences splits a text into lines and sentences. A question keeps its question mark.
func sentences(text string) (all []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(speaker.ReplaceAllString(strings.TrimSpace(strings.TrimLeft(line, "-*# \t")), ""))
		for from := 0; from < len(line); {
			end, next := len(line), len(line)
			if at := sentenceEnd.FindStringIndex(line[from:]); at != nil {
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

// claimOf extracts the claim of one sentence.
func claimOf(sentence string) (Claim, bool) {
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
		case value != "" && (units.Has(next) || !plainNumber.MatchString(value) || len(c.Key) == 0 ||
			numberPrefixes.Has(previous)):
			c.Values = append(c.Values, value)
		case value != "": // a number that names the subject, as in "service 2"
			c.Key = append(c.Key, "#"+value)
		case units.Has(token) && valueOf(previous) != "":
			c.Values[len(c.Values)-1] += " " + search.Stem(token)
		case !fillers.Has(token):
			c.Key = append(c.Key, search.Stem(token))
		}
	}
	slices.Sort(c.Key)
	c.Key = slices.Compact(c.Key)
	return c, len(c.Key) >= minStems && len(c.Key) <= maxStems
}

// tokensOf returns the words of a sentence in lower case, without surrounding punctuation.
func tokensOf(text string) (all []string) {
	for word := range strings.FieldsFuncSeq(strings.ReplaceAll(strings.ToLower(text), "’", "'"),
		func(r rune) bool { return unicode.IsSpace(r) || r == '=' || r == '(' || r == ')' }) {
		word = strings.TrimFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("%$€£", r)
		})
		if word = strings.TrimSuffix(word, "'s"); word != "" && !hexID.MatchString(word) {
			all = append(all, word)
		}
	}
	return all
}

// valueOf returns the number, date or weekday that a word stands for, or "" if there is none.
func valueOf(token string) string {
	switch {
	case numerals[token] != "":
		return numerals[token]
	case number.MatchString(token):
		return strings.ReplaceAll(token, ",", "")
	case dates.Has(token):
		return token
	}
	return ""
}

func negates(token string) bool { return negations.Has(token) || strings.HasSuffix(token, "n't") }

// Agree reports whether two texts contain the same numbers, dates, names and negations. Near-duplicates have the same
// meaning only if they agree.
func Agree(a, b string) bool { return slices.Equal(details(a), details(b)) }

// details returns the details that Agree compares, sorted, without duplicates.
func details(text string) (all []string) {
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
			case strings.IndexFunc(trimmed, unicode.IsUpper) > 0 || i > 0 && unicode.IsUpper([]rune(trimmed)[0]) &&
				!fillers.Has(token):
				all = append(all, "="+token)
			case strings.ContainsFunc(trimmed, unicode.IsDigit) || strings.ContainsAny(trimmed, "_./"):
				all = append(all, "="+token)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var (
	negations = pattern.Words{Text: `not no never cannot without neither nor`}
	// fillers are words that do not identify the subject, or only say that the statement holds now.
	fillers = pattern.Words{Text: `a an and are as at be been by for from if in into is it its of on or such that the their then there these they this those to was were will with
		has have had do does did can could should would must may might shall than so also just really actually now currently today onwards onward on anymore longer any
		new newly still again instead always only per we our you your us correction update updated note remember fact after every about around within over under up`}
	// numberPrefixes are words before a number that make it a value. After any other word, the number is part of the
	// subject.
	numberPrefixes = pattern.Words{Text: `a an is are was were be to after at of in by than about around every for under over within from and or with has have had takes take costs cost
		port version limit ttl timeout size level value threshold maximum minimum max min rate budget count quota retries until since before equals`}
	units = pattern.Words{Text: `s sec secs second seconds m min mins minute minutes h hr hrs hour hours day days week weeks month months year years ms millisecond milliseconds
		b kb mb gb tb byte bytes kib mib gib percent euro euros dollar dollars usd eur times requests tokens items rows replicas nodes cores threads retries attempts`}
	dates    = pattern.Words{Text: `january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday`}
	numerals = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
		"eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
		"fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90",
		"hundred": "100", "thousand": "1000"}
)
