package preview

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// TestWhy has a reason for each sort of refused change, and none for a change that is made.
func TestWhy(t *testing.T) {
	const (
		fromCreation = "a VM has it from its creation: only spec.lifecycle.replace changes it, with a new VM"
		another      = "a container has it from its creation: spec.lifecycle.replace makes another container, with another VMID, and so does a claim with another name"
		unplugs      = "Proxmox unplugs the interface and plugs it in again"
	)

	vm, ct, bridge := PlanStep{Resource: "VM 161"}, PlanStep{Resource: "container 153"}, PlanStep{Resource: "bridge pve1/vmbr1"}

	for name, tc := range map[string]struct {
		of     PlanStep
		change PlanChange
		want   string
	}{
		"NotRefused": {vm, PlanChange{Effect: EffectReboot, Field: "spec.size.cores", From: "2", To: "4"}, ""},
		"Shrinks":    {vm, PlanChange{Effect: EffectRefused, Field: "spec.disks[data].size", From: "2048Gi", To: "1024Gi"}, "a disk is never shrunk"},
		"Detaches":   {vm, PlanChange{Effect: EffectRefused, Field: "spec.disks[data].size", From: "5Gi"}, "a disk is never detached: its data stays"},
		"Firmware":   {vm, PlanChange{Effect: EffectRefused, Field: "spec.firmware", From: "BIOS", To: "UEFI"}, fromCreation},
		"Storage":    {vm, PlanChange{Effect: EffectRefused, Field: "spec.proxmox.storage", From: "a", To: "b"}, "the disk stays where it is: docs/day-two.md, Moving a disk, has the way"},
		"Pool":       {vm, PlanChange{Effect: EffectRefused, Field: "spec.network.pool", From: "dhcp", To: "an address of the site's pool"}, "the VM keeps DHCP until it is replaced"},
		"Domain":     {vm, PlanChange{Effect: EffectRefused, Field: "spec.network.domain", From: "home.arpa"}, "the provider cannot take it away: write another value"},
		"Node":       {vm, PlanChange{Effect: EffectRefused, Field: "spec.proxmox.node", From: "pve1", To: "pve2"}, "a VM stays on its node unless spec.proxmox.migrate: true moves it"},
		"Site": {
			vm,
			PlanChange{Effect: EffectRefused, Field: "spec.proxmox.site", From: "a", To: "b"},
			"a VM stays in its Proxmox cluster, on its node and in its network there: a claim with another name creates one elsewhere",
		},
		"NICGone": {vm, PlanChange{Effect: EffectRefused, Field: "spec.nics[0].ip", From: "10.0.0.2/24"}, "the provider cannot take an address off the cloud-init drive, where it stays for the interface at this place of the list: the position identifies an interface"},
		"Bridge":  {vm, PlanChange{Effect: EffectChange, Field: "spec.network.bridge", From: "vmbr0", To: "vmbr1"}, unplugs},
		"VLAN":    {vm, PlanChange{Effect: EffectChange, Field: "spec.network.vlan", To: "20"}, unplugs},
		"Stays":   {vm, PlanChange{Effect: EffectRefused, Field: "spec.network.vlan", To: "20"}, "the interface stays in the network of its address, which stays, too"},
		"Gateway": {vm, PlanChange{Effect: EffectRefused, Field: "spec.network.gateway", From: "192.168.4.1"}, "the interface stays in the network of its address, which stays, too"},
		"MAC": {vm, PlanChange{Effect: EffectChange, Field: "spec.network.mac", To: "BC:24:11:00:00:62"}, unplugs + ": a guest that cloud-init configured, whose network is bound to " +
			"the MAC address, has none on it until its next power cycle"},
		"MACWaits": {vm, PlanChange{Effect: EffectReboot, Field: "spec.network.mac", To: "BC:24:11:00:00:62"}, ""},
		"MACRefused": {vm, PlanChange{Effect: EffectRefused, Field: "spec.nics[0].mac", To: "BC:24:11:00:00:62"}, "the guest's network is bound to the MAC address of its first boot, " +
			"and would be cut off: only spec.lifecycle.replace changes it, with a new VM"},
		"NewNIC": {vm, PlanChange{Effect: EffectChange, Field: "spec.nics[0].bridge", To: "vmbr1"}, ""},
		"Image":  {ct, PlanChange{Effect: EffectRefused, Field: "spec.image", From: "a", To: "b"}, another},
		"Mounts": {
			ct,
			PlanChange{Effect: EffectRefused, Field: "spec.disks", From: "/srv tank 1G"},
			"a container has its mount points from its creation: spec.lifecycle.replace makes another container, with another VMID, and so does a claim with another name",
		},
		"Keys": {
			ct,
			PlanChange{Effect: EffectRefused, Field: "spec.bootstrap.sshAuthorizedKeys", From: "1 (617e48)", To: "1 (c71625)"},
			"a container gets its keys when it is made: of one that runs, edit /root/.ssh/authorized_keys in the guest",
		},
		"RootShrinks": {ct, PlanChange{Effect: EffectRefused, Field: "spec.size.disk", From: "4 GiB", To: "2 GiB"}, "a disk is never shrunk"},
		"Ports":       {bridge, PlanChange{Effect: EffectRefused, Field: "spec.nodes.pve1.bridges[vmbr1].ports", From: "eno1"}, "the provider cannot take it away: write another value"},
	} {
		if got := tc.change.why(tc.of.subject()); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// TestNowhere: of a node that there is not no word of the claim is said to move a guest there. Other changes of the commit keep their reasons.
func TestNowhere(t *testing.T) {
	const no = "node 'pve9' does not exist in site 'home'; there are: pve1, pve2"

	step := PlanStep{Resource: "VM 161", Changes: []PlanChange{
		{Effect: EffectRefused, Field: "spec.proxmox.node", From: "pve1", To: "pve9"},
		{Effect: EffectRefused, Field: "spec.image", From: "a", To: "b"},
		{Effect: EffectChange, Field: "spec.proxmox.node", From: "pve1", To: "pve2"},
	}}

	for name, tc := range map[string]struct {
		reason, no string
		want       []string
	}{
		"Missing": {"Only the refused move is to a node that there is not.", no, []string{no, "", ""}},
		"There":   {"A node of the site has the usual reason.", "", []string{"", "", ""}},
	} {
		s := step
		s.Changes = slices.Clone(step.Changes)

		var got []string
		for _, c := range s.nowhere(tc.no).Changes {
			got = append(got, c.Because)
		}

		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s: -want, +got:\n%s", name, tc.reason, diff)
		}
	}
}

// TestAsNotes: a description is told as the claim's notes, in one line.
func TestAsNotes(t *testing.T) {
	const origin = "Machine infra/git01 (homelab.io), managed by Crossplane. Change the claim in Git: changes made here are undone."

	for name, tc := range map[string]struct{ in, want change.Change }{
		"Edited":  {change.Change{Field: "description", Has: "a\n\n" + origin, Wanted: "b\nc\n\n" + origin}, change.Change{Field: "spec.notes", Has: "a", Wanted: `b\nc`}},
		"Removed": {change.Change{Field: "description", Has: "a\n\n" + origin, Wanted: origin}, change.Change{Field: "spec.notes", Has: "a"}},
		"Origin":  {change.Change{Field: "description", Has: "by hand", Wanted: origin}, change.Change{Field: "description", Has: "by hand", Wanted: origin}},
		"Mark":    {change.Change{Field: "spec.pools[a].comment", Has: "[ProxmoxSite i/home]", Wanted: "new [ProxmoxSite i/home]"}, change.Change{Field: "spec.pools[a].comment", Wanted: "new"}},
		"Foreign": {change.Change{Field: "spec.pools[a].comment", Has: "[ProxmoxSite i/lab]", Wanted: "[ProxmoxSite i/home]"}, change.Change{Field: "spec.pools[a].comment", Has: "[ProxmoxSite i/lab]", Wanted: "[ProxmoxSite i/home]"}},
		"Other":   {change.Change{Field: "spec.tags", Has: "a\nb"}, change.Change{Field: "spec.tags", Has: "a\nb"}},
	} {
		if diff := cmp.Diff(tc.want, asNotes(tc.in)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}
