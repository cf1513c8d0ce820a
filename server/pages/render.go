package pages

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/pattern"
	"nomograph/internal/schema"
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
	// number of requests, proposals and appeals that the caller may decide, for the navigation; "" for none
	Pending string
	visit   *Visit
}

// maxHeadingLength is the number of bytes of a message that still reads as a heading.
const maxHeadingLength = 110

// Heading returns the heading of a page that shows only an error: the message, or the class of an error with a long
// message.
func (s *shown) Heading() string {
	if message := s.Problem.Message; len(message) <= maxHeadingLength && !strings.Contains(message, "\n") {
		return message
	}
	return capital(strings.ReplaceAll(string(s.Problem.Code), "_", " "))
}

// Passes reports whether the error may be gone when the page is opened again.
func (s *shown) Passes() bool {
	return slices.Contains([]apperr.Code{apperr.Unavailable, apperr.QueryTimeout, apperr.RateLimited, apperr.Internal},
		s.Problem.Code)
}

// Logged reports whether the server's log says more about the error.
func (s *shown) Logged() bool { return s.Passes() || s.Problem.Code == apperr.RuleFailed }

// Corrects reports whether the page that failed shows its filters again, because one of them may be wrong.
func (s *shown) Corrects() bool { return s.Page != nil && s.Problem.Code == apperr.Validation }

// Marks reports whether the navigation marks the entry of a page as the current one.
func (s *shown) Marks(name string) bool {
	if s.Page == nil {
		return false
	}
	entry := s.Page
	for !entry.Nav && entry.Under != "" {
		entry = pageNamed(entry.Under)
	}
	return entry.Name == name || name == "more" && !entry.Nav && entry.Group != ""
}

// pageNamed returns a page of the table.
func pageNamed(name string) *Page {
	return &table[slices.IndexFunc(table, func(p Page) bool { return p.Name == name })]
}

// View returns the view that the address selects, for forms that stay in it.
func (s *shown) View() string {
	if s.Page == nil {
		return ""
	}
	_, view := s.Page.at()
	return view
}

// tab is another view of the page.
type tab struct {
	Label, Link string
	Current     bool
}

// Tabs returns the views of the page that the caller may see.
func (s *shown) Tabs() (tabs []tab) {
	if s.Page == nil || s.Page.Tab == "" {
		return nil
	}
	path, _ := s.Page.at()
	for _, page := range table {
		if other, _ := page.at(); other == path && page.Tab != "" &&
			(page.Needs == "" || s.visit.permitted(page.Needs)) {
			tabs = append(tabs, tab{page.Tab, page.Path, page.Name == s.Page.Name})
		}
	}
	return tabs
}

// Back returns the list page of the object that a page failed to show; nil for other pages.
func (s *shown) Back() *Page {
	if s.Page == nil {
		return nil
	}
	under := s.Page.Under
	if under == "" && s.Problem.Code == apperr.NotFound {
		under = s.Page.Name // this page lists objects by their parameters, so it is the list itself
	}
	if under == "" || under == "today" {
		return nil
	}
	return pageNamed(under)
}

// Form returns the submitted value of a field of a rejected form.
func (s *shown) Form(name string) string { return s.visit.Form(name) }

// formField is a submitted field of a rejected form.
type formField struct {
	Name, Value string
	Hidden      bool // not editable by the person
}

// Typed returns the fields of a form that was rejected because the database is unavailable, so that the page can offer
// to submit it again.
func (s *shown) Typed() (fields []formField) {
	if s.visit == nil || s.Problem == nil || s.Problem.Code != apperr.Unavailable {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.visit.PostForm)) {
		value := s.visit.Form(name)
		fields = append(fields, formField{name, value, !slices.Contains(sentenceFields, name)})
	}
	return fields
}

// sentenceFields lists the fields in which people write sentences.
var sentenceFields = []string{"reason", "actual_result", "lessons", "notes"}

