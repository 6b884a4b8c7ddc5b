//go:build unix

package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sidecar": main})
}

// TestScripts runs command lines that end by themselves: help, wrong usage, wrong configuration.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		ContinueOnError:     true,
		Cmds: map[string]func(*testscript.TestScript, bool,
			[]string){"exits": testenv.Exits},
	})
}
