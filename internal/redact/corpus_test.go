package redact

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// alphabets holds the characters of the made-up parts of the corpora, by name.
var alphabets = map[string]string{
	"mixed": letters, "small": "abcdefghijklmnopqrstuvwxyz0123456789", "upper": upperDigits,
	"alpha": letters[:26] + letters[36:],
	"hex":   "0123456789abcdef", "digits": "0123456789", "base64": letters + "+/",
	"aws":  "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

var madeUp = regexp.MustCompile(`<([a-z0-9]+):(\d+)>`)

// corpus reads the texts of a file and replaces placeholders by made-up characters: different ones in each text, and
// the same in each run.
func corpus(t *testing.T, path string) (texts []string, parts [][]string) {
	t.Helper()
	file := graphtest.Must(os.ReadFile(path))(t)
	for n, line := range strings.Split(string(file), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		draw := rand.New(rand.NewPCG(uint64(n), 1))
		var drawn []string
		text := madeUp.ReplaceAllStringFunc(line, func(hole string) string {
			m := madeUp.FindStringSubmatch(hole)
			length, _ := strconv.Atoi(m[2])
			part := make([]byte, length)
			for i := range part {
				part[i] = alphabets[m[1]][draw.IntN(len(alphabets[m[1]]))]
			}
			drawn = append(drawn, string(part))
			return string(part)
		})
		texts, parts = append(texts, strings.ReplaceAll(text, `\n`, "\n")), append(parts, drawn)
	}
	return texts, parts
}

// leftover returns the longest part of a made-up secret that is still in a text.
func leftover(clean, part string) int {
	for length := len(part); length >= 6; length-- {
		for i := 0; i+length <= len(part); i++ {
			if strings.Contains(clean, part[i:i+length]) {
				return length
			}
		}
	}
	return 0
}

func TestText_CorpusOfSecrets_IsMasked(t *testing.T) {
	texts, parts := corpus(t, "testdata/secrets.txt")
	if len(texts) < 300 {
		t.Fatalf("only %d texts", len(texts))
	}
	for i, text := range texts {
		clean, _ := Text(text)
		for _, part := range parts[i] {
			if n := leftover(clean, part); n >= 6 && n > len(part)/4 {
				t.Errorf("%d of %d characters are left of %q in\n  %q", n, len(part), part, clean)
				break
			}
		}
	}
}

func TestText_CorpusOfHarmlessTexts_StaysUnchanged(t *testing.T) {
	texts, _ := corpus(t, "testdata/honest.txt")
	if len(texts) < 300 {
		t.Errorf("only %d texts", len(texts))
	}
	for _, text := range texts {
		if clean, changed := Text(text); changed {
			t.Errorf("%q\n becomes %q", text, clean)
		}
	}
}

// TestText_RealDecisionRecords_LoseAlmostNothing counts the texts of real decision records and proposals in which
// something is masked: two of about eleven thousand when this was written, a variable in a configuration and the words
// "share token: holders".
func TestText_RealDecisionRecords_LoseAlmostNothing(t *testing.T) {
	for _, name := range []string{"adrs", "eips"} {
		file, err := os.Open("../../../shared/data/" + name + ".jsonl")
		if err != nil {
			t.Skip("the records stand beside the checkout, and are not there")
		}
		defer func() { _ = file.Close() }()
		texts, changed := 0, 0
		for lines := json.NewDecoder(file); lines.More(); {
			var record map[string]any
			graphtest.OK(t, lines.Decode(&record))
			for _, value := range record {
				if text, ok := value.(string); ok {
					texts++
					if _, hit := Text(text); hit {
						changed++
					}
				}
			}
		}
		t.Logf("%s: something is masked in %d of %d texts", name, changed, texts)
		if texts == 0 || changed*500 > texts {
			t.Errorf("%s: %d of %d texts lose something", name, changed, texts)
		}
	}
}
