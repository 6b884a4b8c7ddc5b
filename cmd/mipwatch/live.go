package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/atomicfile"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/upstreamtest"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// snapshotter is one run of the live command.
type snapshotter struct {
	*program
	input
	out  string
	demo bool
}

// newLive returns the command mipwatch live.
func newLive(p *program) *cobra.Command {
	s := &snapshotter{program: p}
	cmd := newCommand("live", "Ask the forum and the networks once and print what they say", s.run)
	s.add(cmd)
	cmd.Flags().StringVar(&s.out, "out", "", "`file` to write instead of standard output, whole or not at all")
	cmd.Flags().BoolVar(&s.demo, "demo", false, "invent forum and chains instead of asking the real ones")
	return cmd
}

// run prints one answer of GET /api/mip-watch, or writes it to the file of --out. A forum or a network that fails is
// no error. The error has an exit code.
func (s *snapshotter) run(ctx context.Context, _ []string) error {
	o, err := s.options(s.env)
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
	progress.doing("reading proposals…")
	c, err := s.load(ctx, o)
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
	progress.say("%s, %s%s", plural(len(watch.Forum), "topic"), plural(len(watch.Networks), "network"), &failed)
	return nil
}

// fetch gives a sidecar the proposals and takes its answer. What did not come in time at first is often there the
// second time; a part that takes longer shall not delay a deployment.
func (s *snapshotter) fetch(ctx context.Context, c *build.Content, o build.Options, networks []mip.Endpoints) (*api.MIPWatch, error) {
	plan, err := build.NewPlan(c, o)
	if err != nil {
		return nil, fmt.Errorf("plan the site: %w", err)
	}
	// The sidecar reads the JSON documents only. No page is rendered for them.
	documents := &build.Plan{Artifacts: slices.DeleteFunc(slices.Clone(plan.Artifacts), func(a build.Artifact) bool {
		return !strings.HasPrefix(a.Route, "/api/v1/")
	})}
	published, err := documents.Publish(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the proposals: %w", err)
	}
	// A variable of the model that is wrong must not fail a command that does not use it.
	noModel := func(string) (string, bool) { return "", false }
	l, err := startSidecar(s.demo, noModel, s.stderr)
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
		watch, err = l.Watch(ctx) // a part that came is not fetched again
	}
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	return watch, ctx.Err()
}

// endpoints are the networks with the addresses that the environment has for them.
func endpoints(networks []mip.Endpoints, env func(string) (string, bool)) ([]mip.Endpoints, error) {
	out := slices.Clone(networks)
	var errs []error
	for i, n := range out {
		addresses, err := site.RPCAddresses(n.ID, env)
		// An unset variable leaves the addresses of site.yaml.
		if addresses != nil {
			out[i].RPC = addresses
		}
		errs = append(errs, err)
	}
	return out, errors.Join(errs...)
}

// writeWhole writes a file as a whole or not at all.
func writeWhole(name string, body []byte) error {
	// The folder must exist: a path that was mistyped makes no folders.
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer root.Close()
	return atomicfile.Write(root, filepath.Base(name), body)
}

// demoNotice stands above every page of a demo.
const demoNotice = "Demo: forum activity and block heights are invented on this machine; nothing is asked on the network. " +
	"The proposals are those of the folder."

// localSidecar is the sidecar within this process, and in a demo the hosts behind it.
type localSidecar struct {
	*sidecar.Sidecar
	// demo is nil where the real hosts are asked.
	demo *upstreamtest.Network
}

// startSidecar reads the environment for the language model only, and not in a demo: nothing is asked on the
// network there. The error has an exit code.
func startSidecar(demo bool, env func(string) (string, bool), log io.Writer) (*localSidecar, error) {
	l, program := &localSidecar{}, release.Current()
	// Only warnings are of use beside the lines of the command.
	c := sidecar.Config{
		Log:     slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Version: program.Version, Revision: program.Commit,
	}
	if demo {
		l.demo = upstreamtest.NewNetwork()
		c.Transport = l.demo
	} else {
		var errs []error
		if c.AI, errs = ai.Environment(env); len(errs) > 0 {
			return nil, exit(exitUsage, errors.Join(errs...))
		}
	}
	l.Sidecar = sidecar.New(c)
	return l, nil
}

// update has the sidecar read a new build, as it would read the published folder.
func (l *localSidecar) update(ctx context.Context, p *build.Published, networks []mip.Endpoints) error {
	site, err := index.FromFS(p).Load(ctx)
	if err != nil {
		return fmt.Errorf("read the built site: %w", err)
	}
	// The published documents hold no addresses of nodes.
	site.Endpoints = networks
	if l.demo != nil {
		l.demo.Demo(time.Now, site.Site, site.List.MIPs, site.Endpoints)
	}
	return l.Update(site)
}

// close ends the sidecar and the invented hosts.
func (l *localSidecar) close() {
	l.Close()
	if l.demo != nil {
		l.demo.Close()
	}
}
