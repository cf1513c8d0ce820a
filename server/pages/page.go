package pages

import (
	"encoding/json"
	"net/http"
	"net/url"

	"nomograph/decisions/attribution"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
)

// Page is one page, as doc.go tells.
type Page struct {
	Name  string // of its template
	Path  string // a pattern of net/http's mux, without a method: /decisions/{id}
	Title string
	Use   string // one sentence
	Nav   bool   // it stands in the navigation
	Needs string // the operation without which it shows nothing; "" for none

	Show      func(*Visit) (any, error)
	Acts      map[string]Act
	More      map[string]func(*Visit) (Answer, error)
	Script    string   // of script/, without its ending
	Libraries []string // globals that it needs: Sigma, graphology, uPlot
}

// Act does what a form asks for, and gives where the browser goes then; "" is the page itself, and stay that page at once, with what the
// act has found and left in its Visit.
type Act func(*Visit) (path string, err error)

const stay = "stay"

// Answer is what a route below a page gives.
type Answer struct {
	Kind, Name string // media type; with a name, the browser keeps it as a file
	Body       []byte
}

// JSON gives a value to a script.
func JSON(value any) (Answer, error) {
	text, err := json.Marshal(value)
	return Answer{Kind: "application/json", Body: text}, err
}

// File gives a text that the browser keeps as a file.
func File(name, kind, text string) (Answer, error) {
	return Answer{Kind: kind, Name: name, Body: []byte(text)}, nil
}

// Visit is one request for a page.
type Visit struct {
	*http.Request
	door  *Door
	page  *Page
	query url.Values

	proposals *attribution.Attribution // that a form asked for
}

// Query is the first value of a parameter of the address, "" where there is none.
func (v *Visit) Query(name string) string { return v.query.Get(name) }

// All are all values of a parameter of the address.
func (v *Visit) All(name string) []string {
	var values []string
	for _, value := range v.query[name] {
		if value != "" {
			values = append(values, value)
		}
	}
	return values
}

// Form is the first value of a field of the form that was posted, "" where there is none.
func (v *Visit) Form(name string) string { return v.PostForm.Get(name) }

// Caller is who looks.
func (v *Visit) Caller() caller.Caller { return caller.From(v.Context()) }

// May tells whether whoever looks may call an operation. One that changes something is called by nobody who cannot be told from another
// site.
func (v *Visit) May(operation string) bool {
	o, known := tools.Find(v.door.operations, operation)
	return known && o.Permits(v.Caller()) && (o.Hints.ReadOnly || v.mayChange())
}

// argument reads a field of a form or of the address as an argument of an operation. An empty one leaves into as it is. It returns the
// validation_error that the operation would.
func (v *Visit) argument(operation, name, text string, into any) error {
	o, known := tools.Find(v.door.operations, operation)
	if text == "" || !known { // which Call says
		return nil
	}
	return o.Argument(name, text, into)
}

// Call calls an operation of the catalog with a value that JSON makes its arguments of, and gives its answer. It returns the operation's own error.
func Call[Out any](v *Visit, operation string, arguments any) (out Out, err error) {
	o, known := tools.Find(v.door.operations, operation)
	if !known {
		return out, apperr.Newf(apperr.NotFound, "Operation '%s' not found on this server", operation).WithHint("Update the server")
	}
	if v.Method != http.MethodPost && !o.Hints.ReadOnly { // a mistake in a page, and one that another site could use
		return out, apperr.Newf(apperr.Internal, "The page '%s' must not change anything", v.page.Name)
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return out, apperr.From(err)
	}
	who := v.Caller()
	who.Looks = o.Hints.ReadOnly
	answer, err := v.door.runner.Run(graph.Operation(caller.With(v.Context(), who), o.Name, doorName), o, text)
	if err != nil {
		return out, err
	}
	out, ok := answer.(Out)
	if !ok {
		return out, apperr.Newf(apperr.Internal, "The page '%s' expects a %[3]T from %[2]s, not a %[4]T", v.page.Name, operation, out, answer)
	}
	return out, nil
}

// callIfMay is Call where whoever looks may call the operation, and nothing elsewhere.
func callIfMay[Out any](v *Visit, operation string, arguments any) (out Out, err error) {
	if !v.May(operation) {
		return out, nil
	}
	return Call[Out](v, operation, arguments)
}
