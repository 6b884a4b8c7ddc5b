package history

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// content is the content of a version of a file as far as it matters for events.
type content struct {
	ID mip.ID
	// Read is true if the header was read. Otherwise only ID and Body are set.
	Read bool
	// Title is empty if it is unknown.
	Title  string
	Status mip.Status
	// Created is the day in the header, or zero for none.
	Created mip.Date
	// Deadline is the end of a last call, or zero for none. It is nil if the date is ambiguous.
	Deadline *mip.Date
	// Relations are the header's references to other proposals, such as "requires MIP-3", sorted.
	Relations []string
	// Body is the result of [bodyOf].
	Body [sha256.Size]byte
}

// textStep is the change of a file by a commit. After is nil if the commit left no proposal there,
// or if Unread is true, since the text is unknown. Before is the text in the first parent, or nil
// if there is none or it is unknown. New is true if there is none.
type textStep struct {
	Path          string
	Before, After *content
	Unread, New   bool
}

// textCommit is a commit with the contents of its files.
type textCommit struct {
	*git.Commit
	// Edge is true if the commit's parents are unknown: all of its files look new.
	Edge bool
	// Import is true if the commit imports texts, so that its time is not when they were created.
	Import bool
	// Texts are in the order of the commit's files.
	Texts []textStep
}

// find returns the events of histories, in that order. The histories share no files, and have
// parents before their children. The events have no URL, and their Title is the last known one.
func find(histories ...[]textCommit) (out []mip.Event) {
	had := map[mip.ID]bool{}
	for _, history := range histories {
		f := finder{texts: map[string]*content{}, paths: map[mip.ID]map[string]bool{},
			records: map[mip.ID]*record{}, had: had, unread: map[string]*textCommit{}}
		for i := range history {
			f.commit(&history[i])
		}
		for _, e := range f.events {
			e.MIP, e.Title = e.of.id, cmp.Or(e.of.text.Title, e.of.id.String())
			out = append(out, e.Event)
		}
	}
	return out
}

// finder is the state of all files and proposals at a commit.
type finder struct {
	// texts are the proposals' files by path. paths are the paths of each proposal.
	texts   map[string]*content
	paths   map[mip.ID]map[string]bool
	records map[mip.ID]*record
	// had are the ids that any proposal has or had.
	had map[mip.ID]bool
	// unread are the commits that added files whose texts are unknown so far, by path.
	unread map[string]*textCommit
	events []found
}

// record tracks one proposal across renumbering. id is its present or last one.
type record struct {
	id mip.ID
	// file is the path of its text, or "" while there is none.
	file string
	text content
}

// found is an event of a proposal that may still be renumbered.
type found struct {
	mip.Event
	of *record
}

// commit applies a commit and adds its events.
func (f *finder) commit(c *textCommit) {
	touched, ids := map[string]*textStep{}, map[mip.ID]bool{}
	for i := range c.Texts {
		file := &c.Texts[i]
		if file.Unread {
			if file.New {
				f.unread[file.Path] = c
			}
			continue
		}
		touched[file.Path] = file
		if old := f.texts[file.Path]; old != nil {
			ids[old.ID] = true
		}
		f.put(file.Path, file.After)
		if file.After != nil {
			ids[file.After.ID] = true
		} else {
			delete(f.unread, file.Path)
		}
	}
	var came, went []mip.ID
	for _, id := range slices.SortedFunc(maps.Keys(ids), mip.ID.Compare) {
		r, here := f.records[id], f.holder(id)
		switch alive := r != nil && r.file != ""; {
		case alive && here == "":
			went = append(went, id)
		case !alive && here != "":
			came = append(came, id)
		case alive && r.file != here: // the file moved, or one of two was removed
			r.file = here
			f.compare(c, r, nil)
		case alive && touched[here] != nil:
			f.compare(c, r, touched[here].Before)
		}
	}
	for _, id := range came {
		here := f.holder(id)
		text := f.texts[here]
		i := slices.IndexFunc(went, func(old mip.ID) bool {
			return f.sameText(f.records[old], here)
		})
		switch r := f.records[id]; {
		case i >= 0:
			r = f.records[went[i]]
			delete(f.records, went[i])
			from, to := r.id.String(), id.String()
			r.id, r.file, f.records[id] = id, here, r
			f.add(c, r, mip.EventRenumbered, &from, &to)
			f.compare(c, r, nil)
			went = slices.Delete(went, i, i+1)
		case r != nil: // it was removed, and is back
			r.file = here
			f.add(c, r, mip.EventCreated, nil, mip.Ref(string(text.Status)))
			r.update(text)
		default:
			r = &record{id: id, file: here}
			r.update(text)
			f.records[id] = r
			if first := f.unread[here]; first != nil { // with a status that is unknown
				f.add(first, r, mip.EventCreated, nil, nil)
			} else {
				f.add(c, r, mip.EventCreated, nil, mip.Ref(string(text.Status)))
			}
		}
	}
	for _, id := range went {
		r := f.records[id]
		r.file = ""
		f.add(c, r, mip.EventRemoved, mip.Ref(string(r.text.Status)), nil)
	}
}

