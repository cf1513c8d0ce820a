package archive

import (
	"context"
	"fmt"
	"io"
	"os"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// ImportOptions says what to do with conflicts.
type ImportOptions struct {
	Overwrite  bool // nodes and relationships that differ from the file are overwritten
	SkipBroken bool // invalid lines and a truncated file are reported, and the rest is imported
	// StartReasons are the reasons of changes that a start makes itself. If the graph has nothing else, the first batch
	// replaces it, so that the graph becomes that of the archive.
	StartReasons []string
}

// Imported counts the results by kind of line.
type Imported struct {
	Nodes         LineCounts `json:"nodes"`
	Relationships LineCounts `json:"relationships"`
	Vectors       LineCounts `json:"vectors" jsonschema:"unchanged counts vectors that were not needed: existing ones or of another model"`
	// Dangling counts skipped relationships with an end neither in the file nor in the graph.
	Dangling    int64      `json:"dangling"`
	Conflicts   []Conflict `json:"conflicts,omitempty" jsonschema:"the first 20"`
	Broken      []Broken   `json:"broken,omitempty" jsonschema:"the first 20"`
	BrokenCount int64      `json:"broken_count"`
	Problem     string     `json:"problem,omitempty" jsonschema:"problem of the whole file"`
	Notes       []string   `json:"notes,omitempty"`
}

// LineCounts counts lines by result.
type LineCounts struct {
	Created   int64 `json:"created"`
	Unchanged int64 `json:"unchanged" jsonschema:"number of existing, identical lines"`
	Replaced  int64 `json:"replaced,omitempty" jsonschema:"number of overwritten nodes"`
	Conflicts int64 `json:"conflicts" jsonschema:"number of differing nodes; the graph was not changed"`
}

// Conflict is a line that differs from the graph.
type Conflict struct {
	Line    int64    `json:"line"`
	What    string   `json:"what"`
	Differs []string `json:"differs,omitempty" jsonschema:"names of differing properties"`
	Note    string   `json:"note,omitempty"`
}

const maxProblemsShown = 20

// Import imports a file of Export into db, in batches. Existing nodes stay unchanged: importing again does nothing, and
// importing after an interruption continues. New decisions are marked for indexing.
//
// A node is identified by its uid; agents, projects, tags, patterns, packs and versions by their unique properties;
// policies, thresholds, tables, rows, sources and concepts by uid, else by equal content, else by name and scope. A
// decision or session whose short id, external id or request key belongs to another one in the graph is created without
// it and reported.
//
// The file is read twice, so that invalid lines and truncated files are reported before anything is written. A stream
// is copied to a temporary file first. Import returns a validation_error for these, with the line.
func Import(ctx context.Context, db *graph.DB, r io.Reader, o ImportOptions) (Imported, error) {
	i := importer{ctx: ctx, db: db, options: o, known: map[string]string{}, taken: map[string]bool{}}
	file, ok := r.(io.ReadSeeker)
	var err error
	if ok {
		i.size, err = file.Seek(0, io.SeekEnd)
	}
	if !ok || err != nil {
		copied, err := os.CreateTemp("", "nomograph-archive-*")
		if err != nil {
			return Imported{}, apperr.New(apperr.Validation, "Cannot store the archive temporarily").
				WithHint("Pass a file instead of a stream, or set TMPDIR").Because(err)
		}
		defer func() { _ = copied.Close(); _ = os.Remove(copied.Name()) }()
		if i.size, err = io.Copy(copied, r); err != nil {
			return Imported{}, unreadable(err)
		}
		file = copied
	}
	if err := i.examine(file); err != nil {
		return Imported{}, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Imported{}, unreadable(err)
	}
	problem, err := readLines(file, i.line, i.broken)
	if err == nil {
		err = i.flush()
	}
	if err != nil && i.written() {
		err = apperr.From(err).WithHint("Imported lines stay. Correct the cause and run the same command again; it skips them")
	}
	i.result.Problem = problem
	return i.result, err
}

// examine reads the whole file and writes nothing.
func (i *importer) examine(r io.ReadSeeker) error {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return unreadable(err)
	}
	problem, err := readLines(r, func(_ line, read int64) error {
		i.report("Examining the archive", read)
		return i.ctx.Err()
	}, i.refuse)
	if err != nil {
		return graph.AsError(err)
	}
	if problem != "" && !i.options.SkipBroken {
		return apperr.Newf(apperr.Validation, "The archive is incomplete. %s", problem).
			WithHint("Import the lines that the file has with --skip-broken")
	}
	return nil
}

