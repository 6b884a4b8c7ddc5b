// Package render turns values into the pages of a site, by templates, and into its JSON lists, its sitemap and
// robots.txt. It is pure: the same values give the same bytes, and it knows nothing of files, routes on disk, git,
// the configuration file or the clock.
package render
