package recall

import (
	"slices"
	"strings"

	"nomograph/memory"
)

// questionPrefixes are the prefixes of event lines that only ask. Their answers are stored elsewhere.
var questionPrefixes = []string{"Asked for precedents: ", "Needed: "}

func isQuestionLine(line string) bool {
	return slices.ContainsFunc(questionPrefixes, func(begins string) bool { return strings.HasPrefix(line, begins) })
}

// answerText returns the text of a message without the lines that only ask.
func (c *foundChunk) answerText(m message) string {
	if c.Kind != memory.Events || !strings.Contains(m.text, questionPrefixes[0]) &&
		!strings.Contains(m.text, questionPrefixes[1]) {
		return m.text
	}
	var stored []string
	for line := range strings.SplitSeq(m.text, "\n") {
		if !isQuestionLine(line) {
			stored = append(stored, line)
		}
	}
	return strings.Join(stored, "\n")
}

// matchesOnlyQuestions reports whether only questions in a chunk match the question.
func matchesOnlyQuestions(c *foundChunk, question map[string]float64) bool {
	switch c.Kind {
	case memory.Events:
		all, spoken := false, false
		for _, m := range c.messages {
			for _, stem := range m.stems {
				spoken = spoken || question[stem] > 0
			}
		}
		for _, stem := range c.words {
			all = all || question[stem] > 0
		}
		return all && !spoken || !slices.ContainsFunc(c.messages,
			func(m message) bool { return strings.TrimSpace(c.answerText(m)) != "" })
	case memory.Conversation, memory.Summary, memory.FactKind:
		return !slices.ContainsFunc(c.messages, func(m message) bool { return !isQuestion(m.text) })
	}
	return false
}

// isQuestion reports whether a message consists only of questions.
func isQuestion(text string) bool {
	text = strings.TrimRight(strings.TrimSpace(speaker.ReplaceAllString(text, "")), `"') `)
	asked := strings.TrimRight(text, "?？؟")
	return asked != text && !slices.ContainsFunc([]string{". ", "! ", "。", "！", "\n"},
		func(end string) bool { return strings.Contains(asked, end) })
}

// uniqueText returns the text of a chunk without repeated question lines of a session's events.
func uniqueText(c *foundChunk) string {
	if c.Kind != memory.Events {
		return c.Text
	}
	had := map[string]bool{}
	lines := slices.DeleteFunc(strings.Split(c.Text, "\n"), func(line string) bool {
		again := had[line] && isQuestionLine(line)
		had[line] = true
		return again
	})
	return strings.Join(lines, "\n")
}
