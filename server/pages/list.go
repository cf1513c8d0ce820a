package pages

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/tools"
)

// List declares a list of objects: filters, columns, order, pages and files. The template "list" draws it.
type List struct {
	Operation string // its arguments are the filters
	Filters   string // arguments that people can set; those after "|" are folded
	Columns   string // headings, separated by commas; "*" marks a wide one. A column without values is left out
	Sorts     string // HEADING=KEY pairs by which the operation sorts; other lists sort if all rows are on the page
	Noun      string // what a row is
	Empty     string // what to do if nothing is there yet, with code in backticks
	Pick      string // field of the checkbox of a row; "" for none
	Limit     int    // rows of a page; 0 for pageRows
	Since     string // value of the filter date_after if the address has none
	Closed    bool   // the filters are also folded on wide screens, until one is set
	Counted   bool   // rows are decisions, which statistics count by agent, project, category, stakes and outcome
	// Sample is the number of newest rows in which values of filters are counted; 0 for those of the page.
	Sample int
	// Values returns the values of a record by filter, where they are not those of its field of this name.
	Values func(record any) map[string][]string
	Read   func(v *Visit, operation string, q arguments) (rows, error)
}

// arguments are the arguments of a list's operation.
type arguments map[string]any

const (
	pageRows = 50
	fileRows = 10_000 // rows of a file
)

// rows is what a list reads: cells for the page, and records for files.
type rows struct {
	Cells   [][]any // text, number, time, item or a list of items
	Keys    []string
	Records []any
	Next    string
	Total   string
	Notes   []string
}

// rowsOf makes a row of each record.
func rowsOf[Record any](records []Record, next string, cells func(Record) []any) rows {
	out := rows{Next: next}
	for _, record := range records {
		out.Cells, out.Records = append(out.Cells, cells(record)), append(out.Records, record)
	}
	return out
}

// answered returns the Read of a list whose operation is called with the arguments and answers with all of its rows.
func answered[Out any](made func(*Visit, Out) rows) func(*Visit, string, arguments) (rows, error) {
	return func(v *Visit, operation string, q arguments) (rows, error) {
		answer, err := Call[Out](v, operation, q)
		return made(v, answer), err
	}
}

// total adds the number of all rows, over all pages.
func (r rows) total(n int, noun string) rows {
	r.Total = render.Plural(n, noun)
	return r
}

// item is a part of a cell: a text, which may lead to a page or be a state, with a note after it.
type item struct {
	Text, Link, Look, Note string
	At                     time.Time
	Number                 *float64
	Rest                   []item // further ones, separated by commas
}

func to(text, path string) item { return item{Text: text, Link: path} }

// badge returns a state as a badge.
func badge(state string) item {
	return item{Text: strings.ReplaceAll(state, "_", " "), Look: look(state)}
}

// linked returns texts that lead to pages.
func linked(texts []string, path func(string) string) (all []item) {
	for _, text := range texts {
		all = append(all, to(text, path(text)))
	}
	return all
}

func policyPath(name string) string { return link("/policy", "name", name) }

func agentItem(name string) item { return to(name, link("/agent", "name", name)) }

func projectItem(name string) item { return to(name, link("/project", "name", name)) }

func itemOf(value any) item {
	number := func(n float64, text string) item { return item{Text: text, Number: &n} }
	switch v := value.(type) {
	case item:
		return v
	case []item:
		if len(v) == 0 {
			return item{}
		}
		first := v[0]
		first.Rest = v[1:]
		return first
	case time.Time:
		return item{At: v}
	case *time.Time:
		if v == nil {
			return item{}
		}
		return item{At: *v}
	case int, int64:
		return number(float64(integer(v)), fmt.Sprint(v))
	case float64:
		short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64) // 0.85, not 0.8500000000000001
		return number(v, shownValue(short))
	case *float64:
		if v == nil {
			return item{}
		}
		return itemOf(*v)
	case []string:
		return item{Text: strings.Join(v, ", ")}
	}
	return item{Text: shownValue(value)}
}

// Plain returns the whole cell as text, for files and for people who point at a cell that is cut.
func (i item) Plain() string {
	text := i.Text
	if !i.At.IsZero() {
		text = i.At.UTC().Format(time.RFC3339)
	}
	if i.Note != "" {
		text = strings.TrimSpace(text + " " + i.Note)
	}
	for _, other := range i.Rest {
		text += ", " + other.Plain()
	}
	return text
}

