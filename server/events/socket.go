package events

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"nomograph/events"
	"nomograph/internal/render"
)

// sendTimeout is how long a client may read nothing of a message.
const sendTimeout = 30 * time.Second

// socket sends events through a WebSocket. A message has the fields of an event in a stream.
type socket struct {
	ctx  context.Context //nolint:containedctx // the context has the lifetime of the socket
	conn *websocket.Conn
}

// message is a WebSocket message. Event is the type of the event, or heartbeat.
type message struct {
	ID    string          `json:"id,omitempty"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data,omitempty"`
}

func (d *Server) overSocket(ctx context.Context, w http.ResponseWriter, r *http.Request, s *events.Subscription) {
	// the server checks Origin for every transport
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return // Accept answered the request
	}
	defer func() { _ = conn.CloseNow() }()
	ctx = conn.CloseRead(ctx) // clients are not expected to send messages
	to := &socket{ctx, conn}
	if err = to.keepAlive(s.Position()); err == nil {
		err = d.sendEvents(ctx, s, to)
	}
	switch {
	case errors.Is(err, events.ErrSlow):
		_ = conn.Close(websocket.StatusTryAgainLater,
			"the client read events too slowly: connect again with last_event_id")
	default:
		_ = conn.Close(websocket.StatusGoingAway, "connect again with last_event_id")
	}
}

func (s *socket) event(e *events.Event, position string, _ bool) error {
	text, err := e.JSON()
	if err != nil {
		return err
	}
	return s.send(message{position, e.Type, text})
}

func (s *socket) keepAlive(position string) error {
	return s.send(message{ID: position, Event: "heartbeat"})
}

func (s *socket) send(m message) error {
	text, err := render.JSON(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, sendTimeout)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, text)
}
