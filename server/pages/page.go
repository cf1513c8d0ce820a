package pages

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"

	"nomograph/decisions/attribution"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/change"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/tools"
)

// Page is one page. The package documentation explains its fields.
type Page struct {
	Name string // name of its template
	// Path is a pattern for net/http's ServeMux without a method, such as /decisions/{id}. Pages that differ only in
	// ?view= are views of one page.
	Path  string
	Title string // its name, if absent
	Use   string // description in one sentence
	Nav   bool   // listed in the navigation
	Tab   string // label among the views of its path; "" for a view that only links lead to
	Group string // heading under which /more lists it; "" for pages of the navigation and of one object
	Needs string // the operation without which the page shows nothing; "" for none
	// Template is the name of another page's template; "" for its own.
	Template string
	// Under is the name of the page that the navigation marks instead: if absent, that of the path without a view and
	// an id.
	Under string

	List      *List // if Show is nil, the page is this list
	Filters   *List // filters of a page that is not a list
	Show      func(*Visit) (any, error)
	Acts      map[string]Act
	More      map[string]func(*Visit) (Answer, error)
	Script    string   // file in script/ without extension
	Libraries []string // required globals: Sigma, graphology
}

// Act handles a form and returns the path of the redirect. The path "" means the page itself. With stay, the page is
// rendered without a redirect, with the result that the act stored in its Visit.
type Act func(*Visit) (path string, err error)

const unchanged = "stay"

// Answer is the response of a route below a page.
type Answer struct {
	Kind, Name string // media type, and file name of a download
	Body       []byte
}

// JSON returns a value as a JSON response for a script.
func JSON(value any) (Answer, error) {
	text, err := json.Marshal(value)
	return Answer{Kind: "application/json", Body: text}, err
}

// File returns a text as a file download.
func File(name, kind, text string) Answer { return Answer{Kind: kind, Name: name, Body: []byte(text)} }

// Visit is one request for a page.
type Visit struct {
	*http.Request
	server *Server
	page   *Page
	query  url.Values
	reads  *reads

	proposals *attribution.Attribution   // result of a posted form
	secret    *tokens.Rotated            // token that a posted form created
	bulk      *bulkReview                // preview or result of a posted form
	planned   *change.ApplyResult        // preview that a posted form asked for
	previewed *sessions.ExceptionChanged // what a posted form would do
}

// Query returns the first value of a query parameter, or "".
func (v *Visit) Query(name string) string { return v.query.Get(name) }

// All returns all non-empty values of a query parameter.
func (v *Visit) All(name string) []string {
	var values []string
	for _, value := range v.query[name] {
		if value != "" {
			values = append(values, value)
		}
	}
	return values
}

// Form returns the first value of a field of the posted form, or "".
func (v *Visit) Form(name string) string { return v.PostForm.Get(name) }

// Caller returns the caller of the request.
func (v *Visit) Caller() caller.Caller { return caller.From(v.Context()) }

// May reports whether the caller may call an operation. Operations that write also need a request that another site
// cannot forge.
func (v *Visit) May(operation string) bool {
	o, ok := tools.Find(v.server.options.Operations, operation)
	return ok && o.Permits(v.Caller()) && (o.Hints.ReadOnly || v.mayChange())
}

// argument parses a form field or query parameter as an argument of an operation. An empty text leaves into unchanged.
// It returns the same validation_error as the operation.
func (v *Visit) argument(operation, name, text string, into any) error {
	o, ok := tools.Find(v.server.options.Operations, operation)
	if text == "" || !ok { // Call reports an unknown operation
		return nil
	}
	return o.Argument(name, text, into)
}

// Call runs an operation of the catalog and returns its answer. The arguments are encoded as JSON. Errors of the
// operation are returned unchanged.
func Call[Out any](v *Visit, operation string, arguments any) (out Out, err error) {
	answer, err := v.call(operation, arguments)
	if err != nil {
		return out, err
	}
	out, ok := answer.(Out)
	if !ok {
		return out, apperr.Newf(apperr.Internal, "The page '%s' expects a %[3]T from %[2]s, not a %[4]T", v.page.Name,
			operation, out, answer)
	}
	return out, nil
}

// do runs the operation of a form, and leads to a path after it.
func (v *Visit) do(path, operation string, arguments any) (string, error) {
	_, err := v.call(operation, arguments)
	return path, err
}

// call is Call without a type parameter, so that the compiler does not generate it for every type.
func (v *Visit) call(operation string, arguments any) (answer any, err error) {
	defer func() {
		if broken := recover(); broken != nil { // pages call operations in goroutines, where a panic would end the server
			v.server.options.Log.Error().Str("operation", operation).Interface("panic", broken).
				Bytes("stack", debug.Stack()).Msg("operation aborted")
			answer, err = nil, apperr.New(apperr.Internal, "Internal error").
				WithHint("Find the cause in the server's log")
		}
	}()
	o, ok := tools.Find(v.server.options.Operations, operation)
	if !ok {
		return nil, apperr.Newf(apperr.NotFound, "Operation '%s' not found on this server", operation).
			WithHint("Update the server")
	}
	if v.Method != http.MethodPost && !o.Hints.ReadOnly { // a bug in a page; another site could exploit a GET that writes
		return nil, apperr.Newf(apperr.Internal, "The page '%s' must not change anything", v.page.Name)
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return nil, apperr.From(err)
	}
	who := v.Caller()
	who.ViewsPage = o.Hints.ReadOnly
	run := func() (any, error) {
		return v.server.runner.Run(graph.Operation(caller.With(v.Context(), who), o.Name, transportName), o, text)
	}
	if v.Method == http.MethodPost { // the page shows what its act has changed
		return run()
	}
	return v.reads.once(o.Name+string(text), run)
}

// reads holds the answers of one visit. A page and its frame ask for the same lists concurrently. Answers are shared,
// so pages must not change them.
type reads struct{ calls sync.Map }

// once returns the answer of the first call with this key, and waits for it.
func (r *reads) once(key string, run func() (any, error)) (any, error) {
	call, _ := r.calls.LoadOrStore(key, sync.OnceValues(run))
	return call.(func() (any, error))()
}

// maxReads is the number of reads of one page that run at the same time.
const maxReads = 8

// concurrently runs reads at the same time. It returns the first error in their order. A panic of a read becomes a
// panic of the caller, whose request fails; the server keeps running.
func concurrently(reads ...func() error) error {
	errs, panics := make([]error, len(reads)), make([]any, len(reads))
	free := make(chan struct{}, maxReads)
	var all sync.WaitGroup
	for i, read := range reads {
		free <- struct{}{}
		all.Go(func() {
			defer func() {
				panics[i] = recover()
				<-free
			}()
			errs[i] = read()
		})
	}
	all.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
	return cmp.Or(errs...)
}

// reading returns a read for concurrently, which is callIfMay.
func reading[Out any](v *Visit, into *Out, operation string, arguments any) func() error {
	return func() (err error) {
		*into, err = callIfMay[Out](v, operation, arguments)
		return err
	}
}

// callIfMay is Call if the caller may call the operation, and otherwise returns the zero value.
func callIfMay[Out any](v *Visit, operation string, arguments any) (out Out, err error) {
	if !v.May(operation) {
		return out, nil
	}
	return Call[Out](v, operation, arguments)
}
