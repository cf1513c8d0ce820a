package attribution

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/progress"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/policies/check"
	"nomograph/trace"
)

// Query asks for outcomes from git history.
type Query struct {
	Path          string   `json:"path,omitempty" jsonschema:"path of the repository within the working directory (default the working directory)" rule:"maxLength=4000"`
	Project       string   `json:"project,omitempty" jsonschema:"owner/repo (default the configured project, then the remote origin)" rule:"maxLength=200"`
	Since         string   `json:"since,omitempty" jsonschema:"start of recording time: a time, a day, or an age such as 1h or 2w" rule:"maxLength=40"`
	StabilityDays int      `json:"stability_days,omitempty" jsonschema:"days without a revert after which a merge counts as success" rule:"minimum=1,maximum=365,default=14"`
	Limit         int      `json:"limit,omitempty" jsonschema:"maximum number of proposals" rule:"minimum=1,maximum=500,default=100"`
	Accept        bool     `json:"accept,omitempty" jsonschema:"review the decisions as proposed, as far as policies allow"`
	IDs           []string `json:"ids,omitempty" jsonschema:"ids to accept" rule:"maxItems=500"`
	AgentID       string   `json:"agent_id,omitempty" jsonschema:"accepting agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	decisions.Session
}

// OutcomeProposal is an outcome for which git history is evidence. It is stored only if the caller accepts it.
type OutcomeProposal struct {
	ID         string      `json:"id"`
	Title      string      `json:"title"`
	Outcome    string      `json:"outcome" jsonschema:"success or failure"`
	Reason     string      `json:"reason"`
	Evidence   []GitCommit `json:"evidence" jsonschema:"commits as evidence"`
	Confidence float64     `json:"confidence" jsonschema:"confidence of the proposal: 0.95 revert by hash, 0.85 revert by number, 0.7 stable, 0.5 stable after fixes"`
	Accepted   bool        `json:"accepted,omitempty"`
	DeniedBy   []string    `json:"denied_by,omitempty" jsonschema:"policies that denied acceptance"`
	VerdictID  string      `json:"verdict_id,omitempty"`

	decision map[string]any
}

// WaitingOutcome is a decision whose change was merged too recently.
type WaitingOutcome struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Until time.Time `json:"until" jsonschema:"time when it counts as stable"`
}

// Attribution is the result of ProposeOutcomes.
type Attribution struct {
	Project   string            `json:"project"`
	Processed int               `json:"processed" jsonschema:"number of pending decisions with a pull request or commit"`
	Commits   int               `json:"commits" jsonschema:"number of commits read"`
	Proposals []OutcomeProposal `json:"proposals"`
	Waiting   []WaitingOutcome  `json:"pending" jsonschema:"merged but not yet stable"`
	NotFound  int               `json:"not_found" jsonschema:"decisions whose pull request or commit is not in the history"`
	Accepted  int               `json:"accepted"`
	Notes     []string          `json:"notes,omitempty"`
}

const (
	defaultStability = 14 // days
	defaultProposals = 100
	maxAttributed    = 5000 // decisions of one request
	batchSize        = 2000 // decisions read in a transaction
	acceptName       = "outcome.accept"
	revertedByHash   = 0.95
	revertedByNumber = 0.85
	stableConfidence = 0.7
	fixedConfidence  = 0.5
	maxEvidence      = 5
	maxWaiting       = 100
)

// ProposeOutcomes reads the git history of a repository and proposes outcomes of pending decisions that name a pull
// request or a commit: reverted is a failure, merged and not reverted for a number of days is a success. A change that
// is not in the history gets no proposal. Proposals are not stored. With Accept each becomes a review with its source
// in the notes, unless a policy denies the action outcome.accept. It returns a validation_error for a path that is not
// in a repository or is outside of the workspace, and unavailable without the program git.
func (s *Store) ProposeOutcomes(ctx context.Context, q Query) (Attribution, error) {
	since := precedents.Earliest
	if q.Since != "" {
		var err error
		if since, err = timeparse.Parse("since", q.Since); err != nil {
			return Attribution{}, err
		}
	}
	dir, err := s.repositoryPath(q.Path)
	if err != nil {
		return Attribution{}, err
	}
	repository, err := openRepository(ctx, dir)
	if err != nil {
		return Attribution{}, err
	}
	out := Attribution{Project: cmp.Or(q.Project, s.decisions.Settings.Project, repository.project(ctx))}
	if out.Project == "" {
		return Attribution{}, apperr.New(apperr.Validation, "The project of the repository is unknown").
			WithHint("Pass `project` as owner/repo: pull request numbers belong to a project")
	}
	_, project, err := s.decisions.CanonicalNames(ctx, "", out.Project)
	if err != nil {
		return Attribution{}, err
	}
	wanted, cut, err := s.readAttributable(ctx, project, since)
	if err != nil {
		return Attribution{}, err
	}
	if out.Processed = len(wanted); cut {
		out.Notes = append(out.Notes, fmt.Sprintf("Only the %d oldest were examined; the next follow when these have an outcome", maxAttributed))
	}
	if len(wanted) == 0 {
		return out, nil
	}
	history := newCommitHistory(wanted, out.Project)
	if out.Commits, err = repository.walk(ctx, history.add); err != nil {
		return Attribution{}, err
	}
	if out.Commits == maxCommits {
		out.Notes = append(out.Notes, fmt.Sprintf("Only the newest %d commits were read", maxCommits))
	}
	if repository.shallow(ctx) {
		out.Notes = append(out.Notes, "The repository is a shallow clone: merges before its first commit are not found")
	}
	out.proposeOutcomes(wanted, history, time.Duration(cmp.Or(q.StabilityDays, defaultStability))*24*time.Hour,
		cmp.Or(q.Limit, defaultProposals), time.Now())
	if q.Accept {
		return out, s.accept(ctx, q, &out)
	}
	return out, nil
}

// repositoryPath returns the requested folder, which must be inside of the working directory, because clients choose
// the path.
func (s *Store) repositoryPath(path string) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", apperr.New(apperr.Unavailable, "The working directory no longer exists").
			WithHint("Change to an existing directory").Because(err)
	}
	roots := []string{here}
	if filepath.IsAbs(s.decisions.Settings.Workspace) {
		roots = []string{s.decisions.Settings.Workspace, here}
	}
	switch {
	case path == "":
		path = roots[0]
	case !filepath.IsAbs(path):
		path = filepath.Join(here, path)
	}
	return resolveInside(path, roots)
}

// readAttributable reads the pending decisions of a project that name a pull request or a commit, and whether there are
// more.
func (s *Store) readAttributable(ctx context.Context, project string, since time.Time) ([]map[string]any, bool, error) {
	var all []map[string]any
	after, uid, looked := since, "", int64(0)
	for {
		read, err := graph.One[struct {
			Looked int64
			At     time.Time
			UID    string
			Found  []map[string]any
		}](ctx, s.graph, cypher.Attributable, graph.Params{"project": project, "after": graph.UTC(after),
			"after_uid": uid, "limit": batchSize})
		if err != nil {
			return nil, false, err
		}
		all, looked = append(all, read.Found...), looked+read.Looked
		if len(all) > maxAttributed {
			return all[:maxAttributed], true, nil
		}
		if read.Looked < batchSize {
			return all, false, nil
		}
		after, uid = read.At, read.UID
		progress.Report(ctx, progress.Step{Message: "Finding pending decisions", Done: looked})
	}
}

// commitHistory holds the commits that concern decisions.
type commitHistory struct {
	project string
	pulls   map[int64]*mergedChange
	hashes  map[string][]string      // wanted prefixes of hashes, by their first seven characters
	commits map[string]*mergedChange // by commit prefix of the request
	reverts []revert                 // reverts that no later commit reverted, newest first
	fixes   map[int64][]GitCommit
}

// mergedChange is the commit of a decision's change, and its revert.
type mergedChange struct {
	GitCommit
	reverted *revert
	byHash   bool
}

const minHashLength = 7

func newCommitHistory(wanted []map[string]any, project string) *commitHistory {
	h := &commitHistory{project: project, pulls: map[int64]*mergedChange{}, hashes: map[string][]string{},
		commits: map[string]*mergedChange{}, fixes: map[int64][]GitCommit{}}
	for _, d := range wanted {
		if pr, ok := d["pr"].(int64); ok {
			h.pulls[pr] = nil
		}
		if hash := commitOf(d); hash != "" && !slices.Contains(h.hashes[hash[:minHashLength]], hash) {
			h.hashes[hash[:minHashLength]] = append(h.hashes[hash[:minHashLength]], hash)
		}
	}
	return h
}

// commitOf returns the commit of a decision, if it is long enough.
func commitOf(d map[string]any) string {
	hash := strings.ToLower(strings.TrimSpace(graph.Text(d, "commit")))
	if len(hash) < minHashLength || strings.Trim(hash, "0123456789abcdef") != "" {
		return ""
	}
	return hash
}

// add adds a commit. Commits come newest first, so a revert is known before its target.
func (h *commitHistory) add(c GitCommit, body string) {
	reverted, byHash := h.revertOf(c)
	land := &mergedChange{c, reverted, byHash}
	for _, pr := range c.pulls {
		if had, ok := h.pulls[pr]; ok && had == nil {
			h.pulls[pr] = land
		}
	}
	for _, hash := range h.hashes[c.Hash[:min(minHashLength, len(c.Hash))]] {
		if strings.HasPrefix(c.Hash, hash) {
			h.commits[hash] = land
		}
	}
	if r, ok := revertOf(c, body, h.project); ok && reverted == nil {
		h.reverts = append(h.reverts, r)
	} else if fixUp.MatchString(c.Subject) {
		for _, found := range mentioned.FindAllStringSubmatch(c.Subject+"\n"+body, -1) {
			for _, pr := range numbersIn(found[1:]) {
				if had, ok := h.pulls[pr]; ok && had == nil && !slices.Contains(c.pulls, pr) {
					h.fixes[pr] = append(h.fixes[pr], c)
				}
			}
		}
	}
}

// revertOf returns the revert of a commit, and whether the revert names the commit's hash.
func (h *commitHistory) revertOf(c GitCommit) (*revert, bool) {
	for i := range h.reverts {
		for _, hash := range h.reverts[i].hashes {
			if strings.HasPrefix(c.Hash, hash) {
				return &h.reverts[i], true
			}
		}
	}
	for i := range h.reverts {
		for _, pr := range h.reverts[i].numbers {
			if slices.Contains(c.pulls, pr) {
				return &h.reverts[i], false
			}
		}
	}
	return nil, false
}

// proposeOutcomes derives the outcome of each decision.
func (a *Attribution) proposeOutcomes(wanted []map[string]any, h *commitHistory, stability time.Duration, limit int,
	now time.Time) {
	more := 0
	for _, d := range wanted {
		pr, _ := d["pr"].(int64)
		land, name := h.pulls[pr], fmt.Sprintf("Pull request #%d", pr)
		if land == nil {
			land = h.commits[commitOf(d)]
			if land != nil {
				name = "Commit " + render.Cut(land.Hash, 12)
			}
		}
		if land == nil {
			a.NotFound++
			continue
		}
		p := OutcomeProposal{ID: graph.Text(d, "id"), Title: render.Title(graph.Text(d, "decision")),
			Evidence: shownCommits(land.GitCommit), decision: d}
		fixes := h.fixes[pr]
		switch {
		case land.reverted != nil:
			p.Outcome, p.Confidence = "failure", revertedByNumber
			if land.byHash {
				p.Confidence = revertedByHash
			}
			p.Reason = fmt.Sprintf("%s was reverted %s after %s", name, land.reverted.At.Format(time.DateOnly),
				ageText(land.reverted.At.Sub(land.At)))
			p.Evidence = append(p.Evidence, shownCommits(land.reverted.GitCommit)...)
		case now.Sub(land.At) < stability:
			a.Waiting = append(a.Waiting, WaitingOutcome{p.ID, p.Title, land.At.Add(stability)})
			continue
		case len(fixes) > 0:
			p.Outcome, p.Confidence = "success", fixedConfidence
			p.Reason = fmt.Sprintf("%s has been in the history for %s without a revert, but with %s", name,
				ageText(now.Sub(land.At)), render.Plural(len(fixes), "later fixing commit"))
			p.Evidence = append(p.Evidence, shownCommits(fixes[:min(len(fixes), maxEvidence)]...)...)
		default:
			p.Outcome, p.Confidence = "success", stableConfidence
			p.Reason = fmt.Sprintf("%s has been in the history for %s without a revert", name,
				ageText(now.Sub(land.At)))
		}
		if len(a.Proposals) == limit {
			more++
			continue
		}
		a.Proposals = append(a.Proposals, p)
	}
	if waiting := len(a.Waiting); waiting > maxWaiting {
		a.Notes = append(a.Notes, fmt.Sprintf("%d of %d decisions that are too recent are shown", maxWaiting, waiting))
		a.Waiting = a.Waiting[:maxWaiting]
	}
	if more > 0 {
		a.Notes = append(a.Notes, render.Plural(more, "more proposal")+"; raise limit to get more")
	}
}

// shownCommits returns commits in the form of answers.
func shownCommits(commits ...GitCommit) []GitCommit {
	shown := slices.Clone(commits)
	for i := range shown {
		shown[i].Subject = render.Title(redact.Mask(shown[i].Subject))
	}
	return shown
}

func ageText(d time.Duration) string {
	return render.Plural(int(d.Hours()/24), "day")
}

// accept adds the proposed reviews after a policy check of each. A decision that was reviewed meanwhile stays
// unchanged.
func (s *Store) accept(ctx context.Context, q Query, a *Attribution) error {
	by, verdicts := trace.Actor(q.AgentID, q.By), 0
	for i := range a.Proposals {
		p := &a.Proposals[i]
		if len(q.IDs) > 0 && !slices.Contains(q.IDs, p.ID) {
			continue
		}
		progress.Report(ctx, progress.Step{Message: "Accepting proposals", Done: int64(i),
			Total: int64(len(a.Proposals))})
		type found struct{ Decision map[string]any }
		now, err := graph.All[found](ctx, s.graph, cypher.DecisionsByUID,
			graph.Params{"uids": []any{p.decision["uid"]}})
		if err != nil {
			return err
		}
		if len(now) == 0 || now[0].Decision["status"] != "pending" {
			continue
		}
		if verdicts++; verdicts > 1 {
			if err := caller.ChargeItem(ctx); err != nil {
				return err
			}
		}
		verdict, err := s.checks.Check(ctx, check.ActionCheck{Name: acceptName,
			Description: "Accept from the git history: " + p.Title + " ended in " + p.Outcome,
			Category:    graph.Text(p.decision, "category"), Stakes: graph.Text(p.decision, "stakes"),
			Confidence: &p.Confidence, Tags: graph.Texts(p.decision["tags"]),
			Project: graph.Text(p.decision, "project"), AgentID: q.AgentID, SessionID: q.SessionID, By: q.By,
			Context: graph.Parameters{"outcome": p.Outcome, "confidence": p.Confidence, "decision": p.ID,
				"reason": p.Reason}})
		if err != nil {
			return err
		}
		if p.VerdictID = verdict.VerdictID; !verdict.Allowed {
			for _, violation := range verdict.Violations {
				p.DeniedBy = append(p.DeniedBy, violation.GuardrailID)
			}
			continue
		}
		notes := fmt.Sprintf("Accepted by %s from the git history, with a confidence of %.2f; verdict %s", by,
			p.Confidence, verdict.VerdictID)
		for _, c := range p.Evidence {
			notes += fmt.Sprintf("\n%s %s", render.Cut(c.Hash, 12), c.Subject)
		}
		if _, err := s.decisions.Review(ctx, decisions.Outcome{ID: graph.Text(p.decision, "uid"), Outcome: p.Outcome,
			ActualResult: p.Reason, Notes: notes, AgentID: q.AgentID,
			Source: decisions.FromGit, Session: q.Session}); err != nil {
			return err
		}
		p.Accepted = true
		a.Accepted++
	}
	return nil
}
