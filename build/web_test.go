package build_test

import (
	"testing"

	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/webtest"
)

// TestWeb runs the request scripts of the static routes against the site of this repository, or
// against the deployed site that MIPWATCH_URL names.
func TestWeb(t *testing.T) {
	target, deployed := webtest.Deployed(t)
	if !deployed {
		s, err := site.Load("../internal/samples/site.yaml")
		if err != nil {
			t.Fatal(err)
		}
		p, err := buildtest.Plan(t.Context(), s, "../internal/samples/proposals")
		if err != nil {
			t.Fatal(err)
		}
		h := p.Publish()
		target = webtest.Handler(t, h)
	}
	webtest.Run(t, "testdata/web/*.web", target)
}
