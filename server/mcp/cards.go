package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
	httpserver "nomograph/server"
	"nomograph/server/mcp/cards"
	"nomograph/sessions"
	"nomograph/tools"
)

// MCP Apps: hosts that declare the extension show the answers of some tools as cards.
const (
	appsExtension = "io.modelcontextprotocol/ui"
	cardType      = "text/html;profile=mcp-app"
	cardAddress   = "ui://nomograph/"
)

// cardOf maps tools to the cards that show their answers.
var cardOf = map[string]string{"get_graph": "graph", "get_neighbors": "graph", "check_action": "verdict",
	"pre_action": "verdict", "cra_report_action": approvalCard, "get_approval": approvalCard}

const approvalCard = "approval"

// Fields of _meta for cards. The protocol reserves _meta for programs, and hosts keep it from the model.
const (
	metaApproval = "nomograph/approval" // the approval with its earlier answers
	metaSecret   = "nomograph/secret"   // the right to answer it once
	metaPage     = "nomograph/page"     // the address of its page
)

// showsCards reports whether the client declared that it shows cards. Over HTTP up to 2025-11-25, the session id says
// it, because any server may get the request.
func showsCards(ctx context.Context) bool {
	settings, ok := declares(ctx, appsExtension)
	shows, _ := ctx.Value(sessionCardsKey{}).(bool)
	return ok && areCards(settings) || shows
}

// areCards reports whether the settings of the extension name the type of our cards.
func areCards(settings any) bool {
	apps, _ := settings.(map[string]any)
	types, _ := apps["mimeTypes"].([]any)
	return slices.Contains(types, cardType)
}

// addCards serves the cards and the tool that answers from one.
func (d *Server) addCards() {
	for _, name := range cards.Names {
		d.mcp.AddResource(mcp.NewResource(cardAddress+name, name, mcp.WithMIMEType(cardType),
			mcp.WithResourceDescription("A card for hosts of MCP Apps.")),
			func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				none := []string{}
				return []mcp.ResourceContents{mcp.TextResourceContents{URI: cardAddress + name, MIMEType: cardType,
					Text: cards.HTML(name), Meta: map[string]any{"ui": map[string]any{"prefersBorder": true,
						"csp": map[string]any{"connectDomains": none, "resourceDomains": none, "frameDomains": none,
							"baseUriDomains": none}}}}}, nil
			})
	}
	d.mcp.AddTool(answerTool, d.answerInCard)
}

// withCards adds to a list of tools what a client that shows cards needs.
func (d *Server) withCards(ctx context.Context, listed []mcp.Tool) []mcp.Tool {
	if !showsCards(ctx) {
		return listed
	}
	answers := false
	for i, t := range listed {
		if card := cardOf[t.Name]; card != "" {
			uri := cardAddress + card
			listed[i].Meta = mcp.NewMetaFromMap(map[string]any{"ui": map[string]any{"resourceUri": uri},
				"ui/resourceUri": uri})
			answers = answers || card == approvalCard
		}
	}
	if answers && d.runner.AnswersInCards(ctx) {
		listed = append(listed, answerTool)
	}
	return listed
}

// listedCards leaves the cards out of the list of resources of other clients.
func listedCards(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
	if !showsCards(ctx) {
		result.Resources = slices.DeleteFunc(slices.Clone(result.Resources),
			func(r mcp.Resource) bool { return strings.HasPrefix(r.URI, cardAddress) })
	}
}

// addCard adds what the card of an approval needs to an answer with a pending one.
func (d *Server) addCard(ctx context.Context, result *mcp.CallToolResult, value any) *mcp.CallToolResult {
	id := ""
	switch answer := value.(type) {
	case sessions.Reported:
		if answer.Decision == sessions.NeedsApproval {
			id = answer.ApprovalID
		}
	case sessions.ApprovalDetails:
		id = answer.ApprovalID
	}
	if id == "" || !showsCards(ctx) {
		return result
	}
	shown, err := d.approval(ctx, id)
	if err != nil { // the answer is complete without its card
		return result
	}
	result.Meta = d.cardMeta(ctx, shown.Approval)
	result.Meta.AdditionalFields[metaApproval] = shown
	return result
}

// approval reads an approval: for the person at the client if that person may answer it, otherwise with the rights of
// the caller.
func (d *Server) approval(ctx context.Context, id string) (sessions.ApprovalDetails, error) {
	if d.runner.AnswersInCards(ctx) {
		ctx = atClient(ctx)
	}
	return runAs[sessions.ApprovalDetails](d, ctx, "get_approval", sessions.ApprovalQuery{ApprovalID: id})
}

// runAs runs an operation for a transport's own purpose.
func runAs[T any](d *Server, ctx context.Context, name string, in any) (T, error) {
	o, _ := tools.Find(tools.Catalog, name)
	return httpserver.Run[T](ctx, d.runner, o, in)
}

// atClient returns a context whose caller is the user of the client, who may govern one approval: the one that the
// card shows.
func atClient(ctx context.Context) context.Context {
	who := caller.From(ctx)
	who.Name, who.Permissions = "user of "+cmp.Or(who.Name, "unknown"), []caller.Permission{tools.Decide, tools.Govern}
	return caller.With(ctx, who)
}

