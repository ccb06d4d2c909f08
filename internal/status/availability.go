package status

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// An availabilityReport is about what Proxmox's HA manager does for the VM.
type availabilityReport struct {
	plan   *lifecycle.Plan
	state  proxmox.State
	vm     *activeVM
	before *v1alpha1.Status
}

// conditions has the condition on HA, where the claim asks for HA, or did.
func (a *availabilityReport) conditions() []Condition {
	c := Condition{Type: TypeHighlyAvailable, Status: Truth(false)}

	switch is := a.plan.Availability; is.Stage {
	case lifecycle.HANone:
		if meta.FindStatusCondition(a.before.Conditions, TypeHighlyAvailable) == nil {
			return nil
		}

		c.Reason, c.Message = ReasonHADisabled, "spec.ha does not ask for high availability, and Proxmox's HA manager does not manage the VM."
		if len(is.Steps) > 0 {
			c.Message = "spec.ha does not ask for high availability any more, and the provider takes the VM out of HA."
		}
	case lifecycle.HAPending:
		c.Reason, c.Message = ReasonHAPending, a.pending()
	case lifecycle.HABlocked:
		c.Reason = ReasonHABlocked
		c.Message = message.Text(fmt.Sprintf("%s cannot start on another node, and is not added to HA: it has %s, and sharedDatastores of the site in the catalogue has %s. "+
			"Move what is not shared (docs/day-two.md, Moving a disk), or replace the VM with a new value in spec.lifecycle.replace.",
			a.vm.title(), strings.Join(is.Lacks, ", "), orNothing(a.plan.Machine.HA.Shared)))
	case lifecycle.HASuspended:
		c.Reason, c.Message = ReasonHASuspended, a.suspended()
	case lifecycle.HAManaged:
		c.Status, c.Reason, c.Message = Truth(true), ReasonHAManaged, a.managed()
	}

	return []Condition{c}
}

func (a *availabilityReport) pending() string {
	if len(a.plan.Availability.Steps) > 0 {
		return "The provider adds " + a.vm.shortTitle() + " to HA."
	}

	return "The VM is added to HA once it has run, or, with power: Stopped, once the provider has created it."
}

func (a *availabilityReport) suspended() string {
	if a.plan.Availability.Holds {
		return "The provider is to stop " + a.vm.shortTitle() + ", and waits until Proxmox's HA manager ignores the VM: the HA manager would start it again."
	}

	return "Proxmox's HA manager ignores " + a.vm.shortTitle() + " while the provider stops it, or until the provider has started it again. If the node fails " +
		"meanwhile, the VM is not started on another node."
}

func (a *availabilityReport) managed() string {
	ha := a.plan.Machine.HA
	if a.plan.Availability.Steps[a.vm.name].State == proxmox.HAStopped {
		return "Proxmox's HA manager keeps " + a.vm.shortTitle() + " stopped, and moves it to another node if its node fails."
	}

	return fmt.Sprintf("Proxmox's HA manager keeps %s running. If the VM does not start, it is tried again on the same node %s, and on other nodes %s. If the node "+
		"fails, the VM is started on another node.", a.vm.shortTitle(), times(ha.MaxRestart), times(ha.MaxRelocate))
}

func times(n int64) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}

	return fmt.Sprintf("%d times", n)
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}

	return strings.Join(names, ", ")
}
