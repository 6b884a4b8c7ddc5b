package sidecar_test

import (
	"testing"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
	"github.com/mipwatch/mipwatch/internal/test/webtest"
	"github.com/mipwatch/mipwatch/sidecar"
)

// TestWeb runs the request scripts of the live routes against the handler, or against the deployed
// site that MIPWATCH_URL names. It leaves out the plain server's own routes if a CDN is in front.
func TestWeb(t *testing.T) {
	target, deployed := webtest.Deployed(t)
	if !deployed {
		target = webtest.Handler(t, newAIWorld(t, aiSetup{}).sidecar)
	}
	webtest.Run(t, "testdata/web/live.web", target)
	webtest.Run(t, "testdata/web/requests.web", target)
	webtest.Run(t, "testdata/web/ai.web", target)
	if deployed {
		webtest.Run(t, "testdata/web/contract.web", target)
		webtest.Run(t, "testdata/web/ids.web", target)
	}
	if !deployed || target.Answers(t.Context(), "/healthz") {
		webtest.Run(t, "testdata/web/plain.web", target)
		webtest.Run(t, "testdata/web/written.web", target)
	}
}

// TestContract checks the promises to other programs, without a model and with one that fails.
func TestContract(t *testing.T) {
	usual := func(c *sidecar.Config) { c.AIRequestsPerMinute = 0 }
	for name, setup := range map[string]aiSetup{
		"no model":      {change: usual},
		"failing model": {change: usual, provider: "openai"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newAIWorld(t, setup)
			w.script.Always(demo.Answer(500, nil, "broken"))
			target := webtest.Handler(t, buildtest.Host(samples, w.sidecar))
			webtest.Run(t, "testdata/web/contract.web", target)
			webtest.Run(t, "testdata/web/ids.web", target)
		})
	}
}
