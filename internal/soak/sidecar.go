package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	sampleEvery = time.Second
	startMost   = 30 * time.Second // until the site is known
	settleMost  = 90 * time.Second // idle connections are kept for half a minute, and for another by the server
	stopMost    = 15 * time.Second
)

// process is the sidecar that is being soaked.
type process struct {
	cmd     *exec.Cmd
	report  *report
	client  *http.Client // of the metrics
	addr    string
	metrics string
	version string
	read    sync.WaitGroup // of its output
	errors  bytes.Buffer   // of standard error
	loaded  chan struct{}  // told when there is a new state of the site
}

// startSidecar builds the program, starts it, and waits until it knows the site.
func startSidecar(ctx context.Context, w *world, o options, r *report) (*process, error) {
	file := filepath.Join(w.dir, "sidecar")
	build := exec.CommandContext(ctx, "go", "build", "-o", file, "./cmd/sidecar")
	build.Dir = w.root
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	p := &process{report: r, client: &http.Client{Timeout: startMost}, loaded: make(chan struct{}, 1)}
	p.cmd = exec.CommandContext(ctx, file, "--addr", "127.0.0.1:0", "--metrics-addr", "127.0.0.1:0", "--site", w.site())
	p.cmd.Dir, p.cmd.Stderr = w.dir, &p.errors
	p.cmd.Env = []string{"TRUSTED_PROXIES=127.0.0.1", "AI_PROVIDER=openai", "AI_MODEL=soak-1", "OPENAI_API_KEY=" + modelKey,
		"AI_BASE_URL=" + w.base + "/model", "AI_TIMEOUT=" + o.aiTimeout.String(), "AI_CALLS_PER_MINUTE=1000000", "AI_TOKENS_PER_DAY=1000000000"}
	if redis := os.Getenv("REDIS_URL"); redis != "" {
		p.cmd.Env = append(p.cmd.Env, "REDIS_URL="+redis)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	known := make(chan struct{})
	p.read.Go(func() { p.log(stdout, known) })
	select {
	case <-known:
		return p, nil
	case <-time.After(startMost):
	case <-ctx.Done():
	}
	p.kill()
	return nil, fmt.Errorf("the sidecar does not get to know its site: %s", &p.errors)
}

// log reads the log to its end, and holds it to what it must not say.
func (p *process) log(stdout io.Reader, known chan struct{}) {
	lines := bufio.NewReader(stdout)
	for once := sync.OnceFunc(func() { close(known) }); ; {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return // the end
		}
		var line struct{ Level, Msg, Addr, Version string }
		if err := json.Unmarshal(text, &line); err != nil {
			p.report.broke("log: a line is no JSON: %.300s", text)
			continue
		}
		for _, secret := range []string{rpcKey, modelKey, leak} {
			if bytes.Contains(text, []byte(secret)) {
				p.report.broke("log: a line holds %q: %.300s", secret, text)
			}
		}
		switch line.Msg {
		case "listening":
			p.addr, p.version = line.Addr, line.Version
		case "metrics":
			p.metrics = "http://" + line.Addr + "/metrics"
		case "site loaded":
			p.report.count("site loaded")
			once()
			select {
			case p.loaded <- struct{}{}:
			default: // nobody has looked yet
			}
		case "panic", "answer", "requests were cut off", "no metrics any more":
			p.report.broke("log: %.2000s", text)
		}
	}
}

// sample is the process at one moment.
type sample struct {
	at                          time.Time
	goroutines, files, resident float64
	inFlight                    float64
}

// sample reads the metrics.
func (p *process) sample(ctx context.Context) (s sample, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.metrics, nil)
	if err != nil {
		return s, err
	}
	res, err := p.client.Do(req)
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	s.at = time.Now()
	wanted := map[string]*float64{"go_goroutines": &s.goroutines, "process_open_fds": &s.files, "process_resident_memory_bytes": &s.resident, "mipwatch_http_requests_in_flight": &s.inFlight}
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if to, ok := wanted[name]; ok {
			if *to, err = strconv.ParseFloat(value, 64); err != nil {
				return s, fmt.Errorf("%s: %w", name, err)
			}
			delete(wanted, name)
		}
	}
	for name := range wanted {
		return s, fmt.Errorf("the metrics have no %s here", name)
	}
	return s, nil
}

// watch samples until ctx ends.
func (p *process) watch(ctx context.Context) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s, err := p.sample(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			p.report.broke("metrics: %v", err)
		default:
			p.report.samples = append(p.report.samples, s)
		}
	}
}

// settle waits until the process is as it was before it was asked, give or take some.
func (p *process) settle(ctx context.Context, more int) error {
	tick := time.NewTicker(sampleEvery / 4)
	defer tick.Stop()
	for end := time.Now().Add(settleMost); ; {
		s, err := p.sample(ctx)
		if err != nil {
			return err
		}
		p.report.last = s
		if s.inFlight == 0 && s.goroutines <= p.report.base.goroutines+float64(more) && s.files <= p.report.base.files+float64(more) {
			return nil
		}
		if time.Now().After(end) {
			p.report.broke("growth: %v after the last request there are %.0f goroutines, %.0f files and %.0f requests in flight; before the first there were %.0f, %.0f and none",
				settleMost, s.goroutines, s.files, s.inFlight, p.report.base.goroutines, p.report.base.files)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// stop ends the process as an operator does, and wants it to end well.
func (p *process) stop() {
	p.client.CloseIdleConnections()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.report.broke("stop: %v", err)
	}
	late := time.AfterFunc(stopMost, func() { p.cmd.Process.Kill() })
	defer late.Stop()
	p.read.Wait()
	if err := p.cmd.Wait(); err != nil {
		p.report.broke("stop: the process ended with %v, want exit code 0", err)
	}
	if p.errors.Len() > 0 {
		p.report.broke("stop: standard error holds %.2000s", &p.errors)
	}
}

// kill ends a process that is still there.
func (p *process) kill() {
	if err := p.cmd.Process.Kill(); errors.Is(err, os.ErrProcessDone) {
		return
	}
	p.read.Wait()
	p.cmd.Wait()
}
