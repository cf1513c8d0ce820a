package conversations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/internal/render"
	"nomograph/memory"
	"nomograph/memory/transcripts"
)

// Options configure an import of conversations.
type Options struct {
	Project string // project of conversations without a project
	Agent   string // agent of conversations that name none
	DryRun  bool   // count chunks without writing them
	// Called, if not nil, is called for each tool call and result. Calls may come again if a file is read again.
	Called func(project string, c *transcripts.Conversation, call transcripts.Call)
}

// Imported is the result of an import.
type Imported struct {
	Files         int   `json:"files" jsonschema:"number of files read"`
	Conversations int   `json:"conversations" jsonschema:"number of conversations; a subagent's counts separately"`
	New           int   `json:"new"`
	Grown         int   `json:"updated" jsonschema:"number of existing conversations that grew or changed"`
	Unchanged     int   `json:"unchanged"`
	ChunksCreated int64 `json:"chunks_created"`
	ChunksChanged int64 `json:"chunks_changed" jsonschema:"number of changed last chunks"`
	ChunksRemoved int64 `json:"chunks_removed" jsonschema:"number of chunks of conversations that changed at their source"`

	SkippedCount int                   `json:"skipped_count"`
	Skipped      []transcripts.Problem `json:"skipped" jsonschema:"first 100 unreadable records, with reasons"`
	Notes        []string              `json:"notes"`
	DryRun       bool                  `json:"dry_run,omitempty"`
}

// Failed reports whether no conversation could be read; the command line then exits with an error.
func (i Imported) Failed() bool { return i.Conversations == 0 }

const (
	maxSkipped  = 100
	maxAttempts = 5 // maximum attempts to read or write a conversation that a concurrent import changes
)

// Import imports the conversations of a file, or of a folder and its subfolders. Unreadable records are skipped and
// listed in the result. It returns a validation_error if the path does not exist or cannot be read, not_found if it
// contains no conversation, and unavailable.
func (s *Store) Import(ctx context.Context, path string, o Options) (Imported, error) {
	files, err := transcripts.Files(path)
	if err != nil {
		return Imported{}, readError(path, err)
	}
	if _, err := s.graph.Connect(ctx); err != nil {
		return Imported{}, err
	}
	out, err := s.read(ctx, files, o)
	if err != nil {
		return out, err
	}
	if out.Conversations == 0 {
		aside := ""
		if len(out.Skipped) > 0 {
			aside = ": " + out.Skipped[0].Error()
		}
		return out, apperr.Newf(apperr.NotFound, "No conversation in %s%s", path, aside).
			WithHint("Name a folder such as ~/.claude/projects, or an export: JSON, JSON lines, Markdown or ChatGPT's zip; see docs/guides/memory.md")
	}
	if out.ChunksCreated+out.ChunksChanged > 0 && !o.DryRun {
		note, err := s.search.CatchUp(ctx)
		if note != "" {
			out.Notes = append(out.Notes, note)
		}
		return out, err
	}
	return out, nil
}

func readError(path string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return apperr.Newf(apperr.Validation, "File or folder %s not found", path).
			WithHint("Use a path on the machine where Nomograph runs").Because(err)
	}
	return apperr.Newf(apperr.Validation, "Cannot read %s", path).WithHint("Check its permissions").Because(err)
}

// read imports files one after another. A separate goroutine writes what it reads.
func (s *Store) read(ctx context.Context, files []transcripts.File, o Options) (Imported, error) {
	i := &importing{Store: s, options: o, projects: map[string]string{}, seen: map[key]string{}, had: map[key]bool{},
		contents: map[string]key{}, begun: map[int64][]key{}, messages: map[key][]int64{}, skipped: map[string]int{},
		out: Imported{DryRun: o.DryRun}}
	for n := range files {
		files[n].Most = s.Most
	}
	stored, err := graph.All[struct {
		Hash, Source, ExternalID string
		FirstMessage             int64
	}](ctx, s.graph, cypher.ConversationContents, nil)
	if err != nil {
		return i.out, err
	}
	for _, row := range stored {
		k := key{row.Source, row.ExternalID}
		i.contents[row.Hash] = k
		i.begun[row.FirstMessage] = append(i.begun[row.FirstMessage], k)
	}
	i.writer = newWriter(ctx, s, o.DryRun)
	err = i.files(ctx, files)
	if closed := i.writer.close(); err == nil {
		err = closed
	}
	i.out.add(i.writer.grown)
	for _, result := range i.seen {
		i.out.Conversations++
		*map[string]*int{"new": &i.out.New, "grown": &i.out.Grown, "unchanged": &i.out.Unchanged}[result] += 1
	}
	if i.untimed > 0 {
		i.out.Notes = append(i.out.Notes, fmt.Sprintf("Records whose time cannot be read: %d; they have the time of the message before", i.untimed))
	}
	if len(i.skipped) > 0 {
		kinds := slices.SortedFunc(maps.Keys(i.skipped),
			func(a, b string) int { return cmp.Or(i.skipped[b]-i.skipped[a], cmp.Compare(a, b)) })
		for n, kind := range kinds {
			kinds[n] = fmt.Sprintf("%d %s", i.skipped[kind], render.Title(kind))
		}
		i.out.Notes = append(i.out.Notes, "Skipped records that are no messages: "+strings.Join(kinds, ", "))
	}
	return i.out, err
}

