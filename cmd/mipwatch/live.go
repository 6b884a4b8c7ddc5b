package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/atomicfile"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// snapshotter is one run of the live command.
type snapshotter struct {
	input
	// out is a file; empty: standard output.
	out  string
	demo bool
}

// newLive returns the command mipwatch live.
func newLive(p *program) *cobra.Command {
	s := &snapshotter{input: input{program: p}}
	cmd := newCommand("live", "Ask the forum and the networks once and print what they say", s.run)
	s.add(cmd, false)
	cmd.Flags().StringVar(&s.out, "out", "", "`file` to write instead of standard output, whole or not at all")
	cmd.Flags().BoolVar(&s.demo, "demo", false, "invent forum and chains instead of asking the real ones")
	return cmd
}

// run prints one answer of GET /api/mip-watch, or writes it to the file of --out. A forum or a network that fails is
// no error. The error has an exit code.
func (s *snapshotter) run(ctx context.Context, _ []string) error {
	o, err := s.options()
	if err != nil {
		return err
	}
	// The environment is read before the proposals: a wrong variable is reported at once.
	networks, err := endpoints(o.Site.Networks, s.env)
	if err != nil {
		return exit(exitUsage, err)
	}
	progress := newProgress(s.stderr)
	defer progress.clear()
	c, err := s.load(ctx, o, progress)
	if err != nil {
		return err
	}
	progress.doing("asking…")
	watch, err := s.fetch(ctx, c, o, networks)
	if err != nil {
		return exit(exitProblems, err)
	}
	progress.clear()
	body, err := api.JSON(watch)
	if err != nil {
		return exit(exitWrite, err)
	}
	if s.out == "" {
		s.stdout.Write(body) // run prints its error
	} else if err := writeWhole(s.out, body); err != nil {
		return exit(exitWrite, fmt.Errorf("--out: %w", err))
	}
	// Parts are named in one order, whatever the map has.
	var failed strings.Builder
	for _, part := range []string{"forum", "networks"} {
		if code, ok := watch.Errors[part]; ok {
			fmt.Fprintf(&failed, "; %s: %s", part, code)
		}
	}
	progress.say("%s, %s%s", plural(len(watch.Forum), "topic"), plural(len(watch.Networks), "network"), failed.String())
	return nil
}

// fetch gives a sidecar the proposals and takes its answer. What did not come in time at first is often there the
// second time; a part that takes longer shall not delay a deployment.
func (s *snapshotter) fetch(ctx context.Context, c *build.Content, o build.Options, networks []mip.Endpoints) (*api.MIPWatch, error) {
	plan, err := build.NewPlan(c, o)
	if err != nil {
		return nil, fmt.Errorf("plan the site: %w", err)
	}
	published, err := plan.Documents().Publish(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the proposals: %w", err)
	}
	// A variable of the model that is wrong must not fail a command that does not use it.
	l, err := startSidecar(s.demo, func(string) (string, bool) { return "", false }, s.stderr)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if err := l.update(ctx, published, networks); err != nil {
		return nil, err
	}
	// The sidecar has its own deadlines, so that two rounds end within seven seconds.
	watch, err := l.Watch(ctx)
	if err == nil && len(watch.Errors) > 0 {
		// A part that came is not fetched again.
		watch, err = l.Watch(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	return watch, ctx.Err()
}

// endpoints are the networks with the addresses that the environment has for them. An unset variable leaves those of
// site.yaml.
func endpoints(networks []mip.Endpoints, env func(string) (string, bool)) ([]mip.Endpoints, error) {
	out := slices.Clone(networks)
	var errs []error
	for i, n := range out {
		addresses, err := site.RPCAddresses(n.ID, env)
		if addresses != nil {
			out[i].RPC = addresses
		}
		errs = append(errs, err)
	}
	return out, errors.Join(errs...)
}

// writeWhole writes a file as a whole or not at all. Its folder must exist: a path that was mistyped makes no folders.
func writeWhole(name string, body []byte) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer root.Close()
	return atomicfile.Write(root, filepath.Base(name), body)
}
