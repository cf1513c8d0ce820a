package conversations

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/memory"
	"nomograph/memory/transcripts"
)

// Options say how conversations are imported.
type Options struct {
	Project string // of those that name none
	Agent   string // likewise
	DryRun  bool   // write nothing
}

// Imported says what became of conversations.
type Imported struct {
	Files         int   `json:"files" jsonschema:"number of files read"`
	Conversations int   `json:"conversations" jsonschema:"number of conversations; a subagent's counts separately"`
	New           int   `json:"new"`
	Grown         int   `json:"grown" jsonschema:"number of existing conversations that grew or changed"`
	Unchanged     int   `json:"unchanged"`
	ChunksCreated int64 `json:"chunks_created"`
	ChunksChanged int64 `json:"chunks_changed" jsonschema:"number of changed last chunks"`
	ChunksRemoved int64 `json:"chunks_removed" jsonschema:"number of chunks of conversations that changed at their source"`

	SkippedCount int                   `json:"skipped_count"`
	Skipped      []transcripts.Problem `json:"skipped" jsonschema:"first 100 unreadable records, with reasons"`
	Notes        []string              `json:"notes"`
	DryRun       bool                  `json:"dry_run,omitempty"`
}

// Failed tells a program that nothing could be read.
func (i Imported) Failed() bool { return i.Conversations == 0 }

const (
	maxSkipped = 100
	tries      = 5 // to read a conversation again that another import was quicker with
)