// copyOf returns the conversation that has this content under another id, and "" if there is none.
func (i *importing) copyOf(content string, k key) string {
	first, ok := i.contents[content]
	if !ok {
		i.contents[content] = k
	}
	if !ok || first == k || first.source != k.source {
		return ""
	}
	return first.id
}

// ownedBy returns a conversation that begins with a message, and the messages that are stored under all such
// conversations but k.
func (i *importing) ownedBy(ctx context.Context, k key, first int64) (owner string, owned map[int64]bool, err error) {
	owned = map[int64]bool{}
	for _, other := range i.begun[first] {
		if other == k || other.source != k.source {
			continue
		}
		if _, ok := i.messages[other]; !ok {
			stored, err := i.storedState(ctx, other)
			if err != nil {
				return "", nil, err
			}
			i.messages[other] = stored.Messages
		}
		owner = cmp.Or(owner, other.id)
		for _, message := range i.messages[other] {
			owned[message] = true
		}
	}
	return owner, owned, nil
}

// remember stores which messages a conversation has, for those that begin alike.
func (i *importing) remember(t *thread) {
	k := t.key()
	if i.messages[k] = t.messages; !slices.Contains(i.begun[t.first], k) {
		i.begun[t.first] = append(i.begun[t.first], k)
	}
}

func (i *Imported) add(g memory.ReplaceResult) {
	i.ChunksCreated, i.ChunksChanged, i.ChunksRemoved = i.ChunksCreated+g.Created, i.ChunksChanged+g.Updated,
		i.ChunksRemoved+g.Removed
}

// key identifies a conversation.
type key struct{ source, id string }

// importing is the state of one import.
type importing struct {
	*Store
	options  Options
	writer   *writer
	projects map[string]string // project names by folder
	seen     map[key]string    // result of each conversation: new, grown or unchanged
	contents map[string]key    // conversations by the hash of their content
	begun    map[int64][]key   // conversations by the hash of their first message
	messages map[key][]int64   // hashes of the messages of conversations, as far as they were needed or read
	skipped  map[string]int    // number of skipped records, by kind
	untimed  int               // number of records whose time cannot be read
	had      map[key]bool      // conversations read so far
	opened   []*thread         // threads that a concurrent import may have overtaken
	out      Imported
}

func (i *importing) files(ctx context.Context, files []transcripts.File) error {
	var total, read int64
	for _, f := range files {
		total += f.Size
	}
	for _, f := range files {
		i.out.Files++
		differ, err := i.file(ctx, f, nil)
		if err == nil && len(differ) > 0 {
			_, err = i.file(ctx, f, differ)
		}
		if err != nil {
			return err
		}
		read += f.Size
		progress.Report(ctx, progress.Step{Message: "Importing conversations (kB)", Done: read / 1000,
			Total: total / 1000})
	}
	return i.rereadChanged(ctx)
}

// rereadChanged reads again the conversations that a concurrent import wrote first. That is known only after all
// batches are written.
func (i *importing) rereadChanged(ctx context.Context) error {
	for try := 0; ; try++ {
		if err := i.writer.flush(); err != nil {
			return err
		}
		moved := map[string]selection{}
		files := map[string]transcripts.File{}
		for _, t := range i.opened {
			if !t.moved.Load() {
				i.countResult(t)
				continue
			}
			files[t.file.Path] = t.file
			if moved[t.file.Path] == nil {
				moved[t.file.Path] = selection{}
			}
			moved[t.file.Path][t.conversation.ExternalID] = false
		}
		if i.opened = nil; len(moved) == 0 {
			return nil
		}
		if try == maxAttempts {
			return apperr.New(apperr.Conflict, "Another import of these conversations is running").
				WithHint("Run the import again")
		}
		for _, path := range slices.Sorted(maps.Keys(moved)) {
			differ, err := i.file(ctx, files[path], moved[path])
			if err == nil && len(differ) > 0 {
				_, err = i.file(ctx, files[path], differ)
			}
			if err != nil {
				return err
			}
		}
	}
}

// selection maps the external ids of a file's conversations to whether each must be imported from its beginning.
type selection map[string]bool

