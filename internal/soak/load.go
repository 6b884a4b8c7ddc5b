package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load is all callers together, and what happens meanwhile.
type load struct {
	options
	world   *world
	addr    string
	checker *checker
	report  *report
	loaded  chan struct{} // told when the sidecar has a new state of its site
	began   time.Time
	asked   atomic.Int64 // questions that were begun
	turning sync.RWMutex // held while a phase begins that is not a matter of time
}

// progress is how much of the load is done, 1 at the end.
func (l *load) progress() float64 {
	if l.requests > 0 {
		return float64(l.asked.Load()) / float64(l.requests)
	}
	return float64(time.Since(l.began)) / float64(l.duration)
}

// warm asks every route once, so that what is made at first is not taken for growth.
func (l *load) warm(ctx context.Context) error {
	c := l.client()
	defer c.CloseIdleConnections()
	for _, path := range []string{"/readyz", "/api/mip-watch", "/api/network-info"} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.addr+path, nil)
		if err != nil {
			return err
		}
		res, err := c.Do(req)
		if err != nil {
			return err
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("GET %s before anything misbehaves: %s", path, res.Status)
		}
	}
	return nil
}

// misbehave gives every host its next fault when it is time, and builds the site anew, in every other phase
// with hosts that have moved: then the sidecar has nothing to fall back on.
func (l *load) misbehave(ctx context.Context) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for phase := -1; ctx.Err() == nil; {
		if next := int(l.progress() * float64(l.phases())); next > phase {
			phase = next
			l.turn(ctx, phase)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// turn begins a phase. Where questions are counted none is asked until the sidecar knows of it, so that each
// phase has its share.
func (l *load) turn(ctx context.Context, phase int) {
	if l.requests > 0 {
		l.turning.Lock()
		defer l.turning.Unlock()
	}
	select {
	case <-l.loaded: // of an earlier state
	default:
	}
	l.world.turn(phase)
	if err := l.world.publish(ctx, phase/2%2); err != nil && ctx.Err() == nil {
		l.report.broke("build: %v", err)
	}
	if l.requests > 0 {
		select {
		case <-l.loaded:
		case <-ctx.Done():
		}
	}
}

// run asks until enough was asked.
func (l *load) run(ctx context.Context) {
	all := kinds()
	total := 0
	for _, k := range all {
		total += k.weight
	}
	var callers sync.WaitGroup
	for i := range l.callers {
		callers.Go(func() {
			c := l.client()
			defer c.CloseIdleConnections()
			r := rand.New(rand.NewPCG(uint64(i), 1)) // the same questions in every run
			for l.next(ctx) {
				n := r.IntN(total)
				for _, k := range all {
					if n -= k.weight; n < 0 {
						l.ask(ctx, c, k.make(r), r)
						break
					}
				}
			}
		})
	}
	callers.Wait()
}

// next waits for the time of the next question, and reports whether there is one.
func (l *load) next(ctx context.Context) bool {
	l.turning.RLock()
	n := l.asked.Add(1)
	l.turning.RUnlock()
	if l.requests > 0 && n > int64(l.requests) || l.duration > 0 && time.Since(l.began) >= l.duration {
		return false
	}
	if l.rate == 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(time.Until(l.began.Add(time.Duration(n) * time.Second / time.Duration(l.rate)))):
		return true
	case <-ctx.Done():
		return false
	}
}

// client is one caller's way to the sidecar. It follows no redirect and undoes no coding.
func (l *load) client() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ask sends a question and has the answer judged.
func (l *load) ask(ctx context.Context, c *http.Client, q question, r *rand.Rand) {
	const most = 30 * time.Second
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if q.rude == leaving {
		timer := time.AfterFunc(hangUp, cancel)
		defer timer.Stop()
	}
	var body io.Reader = strings.NewReader(q.body)
	if q.rude == dripping {
		body = &drops{ctx: ctx, text: q.body}
	}
	var sent time.Time
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent = time.Now() }})
	req, err := http.NewRequestWithContext(ctx, q.method, "http://"+l.addr+q.path, body)
	if err != nil {
		l.report.broke("%s %s: %v", q.method, q.path, err)
		return
	}
	if q.body == "" {
		req.Body = nil
	}
	maps.Copy(req.Header, q.header)
	req.Header.Set("X-Forwarded-For", from(r))
	if tag := l.report.tag(q.path); tag != "" && r.IntN(8) == 0 {
		req.Header.Set("If-None-Match", tag)
	}
	res, err := c.Do(req)
	if err != nil {
		l.failed(ctx, q, err)
		return
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		l.failed(ctx, q, err)
		return
	}
	if q.rude == polite {
		l.report.took(routeOf(q.path), time.Since(sent))
	}
	l.checker.check(q, res, answer)
}

// failed judges that no answer came, which is nothing where the caller itself broke off.
func (l *load) failed(ctx context.Context, q question, err error) {
	if q.rude != polite || context.Cause(ctx) == context.Canceled {
		l.report.count("broken off by the caller")
		return
	}
	l.report.broke("%s %s: no answer: %v", q.method, q.path, err)
}

// drops is a body that comes byte by byte.
type drops struct {
	ctx  context.Context
	text string
	at   int
}

// Read implements [io.Reader].
func (d *drops) Read(to []byte) (int, error) {
	const every = 400 * time.Millisecond
	if d.at == len(d.text) || len(to) == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(every):
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
	to[0] = d.text[d.at]
	d.at++
	return 1, nil
}
