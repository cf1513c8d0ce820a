package mcp

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"nomograph/internal/apperr"
	"nomograph/tools"
)

// failures are why requests other than calls of tools failed, by the request's id. The library answers them all with -32603, or
// -32600, and lets nobody say more; so what there is to say is put into the answer when it is written.
type failures struct {
	mu   sync.Mutex
	byID map[string]mcp.JSONRPCErrorDetails
}

type failuresKey struct{}

func withFailures(ctx context.Context, f *failures) context.Context {
	return context.WithValue(ctx, failuresKey{}, f)
}

// told is a fault with the address that it is about, as the protocol wants it.
type told struct {
	*apperr.Error
	URI string `json:"uri,omitempty"`
}

// failed takes note of why a request failed. What the library itself refuses keeps its answer, except an address that is none
// of ours.
func (d *Door) failed(ctx context.Context, id any, method mcp.MCPMethod, message any, err error) {
	var uri string
	if call, ok := message.(*mcp.CallToolRequest); ok && errors.Is(err, server.ErrToolNotFound) {
		err = d.unknownTool(ctx, call.Params.Name)
	}
	if read, ok := message.(*mcp.ReadResourceRequest); ok {
		uri = read.Params.URI
		if errors.Is(err, server.ErrResourceNotFound) {
			_, _, err = d.resourceAt(uri)
		}
	}
	d.note(ctx, id, method, uri, err)
}

// unknownTool says which tools have a name like the one that was called. One that is not served here has a command.
func (d *Door) unknownTool(ctx context.Context, name string) error {
	var names []string
	for _, o := range d.permitted(ctx) {
		names = append(names, o.Name)
	}
	nearest := apperr.Nearest(name, names)
	f := apperr.Newf(apperr.NotFound, "There is no tool %q", shortened(name)).WithHint("tools/list has those there are")
	if o, known := tools.Find(tools.Catalog, name); known {
		f = f.WithHint("It belongs to the toolset %s, which is not served here: `serve --toolsets` names others. As a command: `%s`", o.Toolset, o.Shell())
	} else if len(nearest) > 0 {
		f = f.WithHint("Did you mean %s?", strings.Join(nearest, " or "))
	}
	return f.With("nearest", nearest)
}

// shortened is a name that somebody sent, as much of it as an error repeats.
func shortened(name string) string {
	const most = 200
	return strings.ToValidUTF8(name[:min(len(name), most)], "")
}

func (d *Door) note(ctx context.Context, id any, method mcp.MCPMethod, uri string, err error) {
	var f *apperr.Error
	if !errors.As(err, &f) {
		return
	}
	d.log(string(method), time.Now(), f)
	open, _ := ctx.Value(failuresKey{}).(*failures)
	if open == nil { // a request that did not come over the wire
		return
	}
	info := server.RequestProtocolInfoFromContext(ctx)
	modern := method == mcp.MethodSubscriptionsListen || info != nil && info.Modern
	open.mu.Lock()
	defer open.mu.Unlock()
	details := mcp.JSONRPCErrorDetails{Code: errorCode(f, uri != "", modern), Message: f.Error(), Data: told{f, uri}}
	if of := (toolError{}); errors.As(err, &of) {
		details.Code, details.Message = toolErrorCode, of.Error()
	}
	open.byID[idText(id)] = details
}

// errorCode is the protocol's number for a fault. A resource that is not there has a number of its own up to 2025-11-25.
func errorCode(f *apperr.Error, resource, modern bool) int {
	switch {
	case f.Code == apperr.NotFound && resource && !modern:
		return mcp.RESOURCE_NOT_FOUND
	case f.Code == apperr.NotFound || f.Code == apperr.Validation:
		return mcp.INVALID_PARAMS
	}
	return mcp.INTERNAL_ERROR
}