// file imports the conversations of a file, or only the selected ones. It returns those whose stored turns changed in
// the file; they must be imported again from the beginning.
func (i *importing) file(ctx context.Context, f transcripts.File, only selection) (differ selection, err error) {
	threads, differ := map[string]*thread{}, selection{}
	if only == nil {
		f.Skipped = func(kind string, records int) { i.skipped[kind] += records }
		f.Untimed = func(records int) { i.untimed += records }
	}
	if i.options.Called != nil && !i.options.DryRun {
		f.Called = func(c *transcripts.Conversation, call transcripts.Call) {
			i.options.Called(i.project(c, f), c, call)
		}
	}
	for item, err := range f.Read() {
		var problem *transcripts.Problem
		switch {
		case errors.As(err, &problem):
			if only == nil {
				i.skip(*problem)
			}
			continue
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, graph.AsError(ctx.Err())
		}
		complete, wanted := only[item.ExternalID]
		t := threads[item.ExternalID]
		if only != nil && !wanted || t == nil && item.Over {
			continue
		}
		if t == nil {
			if t, err = i.thread(ctx, item.Conversation, f, complete); err != nil {
				return nil, err
			}
			threads[item.ExternalID] = t
		}
		if !item.Over {
			err = t.add(item)
		} else {
			err = t.endConversation()
			delete(threads, item.ExternalID)
			if i.ended(t); t.differs {
				differ[item.ExternalID] = true
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return differ, nil
}

// ended notes what is known of a conversation at its end.
func (i *importing) ended(t *thread) {
	switch {
	case t.differs:
	case t.copied != "":
		i.out.Conversations, i.out.Unchanged = i.out.Conversations+1, i.out.Unchanged+1
		i.skip(transcripts.Problem{Place: t.file.Path,
			Why: fmt.Sprintf("the conversation %s is a copy of %s, which is stored once", t.conversation.ExternalID,
				t.copied)})
	default:
		i.opened = append(i.opened, t)
		if t.grows {
			i.remember(t)
		}
		if t.shared > 0 && !t.known.there {
			i.skip(transcripts.Problem{Place: t.file.Path,
				Why: fmt.Sprintf("the first %d messages of the conversation %s are those of %s, and are stored once",
					t.shared, t.conversation.ExternalID, t.owner)})
		}
	}
}

// countResult stores the result of a conversation, which can be in several files.
func (i *importing) countResult(t *thread) {
	now := "unchanged"
	switch {
	case t.grows && !t.known.there:
		now = "new"
	case t.grows:
		now = "grown"
	}
	if was := i.seen[t.key()]; was == "" || was == "unchanged" {
		i.seen[t.key()] = now
	}
}

func (i *importing) skip(p transcripts.Problem) {
	if i.out.SkippedCount++; len(i.out.Skipped) < maxSkipped {
		i.out.Skipped = append(i.out.Skipped, p)
	}
}

// thread starts to read a conversation: after the turns that are already stored, or from the beginning.
func (i *importing) thread(ctx context.Context, c *transcripts.Conversation, f transcripts.File,
	complete bool) (*thread, error) {
	k := key{c.Source, c.ExternalID}
	if i.had[k] { // the conversation is also in an earlier file, whose part must be written before the lookup
		if err := i.writer.flush(); err != nil {
			return nil, err
		}
	}
	i.had[k] = true
	known, err := i.storedState(ctx, k)
	if err != nil {
		return nil, err
	}
	if complete {
		known.Closed, known.ClosedTurns, known.ClosedHash, known.Turns, known.Size = 0, 0, "", 0, 0
	}
	t := newThread(c, known, i.writer)
	t.file, t.agent = f, cmp.Or(c.Agent, i.options.Agent, "import")
	t.project = func() string { return i.project(c, f) }
	t.ownedBy = func(first int64) (string, map[int64]bool, error) { return i.ownedBy(ctx, k, first) }
	t.copyOf = func(content string) string { return i.copyOf(content, k) }
	return t, nil
}

// storedConversation is the stored state of a conversation.
type storedConversation struct {
	there       bool
	UID         string
	Version     int64
	Closed      int64   // position of the first chunk that can still change
	ClosedTurns int64   // number of the first turn in that chunk
	ClosedHash  string  // hash of the turns before it; "" if there is nothing to compare
	Turns, Size int64   // number of turns read, and their bytes
	ContentHash string  // hash of all messages
	Shared      int64   // number of messages at the beginning that are stored under another conversation
	Messages    []int64 // hashes of the other messages
}

func (i *importing) storedState(ctx context.Context, k key) (storedConversation, error) {
	rows, err := graph.All[storedConversation](ctx, i.graph, cypher.ConversationKnown,
		graph.Params{"source": k.source, "external_id": k.id})
	if err != nil || len(rows) == 0 {
		return storedConversation{}, err
	}
	rows[0].there = true
	return rows[0], nil
}

// project returns the project of a conversation: the name in the file, the repository that it took place in, the name
// that the caller passed, or the name of the file's folder.
func (i *importing) project(c *transcripts.Conversation, f transcripts.File) string {
	if c.Project != "" {
		return c.Project
	}
	if c.Folder == "" {
		return cmp.Or(i.options.Project, map[bool]string{true: c.Source}[c.Source == transcripts.ChatGPT ||
			c.Source == transcripts.Gemini], filepath.Base(filepath.Dir(absolute(f.Path))))
	}
	name, ok := i.projects[c.Folder]
	if !ok {
		name = memory.ProjectOf(c.Folder)
		i.projects[c.Folder] = name
	}
	return cmp.Or(name, i.options.Project, c.Source)
}

func absolute(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}
