package build

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
)

// stage makes a folder within the folder to write into from now on, until [folder.unveil]. Where nothing
// is published yet nobody reads, so files need no temporary names there, which cost a rename each.
func (f *folder) stage() error {
	if err := f.root.Mkdir(stageDir, 0o755); err != nil {
		return err
	}
	root, err := f.root.OpenRoot(stageDir)
	if err != nil {
		return err
	}
	err = f.closeShelves()
	f.shelves, f.made, f.staged = map[string]*os.Root{".": root}, map[string]bool{}, true
	return err
}

// unveil moves what is on the stage into the folder: first what holds leaves only, files at the top last.
// Whatever then happens, the record knows what may be there.
func (f *folder) unveil(p *Plan, m manifest) error {
	rank := map[string]int{} // of each entry of the stage
	for _, a := range p.Artifacts {
		name, _, below := strings.Cut(a.File, "/")
		r := 2 * int(a.phase)
		if !below {
			r++
		}
		rank[name] = max(rank[name], r)
	}
	err := f.closeShelves()
	f.shelves, f.made = map[string]*os.Root{".": f.root}, map[string]bool{}
	f.staged = false
	err = errors.Join(err, f.record(m))
	byRank := func(a, b string) int { return cmp.Or(cmp.Compare(rank[a], rank[b]), strings.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(rank), byRank) {
		if err == nil {
			err = f.root.Rename(stageDir+"/"+name, name)
		}
	}
	return errors.Join(err, f.root.RemoveAll(stageDir))
}
