package attachment

import (
	"path"
	"strings"
)

// Kind classifies linked files by their names.
type Kind int

const (
	// None is for files that are not copied: unknown ones, and ones that a browser runs, such as
	// HTML, XML and scripts of pages. So a copy is inert even on a host without rules.
	None Kind = iota
	// Data is for files that a reader downloads, or that a browser shows itself.
	Data
	// Code is for source code, which the host of a repository shows better.
	Code
)

// Copied reports whether a site copies a linked file. sourced is true if the file has an address in
// the repository.
func (k Kind) Copied(sourced bool) bool { return k == Data || k == Code && !sourced }

// kinds are the kinds by file name extension.
var kinds = map[string]Kind{}

func init() {
	for kind, names := range map[Kind]string{
		Data: "pdf csv tsv txt json jsonl ndjson jsonld nq yaml yml toml bib abi zip gz tgz tar " +
			"bz2 xz 7z xlsx docx pptx ods odt odp png jpg jpeg gif webp avif svg",
		Code: "py ipynb sol vy yul huff rs go c h cc cpp hpp cs java kt scala hs ts rb sh pl lua " +
			"swift move cairo circom asm ml ex erl nix tex proto sql r jl zig cddl aes ak",
	} {
		for name := range strings.FieldsSeq(names) {
			kinds["."+name] = kind
		}
	}
}

// KindOf returns the kind of a file by its name. It ignores a query after a question mark.
func KindOf(name string) Kind {
	name, _, _ = strings.Cut(name, "?")
	return kinds[strings.ToLower(path.Ext(name))]
}

// Linked reports whether a text may link to a file that is copied. It does not parse the text.
func Linked(text string, sourced bool) bool {
	const longest = 6 // bytes of an extension
	for at := strings.IndexByte(text, '.') + 1; at > 0; {
		behind := text[at:min(len(text), at+longest+1)]
		end := strings.IndexAny(behind, ")#?>\"' \n")
		if end > 0 && kinds["."+strings.ToLower(behind[:end])].Copied(sourced) &&
			mayLink(text[:at]) {
			return true
		}
		next := strings.IndexByte(text[at:], '.') + 1
		if next == 0 {
			break
		}
		at += next
	}
	return false
}

// mayLink reports whether the last word of a text may be the relative destination of a link: it is
// no web address, and follows a bracket, a quotation mark or the label of a definition.
func mayLink(text string) bool {
	start := strings.LastIndexAny(text, " \t\n(\"'=") + 1
	if open := strings.LastIndexAny(text, "<>\n"); open >= 0 && text[open] == '<' {
		start = open + 1 // blanks are allowed there
	}
	before := strings.TrimRight(text[:start], " \t\n")
	return !strings.Contains(text[start:], "://") && before != "" &&
		strings.IndexByte("(<\"'=:", before[len(before)-1]) >= 0
}

// downloadName returns the name under which a file is downloaded. It replaces characters that some
// addresses or file systems cannot have.
func downloadName(name string) string {
	const most = 100 // bytes
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	name = strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_':
			return c
		}
		return '-'
	}, name)
	ext := strings.ToLower(path.Ext(name))
	name = strings.TrimLeft(strings.TrimSuffix(name, path.Ext(name)), ".-")
	if name == "" {
		name = "file"
	}
	return name[:min(len(name), most)] + ext
}