// kind returns the class of a column with such cells.
func (i item) kind() string {
	switch {
	case i.Number != nil && i.Note == "":
		return "number"
	case !i.At.IsZero():
		return "time"
	case i.Look != "":
		return "state"
	}
	return "words"
}

func compareItems(a, b item) int {
	if a.Number != nil && b.Number != nil {
		return cmp.Compare(*a.Number, *b.Number)
	}
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(strings.ToLower(a.Text), strings.ToLower(b.Text)))
}

// listing is a list as the template draws it.
type listing struct {
	*List
	Fields, Folded    []field
	Kept              [][2]string // parameters that the filters keep
	Used, UsedFolded  int         // filters that are set, and folded ones among them
	Heads             []head
	Rows              []listRow
	Total, Next, Path string
	Notes             []string
	Filtered, Failed  bool

	visit *Visit
}

// With returns the address of the list with other parameters.
func (l *listing) With(pairs ...any) string { return (&shown{visit: l.visit}).With(pairs...) }

// Nouns returns what several rows are.
func (l *listing) Nouns() string { return strings.TrimPrefix(render.Plural(0, l.Noun), "0 ") }

// Listing lets pages with more than a list embed one.
func (l *listing) Listing() *listing { return l }

// head is the heading of a column. Sort is the address of the list in the order of the column, and Key its value of the
// parameter sort; "" for none.
type head struct{ Title, Label, Class, Sort, Sorted, Key string }

// Sortable returns the columns by which the list can be sorted, for screens without headings.
func (l *listing) Sortable() []head {
	return lists.Filter(l.Heads, func(h head) bool { return h.Key != "" })
}

type listRow struct {
	Key   string
	Cells []item
}

// field is a filter. Only reports that Options has all possible values.
type field struct {
	Name, Title, Value string
	Number, Only       bool
	Options            []option
}

// Search reports whether people type words into the field.
func (f field) Search() bool { return f.Name == "q" || f.Name == "text" }

// option is a value of a filter, and how many rows have it; 0 if unknown.
type option struct {
	Value, Text string
	Count       int64
}

// names returns the filters, and how many of them are not folded.
func (l *List) names() (all []string, open int) {
	first, rest, _ := strings.Cut(l.Filters, "|")
	all = strings.Fields(first)
	return append(all, strings.Fields(rest)...), len(all)
}

// argumentNames maps filters to arguments with other names.
var argumentNames = map[string]string{"tag": "tags", "since": "date_after", "by": "group_by"}

// argumentOf returns the name and the schema of a filter's argument.
func argumentOf(properties map[string]*jsonschema.Schema, name string) (string, *jsonschema.Schema) {
	if properties[name] == nil {
		name = cmp.Or(argumentNames[name], name)
	}
	return name, properties[name]
}

// valuesOf returns the values of a filter in the address.
func (l *List) valuesOf(v *Visit, name string) []string {
	if name == "date_after" && l.Since != "" && !v.query.Has(name) {
		return []string{l.Since}
	}
	return v.All(name)
}

// argumentsOf reads the operation's arguments from the address.
func (l *List) argumentsOf(v *Visit) (q arguments, properties map[string]*jsonschema.Schema) {
	q, properties = arguments{}, map[string]*jsonschema.Schema{}
	if o, ok := tools.Find(v.server.options.Operations, l.Operation); ok {
		properties = o.Input().Properties
	}
	names, _ := l.names()
	for _, name := range append(names, "cursor") {
		values := l.valuesOf(v, name)
		argument, property := argumentOf(properties, name)
		switch {
		case property == nil || len(values) == 0:
		case property.Items != nil:
			q[argument] = tools.FromTexts(property, values)
		default:
			q[argument] = tools.FromText(property, strings.TrimSpace(values[0]))
		}
	}
	if properties["limit"] != nil {
		q["limit"] = cmp.Or(l.Limit, pageRows)
	}
	if heading, down := strings.CutPrefix(v.Query("sort"), "-"); heading != "" {
		for _, pair := range strings.Fields(l.Sorts) {
			if name, key, _ := strings.Cut(pair, "="); name == heading {
				q["sort"], q["order"] = key, map[bool]string{true: "desc", false: "asc"}[down]
			}
		}
	}
	return q, properties
}

