package upstreamtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// refuse answers with an error in the request's format.
func (q *ModelRequest) refuse(w http.ResponseWriter, status int, kind, message string) {
	body := map[string]any{"error": message}
	switch q.Format {
	case "openai":
		body = map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}}
	case "anthropic":
		body = map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
	}
	write(w, status, body)
}

func (q *ModelRequest) writeOpenAI(w http.ResponseWriter, reply ModelReply) {
	message := map[string]any{"role": "assistant", "content": reply.Text, "refusal": nil}
	if reply.Refusal != "" {
		message["refusal"] = reply.Refusal
	}
	if reply.Null || reply.Refusal != "" {
		message["content"] = nil
	}
	in, out := modelTokens(q.System, q.User), modelTokens(reply.Text, reply.Refusal)
	write(w, http.StatusOK, map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": q.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": reply.Stop}},
		"usage":   map[string]int{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out},
	})
}

func (q *ModelRequest) writeAnthropic(w http.ResponseWriter, reply ModelReply) {
	block := map[string]any{"type": "text", "text": reply.Text}
	if reply.Null {
		block["text"] = nil
	}
	content := []any{block}
	stop := map[string]string{"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}[reply.Stop]
	if reply.Refusal != "" {
		content, stop = []any{}, "refusal"
	}
	write(w, http.StatusOK, map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": q.Model, "content": content,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]int{"input_tokens": modelTokens(q.System, q.User), "output_tokens": modelTokens(reply.Text)},
	})
}

// writeOllama streams a line for each word, and one at the end; or gives one line with all of it.
func (q *ModelRequest) writeOllama(w http.ResponseWriter, reply ModelReply, stream bool) {
	type line struct {
		Model           string        `json:"model"`
		CreatedAt       time.Time     `json:"created_at"`
		Message         *modelMessage `json:"message"`
		Done            bool          `json:"done"`
		DoneReason      string        `json:"done_reason,omitempty"`
		PromptEvalCount int           `json:"prompt_eval_count,omitempty"`
		EvalCount       int           `json:"eval_count,omitempty"`
	}
	text := reply.Text + reply.Refusal
	if reply.Stop == "content_filter" {
		reply.Stop = "stop" // it has no filter
	}
	last := line{Model: q.Model, Done: true, DoneReason: reply.Stop, PromptEvalCount: modelTokens(q.System, q.User), EvalCount: modelTokens(text)}
	if !reply.Null {
		last.Message = &modelMessage{Role: "assistant"}
	}
	if !stream {
		if last.Message != nil {
			last.Message.Content = modelContent(text)
		}
		write(w, http.StatusOK, last)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	if !reply.Null {
		for word := range strings.SplitAfterSeq(text, " ") {
			out.Encode(line{Model: q.Model, Message: &modelMessage{Role: "assistant", Content: modelContent(word)}})
		}
	}
	out.Encode(last)
}

// modelTokens is about how many tokens texts have.
func modelTokens(texts ...string) int {
	const bytesPerToken = 4
	n := 0
	for _, t := range texts {
		n += (len(t) + bytesPerToken - 1) / bytesPerToken
	}
	return n
}
