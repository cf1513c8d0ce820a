package output

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"nomograph/internal/render"
)

// Notes prints the notes of an answer to w if only one field of it is printed, so that a redirected answer does not
// hide them.
func Notes(w io.Writer, answer any, printed string) {
	raw, err := json.Marshal(answer)
	if err != nil { // the answer fails to print as well
		return
	}
	found := gjson.GetManyBytes(raw, "notes", "reading.note")
	for _, note := range append(found[0].Array(), found[1]) {
		if !strings.Contains(printed, note.Str) {
			fmt.Fprintln(w, "note: "+render.EscapeControl(note.Str))
		}
	}
}
