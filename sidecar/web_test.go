package sidecar_test

import (
	"testing"

	"github.com/mipwatch/mipwatch/internal/webtest"
)

// TestWeb runs the request scripts of the live routes against the handler, or against the deployed site
// that MIPWATCH_URL names. The plain server's own routes are left out where a CDN stands before it.
func TestWeb(t *testing.T) {
	target, deployed := webtest.Deployed(t)
	if !deployed {
		target = webtest.Handler(t, newAIWorld(t, aiSetup{}).sidecar)
	}
	webtest.Run(t, "testdata/web/live.web", target)
	webtest.Run(t, "testdata/web/requests.web", target)
	webtest.Run(t, "testdata/web/ai.web", target)
	if !deployed || target.Answers(t.Context(), "/healthz") {
		webtest.Run(t, "testdata/web/plain.web", target)
	}
}
