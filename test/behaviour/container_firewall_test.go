package behaviour

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAFirewallOfAContainer is written when the container exists, and nobody is locked out by the order: the world faults that. Its interface is behind it
// from the beginning on, so that nothing waits for a restart.
func TestAFirewallOfAContainer(t *testing.T) {
	t.Parallel()

	m := ofKind(t, "Container", "web", "{class: own, image: own-ct, network: {ip: 192.168.4.77/24}, firewall: {preset: ssh, allow: [{port: 53, protocol: udp}]}, proxmox: {site: home, node: pve, vmId: 153}}")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "FirewallApplied": "Filtering", "ProviderHealthy": "NoError", "RebootPending": "NothingPending"})

	wall := m.Proxmox.Firewalls[153]
	if wall == nil || !wall.Drops() || len(wall.Rules) != 3 {
		t.Fatalf("firewall %+v", wall)
	}

	for _, name := range m.walls() {
		forProvider := world.Object(world.Object(m.Observed[name]["spec"])["forProvider"])
		if forProvider["vmId"] != nil || fmt.Sprint(forProvider["containerId"]) != "153" {
			t.Errorf("%s is for %s", name, world.Compact(forProvider))
		}
	}

	// Other rules take effect at once, and the container runs on.
	m.Proxmox.Done = nil
	m.edit("{firewall: {allow: [{port: 443}]}}")
	m.says(m.Rest(), map[string]string{"FirewallApplied": "Filtering", "RebootPending": "NothingPending"})
	m.did("change firewall rules of container 153")

	// Without a firewall in the claim, it goes, the rules last.
	delete(m.Spec(), "firewall")
	m.Rest()

	if wall := m.Proxmox.Firewalls[153]; wall.Drops() || len(wall.Rules) != 0 {
		t.Errorf("firewall %+v", wall)
	}

	if left := m.walls(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}

	m.calm()
}

// TestAFirewallOfARunningContainer: the interface is behind the firewall only after a restart, which the claim has to ask for.
func TestAFirewallOfARunningContainer(t *testing.T) {
	t.Parallel()

	m := aContainer(t)
	m.edit("{firewall: {preset: ssh}}")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "FirewallApplied": "FirewallPending", "RebootPending": "ChangesPending"})
	m.did("change firewall rules of container 153", "change firewall options of container 153")

	if wall := m.Proxmox.Firewalls[153]; !wall.Drops() || len(wall.Rules) != 2 {
		t.Errorf("firewall %+v", wall)
	}

	m.edit(`{lifecycle: {reboot: "2026-11-20"}}`)
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "FirewallApplied": "Filtering", "RebootPending": "NothingPending"})
}

// TestAFirewallOfAContainerWithoutItsCatalogue stays as it is: the catalogue has the networks that its rules name.
func TestAFirewallOfAContainerWithoutItsCatalogue(t *testing.T) {
	t.Parallel()

	m := aContainer(t)
	m.edit("{firewall: {preset: ssh}}")
	m.Rest()

	rules := m.Observed["firewall-rules-container"]["spec"]
	m.Catalogue = nil
	m.Rest()

	if diff := cmp.Diff(rules, m.Observed["firewall-rules-container"]["spec"]); diff != "" {
		t.Errorf("-before, +after:\n%s", diff)
	}
}

// TestAProtectedContainer cannot be deleted with its claim, from before the provider has switched the option on until it has switched it off.
func TestAProtectedContainer(t *testing.T) {
	t.Parallel()

	m := aContainer(t)
	m.edit("{proxmox: {protection: true}}")

	if !protects(m.Call()) {
		t.Error("the option is about to be on, and the claim could be deleted")
	}

	if rsp := m.Rest(); !protects(rsp) || m.Proxmox.Containers[153].Config["protection"] != true {
		t.Errorf("protected: %v, in Proxmox: %v", protects(rsp), m.Proxmox.Containers[153].Config["protection"])
	}

	m.did("change protection of container 153")
	m.edit("{proxmox: {protection: false}}")

	if !protects(m.Call()) {
		t.Error("the option is still on in Proxmox, and the claim could be deleted")
	}

	if rsp := m.Rest(); protects(rsp) || m.Proxmox.Containers[153].Config["protection"] != false {
		t.Errorf("protected: %v, in Proxmox: %v", protects(rsp), m.Proxmox.Containers[153].Config["protection"])
	}

	// A claim that does not say it leaves alone what somebody set in Proxmox, which protects it as well.
	delete(world.Object(m.Spec()["proxmox"]), "protection")
	m.Rest()
	m.Proxmox.Containers[153].Config["protection"] = true

	if rsp := m.Rest(); !protects(rsp) || m.Proxmox.Containers[153].Config["protection"] != true {
		t.Errorf("protected: %v, in Proxmox: %v", protects(rsp), m.Proxmox.Containers[153].Config["protection"])
	}
}

// TestAContainerOnAnotherNode keeps its VMID: the provider finds it there before it would create a second one.
func TestAContainerOnAnotherNode(t *testing.T) {
	t.Parallel()

	m := ofKind(t, "Container", "web", "{class: own, image: own-ct, network: {ip: 192.168.4.77/24}, proxmox: {site: home, node: pve, vmId: 153}}")
	world.Merge(m.Catalogue, world.FromYAML(t, "data: {sites: {home: {nodes: {pve: {}, pve2: {}}}}}"))
	m.Proxmox.Containers[153] = &world.Container{Config: world.FromYAML(t, `{nodeName: pve2, description: "by hand\n", tags: [], started: true, initialization: [{hostname: nas}]}`)}
	m.Rest()

	m.says(m.Call(), map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberTaken"})
	m.did()

	if m.Observed["container"] != nil {
		t.Error("the provider is asked to create a container")
	}

	// It is gone, and the VMID is free.
	delete(m.Proxmox.Containers, 153)
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree"})
}
