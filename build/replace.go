package build

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/mipwatch/mipwatch/internal/atomicfile"
)

// replace leaves an artifact's file with the bytes of its body, and reports whether it had others. The error is
// a [MakeError] where the body is at fault and not the folder.
func (f *folder) replace(a *Artifact) (changed bool, err error) {
	r := &replacement{root: f.root}
	if r.old, err = openRegular(f.root, a.File); err == nil {
		defer r.old.Close()
	}
	bodyErr := a.Body(r)
	if bodyErr == nil && r.err == nil {
		changed, r.err = r.commit(a.File)
	} else if r.temp != nil {
		r.temp.Remove()
	}
	switch {
	case r.err != nil:
		return false, fmt.Errorf("write %s: %w", f.path(a.File), r.err)
	case bodyErr != nil:
		return false, a.makeError(bodyErr)
	}
	return changed, nil
}

// openRegular opens a regular file, without blocking should somebody have put a pipe there.
func openRegular(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fs.ErrInvalid, err, file.Close())
	}
	return file, nil
}

// replacement compares the bytes that are written to it with a file, and begins a temporary file at the first
// difference: most artifacts are on the disk already, and none has to be held in memory to find that out.
type replacement struct {
	root *os.Root
	old  *os.File         // nil: there is none, and all its methods fail
	same int64            // bytes that old and the written ones have in common
	temp *atomicfile.Temp // nil: no difference so far
	err  error            // the first of reading or writing files
}

// Write implements [io.Writer].
func (r *replacement) Write(b []byte) (n int, err error) {
	if r.err == nil && r.temp == nil {
		if r.matches(b) {
			r.same += int64(len(b))
			return len(b), nil
		}
		r.err = r.begin()
	}
	if r.err == nil {
		n, r.err = r.temp.Write(b)
	}
	return n, r.err
}

// matches reports whether the old file goes on with these bytes.
func (r *replacement) matches(b []byte) bool {
	old := make([]byte, len(b))
	n, _ := r.old.ReadAt(old, r.same)
	return bytes.Equal(old[:n], b)
}

// begin makes the temporary file, with the bytes that both have.
func (r *replacement) begin() (err error) {
	r.temp, err = atomicfile.Create(r.root, stateDir)
	if err == nil && r.same > 0 {
		_, err = io.Copy(r.temp, io.NewSectionReader(r.old, 0, r.same))
	}
	return err
}

// commit puts the temporary file in place, unless the old one has the same bytes.
func (r *replacement) commit(name string) (changed bool, err error) {
	if r.temp == nil {
		if info, err := r.old.Stat(); err == nil && info.Size() == r.same {
			return false, nil
		}
		if err := r.begin(); err != nil {
			return false, err
		}
	}
	return true, r.temp.Commit(name)
}
