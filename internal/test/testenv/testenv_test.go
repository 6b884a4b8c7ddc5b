package testenv_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// recorder is a test that only records its result.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Skip(args ...any) {
	r.skipped = fmt.Sprint(args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// end returns how a test ends that lacks something.
func end(t *testing.T, f func(testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	var running sync.WaitGroup
	running.Go(func() { f(r) })
	running.Wait()
	return r
}

func TestMissing(t *testing.T) {
	lacks := func(t testing.TB) {
		testenv.Missing(t, "xmllint", "no xmllint:", fmt.Errorf("not found"))
	}
	t.Setenv("MIPWATCH_REQUIRE", "xml xmllint-2 git")
	if r := end(t, lacks); r.skipped != "[xmllint] no xmllint: not found" || r.failed != "" {
		t.Errorf("not required: skipped %q, failed %q", r.skipped, r.failed)
	}
	t.Setenv("MIPWATCH_REQUIRE", "git xmllint")
	if r := end(t, lacks); !strings.HasPrefix(r.failed, "[xmllint] no xmllint: not found;") {
		t.Errorf("required: failed %q", r.failed)
	}
}

func TestLong(t *testing.T) {
	t.Setenv("MIPWATCH_REQUIRE", "")
	long := func(t testing.TB) { testenv.Program(t, "shell", "no-such-program") }
	for value, want := range map[string]string{
		"":    "[long] no-such-program: runs with MIPWATCH_TESTS=all",
		"all": "[shell] there is no no-such-program on the PATH; .ci/run installs it",
	} {
		t.Setenv("MIPWATCH_TESTS", value)
		if r := end(t, long); r.skipped != want {
			t.Errorf("MIPWATCH_TESTS=%q: skipped %q, want %q", value, r.skipped, want)
		}
	}
}
