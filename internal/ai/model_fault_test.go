package ai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
)

var kinds = []error{errTimeout, errUnavailable, errRefused, errUnreadable, errFailed}

// askOutcome is the outcome of a question.
type askOutcome struct {
	Kind       error // nil: an answer
	Status     int   // of the answer, unless it is 200
	RetryAfter time.Duration
	Calls      int
	Took       time.Duration // by the clock of the bubble; 0 is not compared
}

// answerWith replaces the good answer.
func answerWith(status int, retryAfter, body string) demo.Fault {
	header := http.Header{}
	if retryAfter != "" {
		header.Set("Retry-After", retryAfter)
	}
	return demo.Answer(status, header, body)
}

// refusal is an error body of every format, with text that must not be passed on.
const refusal = `{"type":"error","error":{"message":"` + leak + ` ` + key +
	`","type":"x","code":"y"}}`

// TestFaults has the host of each provider give unusable answers. Package fetch tests the faults of
// any host. Here are their meanings and the faults of the APIs' formats.
func TestFaults(t *testing.T) {
	const second = time.Second
	bad := func(status int) demo.Fault { return answerWith(status, "", refusal) }
	for _, c := range []struct {
		name   string
		faults []demo.Fault // one a call; later ones are good
		want   askOutcome
	}{
		{"good", nil, askOutcome{Calls: 1}},
		{"429, wait 30 s", []demo.Fault{answerWith(429, "30", refusal)},
			askOutcome{errUnavailable, 429, 30 * second, 1, 0}},
		{"429, wait unknown", []demo.Fault{bad(429)},
			askOutcome{errUnavailable, 429, 10 * second, 1, 0}},
		{"500 once", []demo.Fault{bad(500)}, askOutcome{Calls: 2}},
		{"500 twice", []demo.Fault{bad(500), bad(500)}, askOutcome{errUnavailable, 500, 0, 2, 0}},
		{"hangs", []demo.Fault{demo.Hang()}, askOutcome{errTimeout, 0, 0, 1, 7 * second}},
		{"slow but good", []demo.Fault{demo.Delay(6900 * time.Millisecond)}, askOutcome{Calls: 1}},
		{"hangs up", []demo.Fault{demo.Disconnect()}, askOutcome{errUnavailable, 0, 0, 1, 0}},
		{"HTML", []demo.Fault{demo.HTML()}, askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"redirect elsewhere", []demo.Fault{demo.Redirect("https://elsewhere.example/")},
			askOutcome{errUnavailable, 307, 0, 1, 0}},
		{"not JSON", []demo.Fault{answerWith(200, "", "{malformed "+leak)},
			askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"empty body", []demo.Fault{answerWith(200, "", "")},
			askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"something after the JSON",
			[]demo.Fault{demo.Rewrite(func(b []byte) []byte { return append(b, leak...) })},
			askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"another type", []demo.Fault{answerWith(200, "", `["`+leak+`"]`)},
			askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"another object", []demo.Fault{answerWith(200, "", `{"text":"`+leak+`"}`)},
			askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"null", []demo.Fault{answerWith(200, "", `null`)}, askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"parts of it null", []demo.Fault{answerWith(200, "",
			`{"choices":[null],"content":[null],"message":null,"stop_reason":"end_turn","done":true}`)},
			askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"message null", []demo.Fault{answerWith(200, "",
			`{"choices":[{"message":null,"finish_reason":"stop"}],"content":null,"message":null,"stop_reason":"end_turn","done":true}`)},
			askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"a type of text that is none",
			[]demo.Fault{answerWith(200, "",
				`{"choices":[{"message":{"content":7},"finish_reason":"stop"}],`+
					`"content":[{"type":"`+leak+`"}],"message":{"content":7},"stop_reason":"end_turn","done":true}`)}, askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"thoughts alone", []demo.Fault{answerWith(200, "",
			`{"choices":[{"message":{"content":"","reasoning_content":"`+leak+`"},"finish_reason":"stop"}],`+
				`"content":[{"type":"thinking","thinking":"`+leak+`","signature":"s"}],"message":{"content":"","thinking":"`+leak+`"},"stop_reason":"end_turn","done":true}`)},
			askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"parts without a text", []demo.Fault{answerWith(200, "",
			`{"choices":[{"message":{"content":[{"type":"reasoning","text":"`+leak+`"},null,{"type":"text"}]},"finish_reason":"stop"}],`+
				`"content":[],"message":{"content":[]},"stop_reason":"end_turn","done":true}`)},
			askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"two answers or unfinished",
			[]demo.Fault{answerWith(200, "",
				`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"},{"message":{"content":"b"},"finish_reason":"stop"}],`+
					`"content":[{"type":"text","text":"a"}],"message":{"content":"a"},"done":false}`)},
			askOutcome{errUnreadable, 0, 0, 1, 0}},
		{"an error with status 200", []demo.Fault{answerWith(200, "", refusal)},
			askOutcome{errUnavailable, 0, 0, 1, 0}},
		{"400", []demo.Fault{bad(400)}, askOutcome{errUnavailable, 400, 0, 1, 0}},
		{"400 of a filter", []demo.Fault{answerWith(400, "",
			`{"error":{"message":"`+leak+`","code":"content_filter"}}`)},
			askOutcome{errRefused, 400, 0, 1, 0}},
		{"400 with a number", []demo.Fault{answerWith(400, "",
			`{"error":{"message":"`+leak+`","code":400}}`)},
			askOutcome{errUnavailable, 400, 0, 1, 0}},
		{"401", []demo.Fault{bad(401)}, askOutcome{errUnavailable, 401, 0, 1, 0}},
		{"404", []demo.Fault{bad(404)}, askOutcome{errUnavailable, 404, 0, 1, 0}},
		{"404 of a proxy", []demo.Fault{answerWith(404, "", "<html>"+leak)},
			askOutcome{errUnavailable, 404, 0, 1, 0}},
		{"204", []demo.Fault{answerWith(204, "", "")}, askOutcome{errUnreadable, 204, 0, 1, 0}},
	} {
		for _, provider := range formats {
			t.Run(c.name+"/"+provider, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ask(t, provider, c.want, func(s *demo.Script, _ *demo.Model) {
						s.Next(c.faults...)
					})
				})
			})
		}
	}
}

