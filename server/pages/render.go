package pages

import (
	"bytes"
	"embed"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/tools"
)

//go:embed templates
var templateFiles embed.FS

// shown is what a template is filled with.
type shown struct {
	Title     string
	Page      *Page
	Nav       []Page
	Data      any
	Problem   *apperr.Error // what went wrong with the form that was posted, or with the page
	Secret    string        // for forms
	MayChange bool
	Open      bool // nobody is asked who he is
	Signed    bool // by a token
	Provider  bool // people can sign in at a provider
	Caller    caller.Caller
	Assets    *assets
	Version   string
	visit     *Visit
}

// Form is what was typed into a field of the form that was not taken.
func (s *shown) Form(name string) string {
	if s.visit == nil || s.visit.PostForm == nil {
		return ""
	}
	return s.visit.Form(name)
}

// typed is a field of a form that was not taken.
type typed struct {
	Name, Value string
	Hidden      bool // it is not for whoever looks to change
}

// Typed are the fields of a form of this session that could not be taken since the database is away, to be sent again.
func (s *shown) Typed() (fields []typed) {
	if s.visit == nil || s.Problem == nil || s.Problem.Code != apperr.Unavailable {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.visit.PostForm)) {
		value := s.visit.Form(name)
		fields = append(fields, typed{name, value, !slices.Contains(prosaic, name)})
	}
	return fields
}

// prosaic are the fields that people write sentences into.
var prosaic = []string{"reason", "actual_result", "lessons", "notes"}

// Query is a parameter of the page's address.
func (s *shown) Query(name string) string {
	if s.visit == nil {
		return ""
	}
	return s.visit.Query(name)
}

// May tells whether whoever looks may call an operation.
func (s *shown) May(operation string) bool { return s.visit != nil && s.visit.May(operation) }

// With is the page's own address with parameters set, by pairs of name and value; an empty value takes one away.
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

// Parameters are those of the page's address, with one set.
func (s *shown) Parameters(name, value string) template.URL {
	_, query, _ := strings.Cut(s.With(name, value), "?")
	return template.URL(query) //nolint:gosec // it was encoded
}

// Filtered tells whether the page's address narrows what it lists, other than by words to search for.
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

// Add is the page's own address with one more value of a parameter.
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

// Without are the libraries that the page has to do without, since the build could not get them.
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

// Needs tells whether the page loads a library.
func (s *shown) Needs(library string) bool {
	return s.Page != nil && slices.Contains(s.Page.Libraries, library) && len(s.Without()) == 0
}

// Scripts are the addresses of the page's libraries; none where one of them is missing.
func (s *shown) Scripts() (paths []string) {
	if s.Page == nil || len(s.Without()) > 0 {
		return nil
	}
	for _, library := range s.Page.Libraries {
		paths = append(paths, s.Assets.Path(libraries[library]))
	}
	return paths
}

func (d *Door) parse() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(functions).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", "templates/governed.html"))
	names := []string{"error", "signin", "again", "invited"}
	for _, page := range d.pages {
		names = append(names, page.Name)
	}
	parsed := map[string]*template.Template{}
	for _, name := range names {
		parsed[name] = template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, "templates/"+name+".html"))
	}
	return parsed
}

// render shows a page, with what went wrong with its form, if anything did.
func (d *Door) render(w http.ResponseWriter, v *Visit, problem error) {
	data, err := v.page.Show(v)
	if err != nil {
		d.fail(w, v.Request, err)
		return
	}
	out, status := d.about(v), http.StatusOK
	out.Data = data
	if problem != nil {
		out.Problem, status = apperr.From(problem), server.Status(problem)
	}
	if titled, ok := data.(interface{ PageTitle() string }); ok {
		out.Title = titled.PageTitle()
	}
	d.renderTemplate(w, v.page.Name, status, out)
}

func (d *Door) about(v *Visit) *shown {
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

// fail shows an error as a page.
func (d *Door) fail(w http.ResponseWriter, r *http.Request, err error) {
	f, status := apperr.From(err), server.Status(err)
	d.options.Log.Debug().Err(f.Unwrap()).Str("id", f.ID).Str("path", r.URL.Path).Msg("page failed")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	out := &shown{Title: f.Message}
	if caller.From(r.Context()).Door != "" || d.options.Open { // else nobody was let in who could be shown more
		out = d.about(d.visit(r, nil))
		out.Title = "Something went wrong"
	}
	out.Problem = tools.Spelled(f, tools.Command)
	d.renderTemplate(w, "error", status, out)
}

// part fills a part of a page's template.
func (d *Door) part(page, name string, out *shown) ([]byte, error) {
	out.Assets, out.Version, out.Open = d.assets, d.options.Version, d.options.Open
	var body bytes.Buffer
	err := d.templates[page].ExecuteTemplate(&body, name, out)
	return body.Bytes(), err
}

func (d *Door) renderTemplate(w http.ResponseWriter, name string, status int, out *shown) {
	out.Provider = d.options.Provider != nil
	out.Assets, out.Version, out.Open = d.assets, d.options.Version, d.options.Open
	var body bytes.Buffer // so that an error of the template is no half page
	if err := d.templates[name].ExecuteTemplate(&body, "layout.html", out); err != nil {
		panic(err) // the server answers it
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}
