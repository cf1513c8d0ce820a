package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"nomograph/internal/apperr"
	"nomograph/tools"
)

// failures holds the errors of failed requests other than tool calls, by request id. The library answers all of them
// with -32603 or -32600 without further data, so the details are inserted when the answer is written.
type failures struct {
	mu   sync.Mutex
	byID map[string]mcp.JSONRPCErrorDetails
}

func newFailures() *failures { return &failures{byID: map[string]mcp.JSONRPCErrorDetails{}} }

type failuresKey struct{}

func withFailures(ctx context.Context, f *failures) context.Context {
	return context.WithValue(ctx, failuresKey{}, f)
}

// errorData is an error with the address of the resource, as the protocol requires.
type errorData struct {
	*apperr.Error
	URI      string `json:"uri,omitempty"`
	Required any    `json:"requiredCapabilities,omitempty"`
}

// recordError records why a request failed. Errors of the library itself stay unchanged, except for an unknown address.
func (d *Server) recordError(ctx context.Context, id any, method mcp.MCPMethod, message any, err error) {
	var uri string
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		err = apperr.Newf(apperr.Validation, "%s must be %s, not %s",
			cmp.Or(strings.TrimPrefix(wrong.Field, "params."), "params"), jsonType(wrong.Type),
			strings.Fields(wrong.Value)[0]).
			WithHint("See the schema of the method in the protocol")
	}
	if call, ok := message.(*mcp.CallToolRequest); ok && errors.Is(err, server.ErrToolNotFound) {
		err = d.unknownTool(ctx, call.Params.Name)
	}
	if read, ok := message.(*mcp.ReadResourceRequest); ok {
		uri = read.Params.URI
		if errors.Is(err, server.ErrResourceNotFound) {
			_, _, err = d.resourceAt(uri)
		}
	}
	d.recordFailure(ctx, id, method, uri, err)
}

// jsonType returns the name of the type in JSON.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer, reflect.Interface:
		return "an object"
	}
	return "a number"
}

// unknownTool suggests tools with similar names. For a tool that is not served here, it names the command.
func (d *Server) unknownTool(ctx context.Context, name string) error {
	var names []string
	for _, o := range d.permittedOperations(ctx) {
		names = append(names, o.Name)
	}
	nearest := apperr.Nearest(name, names)
	f := apperr.Newf(apperr.NotFound, "Tool %q not found", cutName(name)).WithHint("List tools with tools/list")
	if o, ok := tools.Find(tools.Catalog, name); ok {
		f = f.WithHint("It belongs to the toolset %s, which is not served here: `serve --toolsets` names others. As a command: `%s`", o.Toolset, o.Shell())
	} else if len(nearest) > 0 {
		f = f.WithHint("Did you mean %s?", strings.Join(nearest, " or "))
	}
	return f.With("nearest", nearest)
}

// cutName returns the part of a client's name that an error repeats.
func cutName(name string) string {
	const maximum = 200
	return strings.ToValidUTF8(name[:min(len(name), maximum)], "")
}

func (d *Server) recordFailure(ctx context.Context, id any, method mcp.MCPMethod, uri string, err error) {
	var f *apperr.Error
	if !errors.As(err, &f) {
		return
	}
	d.log(string(method), time.Now(), f)
	f = tools.SpellError(f, d.spelledName)
	open, _ := ctx.Value(failuresKey{}).(*failures)
	if open == nil { // a request made in this process
		return
	}
	info := server.RequestProtocolInfoFromContext(ctx)
	modern := method == mcp.MethodSubscriptionsListen || info != nil && info.Modern
	open.mu.Lock()
	defer open.mu.Unlock()
	details := mcp.JSONRPCErrorDetails{Code: errorCode(f, uri != "", modern), Message: f.Error(),
		Data: errorData{f, uri, f.Details[missingCapability]}}
	if f.Details[missingCapability] != nil {
		details.Code = mcp.MISSING_REQUIRED_CLIENT_CAPABILITY
	}
	if of := (toolError{}); errors.As(err, &of) {
		details.Code, details.Message = toolErrorCode, of.Error()
	}
	open.byID[idText(id)] = details
}

// errorCode returns the protocol's code of an error. Up to 2025-11-25 a missing resource has its own code.
func errorCode(f *apperr.Error, resource, modern bool) int {
	switch {
	case f.Code == apperr.NotFound && resource && !modern:
		return mcp.RESOURCE_NOT_FOUND
	case f.Code == apperr.NotFound || f.Code == apperr.Validation:
		return mcp.INVALID_PARAMS
	}
	return mcp.INTERNAL_ERROR
}
