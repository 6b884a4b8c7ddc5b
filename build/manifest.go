package build

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// What in the output is not published content: a folder with the record of what was written, the mark
// that the output is a build's, and the lock; and, while a build runs, temporary files beside the
// places of those that they become, or the stage of a first build.
const (
	stateDir     = ".mipwatch"
	ownerFile    = stateDir + "/owner"
	manifestFile = stateDir + "/manifest.json"
	lockFile     = stateDir + "/lock"
	stageDir     = stateDir + "/stage"
	tempPrefix   = ".mipwatch-tmp-"
)

// manifest records what builds have written, by file. It is the only licence to remove a file.
type manifest struct {
	Files map[string]entry `json:"files"`
}

// entry is what is known of one file: the checksum of its bytes and the key that they were made from.
// Both are empty for a file that was about to be written when the record was.
type entry struct {
	Sum string `json:"sum,omitempty"`
	Key string `json:"key,omitempty"`
}

// checksum recognises bytes that were written before: the length and two CRCs, which processors
// compute as fast as they read. It guards against accidents, which is all that an output folder needs;
// whoever can write there needs no collision.
type checksum struct {
	length           int64
	castagnoli, ieee uint32
}

func (c *checksum) Write(b []byte) (int, error) {
	c.length += int64(len(b))
	c.castagnoli = crc32.Update(c.castagnoli, castagnoli, b)
	c.ieee = crc32.Update(c.ieee, crc32.IEEETable, b)
	return len(b), nil
}

// String is the length in digits and the two sums as 16 hexadecimal ones. A build that finds nothing changed
// does little else than to make these.
func (c *checksum) String() string {
	b := append(strconv.AppendInt(make([]byte, 0, 40), c.length, 10), '-')
	sums := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, c.castagnoli), c.ieee)
	return string(hex.AppendEncode(b, sums))
}

// lengthOf is the length that a checksum's text begins with.
func lengthOf(sum string) (int64, error) {
	length, _, _ := strings.Cut(sum, "-")
	return strconv.ParseInt(length, 10, 64)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(b []byte) string {
	var c checksum
	c.Write(b)
	return c.String()
}

// decodeManifest reads a record. An unreadable one counts as empty and is said to be none.
func decodeManifest(b []byte) (m manifest, ok bool) {
	if files, plain := decodeLines(string(b)); plain {
		return manifest{files}, true
	}
	if json.Unmarshal(b, &m) != nil || m.Files == nil {
		return manifest{Files: map[string]entry{}}, false
	}
	return m, true
}

// decodeLines reads a record as encode writes it, in a tenth of the time that any other takes. It is false
// for one that somebody else wrote, and for a name with an escape.
func decodeLines(s string) (files map[string]entry, ok bool) {
	s, begun := strings.CutPrefix(s, "{\"files\": {")
	s, ended := strings.CutSuffix(s, "\n}}\n")
	if !begun || !ended || strings.ContainsRune(s, '\\') {
		return nil, false
	}
	files = make(map[string]entry, strings.Count(s, "\n"))
	for line := range strings.SplitSeq(strings.TrimPrefix(s, "\n"), ",\n") {
		part := strings.Split(line, `"`)
		switch {
		case line == "": // of an empty record
		case len(part) == 3 && part[2] == ": {}":
			files[part[1]] = entry{}
		case len(part) == 7 && part[3] == "sum" && part[6] == "}":
			files[part[1]] = entry{Sum: part[5]}
		case len(part) == 11 && part[3] == "sum" && part[7] == "key" && part[10] == "}":
			files[part[1]] = entry{Sum: part[5], Key: part[9]}
		default:
			return nil, false
		}
	}
	return files, true
}

// encode writes the record with one file a line, so that a diff of two can be read. It is as long as the
// site has files, and nothing in an entry has to be escaped.
func (m manifest) encode() ([]byte, error) {
	b := []byte("{\"files\": {")
	for i, file := range slices.Sorted(maps.Keys(m.Files)) {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(file)
		if err != nil {
			return nil, err
		}
		e := m.Files[file]
		b = append(append(append(b, '\n'), name...), ": {"...)
		for j, member := range [][2]string{{"sum", e.Sum}, {"key", e.Key}} {
			if member[1] == "" {
				continue
			}
			if j > 0 && e.Sum != "" {
				b = append(b, ", "...)
			}
			b = fmt.Appendf(b, "%q: %q", member[0], member[1])
		}
		b = append(b, '}')
	}
	return append(b, "\n}}\n"...), nil
}

// announce returns a record that also holds the files of a plan, before any of them is written: a
// build that is killed then leaves no file that a later one would not know as its own.
func (m manifest) announce(p *Plan) (announced manifest, grew bool) {
	announced = manifest{Files: maps.Clone(m.Files)}
	for _, a := range p.Artifacts {
		if _, ok := announced.Files[a.File]; !ok {
			announced.Files[a.File] = entry{}
			grew = true
		}
	}
	return announced, grew
}

// keyOf hashes values by their JSON. An empty producer gives an empty key.
func keyOf(producer string, values ...any) (string, error) {
	if producer == "" {
		return "", nil
	}
	h := sha256.New()
	io.WriteString(h, producer)
	enc := json.NewEncoder(h)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return "", fmt.Errorf("hash the input of an artifact: %w", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
