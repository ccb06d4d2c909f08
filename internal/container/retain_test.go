package container

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRetain: what an answer leaves out, Crossplane deletes. A call that cannot decide yet writes all that there is, and of each what it was, or no more rights.
func TestRetain(t *testing.T) {
	written := proxmox.ObservedContainer{Kind: proxmox.ContainerKind}
	written.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
	written.Spec.ForProvider.VMID = new(int64(120))

	looks, vm := written, proxmox.ObservedVM{Kind: proxmox.VMKind}
	looks.Spec.ManagementPolicies = proxmox.ObserveOnly()
	vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
	vm.Spec.ForProvider.VMID = new(int64(120))

	s := proxmox.State{
		Containers:    map[string]proxmox.ObservedContainer{replacement.First: written, "vmid-check": looks},
		VMs:           map[string]proxmox.ObservedVM{"vmid-check-vm": vm},
		DownloadFiles: map[string]proxmox.ObservedDownloadFile{"template": {Kind: "EnvironmentDownloadFile"}},
		Firewalls:     proxmox.ObservedFirewalls{Rules: map[string]proxmox.ObservedFirewallRules{"firewall-rules-container": {Kind: "EnvironmentFirewallRules"}}},
	}

	got := Retain(s)

	if diff := cmp.Diff(written.Spec, got.Containers[replacement.First].Spec); diff != "" {
		t.Errorf("Retain(), container: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(proxmox.ObserveOnly(), got.Checks.VMs["vmid-check-vm"].Spec.ManagementPolicies); diff != "" {
		t.Errorf("Retain(), a look at a VMID: -want, +got:\n%s", diff)
	}

	manifests, err := got.Manifests(nil)
	if err != nil {
		t.Fatal(err)
	}

	want := []string{replacement.First, "firewall-rules-container", "template", "vmid-check", "vmid-check-vm"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(manifests))); diff != "" {
		t.Errorf("Manifests(): -want, +got:\n%s", diff)
	}
}
