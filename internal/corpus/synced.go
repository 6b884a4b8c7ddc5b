package corpus

import (
	"context"
	"os"
	"path"
	"path/filepath"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/provenance"
)

// readRecords reads what mipwatch sync left in the folders, by folder. One that cannot be read is a problem, and
// times come from the local repository then.
func (h *history) readRecords(folders []string) {
	h.records = map[string]*provenance.Record{}
	for _, dir := range folders {
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue // told by whoever lists the folder
		}
		record, err := provenance.Read(root)
		root.Close()
		if err != nil {
			r := report{file: path.Join(filepath.ToSlash(dir), provenance.Name)}
			r.warnf(0, "upstream-record", "the record of mipwatch sync cannot be read (%v): times come from the repository here; bring it back, or remove it and sync again", folder.Cause(err))
			h.problems = append(h.problems, r.problems...)
			continue
		}
		if record != nil {
			h.records[dir] = record
		}
	}
}

// synced returns what the upstream knows of a proposal. A file that was edited since has the local
// repository's times.
func (h *history) synced(p *Proposal) (provenance.File, bool) {
	f, ok := h.records[p.source.Folder].File(p.source.Name)
	return f, ok && f.SHA256 == p.ContentHash
}

// upstreamTimes is a synced file's history, as it would be read in a clone of the upstream.
func upstreamTimes(f provenance.File) fileTimes {
	t := fileTimes{complete: f.Added != nil}
	for _, v := range f.Versions {
		c := git.Commit{Hash: v.Commit, When: v.Time.UTC().Unix(), Subject: v.Subject}
		if !t.known || c.When > t.last.When {
			t.last = c
		}
		t.known = true
		t.past.add(c, v.Blob, false)
	}
	if f.Added != nil {
		t.first = git.Commit{When: f.Added.UTC().Unix()}
	}
	return t
}

// keepTexts forgets which texts the local repository does not hold: those of synced files are there as far as
// they were committed here or fetched. Without a repository none is.
func (h *history) keepTexts(ctx context.Context, proposals []*Proposal) {
	byTop, folders := map[string][]*Past{}, map[string]string{}
	for _, p := range proposals {
		if p.Past != nil && p.Upstream {
			folders[p.Past.top] = p.source.Folder
			byTop[p.Past.top] = append(byTop[p.Past.top], p.Past)
		}
	}
	for top, pasts := range byTop {
		var hashes []string
		for _, past := range pasts {
			hashes = append(hashes, past.Texts...)
		}
		held := make([]bool, len(hashes))
		if top != "" {
			var err error
			if held, err = git.Held(ctx, top, hashes); err != nil {
				h.notice(folders[top], "history-texts", "%v: pages of versions show no texts", git.ErrFailed)
				held = make([]bool, len(hashes))
			}
		}
		for _, past := range pasts {
			for k := range past.Texts {
				if !held[k] {
					past.Texts[k] = ""
				}
			}
			held = held[len(past.Texts):]
		}
	}
}
