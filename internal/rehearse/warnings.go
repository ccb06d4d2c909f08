package rehearse

import (
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// warned is what the function has warned of, each once, in the order in which it was said.
type warned struct {
	said  []string
	known int // How many were said before the edit.
}

// ofEdit are the warnings that began with the edit.
func (w warned) ofEdit() []string { return w.said[w.known:] }

// warn notes what an answer warns of a machine's claim.
func (p *play) warn(m *world.Machine, rsp *fnv1.RunFunctionResponse) {
	for _, r := range rsp.GetResults() {
		if r.GetReason() != status.EventSpecWarning {
			continue
		}

		if said := p.labelOf(m) + ": " + r.GetMessage(); !slices.Contains(p.warned.said, said) {
			p.warned.said = append(p.warned.said, said)
		}
	}
}
