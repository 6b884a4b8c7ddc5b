package gitsync

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// RecordName is that of the record in its folder. It is hidden, so that no reader of proposals looks at it.
const RecordName = ".mipwatch-upstream.json"

// maxSize bounds a record, in bytes. A file with twenty versions takes about 5 KiB.
const maxSize = 64 << 20

// MaxVersions is how many versions of a file are kept: one more than a page shows, so that its oldest can be compared.
const MaxVersions = 21

// about explains the record to a person who opens it.
const about = "Written by mipwatch sync, and to be committed with the files. It tells whose they are and when they changed upstream."

// Record is what is known of one folder. The zero value is that of a folder that was never synced.
type Record struct {
	About string `json:"about"`
	// Git is the address of the upstream, without user and password.
	Git string `json:"git"`
	// Ref is as in site.yaml; empty means the default branch.
	Ref string `json:"ref"`
	// Folders are those of the upstream.
	Folders []string `json:"folders"`
	// Commit is the commit of the upstream at which Files stand.
	Commit string `json:"commit"`
	// Incomplete is true when files of the upstream were left out.
	Incomplete bool `json:"incomplete,omitempty"`
	// Files are sorted by name.
	Files []File `json:"files"`
	// Placing lists, by name, files that a run that did not end may have put in place.
	Placing []Placed `json:"placing,omitempty"`
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
	// Versions are newest first, at most [MaxVersions].
	Versions []Version `json:"versions,omitempty"`
}

// Version is a commit of the upstream that touched a file.
type Version struct {
	Commit string `json:"commit"`
	// Time is the committer's.
	Time    mip.Time `json:"time"`
	Subject string   `json:"subject"`
	Blob    string   `json:"blob"`
}

// Placed is a file that is being put in place.
type Placed struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// ReadRecord reads the record of a folder; nil when there is none. It never waits.
func ReadRecord(root *os.Root) (*Record, error) {
	// A pipe or a device in its place could block a build for ever.
	info, err := root.Lstat(RecordName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > maxSize:
		return nil, fmt.Errorf("it is larger than %d bytes", maxSize)
	}
	f, err := root.OpenFile(RecordName, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// A record of a later version has members that would be lost by writing it again.
	dec := json.NewDecoder(io.LimitReader(f, maxSize))
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

// check refuses what could not have been written here: names lead to files and hashes to commits.
func (r *Record) check() error {
	if !git.WholeHash(r.Commit) {
		return errors.New("commit is no hash")
	}
	// The record is committed, so that anybody can have edited it.
	for i, f := range r.Files {
		switch {
		case !plainName(f.Name) || i > 0 && r.Files[i-1].Name >= f.Name:
			return fmt.Errorf("files.%d.name is no file name, or not in order", i)
		case !fs.ValidPath(f.Path) || path.Base(f.Path) != f.Name:
			return fmt.Errorf("files.%d.path does not lead to a file of that name", i)
		case !git.WholeHash(f.SHA256) || !git.WholeHash(f.Blob):
			return fmt.Errorf("files.%d has no sha256 or no blob", i)
		case f.Added != nil && !commitTime(*f.Added):
			return fmt.Errorf("files.%d.added is no time from 1970 through 9999", i)
		case len(f.Versions) > MaxVersions:
			return fmt.Errorf("files.%d.versions are more than %d", i, MaxVersions)
		}
		for k, v := range f.Versions {
			if !git.WholeHash(v.Commit) || !git.WholeHash(v.Blob) || !commitTime(v.Time) {
				return fmt.Errorf("files.%d.versions.%d has no commit, no blob or no time from 1970 through 9999", i, k)
			}
		}
	}
	for i, p := range r.Placing {
		if !plainName(p.Name) || !git.WholeHash(p.SHA256) {
			return fmt.Errorf("placing.%d has no name or no sha256", i)
		}
	}
	return nil
}

// commitTime reports whether a time is one that a commit can have here, and RFC 3339 can write.
func commitTime(t mip.Time) bool {
	const first, last = 1970, 9999
	return t.UTC().Year() >= first && t.UTC().Year() <= last
}

// plainName reports whether a name is that of a visible file in the folder itself.
func plainName(name string) bool {
	return fs.ValidPath(name) && !strings.Contains(name, "/") && !strings.HasPrefix(name, ".")
}

// File returns what is known of a file, and false when it was not synced.
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

// names are those of all files that sync put into the folder, or was about to, sorted.
func (r *Record) names() []string {
	var names []string
	if r != nil {
		for _, f := range r.Files {
			names = append(names, f.Name)
		}
		for _, p := range r.Placing {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Ours reports whether bytes with this SHA-256 are what sync put under a name, or was about to.
func (r *Record) Ours(name, sha256 string) bool {
	f, ok := r.File(name)
	return ok && f.SHA256 == sha256 || r != nil && slices.Contains(r.Placing, Placed{name, sha256})
}

// Encode is the file's text: indented, so that a change of it can be reviewed, and the same for the same record.
func (r *Record) Encode() ([]byte, error) {
	out := *r
	out.About = about
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(out)
	return b.Bytes(), err
}
