package mcp

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/graph/graphtest"
)

func noted() *failures {
	return &failures{byID: map[string]mcp.JSONRPCErrorDetails{idText(float64(7)): {Code: mcp.INVALID_PARAMS,
		Message: "known"}}}
}

func TestCompleting_EventInOtherSpelling_IsCompleted(t *testing.T) {
	for _, event := range []string{
		"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32603,\"message\":\"x\"}}\n\n",
		"id: 1\nevent:message\ndata:{\"jsonrpc\": \"2.0\", \"id\": 7, \"error\": {\"code\": -32603, \"message\": \"x\"}}\n\n",
	} {
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		graphtest.Must((&completing{ResponseWriter: recorder, failed: noted()}).Write([]byte(event)))(t)
		if reply := recorder.Body.String(); !strings.Contains(reply, `"message":"known"`) ||
			!strings.HasSuffix(reply, "}\n\n") || strings.HasPrefix(event, "id: 1\n") != strings.HasPrefix(reply,
			"id: 1\n") {
			t.Errorf("%q became %q", event, reply)
		}
	}
}

func TestCompleting_NewerRevision_StatusFollowsTheErrorCode(t *testing.T) {
	for text, want := range map[string]int{
		`{"jsonrpc": "2.0", "id": 7, "error": {"code": -32603, "message": "x"}}`:                         http.StatusBadRequest,
		`{"jsonrpc":"2.0","id":8,"error":{"code":-32603,"message":"x","data":{"text":{"code":-32602}}}}`: http.StatusInternalServerError,
	} {
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Content-Type", "application/json")
		w := &completing{ResponseWriter: recorder, failed: noted(), modern: true}
		w.WriteHeader(http.StatusInternalServerError)
		graphtest.Must(w.Write([]byte(text)))(t)
		graphtest.Equal(t, recorder.Code, want, text+" has the status")
	}
}

func TestCompleting_NestedResult_GivesNoSessionID(t *testing.T) {
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                               "s",
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x","data":{"result":1}}}`: "",
	} {
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Content-Type", "application/json")
		graphtest.Must((&completing{ResponseWriter: recorder, failed: noted(), sessionID: "s"}).
			Write([]byte(text)))(t)
		graphtest.Equal(t, recorder.Header().Get("Mcp-Session-Id"), want, text+" gives the session")
	}
}

func TestIsNotification_MembersInAnyOrder_AreRecognized(t *testing.T) {
	for message, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}`:  false,
		`{"id": 1, "error": {"code": 1}, "jsonrpc": "2.0"}`: false,
		`{"jsonrpc":"2.0","method":"x"}`:                    true,
		`{"params":{"result":1},"method":"x"}`:              true,
		`{"jsonrpc":"2.0","id":"q","method":"x"}`:           true,
		`[1]`: false,
	} {
		if isNotification([]byte(message)) != want {
			t.Errorf("%s: got %v, want isNotification([]byte(message))=%v", message, !want, want)
		}
	}
}

func TestListChanged_OpenRequest_FollowsTheAnswer(t *testing.T) {
	const changed, answer = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","id":7,"result":{}}`
	const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`
	var out bytes.Buffer
	w := &answerWriter{out: &out, open: &openRequests{changed: make(chan struct{}, 1), streams: map[string]int{}},
		failed: newFailures(), batches: map[int]*openBatch{}}
	w.open.requestRead([]byte(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`))
	for _, line := range []string{changed, progress, changed, answer} {
		graphtest.Must(w.Write([]byte(line + "\n")))(t)
	}
	if got, want := out.String(), progress+"\n"+answer+"\n"+changed+"\n"; got != want {
		t.Errorf("stdio: got %s, want %s", got, want)
	}
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Content-Type", "text/event-stream")
	stream := &completing{ResponseWriter: recorder, failed: newFailures()}
	for _, line := range []string{changed, progress, answer} {
		graphtest.Must(stream.Write([]byte("event: message\ndata: " + line + "\n\n")))(t)
	}
	if got := recorder.Body.String(); strings.Index(got, "list_changed") < strings.Index(got, "result") ||
		strings.Count(got, "data: ") != 3 {
		t.Errorf("HTTP: got %s, want list_changed after the answer", got)
	}
}