// everyone returns the same outcome for each provider.
func everyone(kind error) map[string]error {
	return map[string]error{"openai": kind, "anthropic": kind, "ollama": kind}
}

// TestReplies has the model itself give no answer.
func TestReplies(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply demo.ModelReply
		want  map[string]error // by provider; nil: an answer
	}{
		{"repeats the key", demo.ModelReply{Text: `{"tldr":"It is ` + key + `."}`},
			everyone(errFailed)},
		{"repeats the key with escapes",
			demo.ModelReply{Text: fmt.Sprintf("```json\n{\"tldr\":[\"It is \\u%04x%s.\"]}\n```",
				key[0], key[1:])},
			everyone(errFailed)},
		{"cut off", demo.ModelReply{Text: `{"tldr":"` + leak, Stop: "length"},
			everyone(errUnreadable)},
		{"refuses", demo.ModelReply{Refusal: leak},
			map[string]error{"openai": errRefused, "anthropic": errRefused, "ollama": nil}},
		{"filtered", demo.ModelReply{Text: leak, Stop: "content_filter"},
			map[string]error{"openai": errRefused, "anthropic": errRefused, "ollama": nil}},
		{"no text", demo.ModelReply{Null: true}, everyone(errUnreadable)},
		{"empty text", demo.ModelReply{}, everyone(errUnreadable)},
		{"blank text", demo.ModelReply{Text: " \n\t"}, everyone(errUnreadable)},
	} {
		for _, provider := range formats {
			t.Run(c.name+"/"+provider, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					want := askOutcome{Kind: c.want[provider], Calls: 1}
					ask(t, provider, want, func(_ *demo.Script, m *demo.Model) { m.Next(c.reply) })
				})
			})
		}
	}
}

