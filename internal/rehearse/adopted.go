package rehearse

import (
	"reflect"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// ofBeginnings are the fields of a claim with which a VM begins. An adopted one has begun with something else, and takes up none of them. What K3s' release and
// token do to a node has words of its own.
var ofBeginnings = []string{"image", "bootstrap", "nix", "k3s"} //nolint:gochecknoglobals // A constant.

// beginnings are, by machine, what the function took up last of the fields with which the VM that the machine has adopted would have begun.
func beginnings(p *play) map[string]map[string]any {
	out := map[string]map[string]any{}

	for _, m := range p.cluster.Machines {
		for _, c := range world.Conditions(m.Composite) {
			if c["type"] != status.TypeBootstrapCurrent || c["reason"] != status.ReasonAdopted {
				continue
			}

			spec := world.Object(world.Copy(world.Object(m.Composite["status"])["appliedSpec"]))
			delete(world.Object(spec["k3s"]), "version")
			delete(world.Object(spec["k3s"]), "token")

			out[p.labelOf(m)] = spec
		}
	}

	return out
}

// beganOtherwise are the edits of such fields since then: all is well with an adopted VM that has none of them, and nothing waits.
func beganOtherwise(p *play, before map[string]map[string]any) (out []Wait) {
	now := beginnings(p)

	for _, m := range p.cluster.Machines {
		was, is := before[p.labelOf(m)], now[p.labelOf(m)]
		if was == nil || is == nil {
			continue
		}

		var edited []string

		for _, field := range ofBeginnings {
			if !reflect.DeepEqual(was[field], is[field]) {
				edited = append(edited, "spec."+field)
			}
		}

		if len(edited) > 0 {
			out = append(out, Wait{Machine: p.labelOf(m), Message: cluster.Typed(m.Composite, strings.Join(edited, ", ")+
				": the VM was adopted, and its guest is not configured again. It takes a new VM, with a new value of spec.lifecycle.replace.")})
		}
	}

	return out
}
