package recall

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/internal/tokencount"
	"nomograph/memory"
)

// ProjectRow is a project in memory.
type ProjectRow struct {
	Name    string    `json:"name"`
	Chunks  int64     `json:"chunks"`
	Tokens  int64     `json:"tokens"`
	FirstAt time.Time `json:"first_at"`
	LastAt  time.Time `json:"last_at"`
}

// ProjectList lists the projects in memory, largest first.
type ProjectList struct {
	Projects []ProjectRow `json:"projects"`
	LeftOut  int          `json:"left_out,omitempty" jsonschema:"projects left out to fit the token budget"`
}

// String returns the list as text.
func (l ProjectList) String() string {
	if len(l.Projects) == 0 {
		return NoProjects
	}
	var b strings.Builder
	b.WriteString("Projects in memory:")
	for _, p := range l.Projects {
		fmt.Fprintf(&b, "\n- %s (%s, %s)", render.OneLine(p.Name), render.Plural(p.Chunks, "chunk"),
			formatMonths(p.FirstAt, p.LastAt, time.Local))
	}
	if l.LeftOut > 0 {
		fmt.Fprintf(&b, "\n... and %d more", l.LeftOut)
	}
	return b.String()
}

// Projects lists the projects in memory.
func (s *Store) Projects(ctx context.Context) (ProjectList, error) {
	rows, err := graph.All[ProjectRow](ctx, s.graph, cypher.ProjectsMemory, nil)
	if err != nil {
		return ProjectList{}, err
	}
	limit, err := s.tokenBudget(0, false)
	if err != nil {
		return ProjectList{}, err
	}
	counter := s.counters.Get().(*tokencount.Counter)
	defer s.counters.Put(counter)
	list := ProjectList{Projects: rows}
	list.Projects, list.LeftOut = fitRows(list.Projects, limit, len(rows), counter,
		func(rows []ProjectRow, left int) (string, string) {
			l := ProjectList{rows, left}
			return l.String() + render.RecordedSentence, answerJSON(l)
		})
	return list, nil
}

// fitRows returns as many rows as fit into the token budget, and the number of rows left out of total.
func fitRows[T any](rows []T, limit, total int, counter *tokencount.Counter,
	write func([]T, int) (text, json string)) ([]T, int) {
	for n := len(rows); ; n = min(n-1, n*9/10) {
		text, json := write(rows[:n], total-n)
		if n == 0 || max(counter.Tokens(text), counter.Tokens(json)) <= limit {
			return rows[:n], total - n
		}
	}
}

// Times selects a time range. Several operations share these arguments.
type Times struct {
	From     string  `json:"from,omitempty" jsonschema:"start date (ISO 8601)" rule:"maxLength=40"`
	To       string  `json:"to,omitempty" jsonschema:"end date (ISO 8601)" rule:"maxLength=40"`
	DaysBack float64 `json:"days_back,omitempty" jsonschema:"days to look back, instead of from and to" rule:"minimum=0,maximum=36500"`
}

// bounds returns the range as half-open interval. The day that To names is included.
func (s *Store) bounds(t Times) (from, to time.Time, err error) {
	to = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	if t.DaysBack > 0 {
		if t.From != "" || t.To != "" {
			return from, to, apperr.New(apperr.Validation, "`days_back` cannot be combined with `from` or `to`").
				WithHint("Pass one of them")
		}
		return s.now().Add(-time.Duration(math.Round(t.DaysBack * float64(24*time.Hour)))), to, nil
	}
	if t.From != "" {
		if from, err = moment("from", t.From); err != nil {
			return from, to, err
		}
	}
	if t.To != "" {
		if to, err = moment("to", t.To); err != nil {
			return from, to, err
		}
		if _, day := time.Parse(time.DateOnly, strings.TrimSpace(t.To)); day == nil {
			to = to.AddDate(0, 0, 1)
		} else {
			to = to.Add(time.Nanosecond)
		}
	}
	if !from.Before(to) {
		return from, to, apperr.Newf(apperr.Validation, "The range ends before it starts: `from` is %s and `to` is %s",
			t.From, t.To).WithHint("Swap `from` and `to`")
	}
	return from, to, nil
}

