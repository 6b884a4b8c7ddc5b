package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/internal/snapshot"
)

const liveUsage = "`file` with a saved answer of GET /api/mip-watch, whose figures the pages then hold"

// addLive defines the flag that names the figures of a moment.
func (in *input) addLive(cmd *cobra.Command) {
	cmd.Flags().StringVar(&in.live, "live", "", liveUsage)
	// The only error is an unknown flag.
	if err := cmd.MarkFlagFilename("live", "json"); err != nil {
		panic(err)
	}
}

// readFigures reads the file of --live, nil when there is none. The error has an exit code: a file that
// is not what it should be was named wrongly.
func (in *input) readFigures() (*snapshot.File, error) {
	if in.live == "" {
		return nil, nil
	}
	// A folder can be opened, and a pipe may never be.
	if info, err := os.Stat(in.live); err == nil && !info.Mode().IsRegular() {
		return nil, exit(exitUsage, fmt.Errorf("--live: %s is no regular file", in.live))
	}
	f, err := os.Open(in.live)
	if err != nil {
		return nil, exit(exitUsage, fmt.Errorf("--live: %w", err))
	}
	defer f.Close()
	file, err := snapshot.Read(filepath.ToSlash(in.live), f)
	if err != nil {
		return nil, exit(exitUsage, fmt.Errorf("--live: %w", err))
	}
	return file, nil
}