// Import brings in the conversations of a file, or of a folder and those below it. What cannot be read is skipped and told of. It returns a
// validation_error where there is no such file, not_found where no conversation is in it, and unavailable.
func (s *Store) Import(ctx context.Context, path string, o Options) (Imported, error) {
	files, err := transcripts.Files(path)
	if err != nil {
		return Imported{}, unreadable(path, err)
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

func unreadable(path string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return apperr.Newf(apperr.Validation, "File or folder %s not found", path).WithHint("Use a path on the machine where Nomograph runs").Because(err)
	}
	return apperr.Newf(apperr.Validation, "Cannot read %s", path).WithHint("Check its permissions").Because(err)
}

// read imports files, one after another. What it reads is written beside it.
func (s *Store) read(ctx context.Context, files []transcripts.File, o Options) (Imported, error) {
	i := &importing{Store: s, options: o, projects: map[string]string{}, seen: map[key]string{}, had: map[key]bool{},
		out: Imported{Skipped: []transcripts.Problem{}, Notes: []string{}, DryRun: o.DryRun}}
	for n := range files {
		files[n].Most = s.Most
		i.total += files[n].Size
	}
	i.writer = newWriter(ctx, s, o.DryRun)
	err := i.files(ctx, files)
	if closed := i.writer.close(); err == nil {
		err = closed
	}
	i.out.add(i.writer.grown)
	return i.out, err
}

func (i *Imported) add(g memory.GrowResult) {
	i.ChunksCreated, i.ChunksChanged, i.ChunksRemoved = i.ChunksCreated+g.Created, i.ChunksChanged+g.Updated, i.ChunksRemoved+g.Removed
}

// key is which conversation one is.
type key struct{ source, id string }

// importing is one import under way.
type importing struct {
	*Store
	options  Options
	writer   *writer
	projects map[string]string // by folder
	seen     map[key]string    // what became of each
	had      map[key]bool      // those that were read
	opened   []*thread         // which may turn out to have been moved
	out      Imported

	total, before int64 // bytes, of all files and of those that were read
}

func (i *importing) files(ctx context.Context, files []transcripts.File) error {
	for _, f := range files {
		i.out.Files++
		differ, err := i.file(ctx, f, nil)
		if err == nil && len(differ) > 0 {
			_, err = i.file(ctx, f, differ)
		}
		if err != nil {
			return err
		}
		i.before += f.Size
		i.tell(0)
	}
	return i.settle(ctx)
}

// settle reads again the conversations that another import was quicker with, which is known once all is written.
func (i *importing) settle(ctx context.Context) error {
	for try := 0; ; try++ {
		if err := i.writer.flush(); err != nil {
			return err
		}
		moved := map[string]selection{}
		files := map[string]transcripts.File{}
		for _, t := range i.opened {
			if !t.moved.Load() {
				i.became(t)
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
		if try == tries {
			return apperr.New(apperr.Conflict, "Another import of these conversations is running").WithHint("Run the import again")
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

// tell reports how far the import is, in kilobytes.
func (i *importing) tell(read int64) {
	progress.Report(i.writer.ctx, progress.Step{Message: "Importing conversations (kB)", Done: (i.before + read) / 1000, Total: i.total / 1000})
}

// selection are conversations of a file, by their external ids, and whether each is written anew from its beginning.
type selection map[string]bool

// file imports the conversations of a file, or only some of them, and gives those that say something else than they did.
func (i *importing) file(ctx context.Context, f transcripts.File, only selection) (differ selection, err error) {
	threads, differ := map[string]*thread{}, selection{}
	told := int64(0)
	f.Heard = func(read int64) {
		if read-told > 1<<20 {
			told = read
			i.tell(min(read, f.Size))
		}
	}
	for said, err := range f.Read() {
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
		anew, wanted := only[said.ExternalID]
		t := threads[said.ExternalID]
		if only != nil && !wanted || t == nil && said.Over {
			continue
		}
		if t == nil {
			if t, err = i.thread(ctx, said.Conversation, f, anew); err != nil {
				return nil, err
			}
			threads[said.ExternalID] = t
		}
		if !said.Over {
			err = t.add(said.Message)
		} else {
			err = t.over()
			delete(threads, said.ExternalID)
			if t.differs {
				differ[said.ExternalID] = true
			} else {
				i.opened = append(i.opened, t)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return differ, nil
}

// became counts what became of a conversation, which may be in several files.
func (i *importing) became(t *thread) {
	k := key{t.conversation.Source, t.conversation.ExternalID}
	now := "unchanged"
	switch {
	case t.grows && !t.known.there:
		now = "new"
	case t.grows:
		now = "grown"
	}
	switch was := i.seen[k]; {
	case was == "":
		i.out.Conversations++
	case was == "unchanged" && now == "grown":
		i.out.Unchanged--
	default:
		return
	}
	i.seen[k] = now
	switch now {
	case "new":
		i.out.New++
	case "grown":
		i.out.Grown++
	default:
		i.out.Unchanged++
	}
}

func (i *importing) skip(p transcripts.Problem) {
	if i.out.SkippedCount++; len(i.out.Skipped) < maxSkipped {
		i.out.Skipped = append(i.out.Skipped, p)
	}
}

// thread begins to read a conversation, from where its session stands, or anew.
func (i *importing) thread(ctx context.Context, c *transcripts.Conversation, f transcripts.File, anew bool) (*thread, error) {
	k := key{c.Source, c.ExternalID}
	if i.had[k] { // in another file: that must be written before it is looked up
		if err := i.writer.flush(); err != nil {
			return nil, err
		}
	}
	i.had[k] = true
	known, err := i.known(ctx, k)
	if err != nil {
		return nil, err
	}
	if anew {
		known.Closed, known.ClosedTurns, known.ClosedHash, known.Turns, known.Size = 0, 0, "", 0, 0
	}
	t := newThread(c, known, i.writer)
	t.file, t.agent = f, firstOf(c.Agent, i.options.Agent, "import")
	t.project = func() string { return i.project(c, f) }
	return t, nil
}

// known is what the graph has of a conversation.
type known struct {
	there       bool
	UID         string
	Version     int64
	Closed      int64  // the position from which its chunks may still change
	ClosedTurns int64  // the turn with which the chunk there begins
	ClosedHash  string // of the turns before; "" where nobody is to compare
	Turns, Size int64  // all that was read, and its bytes
}

func (i *importing) known(ctx context.Context, k key) (known, error) {
	rows, err := graph.All[known](ctx, i.graph, cypher.ConversationKnown, graph.Params{"source": k.source, "external_id": k.id})
	if err != nil || len(rows) == 0 {
		return known{}, err
	}
	rows[0].there = true
	return rows[0], nil
}

// project names the project of a conversation: what its file says, the repository that it was held in, what the caller says, else the folder
// that its file lies in.
func (i *importing) project(c *transcripts.Conversation, f transcripts.File) string {
	if c.Project != "" {
		return c.Project
	}
	if c.Folder == "" {
		return firstOf(i.options.Project, map[bool]string{true: c.Source}[c.Source == transcripts.ChatGPT], filepath.Base(filepath.Dir(absolute(f.Path))))
	}
	name, known := i.projects[c.Folder]
	if !known {
		name = memory.ProjectOf(c.Folder)
		i.projects[c.Folder] = name
	}
	return firstOf(name, i.options.Project, c.Source)
}

func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
