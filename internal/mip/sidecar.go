package mip

// SidecarConfig is sidecar.json of a snapshot: the configuration that the sidecar needs in
// addition to the published tree. It is never published.
type SidecarConfig struct {
	Networks []Endpoints `json:"networks"`
}

// Endpoints is a network with how the sidecar reaches it.
type Endpoints struct {
	Network
	RPC       []string `json:"rpc"`       // addresses in order of preference; they may hold keys, so nothing prints or publishes them
	BlockTime float64  `json:"blockTime"` // seconds between blocks; 0 when unknown
}
