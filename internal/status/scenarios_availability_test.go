package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// inHA is dns01 at a stage of high availability.
func inHA(a lifecycle.Availability) func(t *testing.T) Input {
	return func(t *testing.T) Input {
		t.Helper()

		in := settled(t)
		m := *in.Machine
		m.HA = &machine.HA{MaxRestart: 1, MaxRelocate: 2, Shared: []string{"ceph"}}
		in.Machine, in.Plan.Machine, in.Plan.Availability = &m, &m, a
		in.Previous = after(Machine(in))

		return in
	}
}

// availabilities are the moments of a VM in HA.
func availabilities() map[string]scenario {
	steps := func(s proxmox.HAState) map[string]lifecycle.HAStep {
		return map[string]lifecycle.HAStep{lifecycle.FirstVM: {State: s}}
	}
	of := func(reason string, in func(t *testing.T) Input, status, why, message string) scenario {
		return scenario{reason: reason, in: in, want: Output{
			Status: made(func(*v1alpha1.Status) {}), Ready: readiness(true, true, true),
			Conditions: conditions(Condition{"HighlyAvailable", metav1.ConditionStatus(status), why, message}),
		}}
	}
	disabled := func(a lifecycle.Availability) func(t *testing.T) Input {
		return func(t *testing.T) Input {
			t.Helper()

			in := inHA(lifecycle.Availability{Stage: lifecycle.HAManaged, Steps: steps(proxmox.HAStarted)})(t)
			in.Machine.HA, in.Plan.Availability = nil, a

			return in
		}
	}

	return map[string]scenario{
		"HAManaged": of("The HA manager keeps it running.", inHA(lifecycle.Availability{Stage: lifecycle.HAManaged, Steps: steps(proxmox.HAStarted)}), "True", "HAManaged",
			"Proxmox's HA manager keeps VM 153 running. If the VM does not start, it is tried again on the same node once, and on other nodes 2 times. If the node "+
				"fails, the VM is started on another node."),
		"HAManagedStopped": of("The HA manager keeps it stopped.", inHA(lifecycle.Availability{Stage: lifecycle.HAManaged, Steps: steps(proxmox.HAStopped)}), "True", "HAManaged",
			"Proxmox's HA manager keeps VM 153 stopped, and moves it to another node if its node fails."),
		"HAPending": of("It is not in HA yet.", inHA(lifecycle.Availability{Stage: lifecycle.HAPending}), "False", "HAPending",
			"The VM is added to HA once it has run, or, with power: Stopped, once the provider has created it."),
		"HAAdding": of("The provider adds it.", inHA(lifecycle.Availability{Stage: lifecycle.HAPending, Steps: steps(proxmox.HAStarted)}), "False", "HAPending",
			"The provider adds VM 153 to HA."),
		"HABlocked": of("It has a disk that other nodes do not see.",
			inHA(lifecycle.Availability{Stage: lifecycle.HABlocked, Lacks: []string{"disk scsi0 on datastore local-zfs", "its cloud-init drive on datastore local-zfs"}}),
			"False", "HABlocked", "VM 153 on node pve cannot start on another node, and is not added to HA: it has disk scsi0 on datastore local-zfs, its cloud-init "+
				"drive on datastore local-zfs, and sharedDatastores of the site in the catalogue has ceph. Move what is not shared (docs/day-two.md, Moving a disk), or "+
				"replace the VM with a new value in spec.lifecycle.replace."),
		"HASuspended": of("It is stopped, or was.", inHA(lifecycle.Availability{Stage: lifecycle.HASuspended, Steps: steps(proxmox.HAIgnored)}), "False", "HASuspended",
			"Proxmox's HA manager ignores VM 153 while the provider stops it, or until the provider has started it again. If the node fails meanwhile, the VM is not "+
				"started on another node."),
		"HAHolds": of("It is to be stopped.", inHA(lifecycle.Availability{Stage: lifecycle.HASuspended, Holds: true, Steps: steps(proxmox.HAIgnored)}), "False", "HASuspended",
			"The provider is to stop VM 153, and waits until Proxmox's HA manager ignores the VM: the HA manager would start it again."),
		"HALeaving": of("The claim does not ask any more.", disabled(lifecycle.Availability{Steps: steps(proxmox.HAStarted)}), "False", "HADisabled",
			"spec.ha does not ask for high availability any more, and the provider takes the VM out of HA."),
		"HADisabled": of("It is out of HA.", disabled(lifecycle.Availability{}), "False", "HADisabled",
			"spec.ha does not ask for high availability, and Proxmox's HA manager does not manage the VM."),
	}
}
