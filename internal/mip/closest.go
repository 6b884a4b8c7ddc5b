package mip

import "strings"

// Closest returns the known word that is at most two slips of the pen away from a word, the nearest
// and of those the first; empty if there is none. A slip is a letter more, less or other, or two
// that changed places. Letter case does not count. Of a word of four letters or fewer at most one
// slip is taken for one.
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

// slips is the distance of two words after Damerau (1964) and Levenshtein (1965), in which no part
// of a word is changed twice.
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
