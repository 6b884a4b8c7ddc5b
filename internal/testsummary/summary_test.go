package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name    string
		require []string
		in      string
		want    string
		code    int
	}{
		{name: "passes, with parents counted through their subtests", in: `
{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"run","Package":"p","Test":"TestA/one"}
{"Action":"run","Package":"p","Test":"TestA/two"}
{"Action":"pass","Package":"p","Test":"TestA/one"}
{"Action":"pass","Package":"p","Test":"TestA/two"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q"}
`, want: "ok  \tp\t0.1s\n?   \tq\t[no test files]\n2 passed, 0 failed, 0 skipped\n"},
		{name: "prints what failed and nothing of what passed", code: 1, in: `
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"run","Package":"p","Test":"TestB/x"}
{"Action":"output","Package":"p","Test":"TestB/x","Output":"=== RUN   TestB/x\n"}
{"Action":"output","Package":"p","Test":"TestB/x","Output":"    b_test.go:2: got 1, want 2\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- FAIL: TestB\n"}
{"Action":"fail","Package":"p","Test":"TestB/x"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`, want: "    b_test.go:2: got 1, want 2\n--- FAIL: TestB\nFAIL\tp\t0.1s\n1 passed, 1 failed, 0 skipped\n"},
		{name: "a parent that fails by itself counts", code: 1, in: `
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/x"}
{"Action":"pass","Package":"p","Test":"TestA/x"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
`, want: "1 passed, 1 failed, 0 skipped\n"},
		{name: "a package that does not build", code: 1, in: `
{"ImportPath":"p","Action":"build-output","Output":"p.go:3:1: syntax error\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`, want: "p.go:3:1: syntax error\nFAIL\tp [build failed]\n0 passed, 1 failed, 0 skipped\n"},
		{name: "a test that never ended is a failure with its output", code: 1, in: `
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: out of time\n"}
{"Action":"fail","Package":"p"}
`, want: "panic: out of time\n0 passed, 1 failed, 0 skipped\n"},
		{name: "a stream that is cut off", code: 1, in: `
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
`, want: "FAIL\tp\tended without a result\n1 passed, 1 failed, 0 skipped\n"},
		{name: "lists skips with their reason, sorted", require: []string{"git"}, in: `
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:9: [xmllint] xmllint is not installed\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`, want: "ok  \tp\t0.1s\nskipped: p TestA: no reason given\nskipped: p TestB: [xmllint] xmllint is not installed\n0 passed, 0 failed, 2 skipped\n"},
		{name: "a required skip fails", require: []string{"git", "xmllint"}, code: 1, in: `
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:9: [xmllint] xmllint is not installed\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"pass","Package":"p"}
`, want: "FAIL: skipped, and must not be here: p TestB: [xmllint] xmllint is not installed\n0 passed, 1 failed, 0 skipped\n"},
		{name: "nothing tested", code: 1, in: "go: no such module\n", want: "go: no such module\nFAIL: nothing was tested\n0 passed, 1 failed, 0 skipped\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, problems strings.Builder
			in := strings.TrimPrefix(c.in, "\n")
			code := run(strings.NewReader(in), &out, &problems, c.require)
			if code != c.code {
				t.Errorf("run(%s, require %q) = %d, want %d", in, c.require, code, c.code)
			}
			if diff := cmp.Diff(c.want, out.String()+problems.String()); diff != "" {
				t.Errorf("run(%s) printed (-want +got):\n%s", in, diff)
			}
		})
	}
}
