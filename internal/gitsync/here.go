package gitsync

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"

	local "github.com/mipwatch/mipwatch/internal/folder"
)

// irregular replaces the hash of a folder, a link or an unreadable file. It is no file's hash.
const irregular = "irregular"

// readFiles reads the folder's files. Symbolic links are treated as foreign files.
func (f *folder) readFiles() error {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return f.failed("", err)
	}
	f.here = map[string]string{}
	for _, e := range entries {
		f.readFile(e.Name())
	}
	for _, old := range f.old.Files {
		f.readFile(old.Name)
	}
	for name := range f.texts {
		f.readFile(name)
	}
	return nil
}

// readFile adds the hash of a file of the folder, unless it is known or the file is missing.
func (f *folder) readFile(name string) {
	if _, done := f.here[name]; done {
		return
	}
	info, err := f.root.Lstat(name)
	if err != nil {
		return
	}
	f.here[name] = irregular
	if !info.Mode().IsRegular() {
		return
	}
	if raw, err := local.Read(f.root, name, maxFile); err == nil {
		f.here[name] = hashOf(raw)
	}
}

// hashOf returns the SHA-256 of a file in hexadecimal digits.
func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
