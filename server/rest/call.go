package rest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidwall/gjson"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/server"
	"nomograph/tools"
)

// call handles a request to an operation.
func (d *Server) call(rt *route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { d.answer(w, through(r), rt) }
}

// callByName answers POST /api/v1/tools/NAME, with all arguments in the body.
func (d *Server) callByName(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("tool")
	operation, ok := tools.Find(d.options.Operations, name)
	if !ok {
		names := lists.Map(d.options.Operations, func(o tools.Operation) string { return o.Name })
		err := apperr.Newf(apperr.NotFound, "Operation '%s' not found", name).
			WithHint("See the operationId values in /openapi.json")
		if near := apperr.Nearest(name, names); len(near) > 0 {
			err = err.With("nearest", near)
		}
		server.Refuse(w, r, err)
		return
	}
	d.answer(w, through(r), &route{operation: operation, method: http.MethodPost, document: operation.CLI.Document})
}

func (d *Server) answer(w http.ResponseWriter, r *http.Request, rt *route) {
	kind, out, err := d.run(r, rt)
	if err != nil {
		rt.refuse(w, r, err)
		return
	}
	w.Header().Add("Vary", "Accept")
	if rt.method == http.MethodGet {
		if node, ok := out.(policies.Node); ok && node.Reading.Version != "" {
			server.Tag(w, node.Reading.Version)
			if server.Has(r, node.Reading.Version) {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
	}
	text, err := rt.operation.JSON(out)
	if err != nil {
		rt.refuse(w, r, err)
		return
	}
	if kind == asText { // the part of the answer that is a document: a script, a pack, a drawing
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(gjson.GetBytes(text, rt.document).Str))
		return
	}
	if cursor := gjson.GetBytes(text, "next_cursor").Str; rt.paged() && cursor != "" {
		w.Header().Set("Link", "<"+nextPage(r.URL, cursor)+`>; rel="next"`)
	}
	server.AnswerJSON(w, http.StatusOK, text)
}

// run runs the operation of a route, and returns its answer and the content type of the answer.
func (d *Server) run(r *http.Request, rt *route) (kind string, out any, err error) {
	var arguments json.RawMessage
	if rt.operation.Permits(caller.From(r.Context())) { // otherwise Run returns the error, and the body is not read
		if kind, arguments, err = rt.parse(r); err != nil {
			return kind, nil, err
		}
	}
	out, err = d.runner.Run(r.Context(), rt.operation, arguments)
	return kind, out, err
}

// parse parses the whole request before anything is done.
func (rt *route) parse(r *http.Request) (kind string, arguments json.RawMessage, err error) {
	if kind, err = rt.kind(r); err != nil {
		return "", nil, err
	}
	if rt.inQuery() {
		arguments, err = rt.fromQuery(r)
	} else {
		arguments, err = rt.fromBody(r)
	}
	if err == nil {
		arguments, err = rt.underConditions(r, arguments)
	}
	return kind, arguments, err
}

// translateError returns an error that names routes instead of operations. Requests to /api/v1/tools get operation
// names.
func (rt *route) translateError(err error) *apperr.Error {
	if rt.path == "" {
		return apperr.From(err)
	}
	return tools.SpellError(apperr.From(err), func(name string) (string, bool) {
		o, ok := tools.Find(tools.Catalog, name)
		method, path, _ := strings.Cut(o.REST, " ")
		return method + " " + prefix + path, ok
	})
}

// refuse answers with an error as the operation would.
func (rt *route) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, f := server.Status(err), rt.translateError(err)
	if _, stale := f.Details[change.CurrentVersion]; stale && r.Header.Get("If-Match") != "" {
		status = http.StatusPreconditionFailed
	}
	server.Refuse(w, r, server.WithStatus(status, f))
}

// nextPage returns the address of the next page, relative to the server as RFC 8288 allows.
func nextPage(at *url.URL, cursor string) string {
	query := at.Query()
	query.Set("cursor", cursor)
	return (&url.URL{Path: at.Path, RawPath: at.RawPath, RawQuery: query.Encode()}).String()
}
