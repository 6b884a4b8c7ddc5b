package sidecar_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

const (
	modelHost = "model.example.org"
	modelKey  = "sk-Zk3yT0Pbw9"
	modelName = "lantern-large"
)

// aiWorld is a world with a built site and a language model.
type aiWorld struct {
	*world
	model  *demo.Model
	script *demo.Script // in front of it
	site   *build.Published
	budget func() ai.Spend
}

// aiSetup is how a world differs from others. The zero value is the sample site without a model.
type aiSetup struct {
	site     *build.Published                        // nil: the samples
	provider string                                  // empty: no model
	answer   func(demo.ModelRequest) demo.ModelReply // nil: see summarizer
	budget   ai.Limits
	change   func(*sidecar.Config)
}

// withAI runs a test in a bubble. The store of limits has the real clock, so each test uses enough
// caller addresses.
func withAI(t *testing.T, setup aiSetup, f func(w *aiWorld)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(newAIWorld(t, setup)) })
}

func newAIWorld(t testing.TB, setup aiSetup) *aiWorld {
	t.Helper()
	if setup.site == nil {
		setup.site = samples
	}
	a := &aiWorld{site: setup.site}
	a.world = newWorld(t, func(c *sidecar.Config) {
		c.RequestsPerMinute, c.AIRequestsPerMinute = 10_000, 10_000
		if setup.provider != "" {
			m, err := ai.NewClient(ai.ClientConfig{Provider: setup.provider, Name: modelName,
				BaseURL: "https://" + modelHost + "/v1", Key: modelKey, Transport: late{&a.world}})
			if err != nil {
				t.Fatal(err)
			}
			budget := ai.NewBudget(m, setup.budget)
			c.AI, a.budget = ai.Configured{Model: budget, Name: modelName}, budget.Spend
		}
		if setup.change != nil {
			setup.change(c)
		}
	})
	k, err := catalog.FromFS(setup.site).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a.known = k
	if setup.answer == nil {
		setup.answer = summarizer(t, k)
	}
	a.model = demo.NewModel(setup.answer)
	a.script = demo.NewScript(a.model)
	a.net.Serve(modelHost, a.script)
	a.know()
	return a
}

// late is the network of a world that is created later.
type late struct{ world **world }

func (l late) RoundTrip(r *http.Request) (*http.Response, error) {
	return (*l.world).net.RoundTrip(r)
}

// post sends a JSON body.
func (w *world) post(path, body string, fields ...string) *reply {
	w.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.RemoteAddr = w.from
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	return w.send(r)
}

func (w *world) summary(body string) api.Summary {
	w.Helper()
	return read[api.Summary](w, w.post("/api/ai-summary", body))
}

// subject is the input for the summary of a proposal.
func (w *aiWorld) subject(number int) summary.Subject {
	w.Helper()
	return subjectOf(w.TB, w.known, number)
}

func subjectOf(t testing.TB, k *catalog.Catalog, number int) summary.Subject {
	t.Helper()
	p, err := k.Proposal(context.Background(), mip.ID{Kind: "MIP", Number: number})
	if err != nil {
		t.Fatal(err)
	}
	s := summary.Subject{Proposal: p, Now: time.Now()}
	if f := summary.ForkOf(k.Site.Prefix, p.Metadata, k.HardForks); f != nil {
		own := *f
		own.Status = own.StatusAt(k.Site.Networks, func(string) time.Time { return time.Now() })
		s.Fork = &own
		if summary.IsMeta(p.Metadata, f) {
			for _, n := range own.BundledMIPs {
				b, err := k.Proposal(context.Background(), mip.ID{Kind: "MIP", Number: n})
				if err != nil {
					t.Fatal(err)
				}
				s.Bundled = append(s.Bundled, b)
			}
		}
	}
	return s
}

// summarizer is a model that answers well: with the summary by rules as its own. It answers a
// translation request with the same passages.
func summarizer(t testing.TB, k *catalog.Catalog) func(demo.ModelRequest) demo.ModelReply {
	return func(r demo.ModelRequest) demo.ModelReply {
		if strings.Contains(r.System, "You translate") {
			return demo.ModelReply{Text: passages(r)}
		}
		// The header comes first, and begins with the proposal's own title.
		asked, at := -1, len(r.User)
		for _, m := range k.List.MIPs {
			if i := strings.Index(r.User, m.Title); i >= 0 && i < at {
				asked, at = m.Number, i
			}
		}
		if asked >= 0 {
			return demo.ModelReply{Text: modelJSON(t, summary.Extract(subjectOf(t, k, asked)))}
		}
		t.Errorf("the question names no proposal: %.300s", r.User)
		return demo.ModelReply{}
	}
}

// modelJSON is a summary in the form of a model's answer.
func modelJSON(t testing.TB, sum api.Summary) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"tldr": sum.TLDR, "whatsChanging": sum.WhatsChanging,
		"developers": sum.Developers,
		"users":      sum.Users, "validators": sum.Validators, "foundation": sum.Foundation})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// passages is the JSON object in a request for a translation.
func passages(r demo.ModelRequest) string {
	first, rest, _ := strings.Cut(r.User, "\n")
	data, _, _ := strings.Cut(rest, "\n"+strings.TrimSuffix(first, " BEGIN")+" END")
	return data
}

// published builds a site of files by name, configured as the samples are.
func published(t testing.TB, files map[string]string, change ...func(*site.Site)) *build.Published {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := site.Load("../internal/samples/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(s)
	}
	p, err := publish(t.Context(), s, dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sampleText is the file of a sample proposal.
func sampleText(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../internal/samples/proposals", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(b)) + "\n"
}

// load reads a built site.
func load(t testing.TB, p fs.FS) *catalog.Catalog {
	t.Helper()
	k, err := catalog.FromFS(p).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return k
}
