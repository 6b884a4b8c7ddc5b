package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/atomicfile"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/release"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/upstreamtest"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/assistant"
	"github.com/mipwatch/mipwatch/sidecar/index"
)

// rounds is how often the forum and the networks are asked at the most: what did not come in time at
// first is often there the second time, and whatever takes longer shall not hold up a deployment.
const rounds = 2

// asker is one run of the live command.
type asker struct {
	*program
	input
	out  string
	demo bool
}

func newAsk(p *program) *cobra.Command {
	a := &asker{program: p}
	cmd := &cobra.Command{
		Use:   "live",
		Short: "Ask the forum and the networks once and print what they say",
		Long: `Ask the forum and the networks that site.yaml names, as the sidecar would, and
print the answer of GET /api/mip-watch. Given to build --live, its figures stand in
the pages for readers without scripts and for sites without a sidecar.

With --demo the figures are invented, and nothing in the answer says so.

It takes seven seconds at the most. A forum or a network that fails is named in the
answer's errors, and the exit code is 0 all the same: a deployment does not fail
for it.
` + epochHelp + rpcHelp + `
` + exitHelp,
		Example: `  mipwatch live
  mipwatch live --out live.json && mipwatch build --live live.json
  mipwatch live --demo | jq '.forum[0]'`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.run(cmd.Context()) },
	}
	a.add(cmd)
	cmd.Flags().StringVar(&a.out, "out", "", "`file` to write instead of standard output, whole or not at all")
	cmd.Flags().BoolVar(&a.demo, "demo", false, "invent forum and chains instead of asking the real ones")
	return cmd
}

const rpcHelp = `
  RPC_<ID>           addresses of one network's nodes, comma-separated, in place
                     of those in site.yaml: RPC_MAINNET`

func (a *asker) run(ctx context.Context) error {
	o, err := a.options(a.env)
	if err != nil {
		return err
	}
	networks, err := reached(o.Site.Networks, a.env)
	if err != nil {
		return exit(exitUsage, err)
	}
	progress := newProgress(a.stderr)
	defer progress.clear()
	progress.doing("reading proposals…")
	c, err := a.corpus(ctx, o)
	if err != nil {
		return err
	}
	progress.doing("asking…")
	w, err := a.ask(ctx, c, o, networks)
	switch {
	case errors.Is(err, context.Canceled):
		return exit(exitWrite, err)
	case err != nil:
		return exit(exitProblems, err)
	}
	progress.clear()
	body, err := api.JSON(w)
	if err != nil {
		return exit(exitWrite, err)
	}
	if a.out == "" {
		a.stdout.Write(body) // whose errors are told by run
	} else if err := writeWhole(a.out, body); err != nil {
		return exit(exitWrite, fmt.Errorf("--out: %w", err))
	}
	progress.say("%s, %s%s", plural(len(w.Forum), "topic"), plural(len(w.Networks), "network"), failed(w.Errors))
	return nil
}

// ask shows a sidecar the proposals and takes its answer. A part that came the first time is there the
// second time too.
func (a *asker) ask(ctx context.Context, c *build.Content, o build.Options, networks []mip.Endpoints) (*api.MIPWatch, error) {
	plan, err := build.NewPlan(c, o)
	if err != nil {
		return nil, fmt.Errorf("plan the site: %w", err)
	}
	known := &build.Plan{Artifacts: slices.DeleteFunc(slices.Clone(plan.Artifacts), func(a build.Artifact) bool {
		return !strings.HasPrefix(a.Route, "/api/v1/")
	})}
	published, err := known.Publish(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the proposals: %w", err)
	}
	noModel := func(string) (string, bool) { return "", false }
	l, err := newLive(a.demo, noModel, a.stderr)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if err := l.know(ctx, published, networks); err != nil {
		return nil, err
	}
	var w *api.MIPWatch
	for range rounds {
		if w, err = l.Watch(ctx); err != nil {
			return nil, fmt.Errorf("ask: %w", err)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(w.Errors) == 0 {
			break
		}
	}
	return w, nil
}

// reached are the networks with the addresses that the environment has for them.
func reached(networks []mip.Endpoints, env func(string) (string, bool)) ([]mip.Endpoints, error) {
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

// failed names the parts that failed.
func failed(parts map[string]api.Code) string {
	var out strings.Builder
	for _, part := range []string{"forum", "networks"} {
		if code, ok := parts[part]; ok {
			fmt.Fprintf(&out, "; %s: %s", part, code)
		}
	}
	return out.String()
}

// writeWhole writes a file as a whole or not at all.
func writeWhole(name string, body []byte) error {
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

// live is the sidecar on the preview's own origin, and in a demo the hosts behind it.
type live struct {
	*sidecar.Sidecar
	demo *upstreamtest.Network // nil: the real hosts are asked
}

// newLive reads the environment for the language model only, and not in a demo: nothing is asked on the
// network there. The error has an exit code.
func newLive(demo bool, env func(string) (string, bool), log io.Writer) (*live, error) {
	l, build := &live{}, release.Current()
	c := sidecar.Config{
		Log:     slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Version: build.Version, Revision: build.Commit,
	}
	if demo {
		l.demo = upstreamtest.NewNetwork()
		c.Transport = l.demo
	} else {
		var errs []error
		if c.Assistant, errs = assistant.Environment(env); len(errs) > 0 {
			return nil, exit(exitUsage, errors.Join(errs...))
		}
	}
	l.Sidecar = sidecar.New(c)
	return l, nil
}

// know shows the sidecar a new build, as it would read the published folder.
func (l *live) know(ctx context.Context, p *build.Published, networks []mip.Endpoints) error {
	k, err := index.FromFS(p).Load(ctx)
	if err != nil {
		return fmt.Errorf("read the built site: %w", err)
	}
	k.Endpoints = networks
	if l.demo != nil {
		l.demo.Demo(time.Now, k.Site, k.List.MIPs, k.Endpoints)
	}
	return l.Update(k)
}

func (l *live) close() {
	l.Close()
	if l.demo != nil {
		l.demo.Close()
	}
}

// isLive reports whether a path is one of the sidecar's.
func isLive(r *http.Request) bool {
	return slices.ContainsFunc(api.Routes(), func(route api.Route) bool { return route.Path == r.URL.Path })
}
