package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"nomograph/internal/apperr"
	"nomograph/tools"
)

// questionID names the question of a call in revisions where the client repeats the call with the answer. A call has at
// most one question.
const questionID = "question"

// client asks the user through MCP elicitation. Up to 2025-11-25 the call stays open while the user answers; from
// 2026-07-28 the call ends with the question, and the client calls again with the answer.
type client struct {
	server    *Server
	operation string
	arguments json.RawMessage
	answers   mcp.InputResponses // answers that a repeated call sends
	state     string             // returned with the answers
}

// pendingQuestion ends a call whose question is returned to the client.
type pendingQuestion struct {
	question mcp.ElicitationParams
	state    string
}

func (pendingQuestion) Error() string { return "the client has a question to answer first" }

// AsksUser reports whether the client can ask its user, who is not the calling agent.
func (c *client) AsksUser(ctx context.Context) bool { return canElicit(ctx) }

// Ask asks the user.
func (c *client) Ask(ctx context.Context, q tools.Question) (map[string]any, error) {
	if !canElicit(ctx) {
		return nil, tools.ErrNoPerson
	}
	form := mcp.ElicitationParams{Message: q.Message, RequestedSchema: q.Schema}
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		form.Mode = mcp.ElicitationModeForm
		this, err := questionOf(ctx, c.operation, c.arguments, q)
		if err != nil {
			return nil, err
		}
		answer := server.ElicitationResponse(c.answers, questionID)
		if answer == nil {
			state, err := c.server.questions.seal(this, answerTime)
			if err != nil {
				return nil, err
			}
			return nil, pendingQuestion{form, state}
		}
		if err := c.server.questions.verify(c.state, this); err != nil {
			return nil, err
		}
		return formOf(answer)
	}
	if overHTTP(ctx) { // another server may receive the answer
		return nil, tools.ErrNoPerson
	}
	ctx, end := untilInputEnds(ctx)
	defer end()
	answer, err := c.server.mcp.RequestElicitation(ctx, mcp.ElicitationRequest{Params: form})
	if err != nil {
		return nil, apperr.New(apperr.Unavailable, "Cannot ask the person, so nothing was written").
			WithHint("Ask in your own words, then call again with the answer").Because(err)
	}
	return formOf(answer)
}

// formOf decodes the user's answer; a declined question is ErrNoAnswer.
func formOf(answer *mcp.ElicitationResult) (map[string]any, error) {
	if answer.Action != mcp.ElicitationResponseActionAccept {
		return nil, tools.ErrNoAnswer
	}
	fields, _ := answer.Content.(map[string]any)
	return fields, nil
}

// question returns the result for a call that ended with a pendingQuestion. ok is false for other errors.
func question(err error) (*mcp.CallToolResult, bool) {
	var open pendingQuestion
	if !errors.As(err, &open) {
		return nil, false
	}
	return server.NewInputRequestBuilder(open.state).Elicit(questionID, open.question).ToolResult(), true
}

// canElicit reports whether the client can show a form. A client that names no mode supports forms.
func canElicit(ctx context.Context) bool {
	can := capabilities(ctx)
	return can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// capabilities returns what the client declared: with the request, or up to 2025-11-25 at the start of its session.
func capabilities(ctx context.Context) (can mcp.ClientCapabilities) {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientCapabilities != nil {
			can = *info.ClientCapabilities
		}
	} else if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		can = session.GetClientCapabilities()
	}
	return can
}

type inputEndsKey struct{}

// withInputEnd adds a channel that is closed at the end of the client's input.
func withInputEnd(ctx context.Context, ends <-chan struct{}) context.Context {
	return context.WithValue(ctx, inputEndsKey{}, ends)
}

// untilInputEnds returns a context that ends when no answer of the client can come any more.
func untilInputEnds(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	ends, _ := ctx.Value(inputEndsKey{}).(<-chan struct{})
	if ends == nil {
		return ctx, cancel
	}
	go func() {
		select {
		case <-ends:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
