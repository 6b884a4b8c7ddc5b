package corpus

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	// maxVersions bounds the versions of a file that are published.
	maxVersions = 20
	// maxSubject bounds the first line of a commit's message, in characters.
	maxSubject = 200
)

// Past is what git knows of a file under its present name: a rename is not followed.
type Past struct {
	Versions []Version // newest first, at least one
	// Before says what came before the oldest of Versions: "nothing", "more" when there are older
	// versions than are published, "unknown" when a shallow clone ends there.
	Before string

	top   string   // of the repository
	blobs []string // of Versions, and of the version before the oldest one if it is there
}

// Version is a state of a file as it was committed.
type Version struct {
	Commit  string
	When    mip.Time
	Subject string // of the commit: one line, printable, perhaps shortened; may be empty
}

// past gathers versions as git log tells them, newest first.
type past struct {
	commits []commit
	blobs   []string
	edge    bool // the last one is what a shallow clone begins with
}

// add takes a version into account. edge is that of a commit at which a shallow clone ends: the text is
// known there, and not who wrote it. A removal is no version.
func (p *past) add(c commit, blob string, edge bool) {
	if blob == "" || len(p.commits) > maxVersions || p.edge {
		return
	}
	c.subject = subjectLine(c.subject)
	p.commits, p.blobs, p.edge = append(p.commits, c), append(p.blobs, blob), edge
}

// subjectLine makes the first line of a message fit for a page. Messages are as free as any text.
func subjectLine(s string) string {
	clean, _ := printable([]byte(strings.ToValidUTF8(s, "\uFFFD")))
	s = foldBlanks(string(clean))
	if utf8.RuneCountInString(s) > maxSubject {
		s = string([]rune(s)[:maxSubject-1]) + "…"
	}
	return strings.Clone(s)
}

// publish returns the versions, nil when there are none.
func (p *past) publish(top string) *Past {
	out := &Past{Before: "nothing", top: top, blobs: p.blobs}
	shown := len(p.commits)
	switch {
	case p.edge:
		out.Before = "unknown"
		shown--
	case shown > maxVersions:
		out.Before = "more"
		shown--
	}
	for _, c := range p.commits[:shown] {
		out.Versions = append(out.Versions, Version{c.hash, mip.NewTime(time.Unix(c.when, 0)), c.subject})
	}
	if len(out.Versions) == 0 {
		return nil
	}
	return out
}

// Texts reads the versions of proposals, all through one git process for each repository, which runs
// from the first call of Read until Close. The zero value is ready; it is safe for concurrent use.
type Texts struct {
	mu       sync.Mutex
	programs map[string]*catFile // by the repository's top folder
}

// Read returns the texts of p.Past.Versions and, if it is there, of the version before the oldest one. A
// text that the repository does not hold, or that is larger than a proposal may be, is nil.
func (t *Texts) Read(p *Proposal) ([][]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	program, ok := t.programs[p.Past.top]
	if !ok {
		var err error
		if program, err = startCatFile(p.Past.top); err != nil {
			return nil, fmt.Errorf("versions of %s: %w", p.File, err)
		}
		if t.programs == nil {
			t.programs = map[string]*catFile{}
		}
		t.programs[p.Past.top] = program
	}
	var out [][]byte
	for _, blob := range p.Past.blobs {
		text, err := program.read(blob)
		if err != nil {
			return nil, fmt.Errorf("versions of %s: %w", p.File, err)
		}
		out = append(out, legible(text))
	}
	return out, nil
}

// Close ends the processes. Read begins anew.
func (t *Texts) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, program := range t.programs {
		program.in.Close()
		io.Copy(io.Discard, program.out)
		program.cmd.Wait() // what it answered has been read
	}
	t.programs = nil
}

// legible makes a committed text one that can stand on a page: what is refused in a proposal is replaced.
func legible(raw []byte) []byte {
	if raw == nil {
		return nil
	}
	text := bytes.ToValidUTF8(bytes.TrimPrefix(raw, []byte("\uFEFF")), []byte("\uFFFD"))
	text, _ = printable(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	if text == nil {
		return []byte{} // empty, and there
	}
	return text
}

// catFile is a running git cat-file --batch.
type catFile struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startCatFile(top string) (*catFile, error) {
	cmd := gitCommand(context.Background(), top, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGitFailed, err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGitFailed, err)
	}
	return &catFile{cmd, in, bufio.NewReader(out)}, nil
}

// read returns a blob, nil when it is not there or too large.
func (c *catFile) read(hash string) ([]byte, error) {
	if _, err := io.WriteString(c.in, hash+"\n"); err != nil {
		return nil, fmt.Errorf("%w: %w", errGitFailed, err)
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGitFailed, err)
	}
	fields := strings.Fields(line) // HASH blob SIZE, or HASH missing
	if len(fields) == 2 && fields[1] == "missing" {
		return nil, nil
	}
	if len(fields) != 3 {
		return nil, fmt.Errorf("%w: cat-file answers %q", errGitFailed, line)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: cat-file answers %q", errGitFailed, line)
	}
	body := io.LimitReader(c.out, size+1) // a line feed follows
	var text []byte
	if size <= folder.MaxFile && fields[1] == "blob" {
		text = make([]byte, size)
		_, err = io.ReadFull(body, text)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGitFailed, err)
	}
	return text, nil
}
