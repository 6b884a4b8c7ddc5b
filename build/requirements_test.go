package build_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// A text that requires something has a page of it, with the ids of the JSON, the definitions and the references; one that
// does not has none.
func TestRequirements(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, 1, "Lamps", "Dark.\n\n### 1. Terms and Notation\n\nA *lamp* glows, see [below](#s-rules).\n\n#### Sizes\n\nSmall.\n\n<div>open\n\n## Rules\n\n"+
		"Lamps MUST glow & hum <b>.\n\n## Reference Implementation\n\nNone.\n\n## References\n\n- [Glow](https://glow.example)\n\n</div>\n")
	write(t, dir, 2, "Night", "Nothing must glow.")
	write(t, dir, 3, "Words", "The word `MUST`.")
	p, err := buildtest.Plan(t.Context(), testSite("MIP"), dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, a := range p.Artifacts {
		body, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		files[a.Route] = string(body)
	}
	var one mip.Proposal
	if err := json.Unmarshal([]byte(files["/api/v1/mips/1"]), &one); err != nil || len(one.Requirements) != 1 {
		t.Fatalf("%v: %+v", err, one.Requirements)
	}
	page := files["/mip/1/requirements/"]
	for _, want := range []string{
		`id="` + one.Requirements[0].ID + `"`, "Lamps MUST glow &amp; hum", "1 MUST:", `href="/mip/1/#s-rules">Rules`,
		`href="/mip/1/#s-rules">below`, "1. Terms and Notation</h2></summary>", "<h3 id=\"s-sizes\"", "Small.", `href="https://glow.example"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
	// The text has an element that is open from the one to the other.
	for _, part := range [][2]string{{"<details", "</details>"}, {"<h2>References", "</section>"}} {
		_, after, _ := strings.Cut(page, part[0])
		within, _, _ := strings.Cut(after, part[1])
		if open, shut := strings.Count(within, "<div"), strings.Count(within, "</div>"); open != shut {
			t.Errorf("%d elements are opened and %d closed in %s", open, shut, within)
		}
	}
	if strings.Contains(page, "None.") {
		t.Error("a reference implementation is shown as a reference")
	}
	if !strings.Contains(files["/mip/1/"], `href="/mip/1/requirements/">1 MUST<`) {
		t.Error("nothing leads to the requirements")
	}
	if _, ok := files["/mip/2/requirements/"]; ok || strings.Contains(files["/mip/2/"], "requirements/") {
		t.Error("a text without key words has a page of requirements")
	}
	if !strings.Contains(files["/mip/3/requirements/"], "no sentence with one") || !strings.Contains(files["/api/v1/mips/3"], `"requirements":[]`) {
		t.Error("a text that has a key word in code alone says it badly")
	}
}
