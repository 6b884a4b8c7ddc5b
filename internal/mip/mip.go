// Package mip holds the values of an improvement proposal: those that the loader produces, that
// the generator publishes and that the sidecar reads back. It does not know where a proposal
// came from, how Markdown is parsed or where anything is served, and it imports only the
// standard library, so that the sidecar can share it without linking a Markdown parser.
package mip