// list reads a list with the filters of the address. After an error, it has only the filters.
func (v *Visit) list(l *List) (*listing, error) {
	out := v.filters(l)
	q, _ := l.argumentsOf(v)
	names, _ := l.names()
	var found, sample rows
	var facets map[string][]option
	reads := []func() error{func() (err error) {
		found, err = l.Read(v, l.Operation, q)
		return err
	}, func() (err error) {
		facets, err = l.facets(v, names, out.Filtered)
		return err
	}}
	if l.Sample > 0 {
		reads = append(reads, func() (err error) {
			all := *v // without filters
			all.query = url.Values{}
			sample, err = l.Read(&all, l.Operation, arguments{"limit": l.Sample})
			return err
		})
	}
	if err := concurrently(reads...); err != nil {
		out.Failed = true
		return out, err
	}
	whole := found.Next == "" && v.Query("cursor") == ""
	if sample.Records == nil {
		sample = found
	} else if sample.Next != "" && !out.Filtered {
		found.Notes = append(found.Notes, fmt.Sprintf("Filters count the newest %d %s.", l.Sample, out.Nouns()))
	}
	in := l.valuesIn(sample.Records)
	for _, fields := range [][]field{out.Fields, out.Folded} {
		for i := range fields {
			f := &fields[i]
			known, stated := facets[f.Name]
			if stated = stated && l.Counted; !stated || len(known) == 0 {
				known = append(in[f.Name], known...)
			}
			f.offer(known, !out.Filtered && (stated || whole || l.Sample > 0))
			f.Only = f.Only || stated && len(facets[f.Name]) > 0 && len(known) < groupsListed ||
				l.Sample > 0 && sample.Next == "" && len(in[f.Name]) > 0
		}
	}
	out.fill(v, found, whole)
	return out, nil
}

// filters returns a list with only its filters.
func (v *Visit) filters(l *List) *listing {
	out := &listing{List: l, Path: link(v.page.Path, "name", v.Query("name")), visit: v}
	_, properties := l.argumentsOf(v)
	names, open := l.names()
	for _, name := range names {
		_, property := argumentOf(properties, name)
		f := fieldOf(v, name, property)
		if f.Search() {
			f.Title = "Search " + out.Nouns()
		}
		usual := map[bool]string{true: l.Since}[name == "date_after"]
		f.Value = strings.Join(l.valuesOf(v, name)[:min(1, len(l.valuesOf(v, name)))], "")
		used := map[bool]int{true: 1}[f.Value != usual && !f.Search()]
		out.Filtered = out.Filtered || f.Value != usual
		out.Used += used
		if len(out.Fields) < open {
			out.Fields = append(out.Fields, f)
			continue
		}
		out.Folded = append(out.Folded, f)
		out.UsedFolded += used
	}
	for _, name := range []string{"view", "name", "sort", "all", "project", "agent"} {
		if value := v.Query(name); value != "" && !slices.Contains(names, name) {
			out.Kept = append(out.Kept, [2]string{name, value})
		}
	}
	return out
}

// Filters returns the filters of the page; nil if it has none.
func (s *shown) Filters() *listing {
	if s.Page == nil || s.Page.Filters == nil {
		return nil
	}
	out := s.visit.filters(s.Page.Filters)
	out.Failed = s.Failed
	return out
}

