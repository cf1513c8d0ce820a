package conversations

import (
	"fmt"

	"nomograph/internal/render"
)

// line returns the counts as one line of text.
func (i Imported) line() string {
	return fmt.Sprintf("%s: %d new, %d grown; %s", render.Plural(i.Conversations, "conversation"), i.New, i.Grown,
		render.Plural(i.ChunksCreated+i.ChunksChanged, "chunk"))
}
