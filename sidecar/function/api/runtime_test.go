package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// prefix begins the paths of the Runtime API.
const prefix = "/2018-06-01/runtime/"

// allowed is the time limit of an invocation on Netlify.
const allowed = 10 * time.Second

// process is a function that runs as on AWS Lambda: it fetches events from a Runtime API and posts
// its answers there (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html). Only one
// goroutine at a time may call its methods.
type process struct {
	Cmd *exec.Cmd

	events  chan invocation
	results chan Result
	ended   chan struct{} // closed when the process has ended
	err     error         // result of the process, once ended is closed
	count   int
	log     string // a file; output before an answer is in it when the answer arrives
}

type invocation struct {
	id       string
	payload  string
	deadline time.Time
}

// Result is the result of an invocation.
type Result struct {
	ID      string
	Payload []byte
	Failed  bool // the payload is an error: errorType and errorMessage
}

// startFunction runs a program with only these variables, until t ends.
func startFunction(t testing.TB, program string, variables ...string) *process {
	t.Helper()
	p := &process{
		events: make(chan invocation), results: make(chan Result), ended: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+prefix+"invocation/next", p.next)
	mux.HandleFunc("POST "+prefix+"invocation/{id}/{kind}", p.result)
	api := httptest.NewServer(mux)
	t.Cleanup(api.Close)
	p.Cmd = exec.CommandContext(t.Context(), program)
	p.Cmd.Dir = t.TempDir()
	host := strings.TrimPrefix(api.URL, "http://")
	p.Cmd.Env = append([]string{"AWS_LAMBDA_RUNTIME_API=" + host, itself + "=1"}, variables...)
	p.log = filepath.Join(t.TempDir(), "log")
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p.Cmd.Stdout, p.Cmd.Stderr = log, log
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.Cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.Stop)
	return p
}

// Stop kills the process, as the platform does, and waits until it has ended.
func (p *process) Stop() {
	p.Cmd.Process.Kill()
	<-p.ended
}

// next waits for the next event and hands it out.
func (p *process) next(w http.ResponseWriter, r *http.Request) {
	select {
	case i := <-p.events:
		h := w.Header()
		h.Set("Lambda-Runtime-Aws-Request-Id", i.id)
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(i.deadline.UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn",
			"arn:aws:lambda:eu-central-1:000000000000:function:api")
		io.WriteString(w, i.payload)
	case <-r.Context().Done():
	}
}

func (p *process) result(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	kind := r.PathValue("kind")
	if err != nil || kind != "response" && kind != "error" {
		http.NotFound(w, r)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	select {
	case p.results <- Result{r.PathValue("id"), body, kind == "error"}:
	case <-r.Context().Done():
	}
}

// Invoke passes an event to the function and waits for the result.
func (p *process) Invoke(t testing.TB, payload string) Result {
	t.Helper()
	p.count++
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", p.count)
	select {
	case p.events <- invocation{id, payload, time.Now().Add(allowed)}:
	case <-p.ended:
		t.Fatalf("the function ended before it took event %d: %v\n%s", p.count, p.err, p.Log())
	}
	select {
	case result := <-p.results:
		if result.ID != id {
			t.Fatalf("the function answered %s, want %s", result.ID, id)
		}
		return result
	case <-p.ended:
		t.Fatalf("the function ended before it answered event %d: %v\n%s", p.count, p.err, p.Log())
	}
	return Result{}
}

// Log is the output of the process so far.
func (p *process) Log() string {
	b, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// Answer decodes a result.
func (r Result) Answer(t testing.TB) Answer {
	t.Helper()
	var a Answer
	if err := json.Unmarshal(r.Payload, &a); err != nil || r.Failed {
		t.Fatalf("invocation %s: failed %v, %s: %v", r.ID, r.Failed, r.Payload, err)
	}
	return a
}

// Answer is a result in the form that a gateway expects.
type Answer struct {
	StatusCode      int
	Headers         map[string]string
	Body            string
	IsBase64Encoded bool
}
