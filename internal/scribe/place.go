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

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/atomicfile"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/folder"
)

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
	if err := atomicfile.Write(root, name, text); err != nil {
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

// recoverFolders removes what an earlier run left half written where it was killed.
func recoverFolders(tasks []task) error {
	seen := map[string]bool{}
	for _, t := range tasks {
		if seen[t.dir] {
			continue
		}
		seen[t.dir] = true
		root, err := os.OpenRoot(t.dir)
		if err != nil {
			return err
		}
		_ = atomicfile.Recover(root, corpus.SummariesDir) // there is none, or place says what is wrong with it
		root.Close()
	}
	return nil
}
