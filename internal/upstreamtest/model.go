package upstreamtest

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Model is a language model behind the wire formats of three providers, told apart by how a path ends:
// OpenAI (/chat/completions), Anthropic (/messages) and Ollama (/api/chat). It is as strict as they are
// about keys and fields, takes any key, and does not stream but for Ollama, which streams unless told
// not to. It is safe for concurrent use.
type Model struct {
	answer func(ModelRequest) ModelReply

	mu       sync.Mutex
	next     []ModelReply
	requests []ModelRequest
}

// ModelRequest is a question in whatever format it came.
type ModelRequest struct {
	Format    string      // openai, anthropic or ollama
	Path      string      // with the query
	Header    http.Header // as it came
	Body      []byte      // as it came
	Model     string      // the name that was asked for
	System    string
	User      string // the last message of the user
	MaxTokens int    // 0: not said
	JSON      bool   // a JSON object is asked for by a field; Anthropic has none
}

// ModelReply is what the model says, and why it stops there. The zero value is an empty text.
type ModelReply struct {
	Text    string
	Stop    string // in the words of OpenAI, put into those of the format: length, content_filter; empty: stop
	Refusal string // says no in place of a text: OpenAI's refusal with null as the text, Anthropic's stop reason, plain text from Ollama
	Null    bool   // there is no text: null where a text should be
}

// NewModel returns a model that answers what answer gives, which may be called concurrently. nil: it
// repeats the question, or gives an empty object where JSON is asked for.
func NewModel(answer func(ModelRequest) ModelReply) *Model {
	if answer == nil {
		answer = echo
	}
	return &Model{answer: answer}
}

func echo(r ModelRequest) ModelReply {
	if r.JSON {
		return ModelReply{Text: "{}"}
	}
	return ModelReply{Text: r.User}
}

// Next sets what is said to the next questions, one each and before what answer gives. It adds to what
// an earlier call left.
func (m *Model) Next(replies ...ModelReply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next = append(m.next, replies...)
}

// Requests returns the questions that were understood, in order.
func (m *Model) Requests() []ModelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := formatOf(r.URL.Path)
	if f == nil {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodPost {
		f.refuse(w, http.StatusMethodNotAllowed, "invalid_request_error", "Only POST is allowed here.")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	q := ModelRequest{Format: f.name, Path: r.URL.RequestURI(), Header: r.Header, Body: body}
	if wrong := f.read(&q); wrong != nil {
		f.refuse(w, wrong.status, wrong.kind, wrong.message)
		return
	}
	reply := m.reply(q)
	reply.Stop = cmp.Or(reply.Stop, "stop")
	f.write(w, q, reply)
}

// reply notes a question and returns what is said to it.
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

// modelFormat is how one provider is spoken to.
type modelFormat struct {
	name   string
	read   func(*ModelRequest) *modelFault // fills the request in from its header and body
	write  func(http.ResponseWriter, ModelRequest, ModelReply)
	refuse func(w http.ResponseWriter, status int, kind, message string)
}

// modelFault is what is wrong with a request.
type modelFault struct {
	status        int
	kind, message string
}

// formatOf is the format that a path belongs to, nil if to none.
func formatOf(path string) *modelFormat {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return &modelFormat{"openai", readOpenAI, writeOpenAI, refuseOpenAI}
	case strings.HasSuffix(path, "/messages"):
		return &modelFormat{"anthropic", readAnthropic, writeAnthropic, refuseAnthropic}
	case strings.HasSuffix(path, "/api/chat"):
		return &modelFormat{"ollama", readOllama, writeOllama, refuseOllama}
	}
	return nil
}

// modelTokens is about how many tokens a text has.
func modelTokens(texts ...string) int {
	const bytesPerToken = 4
	n := 0
	for _, t := range texts {
		n += (len(t) + bytesPerToken - 1) / bytesPerToken
	}
	return n
}
