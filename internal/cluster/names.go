package cluster

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// maxMachine is the length of a machine's name: it is the value of a label of all that the machine is made of. Host names are shorter, since
// Crossplane's random suffix of a claim's composite is no part of them.
const maxMachine = 63

// lengths refuses pools whose nodes' names would be too long. Where claims are, the name of the cluster in them is that of its composite, which
// is longer than that of the claim.
func lengths(at *field.Path, id machine.Identity, pools []v1alpha1.AgentPool) field.ErrorList {
	var errs field.ErrorList

	for i, p := range pools {
		// What is wrong with the name or the count is said elsewhere.
		if len(id.Name) > maxName || len(p.Name) > maxPoolName || p.Count < 1 || p.Count > maxAgents {
			continue
		}

		longest := fmt.Sprintf("%s-%s-%d", id.Composite, p.Name, p.Count-1)
		if over := len(longest) - maxMachine; over > 0 {
			errs = append(errs, field.Invalid(at.Index(i).Child("name"), p.Name, fmt.Sprintf(
				"the nodes' names would have up to %d characters, such as %s, and %d are possible: a name of at most %d characters fits the count of %d",
				len(longest), longest, maxMachine, len(p.Name)-over, p.Count)))
		}
	}

	return errs
}