func unreadable(err error) error {
	return apperr.New(apperr.Validation, "Cannot read the archive").WithHint("Check the path and its permissions").
		Because(err)
}

// importer is the state of one import.
type importer struct {
	ctx     context.Context
	db      *graph.DB
	options ImportOptions
	size    int64 // size of the file in bytes; 0 if unknown
	batch   batch
	result  Imported

	known    map[string]string // element ids of nodes whose key is not a uid
	taken    map[string]bool   // element ids of nodes that were matched to a line
	nameless []candidate       // existing nodes that no name identifies
	looked   bool              // whether nameless was read
	begun    bool              // whether a batch of nodes was written
}

// Limits of one transaction.
var (
	maxNodes         = 2000
	maxRelationships = 5000
	maxBytes         = int64(4 << 20)
)

// batch holds lines of one kind.
type batch struct {
	lines []line
	keys  map[string]bool
	bytes int64
	read  int64 // bytes read from the file, including this batch
}

func (i *importer) line(l line, read int64) error {
	limit := maxNodes
	if l.Relationship != nil {
		limit = maxRelationships
	}
	if len(i.batch.lines) >= limit || i.batch.bytes >= maxBytes || len(i.batch.lines) > 0 &&
		!sameKind(i.batch.lines[0], l) || l.Node != nil && i.batch.keys[l.Node.Key] {
		if err := i.flush(); err != nil {
			return err
		}
	}
	if l.Node != nil {
		if i.batch.keys == nil {
			i.batch.keys = map[string]bool{}
		}
		i.batch.keys[l.Node.Key] = true
	}
	i.batch.lines = append(i.batch.lines, l)
	i.batch.bytes += read - i.batch.read
	i.batch.read = read
	return nil
}

func sameKind(a, b line) bool {
	return (a.Node != nil) == (b.Node != nil) && (a.Vectors != nil) == (b.Vectors != nil)
}

// flush writes the batch in one transaction.
func (i *importer) flush() error {
	lines := i.batch.lines
	i.report("Importing", i.batch.read)
	i.batch = batch{read: i.batch.read}
	if len(lines) == 0 {
		return nil
	}
	write := i.writeRelationships
	switch {
	case lines[0].Node != nil:
		write = i.writeNodes
	case lines[0].Vectors != nil:
		write = i.writeVectors
	}
	if err := write(lines); err != nil {
		f := *apperr.From(err)
		if graph.IsUniqueViolation(err) {
			f = *apperr.New(apperr.Conflict, "A node of the graph and a node of the file share a unique value, but do not match").
				WithHint("Run the import again. If it fails again, find the node by the uid or key of these lines").
				Because(err)
		}
		f.Message = fmt.Sprintf("Lines %d to %d were not imported: %s", lines[0].number, lines[len(lines)-1].number,
			f.Message)
		return &f
	}
	return nil
}

func (i *importer) report(message string, read int64) {
	progress.Report(i.ctx, progress.Step{Message: message, Done: read, Total: i.size})
}

// broken counts and lists a skipped line.
func (i *importer) broken(b Broken) error {
	if i.result.BrokenCount++; len(i.result.Broken) < maxProblemsShown {
		i.result.Broken = append(i.result.Broken, b)
	}
	return nil
}

func (i *importer) refuse(b Broken) error {
	if i.options.SkipBroken {
		return nil
	}
	return apperr.Newf(apperr.Validation, "Line %d: %s", b.Line, b.Problem).
		WithHint("Import the other lines with --skip-broken").With("line", b.Line)
}

func (i *importer) written() bool {
	r := i.result
	return r.Nodes.Created+r.Nodes.Replaced+r.Relationships.Created+r.Relationships.Replaced+r.Vectors.Created > 0
}

func (r *Imported) conflict(c Conflict) {
	if len(r.Conflicts) < maxProblemsShown {
		r.Conflicts = append(r.Conflicts, c)
	}
}

// add adds the results of a batch.
func (r *Imported) add(b Imported) {
	r.Nodes.add(b.Nodes)
	r.Relationships.add(b.Relationships)
	r.Vectors.add(b.Vectors)
	r.Dangling += b.Dangling
	for _, c := range b.Conflicts {
		r.conflict(c)
	}
}

func (f *LineCounts) add(g LineCounts) {
	f.Created += g.Created
	f.Unchanged += g.Unchanged
	f.Replaced += g.Replaced
	f.Conflicts += g.Conflicts
}