// cardMeta returns the _meta of an answer about an approval. It has a secret if the user may answer in the card.
func (d *Server) cardMeta(ctx context.Context, a sessions.Approval) *mcp.Meta {
	fields := map[string]any{}
	if base := d.pages(ctx); base != "" {
		fields[metaPage] = base + "/?approval=" + url.QueryEscape(a.ApprovalID) + "#approval-" + a.ApprovalID
	}
	if open := a.State == "waiting" || a.State == "approving"; open && d.runner.AnswersInCards(ctx) {
		if secret, err := d.questions.seal(d.cardState(ctx, a), cardTime); err == nil {
			fields[metaSecret] = secret
		}
	}
	return mcp.NewMetaFromMap(fields)
}

func (d *Server) pages(ctx context.Context) string {
	base, _ := ctx.Value(overHTTPKey{}).(string)
	if base = cmp.Or(d.options.Site, base); base == "" && d.options.Pages != nil {
		base = d.options.Pages(ctx)
	}
	return base
}

// cardTime is how long the secret of a card is valid.
const cardTime = 15 * time.Minute

// cardState is what a secret is bound to: the caller and connection that got the card, and the approval in its state.
// Each answer and each undoing changes the state in the graph, so no server accepts a secret twice.
func (d *Server) cardState(ctx context.Context, a sessions.Approval) questionState {
	return questionState{Caller: caller.Identity(caller.From(ctx).Name), Call: answerTool.Name + " " +
		d.connection(ctx),
		About: strings.Join([]string{a.ApprovalID, a.State, strconv.FormatInt(a.Undone, 10)}, " ")}
}

// answerTool is for cards only. It is no operation: people answer on pages and the command line without it.
var answerTool = mcp.Tool{Name: "answer_approval",
	Description:    "Answer an approval from its card. Models cannot call it.",
	RawInputSchema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["approval_id","action","secret"],"properties":{"approval_id":{"type":"string"},"action":{"type":"string","enum":["approve","reject","undo"]},"secret":{"type":"string"},"reason":{"type":"string"},"for_seconds":{"type":"integer"}}}`),
	Annotations: mcp.ToolAnnotation{Title: "Answer an approval", ReadOnlyHint: new(false), DestructiveHint: new(true),
		IdempotentHint: new(false), OpenWorldHint: new(false)},
	Meta: mcp.NewMetaFromMap(map[string]any{"ui": map[string]any{"visibility": []string{"app"}}})}

// cardAnswer is a person's answer in a card.
type cardAnswer struct {
	sessions.Grant
	Action, Secret string
}

// answerInCard answers an approval as the user of the client. Without the secret of the shown state it refuses.
func (d *Server) answerInCard(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx = d.caller(ctx, answerTool.Name, request.Params.Meta)
	started := time.Now()
	out, err := d.answerCard(ctx, request)
	d.log(answerTool.Name, started, err)
	if err != nil {
		return failure(err), nil
	}
	text, err := render.JSON(out)
	return &mcp.CallToolResult{Result: mcp.Result{Meta: d.cardMeta(ctx, out)},
		Content: []mcp.Content{mcp.NewTextContent(string(text))}, StructuredContent: json.RawMessage(text)}, err
}

func (d *Server) answerCard(ctx context.Context, request mcp.CallToolRequest) (sessions.Approval, error) {
	var in cardAnswer
	if err := request.BindArguments(&in); err != nil {
		return sessions.Approval{}, apperr.New(apperr.Validation, "The arguments are invalid").Because(err)
	}
	operation := map[string]string{"approve": "approve_request", "reject": "reject_request",
		"undo": "undo_approval"}[in.Action]
	if operation == "" {
		return sessions.Approval{}, apperr.Newf(apperr.Validation, "Unknown action %q", in.Action).
			WithHint("Use approve, reject or undo")
	}
	if !d.runner.AnswersInCards(ctx) || in.Secret == "" {
		return sessions.Approval{}, noCard()
	}
	shown, err := d.approval(ctx, in.ApprovalID)
	if err != nil {
		return sessions.Approval{}, err
	}
	if d.questions.verify(in.Secret, d.cardState(ctx, shown.Approval)) != nil {
		return sessions.Approval{}, noCard()
	}
	arguments := map[string]any{"approval_id": in.ApprovalID}
	if in.Action != "undo" {
		arguments["reason"] = in.Reason
	}
	if in.ForSeconds > 0 && in.Action == "approve" {
		arguments["for_seconds"] = in.ForSeconds
	}
	who := caller.From(atClient(ctx))
	who.Projects = nil // the approval was requested by this caller, or shown to it
	return runAs[sessions.Approval](d, caller.With(ctx, who), operation, arguments)
}

func noCard() error {
	return apperr.New(apperr.PermissionDenied, "The answer did not come from the open card of this approval").
		WithHint("A person answers on the approval page or with `nomograph approval approve`. Cards answer only with sessions.answer_in_cards")
}
