// Package render turns values into the bytes of one format: Markdown into the HTML of an article,
// proposals into pages, JSON, feeds, a sitemap, texts for agents and API descriptions. It is pure:
// the same values give the same bytes, and it knows nothing of files, routes on disk, git, the
// configuration file or the clock.
package render