// moment parses a time. A day without a time zone is local.
func moment(name, text string) (time.Time, error) {
	for _, form := range []string{time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04",
		"2006-01"} {
		if at, err := time.ParseInLocation(form, strings.TrimSpace(text), time.Local); err == nil {
			return at, nil
		}
	}
	return timeparse.Parse(name, text)
}

// SessionsQuery selects the sessions of a project.
type SessionsQuery struct {
	Project string `json:"project" jsonschema:"project; see list-projects" rule:"minLength=1,maxLength=200"`
	Times
}

// SessionRow is a session in memory.
type SessionRow struct {
	SessionID string    `json:"session_id"`
	Title     string    `json:"title,omitempty"`
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Chunks    int64     `json:"chunks"`
	Tokens    int64     `json:"tokens"`
}

// SessionList lists sessions of a project, newest first.
type SessionList struct {
	Project  string       `json:"project"`
	Total    int          `json:"total"`
	Sessions []SessionRow `json:"sessions"`
}

// String returns the list in the format of the source document, which has no years.
func (l SessionList) String() string { return l.text(formatTimes) }

// TextWithYears returns the list with years in its dates.
func (l SessionList) TextWithYears() string { return l.text(timesWithYear) }

func (l SessionList) text(times func(from, to time.Time, zone *time.Location) string) string {
	if l.Total == 0 {
		return noSessions(l.Project)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Sessions for \"%s\" (%d total):", render.OneLine(l.Project), l.Total)
	ids := shortIDs(l.Sessions)
	for i, row := range l.Sessions {
		fmt.Fprintf(&b, "\n- %s (%s, %s, %s)", ids[i], times(row.From, row.To, time.Local),
			render.Plural(row.Chunks, "chunk"), render.Plural(row.Tokens, "token"))
	}
	if more := l.Total - len(l.Sessions); more > 0 {
		fmt.Fprintf(&b, "\n... and %d older: give from and to", more)
	}
	return b.String()
}

func noSessions(project string) string {
	return fmt.Sprintf("No sessions found for project \"%s\".", render.OneLine(project))
}

// shortIDs abbreviates ids that remain distinct.
func shortIDs(rows []SessionRow) []string {
	ids, times := make([]string, len(rows)), map[string]int{}
	for i, row := range rows {
		ids[i] = shortID(row.SessionID)
		times[ids[i]]++
	}
	for i, row := range rows {
		if times[ids[i]] > 1 {
			ids[i] = row.SessionID
		}
	}
	return ids
}

const maxSessions = 500

// Sessions lists the sessions of a project. An unknown project has none.
func (s *Store) Sessions(ctx context.Context, q SessionsQuery) (SessionList, error) {
	list := SessionList{Project: q.Project}
	from, to, err := s.bounds(q.Times)
	if err != nil {
		return list, err
	}
	limit, err := s.tokenBudget(0, false)
	if err != nil {
		return list, err
	}
	project, err := memory.FindProject(ctx, s.graph, q.Project)
	if err != nil || project.Name == "" {
		return list, err
	}
	rows, err := graph.All[struct {
		SessionRow `mapstructure:",squash"`
		Total      int64
	}](ctx, s.graph, cypher.SessionsMemory, graph.Params{"project": project.Name, "from": graph.UTC(from),
		"to": graph.UTC(to), "limit": maxSessions})
	if err != nil {
		return list, err
	}
	counter := s.counters.Get().(*tokencount.Counter)
	defer s.counters.Put(counter)
	list.Project = project.Name
	for _, row := range rows {
		list.Total = int(row.Total)
		row.From, row.To = row.From.UTC(), row.To.UTC()
		list.Sessions = append(list.Sessions, row.SessionRow)
	}
	list.Sessions, _ = fitRows(list.Sessions, limit, list.Total, counter,
		func(rows []SessionRow, _ int) (string, string) {
			l := SessionList{list.Project, list.Total, rows}
			return l.String() + render.RecordedSentence, answerJSON(l)
		})
	return list, nil
}
