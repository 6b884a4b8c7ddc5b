package api

import "github.com/mipwatch/mipwatch/internal/mip"

// MIPNumber identifies a proposal in a request: 6, "6" or, with the site's prefix in any case,
// "MIP-6". Leading zeros are allowed.
type MIPNumber any

// SummaryRequest is the body of POST /api/ai-summary.
type SummaryRequest struct {
	MIPNumber MIPNumber `json:"mipNumber" doc:"6, \"6\" or \"MIP-6\"."`
	Locale    string    `json:"locale,omitempty" doc:"en, as when absent, or a locale of the site; en-US is en (RFC 4647 lookup)."`
}

// Summary is the body of the answers to GET /api/v1/mips/{n}/summary and POST /api/ai-summary: the
// meaning of a proposal on four axes, each claim with a quote from the text.
type Summary struct {
	MIPNumber     int      `json:"mipNumber" doc:"The proposal."`
	TLDR          string   `json:"tldr" doc:"One or two sentences."`
	WhatsChanging []string `json:"whatsChanging" doc:"One to six points."`
	Developers    Axis     `json:"developers" doc:"People who write contracts and tools."`
	Users         Axis     `json:"users" doc:"People who hold and move value."`
	Validators    Axis     `json:"validators" doc:"People who run nodes."`
	Foundation    Axis     `json:"foundation" doc:"People who steward the network."`
	GeneratedAt   mip.Time `json:"generatedAt" doc:"When it was made; of one by rules, when the text last changed."`
	ContentHash   string   `json:"contentHash" doc:"contentHash of the text that it is of; another one means that the text has changed since."`
	Locale        string   `json:"locale" doc:"Language of the summary; quotes stay English."`
	Source        string   `json:"source" doc:"The model's name, or extractive."`
	Stale         bool     `json:"stale" doc:"The text has changed since it was made."`
	Committed     bool     `json:"committed" doc:"Kept beside the text, for people to review; false: made by rules, or by a model when asked."`

	// Hardfork is set from the configuration at the time of the answer. A committed file's value is
	// not used.
	Hardfork *string `json:"hardfork" doc:"The hard fork that it is a part of, null without one. When that is: see listHardForks."`

	Fallback *Fallback `json:"fallback" doc:"Why this is not the summary that was asked for; null when it is."`
}

// Fallback is the reason why a [Summary] differs from the requested one: extractive in place of a
// model's, English in place of another language, or of an older text.
type Fallback struct {
	Code       Code   `json:"code" doc:"rate_limited, ai_disabled, ai_failed, ai_unreadable, upstream_unavailable or upstream_timeout, as a problem has it."`
	Detail     string `json:"detail" doc:"What happened, for people."`
	RetryAfter *int   `json:"retryAfter" doc:"Seconds until it makes sense to ask again; null when that is not known."`
}

// Extractive is the source of a summary that rules have written, without a model.
const Extractive = "extractive"

// Axis is the meaning of a proposal for one group.
type Axis struct {
	Impact         string   `json:"impact" doc:"What changes for them."`
	Severity       Severity `json:"severity" doc:"low, medium or high. A floor and no finding where stated is false."`
	Stated         bool     `json:"stated" doc:"The text mentions the group."`
	ActionRequired bool     `json:"actionRequired" doc:"The text states that the group has to act; false also if it states nothing about that."`

	// ActionEvidence is one of Evidence, and never nil if ActionRequired is true.
	ActionEvidence *Evidence `json:"actionEvidence" doc:"The quote for actionRequired, true or false; null when the text does not say."`

	// Evidence is never nil.
	Evidence []Evidence `json:"evidence" doc:"Where the text states this, at most three quotes; empty if it does not mention the group."`
}

// Severity is the effect on a group.
type Severity string

// Severities, mildest first.
const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// Evidence is a quote from the proposal.
type Evidence struct {
	Section string `json:"section" doc:"The section's id; in a proposal that a hard fork bundles, its id, # and the section's id, such as MIP-4#s-abstract."`
	Quote   string `json:"quote" doc:"Verbatim but for white space, Markdown marks included."`
}

// TranslateRequest is the body of POST /api/ai-translate.
type TranslateRequest struct {
	MIPNumber MIPNumber `json:"mipNumber" doc:"6, \"6\" or \"MIP-6\"."`
	Locale    string    `json:"locale" doc:"A locale of the site, or en for the original; en-US is en (RFC 4647 lookup)."`
	Sections  []string  `json:"sections,omitempty" doc:"Section ids; all when absent."`
}

// Original is the source of the English text.
const Original = "original"

// Translation is the body of the answer to POST /api/ai-translate. The English text is
// authoritative.
type Translation struct {
	MIPNumber   int      `json:"mipNumber" doc:"The proposal."`
	Locale      string   `json:"locale" doc:"Language of the translation."`
	Title       string   `json:"title" doc:"Translated."`
	Description *string  `json:"description" doc:"Translated."`
	Markdown    string   `json:"markdown" doc:"The body, or the sections asked for."`
	ContentHash string   `json:"contentHash" doc:"contentHash of the text it was made from."`
	GeneratedAt mip.Time `json:"generatedAt" doc:"When it was made; of the original, when it last changed."`
	Source      string   `json:"source" doc:"The model's name, file for a committed translation, or original for English."`
	Stale       bool     `json:"stale" doc:"The English text has changed since it was made."`
}

// PublishedTranslation is the body of GET /api/v1/mips/{n}/translations/{locale}: a committed
// translation. The English text is authoritative.
type PublishedTranslation struct {
	MIPNumber   int     `json:"mipNumber" doc:"The proposal."`
	Locale      string  `json:"locale" doc:"Language of the translation."`
	Title       string  `json:"title" doc:"Translated."`
	Description *string `json:"description" doc:"Translated."`

	Sections []mip.Section `json:"sections" doc:"With the ids of the proposal's sections, but for a stale one with other headings. Joined they are the body."`

	ContentHash string   `json:"contentHash" doc:"contentHash of the text that was translated; empty where a file does not say it and is not of the present one."`
	GeneratedAt mip.Time `json:"generatedAt" doc:"The newest commit that changed it, else the proposal's date."`
	Source      string   `json:"source" doc:"file."`
	Stale       bool     `json:"stale" doc:"The English text has changed since it was made."`
}
