package compose

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// sharedOfReplacement refuses a new VM for a server that differs from it in a setting which all servers of a cluster have alike: K3s would not let it
// join, and the server that it is to replace would be gone. A person who has changed the setting on all servers says so with lifecycle.force.
func sharedOfReplacement(c *call, m *machine.Machine) (errs field.ErrorList) {
	if m.K3s == nil || m.K3s.Role != v1alpha1.K3sServer || forces(c) {
		return nil
	}

	made, known := bootstrap.K3sShared(c.facts.Observed.UserDataOf(c.facts.Observed.VMs[c.facts.Roles.Active]))
	if !known {
		return nil
	}

	at := field.NewPath("spec", "k3s")

	for _, key := range (k3s.Shared{Config: m.K3s.Config, Disable: m.K3s.Disable}).Changes(made) {
		path, value := at.Child("config").Key(key), m.K3s.Config[key]
		if key == "disable" {
			path, value = at.Child(key), any(m.K3s.Disable)
		}

		errs = append(errs, field.Invalid(path, value, fmt.Sprintf("differs from what the server was made with, and K3s lets no server join that differs from its cluster: write "+
			"what the cluster has (%s on the VM), here or where the catalogue says it", k3s.ConfigPath)))
	}

	return errs
}
