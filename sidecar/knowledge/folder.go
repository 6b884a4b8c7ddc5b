package knowledge

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// folder is a tree of files.
type folder struct {
	fsys fs.FS
	root string // for messages; empty for an embedded tree
}

func (f folder) name(d document) string { return path.Join(f.root, d.file()) }

func (d document) file() string { return d.route + ".json" }

// read takes a file's size and time for its mark. A file that is replaced while it is read keeps the
// older mark, and so is read again.
func (f folder) read(ctx context.Context, d document, known string) ([]byte, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", fmt.Errorf("read %s: %w", f.name(d), err)
	}
	// Looked at before it is opened: opening a named pipe waits for a writer.
	st, err := fs.Stat(f.fsys, d.file())
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w; mipwatch build writes it", f.name(d), err)
	}
	if !st.Mode().IsRegular() {
		return nil, "", fmt.Errorf("read %s: it is no regular file", f.name(d))
	}
	mark := fmt.Sprintf("%d %v", st.Size(), st.ModTime().UTC())
	if mark == known {
		return nil, "", errSame
	}
	file, err := f.fsys.Open(d.file())
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", f.name(d), err)
	}
	defer file.Close()
	body, err := readAll(file, d.limit, st.Size())
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", f.name(d), err)
	}
	return body, mark, nil
}

// readAll reads to the end, which must come within limit bytes. size is what to expect; negative is
// not known.
func readAll(r io.Reader, limit, size int64) ([]byte, error) {
	if size > limit {
		return nil, fmt.Errorf("%d bytes are more than the %d that are read", size, limit)
	}
	var b bytes.Buffer
	b.Grow(int(max(size, 0)) + bytes.MinRead) // room to see the end
	if _, err := b.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > limit {
		return nil, fmt.Errorf("it has more than the %d bytes that are read", limit)
	}
	return b.Bytes(), nil
}
