package folder

import (
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
)

var (
	errIrregular = errors.New("not a regular file")
	errTooLarge  = errors.New("larger than 1 MiB")
)

// Read reads the whole file; root is its folder. It never waits: a pipe is opened
// without blocking and refused. [File.Refusal] explains its errors.
func (f *File) Read(root *os.Root) ([]byte, error) {
	if f.Irregular {
		return nil, errIrregular
	}
	if f.Link { // opening a device may have effects, even through a link
		info, err := root.Stat(f.Name)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, errIrregular
		}
	}
	file, err := root.OpenFile(f.Name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	if info.Size() > MaxFile {
		return nil, errTooLarge
	}
	// One byte more than the file has, so that the end is found without growing.
	buf := make([]byte, 0, info.Size()+1)
	for len(buf) <= MaxFile {
		n, err := file.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, MaxFile/8)
		}
	}
	return nil, errTooLarge
}
