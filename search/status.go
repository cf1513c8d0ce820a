package search

import (
	"context"
	"fmt"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// Status describes the embedder and the state of the vectors.
type Status struct {
	Embedder      string `json:"embedder" jsonschema:"builtin, endpoint or none"`
	Model         string `json:"model,omitempty" jsonschema:"the embedder's model"`
	Dimensions    int64  `json:"dimensions,omitempty" jsonschema:"dimensions of the vectors in the graph"`
	RecordedModel string `json:"recorded_model,omitempty" jsonschema:"model of the vectors in the graph"`
	Matches       bool   `json:"matches" jsonschema:"true if the embedder matches the graph's vectors"`
	Decisions     int64  `json:"decisions"`
	Indexed       int64  `json:"indexed" jsonschema:"number of decisions with vectors"`
	Pending       int64  `json:"pending" jsonschema:"number of decisions without vectors; found by full text only"`
	Chunks        int64  `json:"chunks,omitempty" jsonschema:"number of memory chunks"`
	ChunksPending int64  `json:"chunks_pending,omitempty" jsonschema:"number of chunks without vectors"`
	Note          string `json:"note,omitempty"`
}

type state struct {
	Decisions, Pending, Indexed, Passages int64
	Model                                 string
	Dimensions                            int64
	// long texts have one vector per passage, and vectors are also stored packed
	Current bool
}

// holds reports whether vectors of this model and number of dimensions (0 means any) are comparable with the stored
// ones.
func (s state) holds(model string, dimensions int) bool {
	return s.Model == "" || s.Model == model && (dimensions == 0 || s.Dimensions == int64(dimensions))
}

// Status returns the state of the index. Its cost does not grow with the graph.
func (x *Index) Status(ctx context.Context) (Status, error) {
	found, err := graph.One[state](ctx, x.db, x.corpus.upkeep.state, nil)
	if err != nil {
		return Status{}, err
	}
	s := Status{Embedder: "none", Dimensions: found.Dimensions, RecordedModel: found.Model, Decisions: found.Decisions,
		Indexed: found.Indexed, Pending: found.Pending}
	if x.embedder == nil {
		s.Note = "Without an embedder, search is by keyword only"
		return s, nil
	}
	s.Embedder, s.Model, s.Matches = "endpoint", x.embedder.Model(), found.holds(x.embedder.Model(), 0)
	if x.builtin() {
		s.Embedder = "builtin"
	}
	switch {
	case !s.Matches:
		s.Note = rebuildNote
	case found.Pending > 0 && x.embedderDown():
		s.Note = "The embedder does not answer; vectors are made once it does"
	case found.Model != "" && !found.Current:
		s.Note = olderNote
	}
	return s, nil
}

const rebuildNote = "The graph's vectors are of another model. Rebuild the search index; until then search is by keyword only"

const olderNote = "Some vectors are from an older Nomograph: long texts are found less well. Rebuild the search index to replace them"

// RebuildRequest selects the vectors to compute: missing and outdated ones, or all.
type RebuildRequest struct {
	All bool `json:"all,omitempty" jsonschema:"recreate every vector, not only missing and outdated ones"`
}

// Rebuilt is the result of a rebuild.
type Rebuilt struct {
	Decisions  int64  `json:"decisions" jsonschema:"number of decisions checked"`
	Rebuilt    int64  `json:"rebuilt" jsonschema:"number of decisions with recreated vectors"`
	Chunks     int64  `json:"chunks,omitempty" jsonschema:"number of chunks with recreated vectors"`
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
}

const page = 1000 // decisions marked per statement

// Rebuild records the embedder's model in the graph and computes the vectors again, with progress reports. An
// interrupted rebuild continues at the next call. It returns a conflict without an embedder, and unavailable.
func (x *Index) Rebuild(ctx context.Context, request RebuildRequest) (Rebuilt, error) {
	if x.embedder == nil {
		return Rebuilt{}, apperr.New(apperr.Conflict, "No embedder is configured to create vectors").
			WithHint("Set embedder.kind to builtin or openai")
	}
	dimensions, err := x.dimensions(ctx)
	if err != nil {
		return Rebuilt{}, err
	}
	done := Rebuilt{Model: x.embedder.Model(), Dimensions: dimensions}
	model := graph.Params{"name": x.corpus.name, "model": done.Model, "dimensions": dimensions, "all": request.All}
	started, err := graph.Append[struct{ Since *time.Time }](ctx, x.db, cypher.ModelRecord, model)
	if err != nil {
		return Rebuilt{}, err
	}
	total, err := graph.One[state](ctx, x.db, x.corpus.upkeep.state, nil)
	if err != nil {
		return Rebuilt{}, err
	}
	delete(model, "all")
	model["since"], model["after"], model["limit"], model["short"] = nil, "", page,
		maxPassageLength/4 // characters, each up to four bytes
	if started.Since != nil {
		model["since"] = graph.UTC(*started.Since)
	}
	for {
		marked, err := graph.Append[struct {
			Last         string
			Seen, Marked int64
		}](ctx, x.db, x.corpus.upkeep.mark, model)
		if err == nil {
			err = x.Drain(ctx)
		}
		if err != nil {
			return done, err
		}
		done.Decisions, done.Rebuilt = done.Decisions+marked.Seen, done.Rebuilt+marked.Marked
		progress.Report(ctx, progress.Step{Message: fmt.Sprintf("Creating vectors with %s", done.Model),
			Done: done.Decisions, Total: max(total.Decisions, done.Decisions)})
		if marked.Seen < page {
			break
		}
		model["after"] = marked.Last
	}
	_, err = graph.Append[struct{}](ctx, x.db, cypher.RebuildEnd, graph.Params{"name": x.corpus.name})
	return done, err
}
