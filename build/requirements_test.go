package build_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// TestRequirements checks that the box of a proposal links to the section of its first requirement,
// and that the JSON has every requirement.
func TestRequirements(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, 1, "Lamps", "Dark.\n\n## Rules\n\nLamps MUST glow & hum <b>. "+
		"They SHOULD NOT buzz.\n")
	write(t, dir, 2, "Night", "Nothing must glow.")
	write(t, dir, 3, "Words", "The word `MUST`.")
	write(t, dir, 4, "Bare", "A lamp MUST glow.\n")
	s := testSite("MIP")
	p, err := buildtest.Plan(t.Context(), s, dir)
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
	boxes := map[int]string{
		1: `<a href="#s-rules">1 MUST, 1 SHOULD</a>`, 2: "", 3: "",
		4: `<a href="#s-abstract">1 MUST</a>`,
	}
	for n, want := range boxes {
		page := files[fmt.Sprintf("/mip/%d/", n)]
		_, box, found := strings.Cut(page, "<dt>Requirements</dt>\n<dd>")
		if box, _, _ = strings.Cut(box, "</dd>"); box != want || found != (want != "") {
			t.Errorf("the details of MIP-%d say %q, want %q", n, box, want)
		}
		if strings.Contains(page, "requirements/") ||
			files[fmt.Sprintf("/mip/%d/requirements/", n)] != "" {
			t.Errorf("MIP-%d has a page of its requirements", n)
		}
	}
	var one mip.Proposal
	err = json.Unmarshal([]byte(files["/api/v1/mips/1"]), &one)
	if err != nil || len(one.Requirements) != 2 || one.Requirements[0].Section != "s-rules" {
		t.Errorf("%v: %+v", err, one.Requirements)
	}
	if !strings.Contains(files["/api/v1/mips/3"], `"requirements":[]`) {
		t.Error("a text that has a key word in code alone requires something")
	}
}