// put sets the text of a file. Nil removes it.
func (f *finder) put(path string, text *content) {
	if old := f.texts[path]; old != nil {
		delete(f.paths[old.ID], path)
		delete(f.texts, path)
	}
	if text == nil {
		return
	}
	f.texts[path] = text
	if f.paths[text.ID] == nil {
		f.paths[text.ID] = map[string]bool{}
	}
	f.paths[text.ID][path] = true
}

// holder is the path of a proposal's file: its previous path if that still exists, else the first,
// else "". A file with a header comes before one without, which may be a notice of a move.
func (f *finder) holder(id mip.ID) string {
	had := ""
	if r := f.records[id]; r != nil {
		had = r.file
	}
	rank := func(path string) int {
		switch read := f.texts[path].Read; {
		case read && path == had:
			return 0
		case read:
			return 1
		case path == had:
			return 2
		}
		return 3
	}
	if len(f.paths[id]) == 0 {
		return ""
	}
	return slices.MinFunc(slices.Collect(maps.Keys(f.paths[id])), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
}

// sameText reports whether a file has the text of a proposal that has just lost its own: the same
// path, body or title.
func (f *finder) sameText(r *record, path string) bool {
	text := f.texts[path]
	return r.file == path || text.Body == r.text.Body && text.Body != bodyOf("") ||
		text.Title != "" && text.Title == r.text.Title
}

// update sets the known parts of a proposal's text.
func (r *record) update(t *content) {
	old := r.text
	r.text = *t
	if !t.Read {
		r.text = content{
			ID: t.ID, Title: t.Title, Body: t.Body,
			Read: old.Read, Status: old.Status, Deadline: old.Deadline, Relations: old.Relations,
		}
	}
	if r.text.Title == "" {
		r.text.Title = old.Title
	}
	if r.text.Deadline == nil {
		r.text.Deadline = old.Deadline
	}
}

// compare adds the events of a commit about one proposal. before is the text in the commit's first
// parent, or nil if that is unknown or another file.
func (f *finder) compare(c *textCommit, r *record, before *content) {
	now, next := r.text, f.texts[r.file]
	if c.Edge || !now.Read && next.Read {
		r.update(next)
		return
	}
	// was and is report whether a text equals the one before and the next. On a branch from an
	// unknown state nothing counts before the merge.
	moved := func(was, is func(*content) bool) bool {
		return !is(&now) && (c.Merge || before == nil || !before.Read || was(before))
	}
	if next.Read {
		if moved(now.sameStatus, next.sameStatus) {
			f.add(c, r, mip.EventStatus, mip.Ref(string(now.Status)), mip.Ref(string(next.Status)))
			r.text.Status = next.Status
		}
		if next.Deadline != nil && now.Deadline == nil {
			r.text.Deadline = next.Deadline
		} else if next.Deadline != nil && moved(now.sameDeadline, next.sameDeadline) {
			f.add(c, r, mip.EventDeadline, mip.Ref(now.Deadline.String()),
				mip.Ref(next.Deadline.String()))
			r.text.Deadline = next.Deadline
		}
		if next.Title != "" && now.Title == "" {
			r.text.Title = next.Title
		} else if next.Title != "" && moved(now.sameTitle, next.sameTitle) {
			f.add(c, r, mip.EventTitle, &now.Title, &next.Title)
			r.text.Title = next.Title
		}
		f.relations(c, r, before, next)
	}
	if next.Body != now.Body && !c.Merge && (before == nil || before.Body != next.Body) {
		f.add(c, r, mip.EventText, nil, nil)
	}
	r.text.Body = next.Body
}

// sameStatus compares statuses. Unknown words are compared without case and separators.
func (t *content) sameStatus(other *content) bool {
	return mip.FoldStatus(string(t.Status)) == mip.FoldStatus(string(other.Status))
}

// sameDeadline compares deadlines. The deadline of t must be known.
func (t *content) sameDeadline(other *content) bool {
	return other.Deadline != nil && *t.Deadline == *other.Deadline
}

// sameTitle compares titles as they are shown, which is without backticks.
func (t *content) sameTitle(other *content) bool {
	return strings.ReplaceAll(t.Title, "`", "") == strings.ReplaceAll(other.Title, "`", "")
}

// relations adds events about added and removed relations to other proposals.
func (f *finder) relations(c *textCommit, r *record, before, next *content) {
	now := r.text.Relations
	in := func(list []string, relation string) bool { return slices.Contains(list, relation) }
	known := before != nil && before.Read && !c.Merge
	for _, relation := range next.Relations {
		if !in(now, relation) && !(known && in(before.Relations, relation)) {
			f.add(c, r, mip.EventRelation, nil, &relation)
		}
	}
	for _, relation := range now {
		if !in(next.Relations, relation) && (!known || in(before.Relations, relation)) {
			f.add(c, r, mip.EventRelation, &relation, nil)
		}
	}
	r.text.Relations = next.Relations
}

// add adds an event, unless it only marks the start of a clone.
func (f *finder) add(c *textCommit, of *record, kind mip.EventKind, from, to *string) {
	first := kind == mip.EventCreated && !f.had[of.id]
	f.had[of.id] = true
	if c.Edge {
		return
	}
	e := mip.Event{
		ID: mip.EventID(of.id, kind, from, to, c.Hash), Kind: kind, From: from, To: to,
		Time: mip.NewTime(time.Unix(c.Landed, 0)), Commit: c.Hash, Author: c.Author,
	}
	t := f.texts[of.file]
	if first {
		e.ID, e.Imported = mip.CreationID(of.id), c.Import
		if at, ok := ImportedOn(t.Created, e.Time); ok && c.Import {
			e.Time = at
		}
	}
	if (kind == mip.EventCreated || kind == mip.EventStatus) && to != nil && t.Deadline != nil {
		e.Deadline = *t.Deadline
	}
	f.events = append(f.events, found{e, of})
}

// NewestFirst sorts events by time, newest first. The events of each proposal must be newest first
// already: events of one time keep their order.
func NewestFirst(events []mip.Event) {
	slices.SortStableFunc(events, func(a, b mip.Event) int {
		return cmp.Or(b.Time.UTC().Compare(a.Time.UTC()), a.MIP.Compare(b.MIP))
	})
}

// bodyOf is a hash of a text without its form: it ignores white space, marks of list items and
// emphasis, and horizontal rules.
func bodyOf(body string) [sha256.Size]byte {
	b := make([]byte, 0, len(body))
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if !strings.ContainsFunc(line, inNoRule) {
			continue
		}
		if len(line) > 1 && strings.IndexByte("*+-", line[0]) >= 0 &&
			(line[1] == ' ' || line[1] == '\t') {
			b, line = append(b, '-'), line[1:]
		}
		for i := range len(line) {
			switch c := line[i]; c {
			case ' ', '\t', '\r':
			case '_':
				b = append(b, '*')
			default:
				b = append(b, c)
			}
		}
	}
	return sha256.Sum256(b)
}

// inNoRule reports whether a character cannot be part of a horizontal rule or a table's rule.
func inNoRule(c rune) bool { return !strings.ContainsRune("|:-=* \t", c) }