// Query returns a query parameter of the page.
func (s *shown) Query(name string) string { return s.visit.Query(name) }

// All returns all values of a query parameter of the page.
func (s *shown) All(name string) []string { return s.visit.All(name) }

// May reports whether the caller may call an operation.
func (s *shown) May(operation string) bool { return s.visit.May(operation) }

// With returns the page's own URL with parameters set from pairs of name and value. An empty value removes a parameter.
func (s *shown) With(pairs ...any) string {
	query := s.visit.URL.Query()
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		if value := fmt.Sprint(pairs[i+1]); value != "" {
			query.Set(name, value)
		} else {
			query.Del(name)
		}
	}
	return (&url.URL{Path: s.visit.URL.Path, RawQuery: query.Encode()}).String()
}

// Parameters returns the query string of the page's URL with one parameter set.
func (s *shown) Parameters(name, value string) template.URL {
	_, query, _ := strings.Cut(s.With(name, value), "?")
	return template.URL(query) //nolint:gosec // already encoded
}

// Add returns the page's own URL with one more value of a parameter.
func (s *shown) Add(name, value string) string {
	at := *s.visit.URL
	query := at.Query()
	query.Add(name, value)
	return (&url.URL{Path: at.Path, RawQuery: query.Encode()}).String()
}

// Without reports whether the build lacks a library of the page.
func (s *shown) Without() bool { return s.Page != nil && !s.Assets.hasLibraries(s.Page) }

// Scripts returns the paths of the page's libraries; none if one of them is missing.
func (s *shown) Scripts() (paths []string) {
	if s.Page == nil || s.Failed || s.Without() {
		return nil
	}
	for _, library := range s.Page.Libraries {
		paths = append(paths, s.Assets.Path(libraries[library]))
	}
	return paths
}

func (d *Server) parse() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(functions).
		ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", "templates/lists.html",
			"templates/governed.html",
			"templates/record.html", "templates/lab.html", "templates/story.html"))
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

// retryBefore is the age of a request below which a page that timed out is read once more: a read with a short limit,
// such as that of the rules, can fail while a new engine plans its first statements.
const retryBefore = 15 * time.Second

// render renders a page. problem is the error of its form, or nil.
func (d *Server) render(w http.ResponseWriter, v *Visit, problem error) {
	began := time.Now()
	data, err := v.page.Show(v)
	if apperr.Is(err, apperr.QueryTimeout) && time.Since(began) < retryBefore {
		v.reads = new(reads)
		data, err = v.page.Show(v)
	}
	if err != nil {
		d.failed(w, v.Request, v, data, err)
		return
	}
	out, status := d.about(v), http.StatusOK
	out.Data, out.Pending = data, v.pendingAnswers()
	if problem != nil {
		out.Problem, status = forPerson(v.page, apperr.From(problem)), server.Status(problem)
	}
	if titled, ok := data.(interface{ PageTitle() string }); ok {
		out.Title = titled.PageTitle()
	}
	d.renderTemplate(w, v.page.Name, status, out)
}

func (d *Server) about(v *Visit) *shown {
	out := &shown{Page: v.page, Secret: d.sessions.secretOf(v.Request), MayChange: v.mayChange(), Caller: v.Caller(),
		visit: v}
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
	if caller.From(r.Context()).Transport != "" || d.options.Unauthenticated {
		d.failed(w, r, d.visit(r, nil), nil, err)
		return
	}
	d.failed(w, r, nil, nil, err)
}

