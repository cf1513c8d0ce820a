package search

// questionWords are the words that questions and requests are made of. They say nothing about the subject of a question, so a text that has only
// these in common with a question does not match it. Words that the full-text index drops (stopWords) are not repeated.
var questionWords = wordSet(`what when where who whom whose which why how did do does doing done has have had having am been being were can could would should may might must shall
	i me my mine we us our ours you your yours he him his she her hers its
	about from than so some any both between during after before again also just only very too
	tell show please remember recall find look give get got let know think want need use uses used using like make made
	decide decides decided decision decisions handle handles handled deal deals go goes going happen happens happened say says said explain mean means work works
	anything something everything nothing thing things way ways possible currently exactly best`)

// IsQuestionWord reports whether a word in lower case belongs to the wording of a question rather than to its subject: question words, pronouns,
// auxiliary verbs, and the words that the full-text index drops.
func IsQuestionWord(word string) bool { return questionWords[word] || stopWords[word] }
