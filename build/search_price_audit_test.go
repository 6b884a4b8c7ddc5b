package build_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/test/corpora"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/sidecar"
	"github.com/mipwatch/mipwatch/sidecar/catalog"
)

// worstQuestions returns the most expensive questions, as query strings.
func worstQuestions() (out []string) {
	ask := func(q, more string) { out = append(out, "limit=50&q="+url.QueryEscape(q)+more) }
	// joined returns n texts of a function with blanks between them, as many as q has room for.
	joined := func(n int, text func(int) string) string {
		var b strings.Builder
		for i := range n {
			if next := text(i) + " "; b.Len()+len(next) <= 400 {
				b.WriteString(next)
			}
		}
		return b.String()
	}
	letter := func(n int) string { return string(rune('a' + n%26)) }
	common := strings.Fields("the of to and in is for this be as that are it with on by an " +
		"or not from can which will if a at block " +
		"transaction contract gas address state value data")
	ask(joined(132, func(i int) string { return letter(i/6) + letter(5*i) }), "")
	ask(joined(132, func(i int) string { return letter(i) + letter(i/26+7*i) }), "")
	ask(joined(132, func(i int) string { return fmt.Sprint(10 + i%90) }), "")
	ask(joined(60, func(i int) string {
		return letter(i) + letter(3*i) + "qzx" + letter(i/26)
	}), "")
	ask(joined(60, func(i int) string { return "c" + letter(i) + "qzx" + letter(i/26) }), "")
	ask(joined(60, func(i int) string { return "tra" + letter(i) + letter(i/26) + "w" }), "")
	ask(joined(33, func(i int) string { return common[i%len(common)] }), "")
	ask(strings.TrimSpace(joined(33, func(i int) string { return common[i%len(common)] })+"in"), "")
	ask(joined(12, func(i int) string { return letter(i) + "b1cd2ef3gh4ij5kl6mn7op8qr9st0u" }), "")
	ask(joined(12, func(i int) string { return "to_in_is_of_an_be_it_on_as_by_o" + letter(i) }), "")
	ask(joined(30, func(i int) string {
		return `"of the"`[:3+i%2] + ` the" "` + letter(i) + ` in"`
	}), "")
	ask(joined(30, func(i int) string { return `"` + common[i%8] + " " + common[i/8] + `"` }), "")
	ask(`"the of the of" "and the and"`, "")
	ask(`"in this" "of the" "to the" "is a" "can be" "will be"`, "")
	ask(joined(20, func(i int) string { return `"` + common[i] + `"` }), "")
	ask(strings.Repeat("費用市場状態取引", 16), "")
	ask(joined(20, func(i int) string { return "author:" + letter(i) + "qq" }), "")
	ask("re", "&status=draft&status=final&status=review"+
		"&type=core&type=erc&type=interface&type=standards-track")
	ask("co", "")
	ask(joined(40, func(i int) string { return fmt.Sprintf("%d.%d.%d", i, i%10, i%3) }), "")
	ask(joined(40, func(i int) string { return common[i%len(common)] + "s" }), "&kind=eip")
	ask(joined(16, func(i int) string { return "0x" + fmt.Sprint(10+i) }), "")
	ask("the of to and in is for this be as that are it with on 1", "")
	ask(`"the" "of" "to" "and" "in" "is" "for" "this" "be" "as" "that" "are" "it" "with" "on" "s`, "")
	ask("eip erc status type author created requires title category core draft final "+
		"standards track abstract motivation", "")
	ask("fee", "&offset=850")
	ask(joined(15, func(i int) string { return common[i] })+"to_in_is_of_an_be_it_on_as_by_oq",
		"&offset=850")
	ask(`"base fee" "the transaction"`, "&offset=1000")
	ask(`"this eip" "`+joined(15, func(i int) string { return common[i] })+`"`, "")
	ask(joined(45, func(i int) string {
		return "status:" + []string{"final", "draft", "stagnant"}[i%3]
	}), "")
	ask(strings.Repeat("ﷺ", 40)+strings.Repeat(" the of", 20), "")
	ask("in", strings.Repeat("&author=vitalik-buterin", 20))
	return out
}

