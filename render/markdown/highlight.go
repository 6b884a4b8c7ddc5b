package markdown

import (
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// highlightMaxKept is how many bytes of highlighted code one generation of the memo holds.
const highlightMaxKept = 16 << 20

// codeLanguage is what a fence's first word means.
type codeLanguage struct {
	name  string       // for readers; empty for plain text
	lexer chroma.Lexer // nil: no highlighting
}

// languages knows the lexers by the words that fences use, and keeps highlighted code: running
// a lexer's patterns is most of a build.
type languages struct {
	byWord map[string]codeLanguage // in lower case

	mu       sync.Mutex
	now, old map[[sha256.Size]byte][]byte // the memo's two generations
	nowBytes int
}

// newLanguages makes an index of the offered lexers by name, alias and file extension.
func newLanguages() *languages {
	l := &languages{byWord: map[string]codeLanguage{}, now: map[[sha256.Size]byte][]byte{}}
	for _, word := range []string{"text", "txt", "plain", "plaintext", "none", "nohighlight"} {
		l.byWord[word] = codeLanguage{}
	}
	for word, name := range map[string]string{"mermaid": "Mermaid", "math": "Math", "csv": "CSV", "csl-json": "CSL JSON", "pseudocode": "Pseudocode"} {
		l.byWord[word] = codeLanguage{name: name}
	}
	offered := offeredLexers()
	words := []func(*chroma.Config) []string{
		func(c *chroma.Config) []string { return append(c.Aliases, c.Name) },
		func(c *chroma.Config) []string { return c.Filenames },
	}
	for _, of := range words {
		for _, lexer := range offered {
			name := lexer.Config().Name
			for _, word := range of(lexer.Config()) {
				word = strings.ToLower(strings.TrimPrefix(word, "*."))
				if _, taken := l.byWord[word]; !taken {
					l.byWord[word] = codeLanguage{name, lexer}
				}
			}
		}
	}
	return l
}

// find returns what a fence's word means; a word that nobody knows is its own name.
func (l *languages) find(word string) codeLanguage {
	if lang, ok := l.byWord[strings.ToLower(word)]; ok {
		return lang
	}
	return codeLanguage{name: word}
}

// fenceWord reduces the first word of a fence to a language's name: "solidity=", "rust,ignore" and
// "{.python}" are in use. It is empty when there is nothing like a name.
func fenceWord(info []byte) string {
	word := strings.TrimLeft(string(info), "{.")
	if i := strings.IndexAny(word, "=,{}:;("); i >= 0 {
		word = word[:i]
	}
	if len(word) > 32 {
		return ""
	}
	for i := range len(word) {
		c := word[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-#_.", rune(c))) {
			return ""
		}
	}
	return word
}

// append appends text as HTML, highlighted where that is possible.
func (l *languages) append(out []byte, lang codeLanguage, text string) []byte {
	if lang.lexer == nil {
		return appendEscaped(out, text)
	}
	key := sha256.Sum256([]byte(lang.name + "\x00" + text))
	if html, ok := l.recall(key); ok {
		return append(out, html...)
	}
	if !highlightable(text) {
		return appendEscaped(out, text)
	}
	html := highlightCode(lang.lexer, text)
	l.keep(key, html)
	return append(out, html...)
}

func (l *languages) recall(key [sha256.Size]byte) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	html, ok := l.now[key]
	if !ok {
		if html, ok = l.old[key]; ok {
			l.store(key, html)
		}
	}
	return html, ok
}

func (l *languages) keep(key [sha256.Size]byte, html []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.store(key, html)
}

// store keeps an entry; what two generations did not ask for is forgotten.
func (l *languages) store(key [sha256.Size]byte, html []byte) {
	if l.nowBytes+len(html) > highlightMaxKept {
		l.old, l.now, l.nowBytes = l.now, map[[sha256.Size]byte][]byte{}, 0
	}
	l.now[key] = html
	l.nowBytes += len(html)
}
