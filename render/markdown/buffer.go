package markdown

import "unicode/utf8"

// boundedBuffer is a util.BufWriter that drops what passes its limit and remembers that it did, so
// that a document which multiplies cannot fill the memory before someone looks.
type boundedBuffer struct {
	b     []byte
	limit int // of bytes
	over  bool
}

func (w *boundedBuffer) room(n int) bool {
	if w.over || len(w.b)+n > w.limit {
		w.over = true
		return false
	}
	return true
}

func (w *boundedBuffer) Write(p []byte) (int, error) {
	if w.room(len(p)) {
		w.b = append(w.b, p...)
	}
	return len(p), nil
}

func (w *boundedBuffer) WriteString(s string) (int, error) {
	if w.room(len(s)) {
		w.b = append(w.b, s...)
	}
	return len(s), nil
}

func (w *boundedBuffer) WriteByte(c byte) error {
	if w.room(1) {
		w.b = append(w.b, c)
	}
	return nil
}

func (w *boundedBuffer) WriteRune(r rune) (int, error) {
	n := utf8.RuneLen(r)
	if w.room(n) {
		w.b = utf8.AppendRune(w.b, r)
	}
	return n, nil
}

func (w *boundedBuffer) Available() int { return w.limit - len(w.b) }
func (w *boundedBuffer) Buffered() int  { return len(w.b) }
func (w *boundedBuffer) Flush() error   { return nil }

// strings writes its arguments one after the other.
func (w *boundedBuffer) strings(parts ...string) {
	for _, s := range parts {
		_, _ = w.WriteString(s)
	}
}

// escaped writes s as text or as the value of a quoted attribute.
func (w *boundedBuffer) escaped(s string) {
	if w.room(len(s)) {
		w.b = appendEscaped(w.b, s)
	}
}

// appendEscaped appends s with the four characters that matter in text and in double quotes replaced,
// and NUL, which no HTML document may hold.
func appendEscaped[T string | []byte](b []byte, s T) []byte {
	from := 0
	for i := range len(s) {
		var e string
		switch s[i] {
		case '&':
			e = "&amp;"
		case '<':
			e = "&lt;"
		case '>':
			e = "&gt;"
		case '"':
			e = "&quot;"
		case 0:
			e = "\ufffd"
		default:
			continue
		}
		b = append(append(b, s[from:i]...), e...)
		from = i + 1
	}
	return append(b, s[from:]...)
}