// plainQuestions are forty questions of readers.
func plainQuestions(b *testing.B) (out []string) {
	data, err := os.ReadFile("../internal/search/testdata/questions.json")
	if err != nil {
		b.Fatal(err)
	}
	var all []struct{ Corpus, Question string }
	if err := json.Unmarshal(data, &all); err != nil {
		b.Fatal(err)
	}
	for _, q := range all {
		if q.Corpus == "eips" && len(out) < 40 {
			out = append(out, "limit=50&q="+url.QueryEscape(q.Question))
		}
	}
	return out
}

// BenchmarkAuditSearchPrice asks a sidecar with 949 texts the most expensive questions, and forty
// questions of readers. None may cost more than three times the median of the forty. It then
// measures how long one of them waits among 64 clients with the expensive ones.
func BenchmarkAuditSearchPrice(b *testing.B) {
	testenv.Long(b, "asks the sidecar of a site with 949 texts")
	dir := filepath.Join(b.TempDir(), "snapshot")
	built := buildCorpus(b, corpora.Need(b, "eips"), testSite("EIP"))
	if _, err := build.Snapshot(b.Context(), built.plan, dir); err != nil {
		b.Fatal(err)
	}
	source, err := catalog.Open(dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	known, err := source.Load(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	s := sidecar.New(sidecar.Config{RequestsPerMinute: 200_000})
	defer s.Close()
	if err := s.Update(known); err != nil {
		b.Fatal(err)
	}
	ask := func(query string) int {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "/api/search?"+query, nil))
		return w.Code
	}
	cost := func(query string) float64 {
		const times = 20
		if code := ask(query); code != 200 {
			b.Errorf("%s: %d", query, code)
		}
		before := userTime(b)
		for range times {
			ask(query)
		}
		return float64(userTime(b)-before) / float64(time.Millisecond) / times
	}
	worst, plain := worstQuestions(), plainQuestions(b)
	for b.Loop() {
		var usual []float64
		for _, q := range plain {
			usual = append(usual, cost(q))
		}
		slices.Sort(usual)
		middle := usual[len(usual)/2]
		most := 0.0
		for _, q := range worst {
			c := cost(q)
			b.Logf("%6.2f ms, %4.1f times: %.90s", c, c/middle, q)
			if most = max(most, c); c > 3*middle {
				b.Errorf("%.1f ms of processor time, %.1f times a plain question's: %s",
					c, c/middle, q)
			}
		}
		b.ReportMetric(middle, "ms-plain")
		b.ReportMetric(usual[len(usual)-1], "ms-plain-most")
		b.ReportMetric(most, "ms-worst")
		waits, refused := amongMany(ask, worst, plain[0])
		b.ReportMetric(waits[len(waits)/2], "ms-wait")
		b.ReportMetric(waits[len(waits)-1], "ms-wait-most")
		b.ReportMetric(float64(refused), "refused")
		b.Logf("plain %.2f to %.2f, middle %.2f ms; waits middle %.0f, most %.0f ms of %d; "+
			"%d refused", usual[0], usual[len(usual)-1], middle, waits[len(waits)/2],
			waits[len(waits)-1], len(waits), refused)
	}
}

// amongMany asks a question repeatedly, while 64 clients ask others. It returns the sorted times of
// its answers, and the number of refused requests.
func amongMany(
	ask func(string) int, others []string, question string,
) (waits []float64, refused int64) {
	var clients sync.WaitGroup
	var failed atomic.Int64
	end := time.Now().Add(6 * time.Second)
	for i := range 64 {
		clients.Go(func() {
			for n := i; time.Now().Before(end); n++ {
				if ask(others[n%len(others)]) >= 500 {
					failed.Add(1)
				}
			}
		})
	}
	for len(waits) == 0 || time.Now().Before(end) {
		began := time.Now()
		if ask(question) >= 500 {
			failed.Add(1)
		}
		waits = append(waits, float64(time.Since(began))/float64(time.Millisecond))
	}
	clients.Wait()
	slices.Sort(waits)
	return waits, failed.Load()
}

// userTime returns the processor time of the process outside the kernel.
func userTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano())
}
