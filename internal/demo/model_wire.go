package demo

import (
	"net/http"
	"time"
)

// refuse answers with an error in the request's format.
func (q *ModelRequest) refuse(w http.ResponseWriter, status int, kind, message string) {
	body := map[string]any{"error": message}
	switch q.Format {
	case "openai":
		body = map[string]any{"error": map[string]any{"message": message, "type": kind,
			"param": nil, "code": nil}}
	case "anthropic":
		body = map[string]any{"type": "error",
			"error": map[string]any{"type": kind, "message": message}}
	}
	write(w, status, body)
}

// writeOpenAI answers with one choice, as n is never set.
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
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil,
			"finish_reason": reply.Stop}},
		"usage": map[string]int{"prompt_tokens": in, "completion_tokens": out,
			"total_tokens": in + out},
	})
}

// writeAnthropic answers with one block of text, or with none for a refusal.
func (q *ModelRequest) writeAnthropic(w http.ResponseWriter, reply ModelReply) {
	block := map[string]any{"type": "text", "text": reply.Text}
	if reply.Null {
		block["text"] = nil
	}
	content := []any{block}
	stops := map[string]string{
		"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal",
	}
	stop := stops[reply.Stop]
	if reply.Refusal != "" {
		content, stop = []any{}, "refusal"
	}
	write(w, http.StatusOK, map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": q.Model, "content": content,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]int{"input_tokens": modelTokens(q.System, q.User),
			"output_tokens": modelTokens(reply.Text)},
	})
}

// writeOllama answers with one line, which contains all of the text.
func (q *ModelRequest) writeOllama(w http.ResponseWriter, reply ModelReply) {
	text := reply.Text + reply.Refusal
	var message any
	if !reply.Null {
		message = map[string]any{"role": "assistant", "content": text}
	}
	if reply.Stop == "content_filter" {
		reply.Stop = "stop" // it has no filter
	}
	write(w, http.StatusOK, map[string]any{
		"model": q.Model, "created_at": time.Time{}, "message": message, "done": true,
		"done_reason": reply.Stop, "prompt_eval_count": modelTokens(q.System, q.User),
		"eval_count": modelTokens(text),
	})
}

// modelTokens returns the approximate number of tokens in texts.
func modelTokens(texts ...string) int {
	const bytesPerToken = 4
	n := 0
	for _, t := range texts {
		n += (len(t) + bytesPerToken - 1) / bytesPerToken
	}
	return n
}