// fill adds the rows in the order of the address, without columns that have no values.
func (l *listing) fill(v *Visit, found rows, whole bool) {
	l.Total, l.Notes = found.Total, found.Notes
	if found.Next != "" {
		l.Next = l.With("cursor", found.Next)
	}
	for i, cells := range found.Cells {
		row := listRow{}
		if i < len(found.Keys) {
			row.Key = found.Keys[i]
		}
		for _, value := range cells {
			row.Cells = append(row.Cells, itemOf(value))
		}
		l.Rows = append(l.Rows, row)
	}
	sorted, down := strings.CutPrefix(v.Query("sort"), "-")
	titles := strings.Split(l.Columns, ",")
	for i := len(titles) - 1; i >= 0; i-- {
		title, wide := strings.CutSuffix(strings.TrimSpace(titles[i]), "*")
		at := slices.IndexFunc(l.Rows, func(r listRow) bool { return r.Cells[i].Plain() != "" })
		if at < 0 && i > 0 {
			for n := range l.Rows {
				l.Rows[n].Cells = slices.Delete(l.Rows[n].Cells, i, i+1)
			}
			continue
		}
		h := head{Title: title, Label: strings.ToLower(title), Class: "title"}
		if i > 0 {
			h.Class = map[bool]string{true: "wide", false: l.Rows[at].Cells[i].kind()}[wide]
		}
		key := strings.ToLower(strings.ReplaceAll(title, " ", "-"))
		ours := strings.Contains(" "+l.Sorts, " "+key+"=")
		if ours || whole && len(l.Rows) > 1 {
			next := key
			if sorted == key && !down || sorted != key && (h.Class == "number" || h.Class == "time") {
				next = "-" + key
			}
			h.Sort, h.Key = l.With("sort", next, "cursor", ""), key
		}
		if sorted == key {
			h.Sorted = map[bool]string{true: "descending", false: "ascending"}[down]
			if !ours && whole {
				slices.SortStableFunc(l.Rows, func(a, b listRow) int {
					return compareItems(a.Cells[i], b.Cells[i]) * map[bool]int{true: -1, false: 1}[down]
				})
			}
		}
		l.Heads = append(l.Heads, h)
	}
	slices.Reverse(l.Heads)
	if len(l.Sortable()) > 0 { // the form has a field for it
		l.Kept = slices.DeleteFunc(l.Kept, func(pair [2]string) bool { return pair[0] == "sort" })
	}
}

// filterValues are the values of filters that no schema lists. A key is a FILTER, or PAGE FILTER.
var filterValues = map[string][]string{"stakes": decisions.StakesValues, "status": {"pending", "reviewed"},
	"active":         {"true", "false"},
	"result":         {"allowed", "denied"},
	"calibration by": {"category", "agent", "project", "stakes"}}

// startOptions are suggestions for the start of a time.
var startOptions = []option{{"1d", "last day", 0}, {"7d", "last 7 days", 0}, {"30d", "last 30 days", 0},
	{"90d", "last 90 days", 0}}

func fieldOf(v *Visit, name string, property *jsonschema.Schema) field {
	f := field{Name: name, Title: cmp.Or(fieldTitle(v.page, name), capital(strings.ReplaceAll(name, "_", " ")))}
	values := filterValues[v.page.Name+" "+name]
	if values == nil {
		values = filterValues[name]
	}
	if property != nil {
		f.Number = property.Type == "number" || slices.Contains(property.Types, "number")
		if len(values) == 0 {
			values = tools.Choices(property)
		}
	}
	for _, value := range values {
		f.Options = append(f.Options, option{Value: value,
			Text: strings.NewReplacer("_", " ", "true", "yes", "false", "no").
				Replace(value)})
	}
	f.Only = len(values) > 0
	if name == "date_after" || name == "since" || name == "from" {
		f.Options = startOptions
	}
	return f
}

// offer adds known values of a filter, with their counts if these hold for the list as it is.
func (f *field) offer(known []option, counted bool) {
	for _, k := range known {
		if !counted {
			k.Count = 0
		}
		at := slices.IndexFunc(f.Options, func(o option) bool { return o.Value == k.Value })
		switch {
		case at >= 0:
			f.Options[at].Count = max(f.Options[at].Count, k.Count)
		case !f.Only && !f.Number:
			f.Options = append(f.Options, k)
		}
	}
	if f.Value != "" && !slices.ContainsFunc(f.Options, func(o option) bool { return o.Value == f.Value }) {
		f.Options = append(f.Options, option{Value: f.Value, Text: f.Value})
	}
}

// valuesIn counts the values of each filter in records, most frequent first.
func (l *List) valuesIn(records []any) map[string][]option {
	counts := map[string][]option{}
	count := func(name, text string) {
		at := slices.IndexFunc(counts[name], func(o option) bool { return o.Value == text })
		if at >= 0 {
			counts[name][at].Count++
		} else if text != "" {
			counts[name] = append(counts[name], option{text, text, 1})
		}
	}
	for _, record := range records {
		for name, value := range fieldsOf(record) {
			count(name, shownValue(value))
		}
		if l.Values == nil {
			continue
		}
		for name, texts := range l.Values(record) {
			for _, text := range texts {
				count(name, text)
			}
		}
	}
	for _, options := range counts {
		slices.SortStableFunc(options, func(a, b option) int { return cmp.Compare(b.Count, a.Count) })
	}
	return counts
}

