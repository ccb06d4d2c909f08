package lifecycle

import "github.com/homelab-io/function-proxmox-machine/internal/externaldns"

// A DNSRecord is what is known of the machine's DNSEndpoint. What the DNSEndpoint is to have follows from the addresses that package status tells people.
type DNSRecord struct {
	// Observed is nil where there is none.
	Observed *externaldns.Observed
	// NoKind says that the API server is known not to serve DNSEndpoints.
	NoKind bool
}
