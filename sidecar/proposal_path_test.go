package sidecar_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// An id in another form redirects to the document, below the path of the site, and never in a
// circle.
func TestProposalPath(t *testing.T) {
	bubble(t, func(w *world) {
		kinds := []mip.Kind{{Prefix: "MIP", Name: "MIPs"}, {Prefix: "MRC", Name: "MRCs"}}
		c := &catalog.Catalog{
			Site: mip.SiteInfo{Site: mip.Site{Prefix: "MIP", Kinds: kinds,
				BaseURL: "https://example.org/base"}},
			List: mip.List{MIPs: []mip.Metadata{{Number: 7, ID: mip.ID{Kind: "MIP", Number: 7}},
				{Number: 14, ID: mip.ID{Kind: "MRC", Number: 14}}}},
		}
		if err := w.sidecar.Update(c); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{
			"MIP-7": "7", "mip-7": "7", "007": "7", "MIP-007": "7", "7/": "7", "MIP-7/": "7",
			"MIP-7/summary": "7/summary", "7/summary/": "7/summary",
			"MIP-7/translations/zh-Hant": "7/translations/zh-Hant", "07?a=1&b": "7?a=1&b",
			"MRC-14": "mrc-14", "mrc-014/history": "mrc-14/history",
			"MIP-7/a%20b%3Fc": "7/a%20b%3Fc", "MIP-7/http://x": "",
			"": "", "/": "", "7": "", "mrc-14": "", "7/nothing": "", "8": "", "MIP-8": "",
			"MRC-7": "", "14": "", "EIP-7": "", "7.json": "", "MIP-7.json": "",
			"MIP-7/../../../x": "", "MIP-7//summary": "", "//MIP-7": "", "MIP-7/./": "",
			"%4dIP-7": "7", "MIP-7%2Fsummary": "7/summary", "\u066707": "",
			strings.Repeat("0", 5000): "",
		} {
			path = api.ProposalPath + strings.ReplaceAll(path, "\u0667", "%D9%A7")
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				a := w.ask(method, path)
				if want == "" {
					if a.want(w, 404); method == http.MethodGet &&
						!strings.Contains(string(a.problem(w, api.NotFound).body),
							"or of another kind its id in lower case, such as mrc-7") {
						t.Errorf("%s does not say how ids are written: %s", path, a.body)
					}
				} else if location := a.want(w, 301).Header().Get(
					"Location"); location != "/base/api/v1/mips/"+want || len(a.body) > 0 {
					t.Errorf("%s %s leads to %s with %q, want %s",
						method, path, location, a.body, want)
				}
			}
		}
		if a := w.ask("POST", api.ProposalPath+"MIP-7").want(w,
			405); a.Header().Get("Allow") != "GET, HEAD, OPTIONS" ||
			!strings.HasPrefix(a.Header().Get("RateLimit"), `"default"`) {
			t.Errorf("a POST: %v", a.Header())
		}
	})
}
