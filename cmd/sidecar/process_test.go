//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// process is a running sidecar.
type process struct {
	testing.TB
	cmd  *exec.Cmd
	log  chan map[string]any // lines of standard output
	addr string
	seen []map[string]any
}

// start runs the program with variables and flags on a free port, and waits until it listens.
func start(t testing.TB, variables []string, args ...string) *process {
	t.Helper()
	return startBy(t, variables, append([]string{"sidecar", "--addr", "127.0.0.1:0"}, args...)...)
}

// startBy runs the program by a command line.
func startBy(t testing.TB, variables []string, command ...string) *process {
	t.Helper()
	// more than any test logs, so that the process never waits for its reader
	const mostLines = 10_000
	p := &process{TB: t, cmd: exec.CommandContext(t.Context(), command[0], command[1:]...),
		log: make(chan map[string]any, mostLines)}
	p.cmd.Dir = t.TempDir() // it has no site.yaml
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "SIDECAR_DRAIN=0s"}, variables...)
	p.cmd.Stderr = t.Output()
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.log)
		for dec := json.NewDecoder(stdout); ; {
			var line map[string]any
			if err := dec.Decode(&line); err != nil {
				return // the end, which await reports
			}
			p.log <- line
		}
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	p.addr = p.await("listening")["addr"].(string)
	return p
}

// await reads the log up to a line with the message.
func (p *process) await(message string) map[string]any {
	p.Helper()
	for line := range p.log {
		p.seen = append(p.seen, line)
		if line["msg"] == message {
			return line
		}
	}
	p.Fatalf("the log ended without %q: %v", message, p.seen)
	return nil
}

// get fetches a path and checks its status.
func (p *process) get(path string, status int) string {
	p.Helper()
	res, err := http.Get("http://" + p.addr + path)
	if err != nil {
		p.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		p.Fatalf("GET %s: status %d, %v, want %d; body %.300q",
			path, res.StatusCode, err, status, body)
	}
	return string(body)
}

func (p *process) contains(path, text string) {
	p.Helper()
	if body := p.get(path, http.StatusOK); !strings.Contains(body, text) {
		p.Errorf("GET %s: %.2000q does not hold %q", path, body, text)
	}
}

func (p *process) signal(s syscall.Signal) {
	p.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.Fatal(err)
	}
}

// wantEnd checks the log's last line and the exit code 0.
func (p *process) wantEnd() {
	p.Helper()
	p.await("stopped")
	if line, ok := <-p.log; ok {
		p.Errorf("after the last line the log has %v", line)
	}
	if err := p.cmd.Wait(); err != nil {
		p.Errorf("the process ended with %v, want exit code 0", err)
	}
}

// hosts are a forum and a chain that listen on ports of their own.
type hosts struct {
	topics *demo.Discourse
	forum  *demo.Script
	rpc    string
	site   *site.Site
}

func newHosts(t testing.TB) *hosts {
	t.Helper()
	h := &hosts{topics: demo.NewDiscourse(time.Now)}
	for id := 401; id <= 404; id++ {
		h.topics.Set(demo.Topic{ID: id, Title: fmt.Sprint("Topic ", id), Posts: 3, Participants: 2,
			Created: time.Now()})
	}
	h.forum = demo.NewScript(h.topics)
	forum := httptest.NewServer(h.forum)
	t.Cleanup(forum.Close)
	const chainID = 4711
	chain := httptest.NewServer(demo.NewChain(demo.ChainConfig{ChainID: chainID,
		Genesis: time.Now().Add(-time.Hour)}))
	t.Cleanup(chain.Close)
	h.rpc = chain.URL + "/key-that-is-secret"
	h.site = &site.Site{Title: "Sample", BaseURL: "https://mips.example.org", Prefix: "MIP",
		Forum: forum.URL, Networks: []mip.Endpoints{
			{Network: mip.Network{ID: "test-net", Name: "Test", ChainID: chainID, BlockTime: 1},
				RPC: []string{h.rpc}},
		}}
	return h
}

