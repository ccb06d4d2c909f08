package rehearse

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
)

// warned is what the function has warned of, each once, in the order in which it was said. Nobody is waited for.
type warned struct {
	said  []Wait
	known int // How many were said before the edit.
}

// ofEdit are the warnings that began with the edit, one line for all machines that are warned of the same.
func (w *warned) ofEdit() []string { return lines(w.said[w.known:]) }

// hear what an answer warns of a machine's claim.
func (w *warned) hear(machine string, composite map[string]any, warnings []string) {
	for _, text := range warnings {
		if said := (Wait{Machine: machine, Message: cluster.Typed(composite, text)}); !slices.Contains(w.said, said) {
			w.said = append(w.said, said)
		}
	}
}
