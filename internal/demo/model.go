package demo

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Model is a language model behind the wire formats of three providers. The end of the path selects
// one: OpenAI (/chat/completions), Anthropic (/messages) and Ollama (/api/chat). It is as strict as
// they are about keys and fields, accepts any key, and does not stream; requests in Ollama's
// format, which streams by default, must disable that. It is safe for concurrent use.
type Model struct {
	answer func(ModelRequest) ModelReply

	mu       sync.Mutex
	next     []ModelReply
	requests []ModelRequest
}

// ModelRequest is a request in any of the formats.
type ModelRequest struct {
	Format    string      // openai, anthropic or ollama
	Path      string      // with the query
	Header    http.Header // unchanged
	Body      []byte      // unchanged
	Model     string      // the requested name
	System    string
	User      string // the last message of the user
	MaxTokens int    // 0: not set
	JSON      bool   // a field requests a JSON object; Anthropic has none
}

// ModelReply is the text of the model, and the reason why it stops. The zero value is an empty
// text.
type ModelReply struct {
	Text string
	// in the words of OpenAI, converted to the format's: length, content_filter; empty: stop
	Stop string
	// Refusal replaces the text: OpenAI's refusal with null as the text, Anthropic's stop reason,
	// plain text from Ollama.
	Refusal string
	Null    bool // the text is null
}

// NewModel returns a model that replies with the results of answer, which may be called
// concurrently. If answer is nil, it repeats the request, or replies with an empty object if JSON
// is requested.
func NewModel(answer func(ModelRequest) ModelReply) *Model {
	if answer == nil {
		answer = func(r ModelRequest) ModelReply {
			if r.JSON {
				return ModelReply{Text: "{}"}
			}
			return ModelReply{Text: r.User}
		}
	}
	return &Model{answer: answer}
}

// Next sets the replies to the next requests, one each, which take precedence over answer. It adds
// to the remaining ones of an earlier call.
func (m *Model) Next(replies ...ModelReply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next = append(m.next, replies...)
}

// Requests returns the valid requests, in order.
func (m *Model) Requests() []ModelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// ServeHTTP answers one request. A refused one is not among the Requests.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := ModelRequest{Path: r.URL.RequestURI(), Header: r.Header}
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/chat/completions"):
		q.Format = "openai"
	case strings.HasSuffix(path, "/messages"):
		q.Format = "anthropic"
	case strings.HasSuffix(path, "/api/chat"):
		q.Format = "ollama"
	default:
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodPost {
		q.refuse(w, http.StatusMethodNotAllowed, "invalid_request_error",
			"Only POST is allowed here.")
		return
	}
	var err error
	if q.Body, err = io.ReadAll(r.Body); err != nil {
		return // the client has left
	}
	if wrong := q.wrongKey(); wrong != "" {
		q.refuse(w, http.StatusUnauthorized, "authentication_error", wrong)
		return
	}
	if wrong := q.read(); wrong != "" {
		q.refuse(w, http.StatusBadRequest, "invalid_request_error", wrong)
		return
	}
	reply := m.reply(q)
	reply.Stop = cmp.Or(reply.Stop, "stop")
	switch q.Format {
	case "openai":
		q.writeOpenAI(w, reply)
	case "anthropic":
		q.writeAnthropic(w, reply)
	default:
		q.writeOllama(w, reply)
	}
}

// reply records a request and returns the reply to it.
func (m *Model) reply(q ModelRequest) ModelReply {
	m.mu.Lock()
	m.requests = append(m.requests, q)
	if len(m.next) > 0 {
		defer m.mu.Unlock()
		reply := m.next[0]
		m.next = m.next[1:]
		return reply
	}
	m.mu.Unlock()
	return m.answer(q)
}

// wrongKey returns the error message for a request without a key, empty if there is one or none is
// needed.
func (q *ModelRequest) wrongKey() string {
	bearer, ok := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer ")
	switch {
	case q.Format == "openai" && (!ok || bearer == ""):
		return "You didn't provide an API key."
	case q.Format == "anthropic" && q.Header.Get("X-Api-Key") == "":
		return "x-api-key header is required"
	}
	return ""
}

// modelMessage is a message of a request. The content is a string, or a list of parts.
type modelMessage struct {
	Role    string       `json:"role"`
	Content modelContent `json:"content"`
}

// modelContent is the text of a message.
type modelContent string

// UnmarshalJSON implements [json.Unmarshaler].
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

// read fills in the request from its body, by
// https://platform.openai.com/docs/api-reference/chat/create,
// https://docs.anthropic.com/en/api/messages, like models without sampling parameters and prefilled
// answers, or https://github.com/ollama/ollama/blob/main/docs/api.md. wrong is the error message
// for an invalid one.
func (q *ModelRequest) read() (wrong string) {
	var in struct {
		Model    string         `json:"model"`
		Messages []modelMessage `json:"messages"`
		System   string         `json:"system"` // Anthropic
		// Anthropic; OpenAI's older name
		MaxTokens           int             `json:"max_tokens"`
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
	if q.Format == "anthropic" && q.Header.Get("Anthropic-Version") == "" {
		return "anthropic-version: header is required"
	}
	if err := json.Unmarshal(q.Body, &in); err != nil {
		return "We could not parse the JSON body of your request."
	}
	q.Model, q.System = in.Model, in.System
	hasSystem := false
	for _, m := range in.Messages {
		switch m.Role {
		case "system":
			hasSystem = true
			q.System += string(m.Content)
		case "user":
			q.User = string(m.Content)
		}
	}
	q.MaxTokens = max(in.MaxTokens, in.MaxCompletionTokens, in.Options.NumPredict)
	q.JSON = in.ResponseFormat.Type == "json_object" || in.Format == "json"
	anthropic := q.Format == "anthropic"
	switch {
	case in.Model == "":
		wrong = "you must provide a model parameter"
	case len(in.Messages) == 0:
		wrong = "messages: at least one message is required"
	case anthropic && in.MaxTokens <= 0:
		wrong = "max_tokens: Field required"
	case anthropic && in.Temperature != nil:
		wrong = "`temperature` is deprecated for this model."
	case anthropic && in.Messages[len(in.Messages)-1].Role != "user":
		wrong = "This model does not support assistant message prefill. The conversation must " +
			"end with a user message."
	case anthropic && hasSystem:
		wrong = "messages: Unexpected role \"system\"."
	case q.Format == "openai" && q.JSON &&
		!strings.Contains(strings.ToLower(q.System+q.User), "json"):
		wrong = "'messages' must contain the word 'json' in some form, to use 'response_format' " +
			"of type 'json_object'."
	case q.Format == "ollama" && in.Format != "" && in.Format != "json":
		wrong = "invalid format: expected \"json\" or a JSON schema"
	case q.Format == "ollama" && (in.Stream == nil || *in.Stream):
		wrong = "nothing is streamed here"
	}
	return wrong
}
