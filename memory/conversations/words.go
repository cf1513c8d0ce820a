package conversations

import (
	"fmt"

	"nomograph/internal/render"
)

// line says the same in short.
func (i Imported) line() string {
	return fmt.Sprintf("%s: %d new, %d grown; %s", render.Plural(i.Conversations, "conversation"), i.New, i.Grown, render.Plural(i.ChunksCreated+i.ChunksChanged, "chunk"))
}
