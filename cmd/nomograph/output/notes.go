package output

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"nomograph/internal/render"
)

// Notes prints the notes of an answer to w if only one field of it is printed, so that a redirected answer does not
// hide them.
func Notes(w io.Writer, answer any, printed string) {
	raw, err := json.Marshal(answer)
	if err != nil { // the answer fails to print as well
		return
	}
	var noted struct {
		Notes   []string `json:"notes"`
		Reading struct {
			Note string `json:"note"`
		} `json:"reading"`
	}
	if json.Unmarshal(raw, &noted) != nil { // the notes have a different type
		return
	}
	if noted.Reading.Note != "" {
		noted.Notes = append(noted.Notes, noted.Reading.Note)
	}
	for _, note := range noted.Notes {
		if strings.Contains(printed, note) {
			continue
		}
		fmt.Fprintln(w, "note: "+render.EscapeControl(note))
	}
}
