package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestDependencies lists packages that the program must not link: each costs time at every start.
func TestDependencies(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	heavy := regexp.MustCompile(
		`goldmark-meta|chroma|bluemonday|feeds|cobra|langchaingo/(agents|chains|embeddings|memory|tools|vectorstores|documentloaders|llms/(googleai|bedrock|mistral))|^github\.com/(aws|Azure)/|^cloud\.google\.com/|^google\.golang\.org/(api|genproto|grpc|protobuf)|^github\.com/prometheus/|^github\.com/mipwatch/mipwatch/(build|render|internal/corpus)$`)
	deps := strings.Fields(string(out))
	for _, d := range deps {
		if heavy.MatchString(d) {
			t.Errorf("the program links %s", d)
		}
	}
	if len(deps) == 0 {
		t.Error("go list names no package")
	}
}