// failed renders an error of a visit. For an unauthenticated visitor v is nil, and the page has only the message. data
// has the choices of the page's filters; it may be nil.
func (d *Server) failed(w http.ResponseWriter, r *http.Request, v *Visit, data any, err error) {
	f, status := apperr.From(err), server.Status(err)
	d.options.Log.Debug().Err(f.Unwrap()).Str("id", f.ID).Str("path", r.URL.Path).Msg("page failed")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	out, name := &shown{}, "error"
	if v != nil {
		out = d.about(v)
	}
	if out.Page != nil {
		out.Data, name = data, out.Page.Name
	}
	out.Failed, out.Problem = true, forPerson(out.Page, f)
	if v != nil && !out.Passes() && server.ForPerson(r) { // a temporary error would fail the count, too; programs do not show the count
		out.Pending = v.pendingAnswers()
	}
	out.Title = strings.ReplaceAll(out.Heading(), "`", "")
	d.renderTemplate(w, name, status, out)
}

// labelsFile has names in words: see its first line.
//
//go:embed labels.tsv
var labelsFile string

var labels = tabbed(labelsFile)

// tabbed reads a file with a key, a tab and a value in each line. Lines that begin with # are comments.
func tabbed(text string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && key[0] != '#' {
			values[key] = value
		}
	}
	return values
}

// fieldTitle returns the label of an argument's field on a page; "" for a field that is named like its argument.
func fieldTitle(page *Page, argument string) string {
	if page != nil && labels[page.Name+" "+argument] != "" {
		return labels[page.Name+" "+argument]
	}
	return labels[argument]
}

// invalidFields says what is wrong with arguments, by the labels of their fields. Paths below a field stay as they are.
func invalidFields(page *Page, problems []schema.Problem) string {
	parts := make([]string, len(problems))
	for i, p := range problems {
		parts[i] = p.Message
		inField := len(p.Path) == 1
		if len(p.Path) == 2 { // an element of a list
			_, err := strconv.Atoi(p.Path[1])
			inField = err == nil
		}
		if !inField || p.What == p.Message { // an unknown name is not a field
			continue
		}
		title := cmp.Or(fieldTitle(page, p.Path[0]), capital(strings.ReplaceAll(p.Path[0], "_", " ")))
		parts[i] = title + " " + strings.Replace(cmp.Or(p.What, "is required"), "must be number, not string",
			"must be a number", 1)
	}
	return strings.Join(parts, "; ")
}

// nodeNames name what pages show as operations name it.
var nodeNames = strings.NewReplacer("SYS_Policy nodes", "policies", "SYS_Policy node", "Policy", "SYS_Threshold nodes",
	"thresholds", "SYS_Threshold node", "Threshold", "SYS_DecisionTable node", "Decision table")

var codedName = pattern.New("`([a-z_]+)`")

// forPerson returns an error as a page shows it: operations by their commands, and arguments by the labels of their
// fields. page may be nil.
func forPerson(page *Page, f *apperr.Error) *apperr.Error {
	told := tools.SpellError(f, tools.Command)
	var invalid tools.InvalidArguments
	if errors.As(f.Unwrap(), &invalid) {
		told.Message, told.Hint = invalidFields(page, invalid.Problems), "Correct the value, then try again"
	}
	told.Message = nodeNames.Replace(told.Message)
	told.Message = codedName.ReplaceAllStringFunc(told.Message, func(found string) string {
		return cmp.Or(fieldTitle(page, strings.Trim(found, "`")), found)
	})
	return told
}

// part renders one part of a page's template.
func (d *Server) part(page, name string, out *shown) ([]byte, error) {
	out.Assets, out.Version, out.Open = d.assets, d.options.Version, d.options.Unauthenticated
	var body bytes.Buffer
	err := d.templates[page].ExecuteTemplate(&body, name, out)
	return body.Bytes(), err
}

func (d *Server) renderTemplate(w http.ResponseWriter, name string, status int, out *shown) {
	out.Provider = d.options.Provider != nil
	out.Assets, out.Version, out.Open = d.assets, d.options.Version, d.options.Unauthenticated
	var body bytes.Buffer // a template error must not leave half a page
	if err := d.templates[name].ExecuteTemplate(&body, "layout.html", out); err != nil {
		panic(err) // the server turns it into an error response
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}
