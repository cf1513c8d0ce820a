package pages

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/tools"
)

//go:embed templates
var templateFiles embed.FS

// shown is the data of every template.
type shown struct {
	Title     string
	Page      *Page
	Nav       []Page
	Data      any
	Problem   *apperr.Error // error of the posted form or of the page
	Failed    bool          // Problem is all that the page shows
	Secret    string        // CSRF token of forms
	MayChange bool
	Open      bool // the server has no authentication
	Signed    bool // signed in with a token
	Provider  bool // an OpenID provider is configured
	Caller    caller.Caller
	Assets    *assets
	Version   string
	Pending   string // number of requests, proposals and appeals that the caller may decide, for the navigation; "" for none
	visit     *Visit
}

// Heading returns the heading of a page that shows only an error.
func (s *shown) Heading() string {
	if s.Problem.Code == apperr.NotFound {
		return "Not found"
	}
	return "Something went wrong"
}

// Form returns the submitted value of a field of a rejected form.
func (s *shown) Form(name string) string {
	if s.visit == nil || s.visit.PostForm == nil {
		return ""
	}
	return s.visit.Form(name)
}

// typed is a field of a rejected form.
type typed struct {
	Name, Value string
	Hidden      bool // not editable by the person
}

// Typed returns the fields of a form that was rejected because the database is unavailable, so that the page can offer
// to submit it again.
func (s *shown) Typed() (fields []typed) {
	if s.visit == nil || s.Problem == nil || s.Problem.Code != apperr.Unavailable {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.visit.PostForm)) {
		value := s.visit.Form(name)
		fields = append(fields, typed{name, value, !slices.Contains(sentenceFields, name)})
	}
	return fields
}

// sentenceFields lists the fields in which people write sentences.
var sentenceFields = []string{"reason", "actual_result", "lessons", "notes"}

// Query returns a query parameter of the page.
func (s *shown) Query(name string) string {
	if s.visit == nil {
		return ""
	}
	return s.visit.Query(name)
}

// All returns all values of a query parameter of the page.
func (s *shown) All(name string) []string {
	if s.visit == nil {
		return nil
	}
	return s.visit.All(name)
}

// May reports whether the caller may call an operation.
func (s *shown) May(operation string) bool { return s.visit != nil && s.visit.May(operation) }

// With returns the page's own URL with parameters set from pairs of name and value. An empty value removes a parameter.
func (s *shown) With(pairs ...any) string {
	query := url.Values{}
	path := "/"
	if s.visit != nil {
		query, path = s.visit.URL.Query(), s.visit.URL.Path
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		if value := text(pairs[i+1]); value != "" {
			query.Set(name, value)
		} else {
			query.Del(name)
		}
	}
	return (&url.URL{Path: path, RawQuery: query.Encode()}).String()
}

// Parameters returns the query string of the page's URL with one parameter set.
func (s *shown) Parameters(name, value string) template.URL {
	_, query, _ := strings.Cut(s.With(name, value), "?")
	return template.URL(query) //nolint:gosec // already encoded
}

// Filtered reports whether the URL filters the list, apart from search text and page cursor.
func (s *shown) Filtered() bool {
	if s.visit == nil {
		return false
	}
	for name := range s.visit.query {
		if name != "q" && name != "cursor" && s.visit.Query(name) != "" {
			return true
		}
	}
	return false
}

// Add returns the page's own URL with one more value of a parameter.
func (s *shown) Add(name, value string) string {
	at := *s.visit.URL
	query := at.Query()
	query.Add(name, value)
	return (&url.URL{Path: at.Path, RawQuery: query.Encode()}).String()
}

func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	}
	return ""
}

// Without returns the libraries of the page that this build does not include.
func (s *shown) Without() (missing []string) {
	if s.Page == nil {
		return nil
	}
	for _, library := range s.Page.Libraries {
		if !s.Assets.has(libraries[library]) {
			missing = append(missing, library)
		}
	}
	return missing
}

