package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// Blobs is a running git cat-file --batch, which reads committed texts. One goroutine may use it at a time.
type Blobs struct {
	open func() (*Blobs, error) // begins anew; nil where every blob is there or git says that it is not
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// OpenBlobs starts the process in a repository. It ends with [Blobs.Close].
func OpenBlobs(ctx context.Context, top string) (*Blobs, error) {
	if !Partial(ctx, top) {
		return openBlobs(ctx, top)
	}
	open := func() (*Blobs, error) { return openBlobs(ctx, top) }
	c, err := open()
	if err == nil {
		c.open = open
	}
	return c, err
}

func openBlobs(ctx context.Context, top string) (*Blobs, error) {
	cmd := Command(ctx, top, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFailed, err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return &Blobs{cmd: cmd, in: in, out: bufio.NewReader(out)}, nil
}

// Close ends the process.
func (c *Blobs) Close() {
	c.in.Close()
	io.Copy(io.Discard, c.out)
	c.cmd.Wait() // what it answered has been read
}

// Partial reports whether a clone was made without some of the contents that its commits name (git clone
// --filter) and still lacks some. Nothing is fetched here, so they are not there.
func Partial(ctx context.Context, top string) bool {
	if Command(ctx, top, "config", "--get-regexp", `^remote\..*\.promisor$`).Run() != nil {
		return false
	}
	missing := errors.New("an object is missing")
	err := stream(ctx, top, nil, func(out io.Reader) error {
		for in := bufio.NewScanner(out); in.Scan(); {
			if strings.HasPrefix(in.Text(), "?") {
				return missing
			}
		}
		return nil
	}, "rev-list", "--objects", "--no-object-names", "--missing=print", "HEAD")
	return err == missing
}

// Read returns a blob, nil when it is not there or larger than so many bytes.
func (c *Blobs) Read(hash string, most int64) ([]byte, error) {
	text, err := c.read(hash, most)
	if err == nil || c.open == nil {
		return text, err
	}
	// git ends when it would have to fetch what it is asked for.
	c.Close()
	next, err := c.open()
	if err != nil {
		return nil, err
	}
	c.cmd, c.in, c.out = next.cmd, next.in, next.out
	return nil, nil
}

func (c *Blobs) read(hash string, most int64) ([]byte, error) {
	if _, err := io.WriteString(c.in, hash+"\n"); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFailed, err)
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFailed, err)
	}
	fields := strings.Fields(line) // HASH blob SIZE, or HASH missing
	if len(fields) == 2 && fields[1] == "missing" {
		return nil, nil
	}
	if len(fields) != 3 {
		return nil, fmt.Errorf("%w: cat-file answers %q", ErrFailed, line)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: cat-file answers %q", ErrFailed, line)
	}
	body := io.LimitReader(c.out, size+1) // a line feed follows
	var text []byte
	if size <= most && fields[1] == "blob" {
		text = make([]byte, size)
		_, err = io.ReadFull(body, text)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return text, nil
}

// Held says of each hash whether the repository holds a blob of that name. Nothing is fetched for it.
func Held(ctx context.Context, top string, hashes []string) ([]bool, error) {
	held := make([]bool, len(hashes))
	answers := 0
	err := stream(ctx, top, strings.NewReader(strings.Join(hashes, "\n")+"\n"), func(out io.Reader) error {
		for in := bufio.NewScanner(out); in.Scan() && answers < len(hashes); answers++ {
			held[answers] = in.Text() == "blob"
		}
		return nil
	}, "cat-file", "--batch-check=%(objecttype)")
	if err != nil {
		// In a clone without all contents, git before version 2.45 ends when it is asked for what is not there.
		return held, heldOfAll(ctx, top, hashes, held)
	}
	if answers != len(hashes) {
		return nil, fmt.Errorf("%w: cat-file answers %d lines to %d hashes", ErrFailed, answers, len(hashes))
	}
	return held, nil
}

// heldOfAll looks for the hashes among all that the repository holds.
func heldOfAll(ctx context.Context, top string, hashes []string, held []bool) error {
	at := map[string][]int{}
	for i, hash := range hashes {
		at[hash] = append(at[hash], i)
	}
	clear(held)
	return stream(ctx, top, nil, func(out io.Reader) error {
		for in := bufio.NewScanner(out); in.Scan(); {
			hash, kind, _ := strings.Cut(in.Text(), " ")
			for _, i := range at[hash] {
				held[i] = kind == "blob"
			}
		}
		return nil
	}, "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname) %(objecttype)")
}
