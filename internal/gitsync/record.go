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

// RecordName is the name of the record in its folder. It is hidden, so that no reader of proposals
// opens it.
const RecordName = ".mipwatch-upstream.json"

// FilesFolder is the folder, in a proposals folder, of the pictures and other files that its synced
// texts name. Each has its path in the upstream.
const FilesFolder = "files"

const (
	// maxSize bounds a record, in bytes. A file with fifty versions takes about 12 KiB.
	maxSize = 64 << 20
	// maxVersions is the number of versions that are kept for a file: one more than a page shows,
	// so that the oldest shown one can be compared.
	maxVersions = 51
	// about explains the record to people who open it.
	about = "Written by mipwatch sync, and to be committed with the files. It lists the " +
		"sources of the texts and of the files that they name, and when they changed there."
)

// Record describes one synced folder. The zero value means that the folder was never synced.
type Record struct {
	About string `json:"about"`
	// Git is the address of the upstream as in site.yaml, without user and password.
	Git string `json:"git"`
	// Ref is as in site.yaml. Empty means the default branch.
	Ref string `json:"ref"`
	// Folders are the folders in the upstream.
	Folders []string `json:"folders"`
	// Commit is the upstream's commit of Files.
	Commit string `json:"commit"`
	// Incomplete is true if the run had problems, so that the next run compares again.
	Incomplete bool `json:"incomplete,omitempty"`
	// Files are sorted by name.
	Files []File `json:"files"`
}

// File is one synced file.
type File struct {
	// Name is the file's name in the proposals folder. The name of a file that a text names begins
	// with [FilesFolder].
	Name string `json:"name"`
	// Path is the file's path in the upstream.
	Path string `json:"path"`
	// SHA256 is the hash of the file's bytes, in hexadecimal.
	SHA256 string `json:"sha256"`
	// Blob is git's name for the file's bytes.
	Blob string `json:"blob"`
	// Added is the time of the first commit, if that commit added no other proposal.
	Added *mip.Time `json:"added,omitempty"`
	// Versions are newest first.
	Versions []Version `json:"versions,omitempty"`
}

// Version is a change of a file by a commit of the upstream.
type Version struct {
	Commit string `json:"commit"`
	// Time is the committer's.
	Time mip.Time `json:"time"`
	// Author is the name in the commit. Records of earlier releases lack it.
	Author  string `json:"author,omitempty"`
	Subject string `json:"subject"`
	// Blob is git's name for the text, or empty if the commit removed the file.
	Blob string `json:"blob"`
	// Before is git's name for the text in the first parent, or empty if there is none. It is nil
	// if that is the text of the next version in the list, and in records of earlier releases.
	Before *string `json:"before,omitempty"`
	// Landed is when the commit reached the upstream's branch, by a merge. It is nil if that is
	// Time, and in records of earlier releases.
	Landed *mip.Time `json:"landed,omitempty"`
}

// Whole reports whether Versions go back to the first one.
func (f File) Whole() bool {
	const earlier = 21 // an earlier release kept this many
	n := len(f.Versions)
	return n != maxVersions && n != earlier ||
		f.Added != nil && f.Added.UTC().Equal(f.Versions[n-1].Time.UTC())
}

// ReadRecord reads the record of a folder. It returns the zero record if there is none. It does not
// block on a pipe.
func ReadRecord(root *os.Root) (*Record, error) {
	text, err := local.Read(root, RecordName, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return &Record{}, nil
	}
	if err != nil {
		return nil, err
	}
	// Refuse a record of a later release: writing it again would lose its members.
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

// check refuses invalid values: names must be of files in the folder, and hashes of commits. The
// record is committed, so anybody may have edited it.
func (r *Record) check() error {
	if !git.WholeHash(r.Commit) {
		return errors.New("commit is no hash")
	}
	for i, f := range r.Files {
		ok := plainName(f.Name) && (path.Base(f.Path) == f.Name || nameOf(f.Path) == f.Name) ||
			f.Name == attachedAt(f.Path) && plainPath(f.Path)
		ok = ok && (i == 0 || r.Files[i-1].Name < f.Name) && fs.ValidPath(f.Path)
		ok = ok && git.WholeHash(f.SHA256) && git.WholeHash(f.Blob) &&
			(f.Added == nil || commitTime(*f.Added))
		for _, v := range f.Versions {
			ok = ok && git.WholeHash(v.Commit) && blobOrNone(v.Blob) &&
				blobOrNone(mip.Deref(v.Before)) && commitTime(v.Time) &&
				(v.Landed == nil || commitTime(*v.Landed))
		}
		if !ok || len(f.Versions) > maxVersions {
			return fmt.Errorf("files.%d is none that sync would write", i)
		}
	}
	return nil
}

// blobOrNone reports whether a name is git's name for a text, or empty.
func blobOrNone(name string) bool { return name == "" || git.WholeHash(name) }

// commitTime reports whether RFC 3339 can express a time and a commit may have it.
func commitTime(t mip.Time) bool {
	const first, last = 1970, 9999
	return t.UTC().Year() >= first && t.UTC().Year() <= last
}

// plainName reports whether a name is of a visible file directly in the folder.
func plainName(name string) bool {
	return fs.ValidPath(name) && !strings.Contains(name, "/") && !strings.HasPrefix(name, ".")
}

// File returns the record of a file. ok is false if the file was not synced. A nil record has no
// files.
func (r *Record) File(name string) (File, bool) {
	if r == nil {
		return File{}, false
	}
	i, ok := slices.BinarySearchFunc(r.Files, name, func(f File, name string) int {
		return strings.Compare(f.Name, name)
	})
	if !ok {
		return File{}, false
	}
	return r.Files[i], true
}

// encode returns the content of the file: indented, so that changes can be reviewed, and
// deterministic.
func (r *Record) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(r)
	return b.Bytes(), err
}
