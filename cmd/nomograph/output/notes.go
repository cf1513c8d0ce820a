package output

import (
	"encoding/json"
	"fmt"
	"io"

	"nomograph/internal/render"
)

// Notes tells a person what an answer notes beside the one field that is printed, so that a redirected answer does
// not hide what it lacks.
func Notes(w io.Writer, answer any) {
	raw, err := json.Marshal(answer)
	if err != nil { // the answer itself has failed then
		return
	}
	var noted struct {
		Notes   []string `json:"notes"`
		Reading struct {
			Note string `json:"note"`
		} `json:"reading"`
	}
	if json.Unmarshal(raw, &noted) != nil { // it has notes of another kind
		return
	}
	if noted.Reading.Note != "" {
		noted.Notes = append(noted.Notes, noted.Reading.Note)
	}
	for _, note := range noted.Notes {
		fmt.Fprintln(w, "note: "+render.EscapeControl(note))
	}
}