// ask asks once, after prepare, and compares the outcome. The error must hold no secret.
func ask(t *testing.T, provider string, want askOutcome, prepare func(*demo.Script, *demo.Model)) {
	t.Helper()
	n := demo.NewNetwork()
	defer n.Close()
	server := demo.NewModel(nil)
	s, elsewhere := demo.NewScript(server), demo.NewScript(server)
	n.Serve("model.example", s)
	n.Serve("elsewhere.example", elsewhere)
	prepare(s, server)
	m := newModel(t, config(provider, n))
	began := time.Now()
	reply, err := m.Ask(t.Context(), shortPrompt())
	got := outcomeOf(err)
	got.Calls = s.Calls()
	if want.Took != 0 {
		got.Took = time.Since(began)
	}
	if diff := cmp.Diff(want, got, sameKind); diff != "" {
		t.Errorf("Ask: %v (-want +got):\n%s", err, diff)
	}
	if reply.Model != "large-1" || (err == nil) != (reply.Text != "") {
		t.Errorf("Ask gives %+v and the error %v", reply, err)
	}
	if err != nil && strings.Contains(err.Error(), "cut off") && reply.Tokens == 0 {
		t.Errorf("Ask gives no tokens for an answer that is cut off")
	}
	if elsewhere.Calls() != 0 {
		t.Errorf("Ask went to %v", elsewhere.Requests())
	}
	sealed(t, err)
}

var sameKind = cmp.Comparer(func(a, b error) bool { return a == b })

// outcomeOf returns the outcome of an error. An error of several kinds, or of none, is returned as
// it is.
func outcomeOf(err error) askOutcome {
	o := askOutcome{Kind: err}
	e, ok := errors.AsType[*api.HTTPError](err)
	if !ok {
		return o
	}
	o.RetryAfter = e.RetryAfter
	fmt.Sscanf(err.Error()[strings.LastIndex(err.Error(), "(")+1:], "status %d)", &o.Status)
	n := 0
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			n++
			o.Kind = kind
		}
	}
	if n != 1 {
		o.Kind = err
	}
	return o
}

// sealed checks that an error holds only permitted text.
func sealed(t *testing.T, err error) {
	t.Helper()
	all := fmt.Sprintf("%v %+v %#v", err, err, err)
	for _, secret := range []string{key, "secret", "model.example", "model.invalid", leak,
		question, "127.0.0.1"} {
		if strings.Contains(all, secret) {
			t.Errorf("the error has %q: %s", secret, all)
		}
	}
}

// TestErrorText checks the errors that an operator can fix.
func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		provider string
		fault    demo.Fault
		want     string
	}{
		{"openai", answerWith(401, "", refusal),
			"the model is unavailable: it does not accept the key in OPENAI_API_KEY (status 401)"},
		{"anthropic", answerWith(403, "", refusal),
			"the model is unavailable: it does not accept the key in ANTHROPIC_API_KEY " +
				"(status 403)"},
		{"ollama", answerWith(401, "", refusal),
			"the model is unavailable: it does not accept the key in OLLAMA_API_KEY (status 401)"},
		{"ollama", answerWith(404, "", refusal),
			"the model is unavailable: there is no model of the name in AI_MODEL, " +
				"or AI_BASE_URL is wrong (status 404)"},
		{"openai", answerWith(400, "", refusal),
			"the model is unavailable: it does not accept the question (status 400)"},
		{"openai", demo.HTML(), "the model's answer is not in the form that was asked for: " +
			"it is not in the format of the API"},
		{"openai", demo.Disconnect(), "the model is unavailable: the answer broke off"},
	} {
		t.Run(c.want, func(t *testing.T) {
			n := demo.NewNetwork()
			defer n.Close()
			s := demo.NewScript(demo.NewModel(nil))
			n.Serve("model.example", s)
			s.Always(c.fault)
			_, err := newModel(t, config(c.provider, n)).Ask(t.Context(), shortPrompt())
			if err == nil || err.Error() != c.want {
				t.Errorf("Ask: %v, want %s", err, c.want)
			}
		})
	}
}

// TestCallerLeaves checks the end of the caller's context: a deadline is a failure of the model, a
// cancellation is not.
func TestCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := demo.NewNetwork()
		defer n.Close()
		s := demo.NewScript(demo.NewModel(nil))
		n.Serve("model.example", s)
		s.Always(demo.Hang())
		m := newModel(t, config("openai", n))

		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		_, err := m.Ask(ctx, shortPrompt())
		if !errors.Is(err, errTimeout) || time.Since(began) != 3*time.Second {
			t.Errorf("Ask with 3 s: %v after %v", err, time.Since(began))
		}

		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		_, err = m.Ask(ctx, shortPrompt())
		if _, ok := errors.AsType[*api.HTTPError](err); ok || !errors.Is(err, context.Canceled) {
			t.Errorf("Ask of a caller that leaves: %v, want %v", err, context.Canceled)
		}
		sealed(t, err)
	})
}
