package event

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
)

const (
	// reserve is what an answer leaves of the time that the platform allows, for getting there.
	reserve = 300 * time.Millisecond
	// mostAnswer is what Lambda takes for an answer, in bytes as it is sent. A longer one would end the
	// process.
	mostAnswer = 6 << 20
)

// Handler answers events. It is a Handler of aws-lambda-go, and safe for concurrent use.
type Handler struct {
	HTTP http.Handler
	Log  *slog.Logger // gets what goes wrong here
}

// Invoke answers one event. The error is that of an event that is no HTTP request; everything else that
// goes wrong, a panic included, is an answer with a problem. The request's context ends a little before
// ctx does.
func (h *Handler) Invoke(ctx context.Context, payload []byte) (out []byte, err error) {
	e, r := new(event), &http.Request{URL: &url.URL{Path: "/"}}
	defer func() {
		if p := recover(); p != nil {
			h.Log.Error("panic", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			out, err = e.refuse(r, "Something failed on our side.")
		}
	}()
	if err := e.read(payload); err != nil {
		return nil, err
	}
	if ends, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, ends.Add(-reserve))
		defer cancel()
	}
	r = e.request(ctx)
	w := &recorder{header: http.Header{}}
	h.HTTP.ServeHTTP(w, r)
	out, err = api.JSON(w.answer(e, r.Method))
	if err == nil && len(out) > mostAnswer {
		h.Log.Error("answer too long", "bytes", len(out), "most", mostAnswer)
		return e.refuse(r, fmt.Sprintf("The answer is longer than the %d MiB that a function may give; ask for parts of it.", mostAnswer>>20))
	}
	return out, err
}

// refuse is the answer for what went wrong here.
func (e *event) refuse(r *http.Request, detail string) ([]byte, error) {
	w := &recorder{header: http.Header{}}
	Problem(w, r, api.Internal, detail)
	return api.JSON(w.answer(e, r.Method))
}
