package upstreamtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// modelMessage is a message of a question. The content is a string, or a list of parts.
type modelMessage struct {
	Role    string       `json:"role"`
	Content modelContent `json:"content"`
}

// modelContent is the text of a message.
type modelContent string

func (c *modelContent) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = modelContent(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	err := json.Unmarshal(b, &parts)
	for _, p := range parts {
		*c += modelContent(p.Text)
	}
	return err
}

// modelQuestion has the fields of all three formats.
type modelQuestion struct {
	Model               string          `json:"model"`
	Messages            []modelMessage  `json:"messages"`
	System              string          `json:"system"`                // Anthropic
	MaxTokens           int             `json:"max_tokens"`            // Anthropic; OpenAI's older name
	MaxCompletionTokens int             `json:"max_completion_tokens"` // OpenAI
	Temperature         json.RawMessage `json:"temperature"`
	Stream              *bool           `json:"stream"`
	Format              string          `json:"format"` // Ollama
	ResponseFormat      struct {
		Type string `json:"type"`
	} `json:"response_format"` // OpenAI
	Options struct {
		NumPredict int `json:"num_predict"`
	} `json:"options"` // Ollama
}

// parseModel reads what the formats have in common.
func parseModel(q *ModelRequest) (modelQuestion, *modelFault) {
	var in modelQuestion
	if err := json.Unmarshal(q.Body, &in); err != nil {
		return in, badModelRequest("We could not parse the JSON body of your request.")
	}
	if in.Model == "" {
		return in, badModelRequest("you must provide a model parameter")
	}
	q.Model, q.System = in.Model, in.System
	for _, m := range in.Messages {
		switch m.Role {
		case "system":
			q.System += string(m.Content)
		case "user":
			q.User = string(m.Content)
		}
	}
	if len(in.Messages) == 0 {
		return in, badModelRequest("messages: at least one message is required")
	}
	return in, nil
}

func badModelRequest(message string) *modelFault {
	return &modelFault{http.StatusBadRequest, "invalid_request_error", message}
}

func wrongModelKey(message string) *modelFault {
	return &modelFault{http.StatusUnauthorized, "authentication_error", message}
}

// readOpenAI reads https://platform.openai.com/docs/api-reference/chat/create.
func readOpenAI(q *ModelRequest) *modelFault {
	if key, ok := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer "); !ok || key == "" {
		return wrongModelKey("You didn't provide an API key.")
	}
	in, wrong := parseModel(q)
	if wrong != nil {
		return wrong
	}
	q.MaxTokens = max(in.MaxTokens, in.MaxCompletionTokens)
	q.JSON = in.ResponseFormat.Type == "json_object"
	if q.JSON && !strings.Contains(strings.ToLower(q.System+q.User), "json") {
		return badModelRequest("'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
	}
	return nil
}

func writeOpenAI(w http.ResponseWriter, q ModelRequest, reply ModelReply) {
	type message struct {
		Role    string  `json:"role"`
		Content *string `json:"content"`
		Refusal *string `json:"refusal"`
	}
	type choice struct {
		Index        int     `json:"index"`
		Message      message `json:"message"`
		Logprobs     any     `json:"logprobs"`
		FinishReason string  `json:"finish_reason"`
	}
	said := message{Role: "assistant", Content: &reply.Text}
	if reply.Refusal != "" {
		said.Refusal = &reply.Refusal
	}
	if reply.Null || reply.Refusal != "" {
		said.Content = nil
	}
	in, out := modelTokens(q.System, q.User), modelTokens(reply.Text, reply.Refusal)
	write(w, http.StatusOK, map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": q.Model,
		"choices": []choice{{Message: said, FinishReason: reply.Stop}},
		"usage":   map[string]int{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out},
	})
}

func refuseOpenAI(w http.ResponseWriter, status int, kind, message string) {
	write(w, status, map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}})
}

// readAnthropic reads https://docs.anthropic.com/en/api/messages, as models that have left sampling
// parameters and prefilled answers behind do.
func readAnthropic(q *ModelRequest) *modelFault {
	if q.Header.Get("X-Api-Key") == "" {
		return wrongModelKey("x-api-key header is required")
	}
	if q.Header.Get("Anthropic-Version") == "" {
		return badModelRequest("anthropic-version: header is required")
	}
	in, wrong := parseModel(q)
	switch {
	case wrong != nil:
		return wrong
	case in.MaxTokens <= 0:
		return badModelRequest("max_tokens: Field required")
	case in.Temperature != nil:
		return badModelRequest("`temperature` is deprecated for this model.")
	case in.Messages[len(in.Messages)-1].Role != "user":
		return badModelRequest("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	for _, m := range in.Messages {
		if m.Role == "system" {
			return badModelRequest("messages: Unexpected role \"system\".")
		}
	}
	q.MaxTokens = in.MaxTokens
	return nil
}

func writeAnthropic(w http.ResponseWriter, q ModelRequest, reply ModelReply) {
	type block struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	content := []block{{"text", &reply.Text}}
	if reply.Null {
		content[0].Text = nil
	}
	stop := map[string]string{"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}[reply.Stop]
	if reply.Refusal != "" {
		content, stop = []block{}, "refusal"
	}
	write(w, http.StatusOK, map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": q.Model, "content": content,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]int{"input_tokens": modelTokens(q.System, q.User), "output_tokens": modelTokens(reply.Text)},
	})
}

func refuseAnthropic(w http.ResponseWriter, status int, kind, message string) {
	write(w, status, map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}})
}

// readOllama reads https://github.com/ollama/ollama/blob/main/docs/api.md.
func readOllama(q *ModelRequest) *modelFault {
	in, wrong := parseModel(q)
	if wrong != nil {
		return wrong
	}
	if in.Format != "" && in.Format != "json" {
		return badModelRequest("invalid format: expected \"json\" or a JSON schema")
	}
	q.MaxTokens, q.JSON = in.Options.NumPredict, in.Format == "json"
	return nil
}

// writeOllama streams unless the question says not to: a line for each word, and one at the end.
func writeOllama(w http.ResponseWriter, q ModelRequest, reply ModelReply) {
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
	var in modelQuestion
	if json.Unmarshal(q.Body, &in); in.Stream != nil && !*in.Stream {
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

func refuseOllama(w http.ResponseWriter, status int, _, message string) {
	write(w, status, map[string]string{"error": message})
}
