package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/internal/golden"
)

func TestSubject_Texts_MatchByStem(t *testing.T) {
	for _, one := range []struct{ question, text, marked, has string }{
		{"What did we decide about caching?", "Cache sessions in Redis. Cached pages expire.", "Cache Cached",
			"caching"},
		{"retries", "Retry failed requests", "Retry", "retries"},
		{"Zürich cache", "Die Züricher Cache-Server: CACHE_TTL", "Züricher Cache CACHE", "zürich cache"},
		{"what is it", "What it is", "What it is", "what is it"},
		{"缓存", "使用缓存策略", "缓存", "缓存"},
		{"缓存策略", "缓存策略表", "缓存策略", "缓存 存策 策略"},
		{"billing", "<b>Cache</b>", "", ""},
		{"", "Cache", "", ""},
	} {
		s := SubjectOf(one.question)
		spans, contained := s.In(one.text)
		var marked, words []string
		for _, span := range spans {
			marked = append(marked, one.text[span[0]:span[1]])
		}
		for i, word := range s.Words {
			if contained[i] {
				words = append(words, word)
			}
		}
		golden.Equal(t, fmt.Sprint(one.question, " marks in ", one.text), strings.Join(marked, " "), one.marked)
		golden.Equal(t, fmt.Sprint(one.question, " finds the words in ", one.text), strings.Join(words, " "), one.has)
	}
	if s := SubjectOf("Which caches, caching or cache?"); !slices.Equal(s.Words, []string{"caches"}) ||
		s.Beginning(0) != "cach" {
		t.Errorf("got %v, want Words=%v, s.Beginning(0)=cach", s, []string{"caches"})
	}
}
