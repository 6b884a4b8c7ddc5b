package mip

import "strings"

// Closest returns the known word that is at most two typing errors away from a word, the nearest
// and among equals the first; empty if there is none. A typing error is a letter added, missing or
// replaced, or two neighbors swapped. Letter case does not count. A word of four letters or fewer
// allows one error.
func Closest(word string, known []string) string {
	best, least := "", 3
	if len(word) <= 4 {
		least = 2
	}
	for _, k := range known {
		if n := slips(strings.ToLower(word), strings.ToLower(k)); n < least {
			best, least = k, n
		}
	}
	return best
}

// slips returns the distance of two words after Damerau (1964) and Levenshtein (1965), in the
// restricted form that edits no substring twice.
func slips(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			changed := last[j]
			if a[i] != b[j] {
				changed++
			}
			row[j+1] = min(changed, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