// Needs reports whether the page loads a library.
func (s *shown) Needs(library string) bool {
	return s.Page != nil && slices.Contains(s.Page.Libraries, library) && len(s.Without()) == 0
}

// Scripts returns the paths of the page's libraries; none if one of them is missing.
func (s *shown) Scripts() (paths []string) {
	if s.Page == nil || len(s.Without()) > 0 {
		return nil
	}
	for _, library := range s.Page.Libraries {
		paths = append(paths, s.Assets.Path(libraries[library]))
	}
	return paths
}

func (d *Server) parse() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(functions).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", "templates/governed.html", "templates/record.html", "templates/lab.html"))
	files := map[string]string{"error": "error", "signin": "signin", "again": "again", "invited": "invited"}
	for _, page := range d.pages {
		files[page.Name] = cmp.Or(page.Template, page.Name)
	}
	parsed := map[string]*template.Template{}
	for name, file := range files {
		parsed[name] = template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, "templates/"+file+".html"))
	}
	return parsed
}

// retryBefore is the age of a request below which a page that timed out is read once more: a read with a short limit, such as that of
// the rules, can fail while a new engine plans its first statements.
const retryBefore = 15 * time.Second

// render renders a page. problem is the error of its form, or nil.
func (d *Server) render(w http.ResponseWriter, v *Visit, problem error) {
	var pending string
	var counting sync.WaitGroup
	counting.Go(func() { pending = v.pendingAnswers() })
	began := time.Now()
	data, err := v.page.Show(v)
	counting.Wait()
	if apperr.Is(err, apperr.QueryTimeout) && time.Since(began) < retryBefore {
		v.reads = newReads()
		data, err = v.page.Show(v)
	}
	if err != nil {
		d.fail(w, v.Request, err)
		return
	}
	out, status := d.about(v), http.StatusOK
	out.Data, out.Pending = data, pending
	if problem != nil {
		out.Problem, status = apperr.From(problem), server.Status(problem)
	}
	if titled, ok := data.(interface{ PageTitle() string }); ok {
		out.Title = titled.PageTitle()
	}
	d.renderTemplate(w, v.page.Name, status, out)
}

func (d *Server) about(v *Visit) *shown {
	out := &shown{Page: v.page, Secret: d.sessions.secretOf(v.Request), MayChange: v.mayChange(), Caller: v.Caller(), visit: v}
	if v.page != nil {
		out.Title = v.page.Title
	}
	for _, page := range d.pages {
		if page.Nav && (page.Needs == "" || v.May(page.Needs)) {
			out.Nav = append(out.Nav, page)
		}
	}
	if of, ok := d.sessions.of(v.Request); ok {
		out.Signed = of.Token != ""
	}
	return out
}

// fail renders an error as a page.
func (d *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f, status := apperr.From(err), server.Status(err)
	d.options.Log.Debug().Err(f.Unwrap()).Str("id", f.ID).Str("path", r.URL.Path).Msg("page failed")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	out := &shown{Title: f.Message}
	if caller.From(r.Context()).Transport != "" || d.options.Open { // an unauthenticated visitor sees only the message
		out = d.about(d.visit(r, nil))
	}
	out.Failed, out.Problem = true, tools.SpellError(f, tools.Command)
	if out.Title == "" {
		out.Title = out.Heading()
	}
	d.renderTemplate(w, "error", status, out)
}

// part renders one part of a page's template.
func (d *Server) part(page, name string, out *shown) ([]byte, error) {
	out.Assets, out.Version, out.Open = d.assets, d.options.Version, d.options.Open
	var body bytes.Buffer
	err := d.templates[page].ExecuteTemplate(&body, name, out)
	return body.Bytes(), err
}

func (d *Server) renderTemplate(w http.ResponseWriter, name string, status int, out *shown) {
	out.Provider = d.options.Provider != nil
	out.Assets, out.Version, out.Open = d.assets, d.options.Version, d.options.Open
	var body bytes.Buffer // a template error must not leave half a page
	if err := d.templates[name].ExecuteTemplate(&body, "layout.html", out); err != nil {
		panic(err) // the server turns it into an error response
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}
