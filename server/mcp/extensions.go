package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"nomograph/internal/apperr"
	"nomograph/sessions"
	"nomograph/tools"
)

// The library does not know the methods of extensions. Each becomes a call of a tool with the name of the method, which
// is never listed, and the result of that call becomes the result of the method.
const (
	tasksExtension  = "io.modelcontextprotocol/tasks"
	skillsExtension = "io.modelcontextprotocol/skills"

	// metaResult is the field of _meta with the result that replaces that of a call.
	metaResult = "nomograph/result"
)

// extensionMethods maps the methods of extensions to what answers them.
var extensionMethods = map[string]func(d *Server, ctx context.Context, params json.RawMessage) (map[string]any, error){
	"tasks/get": (*Server).getTask, "tasks/update": (*Server).keepTask, "tasks/cancel": (*Server).keepTask,
	"skills/list": (*Server).listSkills, "skills/get": (*Server).getSkill,
}

func (d *Server) addExtensions() {
	for method, answer := range extensionMethods {
		d.mcp.AddTool(mcp.NewToolWithRawSchema(method, "", json.RawMessage("{}")),
			func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				ctx = d.caller(ctx, method, request.Params.Meta)
				params, _ := request.GetRawArguments().(json.RawMessage)
				result, err := answer(d, ctx, params)
				if err != nil {
					return nil, apperr.From(err)
				}
				return replaced(result), nil
			})
	}
}

// replaced returns a result of a call that fromLibrary replaces.
func replaced(result map[string]any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Result: mcp.Result{Meta: mcp.NewMetaFromMap(map[string]any{metaResult: result})}}
}

// withResult returns a message with the result in its _meta, if it has one.
func withResult(message []byte) []byte {
	if !bytes.Contains(message, []byte(metaResult)) {
		return message
	}
	result := gjson.GetBytes(message, "result._meta."+metaResult)
	if changed, err := sjson.SetRawBytes(message, "result", []byte(result.Raw)); result.Exists() && err == nil {
		return changed
	}
	return message
}

// asCall returns a request of an extension as the call of its tool.
func asCall(message []byte) []byte {
	found := gjson.GetManyBytes(message, "method", "params", "params._meta")
	if extensionMethods[found[0].Str] == nil {
		return message
	}
	arguments, params := []byte("{}"), map[string]any{"name": found[0].Str}
	if found[1].IsObject() {
		arguments, _ = sjson.DeleteBytes([]byte(found[1].Raw), "_meta") // valid JSON
	}
	params["arguments"] = json.RawMessage(arguments)
	if found[2].Exists() {
		params["_meta"] = json.RawMessage(found[2].Raw)
	}
	changed, err := sjson.SetBytes(message, "params", params)
	if err == nil {
		changed, err = sjson.SetBytes(changed, "method", string(mcp.MethodToolsCall))
	}
	if err != nil { // cannot happen: valid JSON
		return message
	}
	return changed
}

// headAs changes the headers that repeat a request of an extension. Headers that contradict it stay, and are refused.
func headAs(h http.Header, message []byte) {
	name := gjson.GetBytes(message, "params.name").Str
	if extensionMethods[name] != nil && h.Get(mcp.HeaderMethod) == name {
		h.Set(mcp.HeaderMethod, string(mcp.MethodToolsCall))
		h.Set(mcp.HeaderName, name)
	}
}

// declares returns the settings of an extension that the client declared. Up to 2025-11-25 over HTTP, only the session
// id says anything.
func declares(ctx context.Context, extension string) (settings any, ok bool) {
	settings, ok = capabilities(ctx).Extensions[extension]
	return settings, ok
}

// hasTasks reports whether the client of this request takes a task as the answer. Tasks of 2025-11-25 are others.
func hasTasks(ctx context.Context) bool {
	info := server.RequestProtocolInfoFromContext(ctx)
	_, ok := declares(ctx, tasksExtension)
	return ok && info != nil && info.Modern
}

// taskPoll is the time between two requests for the state of a task.
const taskPoll = 5 * time.Second

// asTask returns an answer that waits for a person as a task, which outlives the turn. The task is the request for
// approval itself, so every server knows it. A client that shows cards gets the card instead.
func (d *Server) asTask(ctx context.Context, result *mcp.CallToolResult, value any) *mcp.CallToolResult {
	answer, ok := value.(sessions.Reported)
	if !ok || answer.Decision != sessions.NeedsApproval || !hasTasks(ctx) || showsCards(ctx) {
		return result
	}
	shown, err := d.approval(ctx, answer.ApprovalID)
	if err != nil { // the answer names the request
		return result
	}
	task := taskOf(shown.Approval)
	task["resultType"] = "task"
	return replaced(task)
}

// taskOf returns an approval as a task, without its result.
func taskOf(a sessions.Approval) map[string]any {
	task := map[string]any{"taskId": a.ApprovalID, "status": "completed", "createdAt": a.AskedAt,
		"lastUpdatedAt": a.AskedAt,
		"ttlMs":         a.ExpiresAt.Sub(a.AskedAt).Milliseconds(), "pollIntervalMs": taskPoll.Milliseconds(),
		"statusMessage": "The request is " + a.State}
	if a.AnsweredAt != nil {
		task["lastUpdatedAt"] = a.AnsweredAt
	}
	if a.State == "waiting" || a.State == "approving" {
		task["status"] = "working"
	}
	return task
}

// ownTask returns the approval of a task. A client that did not declare tasks gets the error of the protocol.
func (d *Server) ownTask(ctx context.Context, params json.RawMessage) (sessions.Approval, error) {
	if !hasTasks(ctx) {
		return sessions.Approval{}, apperr.New(apperr.Validation, "The client did not declare the extension "+
			tasksExtension).
			With(missingCapability, map[string]any{"extensions": map[string]any{tasksExtension: struct{}{}}})
	}
	var in struct{ TaskID string }
	if err := json.Unmarshal(params, &in); err != nil || in.TaskID == "" {
		return sessions.Approval{}, apperr.New(apperr.Validation, "taskId must be text")
	}
	shown, err := runAs[sessions.ApprovalDetails](d, ctx, "get_approval", sessions.ApprovalQuery{ApprovalID: in.TaskID})
	return shown.Approval, err
}

// missingCapability is the detail of an error with the capabilities that the protocol requires of the client.
const missingCapability = "requiredCapabilities"

// getTask returns the state of a task. Its result says how the person answered, and uses nothing up: the agent reports
// the action again to use an approval.
func (d *Server) getTask(ctx context.Context, params json.RawMessage) (map[string]any, error) {
	a, err := d.ownTask(ctx, params)
	if err != nil {
		return nil, err
	}
	task := taskOf(a)
	if task["resultType"] = "complete"; task["status"] == "working" {
		return task, nil
	}
	o, _ := tools.Find(tools.Catalog, "cra_report_action")
	result := answer(o, sessions.ReportedLater(a))
	result.ResultType = mcp.ResultTypeComplete
	task["result"] = result
	return task, nil
}

// keepTask acknowledges an update or a cancellation. A task asks for no input, and the request stays open for a person.
func (d *Server) keepTask(ctx context.Context, params json.RawMessage) (map[string]any, error) {
	_, err := d.ownTask(ctx, params)
	return map[string]any{"resultType": "complete"}, err
}
