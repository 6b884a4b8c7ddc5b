package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestDependencies lists packages that the function must not link: each costs time at every start.
// From AWS it links only the loop that fetches events.
func TestDependencies(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "lambda.norpc",
		".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	heavy := regexp.MustCompile(
		`goldmark-meta|chroma|bluemonday|feeds|cobra|langchaingo/(agents|chains|embeddings|memory|tools|vectorstores|documentloaders|llms/(googleai|bedrock|mistral))|^net/rpc$|^github\.com/(aws|Azure)/|^cloud\.google\.com/|^google\.golang\.org/|^github\.com/mipwatch/mipwatch/(build|render|internal/corpus)$`)
	loop := regexp.MustCompile(
		`^github\.com/aws/aws-lambda-go/lambda(context|/messages|/handlertrace)?$`)
	looped := 0
	for d := range strings.FieldsSeq(string(out)) {
		switch {
		case loop.MatchString(d):
			looped++
		case heavy.MatchString(d):
			t.Errorf("the function links %s", d)
		}
	}
	if looped == 0 {
		t.Error("the function does not link what fetches events")
	}
}
