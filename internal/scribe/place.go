package scribe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/folder"
)

// tempPrefix is how files begin that are not whole yet. They are hidden, so nobody takes them for a
// summary.
const tempPrefix = ".mipwatch-tmp-"

// place writes a summary into a folder of proposals, whole or not at all, and never outside of it.
func place(dir, name string, sum api.Summary) error {
	wrap := func(err error) error {
		return fmt.Errorf("write %s: %w: %w", file(dir, name), ErrWrite, folder.Cause(err))
	}
	text, err := encode(sum)
	if err != nil {
		return wrap(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return wrap(err)
	}
	defer root.Close()
	if err := root.Mkdir(path.Dir(name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return wrap(err)
	}
	// Two programs that do this at once differ in their numbers.
	temp := path.Join(path.Dir(name), tempPrefix+strconv.Itoa(os.Getpid())+"-"+path.Base(name))
	if err := root.WriteFile(temp, text, 0o644); err != nil {
		root.Remove(temp)
		return wrap(err)
	}
	if err := root.Rename(temp, name); err != nil {
		root.Remove(temp)
		return wrap(err)
	}
	return nil
}

// encode is a summary as people review it: a line for each member.
func encode(sum api.Summary) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(sum)
	return b.Bytes(), err
}

// file is a file as problems name it.
func file(dir, name string) string { return path.Join(filepath.ToSlash(dir), name) }

// sweep removes what an earlier run left half written where it was killed.
func sweep(tasks []task) error {
	swept := map[string]bool{}
	for _, t := range tasks {
		if swept[t.dir] {
			continue
		}
		swept[t.dir] = true
		if err := sweepFolder(t.dir); err != nil {
			return err
		}
	}
	return nil
}

func sweepFolder(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), corpus.SummariesDir)
	if err != nil {
		return nil // there is none, or place will say what is wrong with it
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			root.Remove(path.Join(corpus.SummariesDir, e.Name()))
		}
	}
	return nil
}
