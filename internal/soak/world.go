package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/upstreamtest"
	"github.com/mipwatch/mipwatch/sidecar/assist"
	"github.com/mipwatch/mipwatch/sidecar/knowledge"
)

// What hosts are reached with and nobody is to see.
const (
	rpcKey   = "key-of-the-node"
	modelKey = "sk-key-of-the-model"
)

// linkedTopics and topics are how many topics the forum has, the first ones of which proposals link to.
const linkedTopics, topics = 40, 500

// world is all that a sidecar knows of: the hosts and the site.
type world struct {
	root, dir string // the checkout; a folder of our own
	server    *http.Server
	base      string // address of all hosts, each below a path of its own
	forum     *host
	chain     *host // the first address of mainnet, and the only one of testnet
	model     *host

	builds  int
	openAPI []byte
	titles  atomic.Pointer[[]mip.Summary] // of the last build
}

func newWorld(ctx context.Context, root string) (*world, error) {
	dir, err := os.MkdirTemp("", "soak-")
	if err != nil {
		return nil, err
	}
	w := &world{root: root, dir: dir}
	if err := w.serve(ctx); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	if err := w.publish(ctx, 0); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// serve opens the hosts. Each answers below any path that begins with its name, so that it can move.
func (w *world) serve(ctx context.Context) error {
	forum := upstreamtest.NewDiscourse(time.Now)
	for id := 1; id <= topics; id++ {
		forum.Set(upstreamtest.Topic{ID: id, Title: fmt.Sprint("Topic ", id), Posts: 2 + id%90, Participants: 1 + id%20, Likes: id % 50, Views: id * 7, Created: time.Now().Add(-time.Hour)})
	}
	chain := upstreamtest.NewChain(upstreamtest.ChainConfig{ChainID: chainID, Genesis: time.Now().Add(-time.Hour)})
	w.forum = newHost("forum", 1, forum, forumFaults())
	w.chain = newHost("chain", 1, chain, chainFaults())
	// The model does not move, so its breaker is to stay shut for what comes next.
	w.model = newHost("model", 2, upstreamtest.NewModel(w.answer), modelFaults())
	mux := http.NewServeMux()
	mux.Handle("/forum/{place}/", w.forum.script)
	mux.Handle("/node/{place}/"+rpcKey, w.chain.script)
	mux.Handle("/second/{place}/"+rpcKey, chain)
	mux.Handle("/model/", w.model.script)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.base = "http://" + listener.Addr().String()
	w.server = &http.Server{Handler: mux}
	go w.server.Serve(listener) // until close
	return nil
}

const chainID = 4711

// turn is the beginning of a phase: each host has its next fault.
func (w *world) turn(phase int) {
	w.forum.turn(phase, 0)
	w.chain.turn(phase, 5)
	w.model.turn(phase, 10)
}

// behave ends all faults.
func (w *world) behave() {
	for _, h := range []*host{w.forum, w.chain, w.model} {
		h.script.Always(nil)
	}
}

// publish builds the samples into the folder that the sidecar reads, with another text each time.
func (w *world) publish(ctx context.Context, place int) error {
	w.builds++
	s, err := site.Load(filepath.Join(w.root, "site.yaml"))
	if err != nil {
		return err
	}
	sampleForum := s.Forum
	s.Forum = fmt.Sprintf("%s/forum/%d", w.base, place)
	node := func(name string) string { return fmt.Sprintf("%s/%s/%d/%s", w.base, name, place, rpcKey) }
	s.Networks = []mip.Endpoints{
		{Network: mip.Network{ID: "mainnet", Name: "Mainnet", ChainID: chainID}, RPC: []string{node("node"), node("second")}, BlockTime: 1},
		{Network: mip.Network{ID: "testnet", Name: "Testnet", ChainID: chainID}, RPC: []string{node("node")}, BlockTime: 1},
	}
	folder := filepath.Join(w.dir, "proposals")
	if err := w.write(folder, sampleForum, s.Forum); err != nil {
		return err
	}
	o := build.Options{Site: s, Folders: []string{folder}}
	c, err := build.Load(ctx, o)
	if err != nil {
		return err
	}
	plan, err := build.NewPlan(c, o)
	if err != nil {
		return err
	}
	titles := make([]mip.Summary, len(c.Proposals))
	for i, p := range c.Proposals {
		titles[i] = p.Summary
	}
	w.titles.Store(&titles)
	for i := range plan.Artifacts {
		if plan.Artifacts[i].Route == "/openapi.json" && w.openAPI == nil {
			if w.openAPI, err = plan.Artifacts[i].Bytes(); err != nil {
				return err
			}
		}
	}
	_, err = build.Snapshot(ctx, plan, w.site(), s)
	return err
}

// site is the folder that the sidecar reads.
func (w *world) site() string { return filepath.Join(w.dir, "site") }

// write copies the samples with links to the forum where it is now, one with a text that is new.
func (w *world) write(folder, from, to string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(w.root, "proposals", "*.md"))
	if err != nil {
		return err
	}
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		out := strings.ReplaceAll(string(text), from, to)
		if i == w.builds%len(names) {
			out += fmt.Sprintf("\nThis is build %d.\n", w.builds)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(name)), []byte(out), 0o644); err != nil {
			return err
		}
	}
	for n := 1; n <= linkedTopics; n++ {
		text := fmt.Sprintf("---\nmip: %d\ntitle: Filler %d\nauthor: Ada (@ada)\nstatus: Draft\ncreated: 2026-01-02\ndiscussions-to: %s/t/topic/%d\n---\n\n## Abstract\n\nNodes must keep %d blocks.\n", 1000+n, n, to, n, n)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("MIP-%d.md", 1000+n)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// answer is what the model says when it is well: what the rules take from the text, and passages as they are.
func (w *world) answer(q upstreamtest.ModelRequest) upstreamtest.ModelReply {
	if strings.Contains(q.System, "You translate") {
		first, rest, _ := strings.Cut(q.User, "\n")
		passages, _, _ := strings.Cut(rest, "\n"+strings.TrimSuffix(first, " BEGIN")+" END")
		return upstreamtest.ModelReply{Text: passages}
	}
	asked, at := 0, len(q.User)
	for _, p := range *w.titles.Load() {
		// The header comes first, and begins with the proposal's own title.
		if i := strings.Index(q.User, p.Title); i >= 0 && i < at {
			asked, at = p.Number, i
		}
	}
	p, err := knowledge.FromFS(os.DirFS(w.site())).Proposal(context.Background(), asked)
	if err != nil {
		return upstreamtest.ModelReply{Text: "{}"} // it is being built
	}
	sum := assist.Extract(assist.Subject{Proposal: p, Now: time.Now()})
	text, err := json.Marshal(map[string]any{"tldr": sum.TLDR, "whatsChanging": sum.WhatsChanging, "developers": sum.Developers,
		"users": sum.Users, "validators": sum.Validators, "foundation": sum.Foundation})
	if err != nil {
		text = nil // made of strings
	}
	return upstreamtest.ModelReply{Text: string(text)}
}

// met notes which faults were met.
func (w *world) met(r *report) {
	for _, h := range []*host{w.forum, w.chain, w.model} {
		h.mu.Lock()
		for _, f := range h.faults {
			r.met = append(r.met, meeting{h.name, f.name, h.hit[f.name]})
		}
		h.mu.Unlock()
	}
}

// close ends the hosts and removes the folder.
func (w *world) close() {
	w.server.Close()
	os.RemoveAll(w.dir)
}
