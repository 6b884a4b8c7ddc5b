package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// wire has the fields of all three formats that tell how an answer ended.
type wire struct {
	Choices []struct { // OpenAI
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Refusal string `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
	StopReason string `json:"stop_reason"` // Anthropic
	Done       bool   `json:"done"`        // Ollama
	DoneReason string `json:"done_reason"` // Ollama
	Error      any    `json:"error"`       // with status 200: OpenRouter, Ollama
}

// ending is why the text of an answer is not to be used, nil when nothing speaks against it. langchaingo
// keeps no stop reason of Ollama's and no refusal of OpenAI's, and loses the reason when there is no
// text. ok is false when the answer is not in the format of any API.
func (p provider) ending(body []byte) (kind error, ok bool) {
	var w wire
	d := json.NewDecoder(bytes.NewReader(body))
	if d.Decode(&w) != nil {
		return nil, false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	switch {
	case w.Error != nil:
		return ErrUnavailable, true
	case p.name == "anthropic":
		return stopped(w.StopReason), true
	case p.name == "ollama" && w.DoneReason == "" && w.Done:
		return nil, true // older servers give no reason
	case p.name == "ollama":
		return stopped(w.DoneReason), true
	case len(w.Choices) != 1:
		return ErrGarbled, true
	case w.Choices[0].Message.Refusal != "":
		return ErrRefused, true
	}
	return stopped(w.Choices[0].FinishReason), true
}

// stopped is what a stop reason means; nil: the answer is whole.
func stopped(reason string) error {
	switch strings.ToLower(reason) {
	case "stop", "end_turn", "stop_sequence", "eos":
		return nil
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return ErrTruncated
	case "content_filter", "refusal":
		return ErrRefused
	}
	return ErrGarbled
}

// filtered reports whether an answer of status 4xx says that a filter stopped the question.
func filtered(body []byte) bool {
	var e struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	// Elsewhere error may be a string and code a number: then it is not that.
	return json.Unmarshal(body, &e) == nil && (e.Error.Code == "content_filter" || e.Error.Code == "content_policy_violation")
}

// text is the whole text of an answer, which Anthropic gives in blocks.
func text(res *llms.ContentResponse) string {
	var b strings.Builder
	for _, c := range res.Choices {
		b.WriteString(c.Content)
	}
	return b.String()
}

// tokens is what an answer says that question and answer took; 0 when it says nothing credible.
func tokens(res *llms.ContentResponse) int {
	const most = 1 << 30
	if res == nil || len(res.Choices) == 0 {
		return 0
	}
	n, total := 0, false
	info := res.Choices[0].GenerationInfo // the same in each
	if v, ok := info["TotalTokens"].(int); ok {
		n, total = v, true
	}
	for _, name := range []string{"InputTokens", "OutputTokens", "CacheCreationInputTokens", "CacheReadInputTokens"} {
		if v, ok := info[name].(int); ok && !total {
			n += min(max(v, 0), most)
		}
	}
	return min(max(n, 0), most)
}