// publish builds a snapshot of the site with a proposal for each title.
func (h *hosts) publish(t testing.TB, dir string, titles ...string) {
	t.Helper()
	in := t.TempDir()
	for i, title := range titles {
		text := fmt.Sprintf("---\nmip: %d\ntitle: %s\nauthor: Ada (@ada)\n"+
			"status: Draft\ndiscussions-to: %s/t/topic/%d\n---\n\n## Abstract\n\nWords.\n", i+1,
			title, h.site.Forum, 401+i)
		err := os.WriteFile(filepath.Join(in, fmt.Sprintf("MIP-%d.md", i+1)), []byte(text), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	}
	h.snapshot(t, dir, in)
}

// snapshot builds a snapshot of the site with the proposals of a folder, and returns its plan.
func (h *hosts) snapshot(t testing.TB, dir, folder string) *build.Plan {
	t.Helper()
	p, err := buildtest.Plan(t.Context(), h.site, folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := build.Snapshot(t.Context(), p, dir); err != nil {
		t.Fatal(err)
	}
	return p
}

// check runs a health check on a running sidecar's address. It returns the exit code and the
// output.
func (p *process) check() (int, string) {
	p.Helper()
	_, port, err := net.SplitHostPort(p.addr)
	if err != nil {
		p.Fatal(err)
	}
	cmd := exec.CommandContext(p.Context(), "sidecar", "--check")
	// The environment's proxy must not be used. A program that counts coverage warns unless it has
	// a folder for it.
	cmd.Env = []string{"SIDECAR_ADDR=0.0.0.0:" + port, "HTTP_PROXY=http://127.0.0.1:1",
		"PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + p.TempDir()}
	out, err := cmd.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		p.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// TestReload starts without a site, reads it once it is built, and reads it again after the next
// build.
func TestReload(t *testing.T) {
	t.Parallel() // it waits for the next poll of the folder
	h := newHosts(t)
	dir := filepath.Join(t.TempDir(), "site")
	p := start(t, nil, "--site", dir)
	if line := p.await("site not loaded"); line["known"] != false ||
		!strings.Contains(fmt.Sprint(line["error"]), dir) {
		t.Errorf("log line %v, want the folder and that nothing is known", line)
	}
	body := p.get("/readyz", http.StatusServiceUnavailable)
	if !strings.Contains(body, `"code":"not_ready"`) {
		t.Errorf("GET /readyz: %s, want not_ready", body)
	}
	p.get("/healthz", http.StatusOK)
	if code, out := p.check(); code != exitNotReady ||
		!strings.Contains(out, "not ready: 0.0.0.0:") || !strings.Contains(out, " answers 503") {
		t.Errorf("--check before the site is there: exit code %d, %q, want 1 and what it answers",
			code, out)
	}

	h.publish(t, dir, "First title")
	if line := p.await("site loaded"); line["proposals"] != 1.0 {
		t.Errorf("log line %v, want 1 proposal", line)
	}
	p.contains("/readyz", `"status":"ok"`)
	if code, out := p.check(); code != exitDone || out != "" {
		t.Errorf("--check when it is ready: exit code %d, %q, want 0 and nothing", code, out)
	}
	p.contains("/api/mip-watch", `"title":"First title"`)
	p.contains("/api/mip-watch", `"topicId":401`)
	p.contains("/api/network-info", `"status":"ok"`)
	p.contains("/api/forum-activity?topicId=401", `"title":"Topic 401"`)

	h.publish(t, dir, "Second title", "Another")
	p.await("site loaded")
	p.contains("/api/mip-watch", `"title":"Second title"`)

	// A half-written site is not read: the last one stays.
	err := os.WriteFile(filepath.Join(dir, "api", "v1", "site.json"),
		[]byte(`{"title":"Third`), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if line := p.await("site not loaded"); line["known"] != true {
		t.Errorf("log line %v, want that something is known", line)
	}
	p.contains("/readyz", `"status":"ok"`)
	p.contains("/api/mip-watch", `"title":"Second title"`)
	p.signal(syscall.SIGTERM)
	p.wantEnd()
	for _, line := range p.seen {
		if strings.Contains(fmt.Sprint(line), "secret") {
			t.Errorf("log line %v shows an RPC address", line)
		}
	}
}

// TestSources reads the site from an address, and RPC addresses from site.yaml and from a variable.
// It ignores a chain whose id differs from the published one.
func TestSources(t *testing.T) {
	h := newHosts(t)
	dir := t.TempDir()
	snapshot := filepath.Join(dir, "snapshot")
	rpc := h.site.Networks[0].RPC
	h.site.Networks[0].RPC = nil
	h.publish(t, snapshot, "First title")
	h.site.Networks[0].RPC = rpc
	config := func(name string, chain int, rpc string) string {
		name = filepath.Join(dir, name)
		text := fmt.Sprintf("title: Sample\nbase_url: https://mips.example.org\nnetworks:\n"+
			"  - id: test-net\n    chain_id: %d\n    rpc: [%q]\n", chain, rpc)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const nowhere = "http://127.0.0.1:1/"
	documents := http.FileServerFS(os.DirFS(snapshot))
	published := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path += ".json" // like the rewrites of the CDN
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		documents.ServeHTTP(w, r)
	}))
	t.Cleanup(published.Close)
	for _, tt := range []struct {
		name      string
		variables []string
		args      []string
		warning   string
		want      string
	}{
		{"no RPC address", nil, []string{"--site", snapshot},
			"network test-net: no RPC address; want some in site.yaml or in RPC_TEST_NET",
			`"status":"unavailable"`},
		{"site.yaml", nil,
			[]string{"--site", snapshot, "--config", config("good.yaml", 4711, h.rpc)}, "",
			`"status":"ok"`},
		{"variables", []string{"RPC_TEST_NET=" + h.rpc, "SIDECAR_SITE=" + snapshot,
			"SIDECAR_CONFIG=" + config("away.yaml", 4711, nowhere)}, nil, "", `"status":"ok"`},
		{"address", []string{"RPC_TEST_NET=" + nowhere + "," + h.rpc},
			[]string{"--site", published.URL}, "", `"status":"ok"`},
		{"another chain", []string{"RPC_TEST_NET=" + h.rpc},
			[]string{"--site", snapshot, "--config", config("other.yaml", 4712, h.rpc)},
			"network test-net: site.yaml has the chain id 4712 and the published site 4711; it " +
				"is not asked until they agree", `"status":"unavailable"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := start(t, tt.variables, tt.args...)
			if tt.warning != "" {
				line := p.await("network not as configured")
				if line["error"] != tt.warning || line["level"] != "WARN" {
					t.Errorf("log line %v, want the warning %q", line, tt.warning)
				}
			}
			p.await("site loaded")
			p.contains("/api/network-info", tt.want)
			p.signal(syscall.SIGINT)
			p.wantEnd()
		})
	}
}

// TestStop ends the process while the forum keeps callers waiting: it accepts no new connection,
// and requests in flight get an answer.
func TestStop(t *testing.T) {
	h := newHosts(t)
	dir := t.TempDir()
	h.publish(t, dir, "One", "Two", "Three", "Four")
	arrived, release := make(chan string), make(chan struct{})
	h.forum.Always(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		select {
		case arrived <- r.URL.Path:
		case <-release: // a second attempt
		}
		select {
		case <-release:
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
	p := start(t, nil, "--site", dir)
	p.await("site loaded")
	idle := dial(t, p.addr)
	if answer, err := ask(idle, "/healthz"); err != nil || !strings.HasPrefix(answer, "200 ") {
		t.Fatalf("GET /healthz: %q, %v, want 200", answer, err)
	}
	const callers = 4
	answers := make(chan string, callers)
	for i := range callers {
		c := dial(t, p.addr)
		go func() {
			answer, err := ask(c, fmt.Sprint("/api/forum-activity?topicId=", 401+i))
			answers <- fmt.Sprintf("%.3s %v", answer, err)
		}()
	}
	for range callers {
		<-arrived
	}
	p.signal(syscall.SIGTERM)
	p.await("stopping")
	if c, err := net.Dial("tcp", p.addr); err == nil {
		c.Close()
		t.Error("a connection was taken after the process began to stop")
	}
	close(release)
	for range callers {
		// On a slow machine the request to the forum may have timed out, which is an answer too.
		if got := <-answers; got != "200 <nil>" && got != "504 <nil>" {
			t.Errorf("a request in flight was answered by %s, want 200 or 504", got)
		}
	}
	wantClosed(t, idle, "an idle connection")
	p.wantEnd()
}

// TestDrain sends SIGTERM to a process with a long drain time: it continues to answer, and /readyz
// reports that it is about to end. SIGINT does not drain.
func TestDrain(t *testing.T) {
	h := newHosts(t)
	dir := t.TempDir()
	h.publish(t, dir, "One")
	p := start(t, nil, "--site", dir, "--drain", "1m")
	p.await("site loaded")
	p.get("/readyz", http.StatusOK)
	p.signal(syscall.SIGTERM)
	p.await("draining")
	p.get("/readyz", http.StatusServiceUnavailable)
	p.get("/healthz", http.StatusOK)
	p.contains("/api/mip-watch", `"title":"One"`)
	p.signal(syscall.SIGTERM)
	if err := p.cmd.Wait(); err == nil {
		t.Error("the second signal did not end the process at once")
	}

	p = start(t, nil, "--site", dir, "--drain", "1m")
	p.signal(syscall.SIGINT)
	p.wantEnd()
	p = start(t, nil, "--site", dir, "--drain", "1ms")
	p.signal(syscall.SIGTERM)
	p.wantEnd()
}

// TestSwap removes the site's folder, as a deployment that replaces it does: answers continue,
// nothing is reported missing, and with the folder everything is read again.
func TestSwap(t *testing.T) {
	h := newHosts(t)
	dir := filepath.Join(t.TempDir(), "public")
	h.snapshot(t, dir, "../../internal/samples/proposals")
	p := start(t, []string{"REQUESTS_PER_MINUTE=1000000"}, "--site", dir)
	p.await("site loaded")
	p.contains("/readyz", `"site":"ok"`)
	p.wantSummary(`{"mipNumber": 7}`, "extractive")
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	p.await("site not loaded")
	p.contains("/readyz", `"site":"unreadable"`)
	p.contains("/api/mip-watch", `"id":"MIP-7"`)
	p.wantSummary(`{"mipNumber": 7}`, "extractive")
	p.wantProblem("/api/ai-summary", `{"mipNumber": 8}`, api.NotReady)
	p.wantProblem("/api/ai-summary", `{"mipNumber": 999}`, api.NotFound)
	if err := os.Rename(dir+".old", dir); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(p.get("/readyz", http.StatusOK), `"site":"ok"`) {
		p.get("/api/network-info", http.StatusOK)
		p.await("request")
	}
	p.wantSummary(`{"mipNumber": 8}`, "extractive")
}

// TestTold checks the log lines about the configuration at the start, including likely mistakes,
// and that they contain no value.
func TestTold(t *testing.T) {
	h := newHosts(t)
	dir := t.TempDir()
	h.publish(t, dir, "One")
	p := start(t, []string{
		"RPC_TEST_NETT=http://127.0.0.1:1/" + secret, "RPC_MAINNET=" + secret, "AI_MODLE=" + secret,
		"AI_TEMPERATURE=" + secret,
		"REDIS_URI=" + secret, "REQUEST_PER_MINUTE=5", "LOGLEVEL=debug", "TRUSTED_PROXYS=10.0.0.1",
		"SIDECAR_SIET=" + secret,
		"TRUSTED_PROXIES=0.0.0.0/0,::/0,10.0.0.0/8,fd00::/8",
		"REDIS_URL=redis://:" + secret + "@127.0.0.1:1",
		"HOME=/nowhere", "LANG=C", "SIDECAR_PORT_8081_TCP=tcp://10.0.0.7:8081",
	}, "--site", dir)
	p.await("site loaded")
	listening := p.seen[slices.IndexFunc(p.seen, func(l map[string]any) bool {
		return l["msg"] == "listening"
	})]
	for name, want := range map[string]string{
		"model": "none", "redis": "down", "proxies": "[0.0.0.0/0 ::/0 10.0.0.0/8 fd00::/8]",
		"rpc": "RPC_MAINNET, RPC_TEST_NETT",
	} {
		if listening[name] != want {
			t.Errorf("the start line says of %s %v, want %s", name, listening[name], want)
		}
	}
	var warnings []string
	for _, line := range p.seen {
		if line["level"] == "WARN" {
			warnings = append(warnings, fmt.Sprint(line["msg"], " ", line["error"]))
		}
	}
	for _, want := range []string{
		"RPC_TEST_NETT is the variable of no network of this site; want one of RPC_TEST_NET",
		"RPC_MAINNET is the variable of no network of this site; want one of RPC_TEST_NET",
		"AI_MODLE is not read: did you mean AI_MODEL?",
		"AI_TEMPERATURE is not read: no variable has this name",
		"REQUEST_PER_MINUTE is not read: did you mean REQUESTS_PER_MINUTE?",
		"LOGLEVEL is not read: did you mean LOG_LEVEL?",
		"SIDECAR_SIET is not read: did you mean SIDECAR_SITE?",
		"TRUSTED_PROXIES holds 0.0.0.0/0: ", "TRUSTED_PROXIES holds ::/0: ", "redis is down ",
	} {
		n := slices.IndexFunc(warnings, func(w string) bool { return strings.Contains(w, want) })
		if n < 0 {
			t.Errorf("no warning %q", want)
		} else {
			warnings = slices.Delete(warnings, n, n+1)
		}
	}
	if len(warnings) > 0 {
		t.Errorf("more warnings: %q", warnings)
	}
	if text := fmt.Sprint(p.seen); strings.Contains(text, secret) {
		t.Errorf("the log holds a value: %s", text)
	}
}

// TestStopAtOnce sends a second signal while the first waits for a request with an incomplete
// header.
func TestStopAtOnce(t *testing.T) {
	p := start(t, nil)
	fmt.Fprint(dial(t, p.addr), "GET /healthz HTTP/1.1\r\nHost: ")
	p.get("/healthz", http.StatusOK) // so the connection before was accepted as well
	p.signal(syscall.SIGTERM)
	p.await("stopping")
	p.signal(syscall.SIGTERM)
	err := p.cmd.Wait()
	e, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatalf("the process ended with %v, want the signal", err)
	}
	if status, ok := e.Sys().(syscall.WaitStatus); !ok || !status.Signaled() ||
		status.Signal() != syscall.SIGTERM {
		t.Errorf("the process ended with %v, want the signal", err)
	}
}

// TestHeaders sends a header of a megabyte, and one that does not end, while other requests are
// served.
func TestHeaders(t *testing.T) {
	p := start(t, nil)
	slow := dial(t, p.addr)
	fmt.Fprint(slow, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")

	huge := dial(t, p.addr)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		fmt.Fprintf(huge, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Huge: %s\r\n\r\n",
			strings.Repeat("a", 1<<20))
	}()
	res, err := http.ReadResponse(bufio.NewReader(huge), nil)
	if err != nil || res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of a megabyte: %v, %v, want 431", res, err)
	}
	huge.Close()
	<-sent
	p.get("/healthz", http.StatusOK)

	// It was only slow.
	fmt.Fprint(slow, "x\r\n\r\n")
	if answer, err := answerOf(slow); err != nil || !strings.HasPrefix(answer, "200 ") {
		t.Errorf("a slow header: %q, %v, want 200", answer, err)
	}
}

// TestManyConnections opens more silent connections than the process may have files, and more than
// may wait.
func TestManyConnections(t *testing.T) {
	p := startBy(t, nil, "sh", "-c", `ulimit -n 700; exec "$@"`, "sh", "sidecar", "--addr",
		"127.0.0.1:0")
	first := dial(t, p.addr)
	for range 900 {
		dial(t, p.addr)
	}
	wantClosed(t, first, "the first of many connections")
	p.get("/healthz", http.StatusOK)
	p.signal(syscall.SIGTERM)
	p.await("stopping")
}
