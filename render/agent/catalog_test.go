package agent

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

func TestAPICatalog(t *testing.T) {
	type link struct{ Href, Type, Title string }
	var got struct {
		Linkset []struct {
			Anchor      string `json:"anchor"`
			Item        []link `json:"item"`
			ServiceDesc []link `json:"service-desc"`
			ServiceDoc  []link `json:"service-doc"`
		} `json:"linkset"`
	}
	out := rendertest.Must[[]byte](t)(APICatalog(rendertest.SampleInfo()))
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	base := rendertest.SampleInfo().BaseURL
	if len(got.Linkset) != 2 || got.Linkset[0].Anchor != base+"/.well-known/api-catalog" ||
		got.Linkset[1].Anchor != base+"/api/" {
		t.Fatalf("anchors of %s, want the catalog's and the API's", out)
	}
	items := []string{}
	for _, l := range got.Linkset[0].Item {
		rendertest.Absolute(t, l.Href)
		items = append(items, l.Href)
	}
	for _, want := range []string{base + "/api/", base + "/api/v1/mips",
		base + "/api/v1/hardforks"} {
		if !slices.Contains(items, want) {
			t.Errorf("items %q, want %s among them", items, want)
		}
	}
	if slices.ContainsFunc(items, func(s string) bool { return strings.Contains(s, "{") }) {
		t.Errorf("items %q, want addresses that answer", items)
	}
	desc, doc := got.Linkset[1].ServiceDesc, got.Linkset[1].ServiceDoc
	if len(desc) != 1 || desc[0].Href != base+"/openapi.json" ||
		desc[0].Type != "application/json" {
		t.Errorf("service-desc %+v, want the OpenAPI document", desc)
	}
	if len(doc) != 1 || doc[0].Href != base+"/api/" || doc[0].Type != "text/html" {
		t.Errorf("service-doc %+v, want the API page", doc)
	}
}

func TestNotFoundProblem(t *testing.T) {
	out := rendertest.Must[[]byte](t)(NotFoundProblem(rendertest.SampleInfo()))
	var got api.Problem
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	base := rendertest.SampleInfo().BaseURL
	if got.Status != 404 || got.Code != api.NotFound || got.Title != "Not found" ||
		got.Type != base+"/api/#problem-not-found" || got.Instance != "" || got.RequestID != "" {
		t.Errorf("problem %+v", got)
	}
	for _, want := range []string{base + "/api/v1/mips", base + "/openapi.json"} {
		if !strings.Contains(got.Detail, want) {
			t.Errorf("detail %q, want it to name %s", got.Detail, want)
		}
	}
}

func TestProblemTitles(t *testing.T) {
	want := map[api.Code]string{
		api.BadRequest: "Bad request", api.NotFound: "Not found",
		api.MethodNotAllowed: "Method not allowed", api.TooLarge: "Too large",
		api.UnsupportedMediaType: "Unsupported media type", api.RateLimited: "Rate limited",
		api.Internal: "Internal", api.AIFailed: "AI failed",
		api.AIUnreadable:        "AI unreadable",
		api.UpstreamUnavailable: "Upstream unavailable", api.AIDisabled: "AI disabled",
		api.NotReady: "Not ready", api.UpstreamTimeout: "Upstream timeout",
	}
	types := map[string]bool{}
	for _, c := range api.Codes() {
		if got := c.Code.Title(); got != want[c.Code] {
			t.Errorf("title of %s = %q, want %q", c.Code, got, want[c.Code])
		}
		types[c.Code.Type(rendertest.SampleInfo().BaseURL)] = true
		if c.Meaning == api.Internal.Meaning() && c.Code != api.Internal {
			t.Errorf("%s has no detail of its own", c.Code)
		}
	}
	if len(types) != len(want) || len(api.Codes()) != len(want) {
		t.Errorf("%d types and %d codes, want %d each", len(types), len(api.Codes()), len(want))
	}
}
