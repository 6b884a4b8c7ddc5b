package gitsync

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	local "github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// RecordName is that of the record in its folder. It is hidden, so that no reader of proposals looks at it.
const RecordName = ".mipwatch-upstream.json"

const (
	// maxSize bounds a record, in bytes. A file with fifty versions takes about 12 KiB.
	maxSize = 64 << 20
	// maxVersions is how many versions of a file are kept: one more than a page shows, so that its oldest can be compared.
	maxVersions = 51
	// about explains the record to a person who opens it.
	about = "Written by mipwatch sync, and to be committed with the files. It tells where they are from and when they changed there."
)

// Record is what is known of one folder. The zero value is that of a folder that was never synced.
type Record struct {
	About string `json:"about"`
	// Git is the address of the upstream as site.yaml has it, without user and password.
	Git string `json:"git"`
	// Ref is as in site.yaml; empty means the default branch.
	Ref string `json:"ref"`
	// Folders are those of the upstream.
	Folders []string `json:"folders"`
	// Commit is the commit of the upstream at which Files stand.
	Commit string `json:"commit"`
	// Incomplete is true when the run had problems, and the next one has to look again.
	Incomplete bool `json:"incomplete,omitempty"`
	// Files are sorted by name.
	Files []File `json:"files"`
}

// File is one synced file.
type File struct {
	// Name is the file's name in the proposals folder.
	Name string `json:"name"`
	// Path is the file's path in the upstream.
	Path string `json:"path"`
	// SHA256 is that of the file's bytes, in hexadecimal digits.
	SHA256 string `json:"sha256"`
	// Blob is git's name for the file's bytes.
	Blob string `json:"blob"`
	// Added is the time of the first commit, when that added no other proposal.
	Added *mip.Time `json:"added,omitempty"`
	// Versions are newest first.
	Versions []Version `json:"versions,omitempty"`
}

// Version is what a commit of the upstream made of a file.
type Version struct {
	Commit string `json:"commit"`
	// Time is the committer's.
	Time mip.Time `json:"time"`
	// Author is the name in the commit. Records of older versions of the program lack it.
	Author  string `json:"author,omitempty"`
	Subject string `json:"subject"`
	// Blob is git's name for the text; empty where the commit removed the file.
	Blob string `json:"blob"`
	// Before is git's name for the text in the first parent, empty where there is none. It is nil
	// where that is the text of the next version in the list, and in records of older versions of
	// the program.
	Before *string `json:"before,omitempty"`
}

// Whole reports whether Versions go back to the first one.
func (f File) Whole() bool {
	const earlier = 21 // what an earlier release kept
	n := len(f.Versions)
	return n != maxVersions && n != earlier || f.Added != nil && f.Added.UTC().Equal(f.Versions[n-1].Time.UTC())
}

// ReadRecord reads the record of a folder, the zero record when there is none. It does not wait for a pipe.
func ReadRecord(root *os.Root) (*Record, error) {
	text, err := local.Read(root, RecordName, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return &Record{}, nil
	}
	if err != nil {
		return nil, err
	}
	// Refuse a record of a later version: its members would be lost by writing it again.
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	r := &Record{}
	if err := dec.Decode(r); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("something follows the object")
	}
	return r, r.check()
}

// check refuses what could not have been written here: names lead to files and hashes to commits. The record is
// committed, so that anybody can have edited it.
func (r *Record) check() error {
	if !git.WholeHash(r.Commit) {
		return errors.New("commit is no hash")
	}
	for i, f := range r.Files {
		ok := plainName(f.Name) && (i == 0 || r.Files[i-1].Name < f.Name) && fs.ValidPath(f.Path) && (path.Base(f.Path) == f.Name || nameOf(f.Path) == f.Name)
		ok = ok && git.WholeHash(f.SHA256) && git.WholeHash(f.Blob) && (f.Added == nil || commitTime(*f.Added))
		for _, v := range f.Versions {
			ok = ok && git.WholeHash(v.Commit) && blobOrNone(v.Blob) && blobOrNone(mip.Deref(v.Before)) && commitTime(v.Time)
		}
		if !ok || len(f.Versions) > maxVersions {
			return fmt.Errorf("files.%d is none that sync would write", i)
		}
	}
	return nil
}

// blobOrNone reports whether a name is one that a version can have for a text, or for none.
func blobOrNone(name string) bool { return name == "" || git.WholeHash(name) }

// commitTime reports whether a time is one that a commit can have here, and RFC 3339 can write.
func commitTime(t mip.Time) bool {
	const first, last = 1970, 9999
	return t.UTC().Year() >= first && t.UTC().Year() <= last
}

// plainName reports whether a name is that of a visible file in the folder itself.
func plainName(name string) bool {
	return fs.ValidPath(name) && !strings.Contains(name, "/") && !strings.HasPrefix(name, ".")
}

// File returns what is known of a file, and false when it was not synced. A nil record knows none.
func (r *Record) File(name string) (File, bool) {
	if r == nil {
		return File{}, false
	}
	i, ok := slices.BinarySearchFunc(r.Files, name, func(f File, name string) int { return strings.Compare(f.Name, name) })
	if !ok {
		return File{}, false
	}
	return r.Files[i], true
}

// encode is the file's text: indented, so that a change of it can be reviewed, and the same for the same record.
func (r *Record) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(r)
	return b.Bytes(), err
}
