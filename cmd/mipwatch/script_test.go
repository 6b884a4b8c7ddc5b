//go:build unix

package main

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// mostMemory bounds the memory of any run, for any input.
const mostMemory = 256 << 20 // bytes

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mipwatch": main})
}

// TestScripts runs the program as a user does. Each row of the list of build faults has its own
// script. commands_test.go has the commands in addition to testscript's.
func TestScripts(t *testing.T) {
	t.Parallel()
	t.Run("scripts", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir:                 "testdata/script",
			RequireExplicitExec: true,
			RequireUniqueNames:  true,
			ContinueOnError:     true,
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"exits":        testenv.Exits,
				"bounded":      bounded,
				"kill-at":      killAt,
				"while-locked": whileLocked,
				"append":       appendText,
				"mkfifo":       makeFIFO,
				"json":         jsonValue,
				"same-tree":    sameTree,
				"age-tree":     ageTree,
				"touched":      touched,
				"dom-safe":     domSafe,
				"xml-valid":    xmlValid,
			},
			Condition: func(cond string) (bool, error) {
				switch cond {
				case "long":
					return testenv.All(), nil
				case "mount": // file systems can be mounted, in a namespace of their own
					return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs",
						"/tmp").Run() == nil, nil
				}
				return false, nil
			},
		})
	})
	// The maximum over all children that were waited for.
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		t.Fatal(err)
	}
	if got := usage.Maxrss << 10; got > mostMemory {
		t.Errorf("a run took %d bytes of memory, want at most %d", got, mostMemory)
	}
}
