package mip

// Release is the first release of a client that knows a hard fork: an element of
// [HardFork.Releases].
type Release struct {
	Client     string   `json:"client" yaml:"client" doc:"The client's name, such as Wick."`
	Version    string   `json:"version" yaml:"version" doc:"This one or a later one, such as 2.3.0."`
	URL        *string  `json:"url" yaml:"url" doc:"Where it is, https; null where that is not stated."`
	Networks   []string `json:"networks" yaml:"networks" doc:"Ids of networks that it is for, or names of others by a text; empty: all."`
	RequiredBy *string  `json:"requiredBy" yaml:"requiredBy" doc:"A day such as 2027-01-19, or a time, RFC 3339 in UTC; null: by the activation."`
}
