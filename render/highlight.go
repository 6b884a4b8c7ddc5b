package render

import (
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

const (
	highlightMaxBlock = 64 << 10 // bytes of code; longer blocks stay plain
	highlightMaxKept  = 16 << 20 // bytes of highlighted code in one generation of the memo
	highlightMaxNames = 1024     // fence words that are remembered
)

// codeLanguage is what a fence's first word means.
type codeLanguage struct {
	name  string       // for readers; empty for plain text
	lexer chroma.Lexer // nil: no highlighting
}

// markdownLanguages finds lexers, once per word, and keeps highlighted code: compiling a lexer's
// patterns and running them is most of a build.
type markdownLanguages struct {
	mu       sync.Mutex
	byWord   map[string]codeLanguage
	now, old map[[sha256.Size]byte][]byte // the memo's two generations
	nowBytes int
}

func newMarkdownLanguages() *markdownLanguages {
	return &markdownLanguages{
		byWord: map[string]codeLanguage{},
		now:    map[[sha256.Size]byte][]byte{},
	}
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

func (l *markdownLanguages) find(word string) codeLanguage {
	if word == "" {
		return codeLanguage{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	lang, ok := l.byWord[word]
	if !ok {
		lang = findLanguage(word)
		if len(l.byWord) < highlightMaxNames {
			l.byWord[word] = lang
		}
	}
	return lang
}

func findLanguage(word string) codeLanguage {
	switch lower := strings.ToLower(word); lower {
	case "text", "txt", "plain", "plaintext", "none", "nohighlight":
		return codeLanguage{}
	case "mermaid":
		return codeLanguage{name: "Mermaid"}
	case "math", "csv", "csl-json", "pseudocode":
		names := map[string]string{"math": "Math", "csv": "CSV", "csl-json": "CSL JSON", "pseudocode": "Pseudocode"}
		return codeLanguage{name: names[lower]}
	}
	lexer := lexers.Get(word)
	if lexer == nil {
		return codeLanguage{name: word}
	}
	name := lexer.Config().Name
	if name == strings.ToLower(name) {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	return codeLanguage{name, lexer}
}

// append appends text as HTML, highlighted where that is possible.
func (l *markdownLanguages) append(out []byte, lang codeLanguage, text string) []byte {
	if lang.lexer == nil || len(text) > highlightMaxBlock {
		return appendEscaped(out, text)
	}
	key := sha256.Sum256([]byte(lang.name + "\x00" + text))
	if html, ok := l.recall(key); ok {
		return append(out, html...)
	}
	html := highlightCode(lang.lexer, text)
	l.keep(key, html)
	return append(out, html...)
}

func (l *markdownLanguages) recall(key [sha256.Size]byte) ([]byte, bool) {
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

func (l *markdownLanguages) keep(key [sha256.Size]byte, html []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.store(key, html)
}

// store keeps an entry; what two generations did not ask for is forgotten.
func (l *markdownLanguages) store(key [sha256.Size]byte, html []byte) {
	if l.nowBytes+len(html) > highlightMaxKept {
		l.old, l.now, l.nowBytes = l.now, map[[sha256.Size]byte][]byte{}, 0
	}
	l.now[key] = html
	l.nowBytes += len(html)
}