// facets returns values of filters that statistics and rules know: of agents and projects those with the most reviews.
// Categories and stakes of decisions are known, and a filtered list does not show counts.
func (l *List) facets(v *Visit, names []string, filtered bool) (map[string][]option, error) {
	found, reads := map[string][]option{}, []func() error{}
	var mu sync.Mutex
	for name, by := range map[string]string{"agent_id": "agent", "project": "project", "category": "category",
		"stakes": "stakes"} {
		if !slices.Contains(names, name) || filterValues[name] != nil && !l.Counted ||
			filtered && l.Counted && (by == "category" || by == "stakes") {
			continue
		}
		reads = append(reads, func() error {
			stats, err := callIfMay[counters.Stats](v, "get_stats", counters.StatsQuery{GroupBy: by})
			mu.Lock()
			defer mu.Unlock()
			found[name] = []option{}
			for _, group := range stats.Groups {
				if !l.Counted { // rows are not decisions
					group.TotalDecisions = 0
				}
				found[name] = append(found[name], option{group.Value, group.Value, group.TotalDecisions})
			}
			if o := stats.Outcomes; name == "stakes" {
				found["outcome"] = []option{{"success", "", o.Success}, {"partial", "", o.Partial},
					{"failure", "", o.Failure}, {"abandoned", "", o.Abandoned}}
				found["status"] = []option{{"pending", "", stats.TotalDecisions - stats.ReviewedDecisions},
					{"reviewed", "", stats.ReviewedDecisions}}
			}
			return err
		})
	}
	if slices.Contains(names, "rule") {
		reads = append(reads, func() error {
			list, err := v.ruleNames()
			mu.Lock()
			defer mu.Unlock()
			for _, name := range list[0] {
				found["rule"] = append(found["rule"], option{name, name, 0})
			}
			return err
		})
	}
	return found, concurrently(reads...)
}

// showList shows a page that is only a list.
func showList(v *Visit) (any, error) { return v.list(v.page.List) }

// file returns the rows of all pages that match the filters, as CSV or JSON.
func (v *Visit) file(l *List) (Answer, error) {
	q, properties := l.argumentsOf(v)
	if limit := properties["limit"]; limit != nil && limit.Maximum != nil {
		q["limit"] = min(int(*limit.Maximum), fileRows)
	}
	delete(q, "cursor")
	var all rows
	for next := " "; next != ""; {
		found, err := l.Read(v, l.Operation, q)
		if err != nil {
			return Answer{}, err
		}
		all.Cells, all.Records = append(all.Cells, found.Cells...), append(all.Records, found.Records...)
		next = found.Next
		q["cursor"] = next
		if next != "" && len(all.Records) >= fileRows {
			return Answer{}, apperr.Newf(apperr.Validation, "More than %d rows match, and a file holds no more",
				fileRows).
				WithHint("Set Since and Until or other filters, and download several files")
		}
	}
	table := [][]string{append(strings.Split(strings.ReplaceAll(l.Columns, "*", ""), ","), "Page")}
	for _, row := range all.Cells {
		cells := make([]string, len(row), len(row)+1)
		for i, value := range row {
			cells[i] = itemOf(value).Plain()
		}
		table = append(table, append(cells, itemOf(row[0]).Link))
	}
	return v.download(strings.ReplaceAll(l.Noun, " ", "-")+"s", all.Records, table)
}

// download returns records as JSON, or the rows of a table as CSV, whichever the address asks for.
func (v *Visit) download(name string, records any, table [][]string) (Answer, error) {
	switch format := v.Query("format"); format {
	case "json":
		text, err := render.JSON(records)
		return Answer{Kind: "application/json", Name: name + ".json", Body: text}, err
	case "csv":
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		for _, row := range table {
			for i := range row {
				row[i] = render.Cell(row[i])
			}
			_ = w.Write(row)
		}
		w.Flush()
		return File(name+".csv", "text/csv; charset=utf-8", b.String()), nil
	default:
		return Answer{}, apperr.Newf(apperr.Validation, "Unknown list format %q", format).WithHint("Use csv or json")
	}
}

// fieldsOf returns the JSON fields of a record.
func fieldsOf(record any) (fields map[string]any) {
	text, _ := json.Marshal(record) // an operation or a file encodes the same records
	_ = json.Unmarshal(text, &fields)
	return fields
}
