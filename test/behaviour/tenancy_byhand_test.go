package behaviour

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestByHandIsWithheld: what somebody made in Proxmox is told to a claim that names its VMID, by name and node, only where the claim's namespace may adopt it.
func TestByHandIsWithheld(t *testing.T) {
	t.Parallel()

	const (
		without   = `{default: Deny, tenants: {team-b: {namespaces: [team-b], allow: [pin, templates]}}}`
		with      = `{default: Deny, tenants: {team-b: {namespaces: [team-b], allow: [adopt, pin, templates]}}}`
		image     = `image: "local:vztmpl/debian-12.tar.zst"`
		own       = "Machine team-b/mallory (homelab.io), managed by Crossplane."
		adoptable = "move the VMID to spec.adopt.vmId"
	)

	cases := map[string]struct {
		reason, rules, kind, spec string
		notes                     string // Of the VM; empty for none.
		says, never               []string
	}{
		"Without": {
			reason: "It is nothing to the tenant.", rules: without, kind: "Machine", spec: "{proxmox: {vmId: 108}}", says: []string{"VMID 108 is in use by VM 108."},
			never: []string{"nas", "node pve2", adoptable},
		},
		"SameName": {
			reason: "Nor is whether it guessed the name.", rules: without, kind: "Machine", spec: "{hostname: nas, proxmox: {vmId: 108}}", says: []string{"VMID 108 is in use by VM 108."},
			never: []string{"pve2", "qm destroy", adoptable},
		},
		"With": {
			reason: "It may have it.", rules: with, kind: "Machine", spec: "{proxmox: {vmId: 108}}", says: []string{"VMID 108 is in use by VM 108 (`nas`) on node pve2", adoptable},
		},
		"Own": {
			reason: "It was made for the claim, which may not adopt it.", rules: without, kind: "Machine", spec: "{proxmox: {vmId: 108}}", notes: own,
			says: []string{"It was made for a claim of this kind, namespace and name", "your tenant may not adopt"}, never: []string{"spec.adopt"},
		},
		"OwnWith": {
			reason: "It may have it back.", rules: with, kind: "Machine", spec: "{proxmox: {vmId: 108}}", notes: own, says: []string{"name it in spec.adopt.vmId: 108"},
		},
		"NoRules": {reason: "Everybody may.", kind: "Machine", spec: "{proxmox: {vmId: 108}}", says: []string{"VMID 108 is in use by VM 108 (`nas`) on node pve2", adoptable}},
		"OfContainer": {
			reason: "A container's VMID is one of the same numbers.", rules: without, kind: "Container", spec: "{" + image + ", proxmox: {vmId: 108}}", says: []string{"VMID 108 is in use by a VM."},
			never: []string{"nas", "pve2", adoptable},
		},
		"OfContainerWith": {reason: "It may know.", rules: with, kind: "Container", spec: "{" + image + ", proxmox: {vmId: 108}}", says: []string{"VMID 108 is in use by a VM, 'nas', on node pve2"}},
		"Container": {
			reason: "What has it is a container.", rules: without, kind: "Container", spec: "{" + image + ", proxmox: {vmId: 109}}", says: []string{"VMID 109 is in use by a container."},
			never: []string{"frigate", adoptable},
		},
		"ContainerWith": {reason: "It may have that one.", rules: with, kind: "Container", spec: "{" + image + ", proxmox: {vmId: 109}}", says: []string{"'frigate'", adoptable}},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			if tc.kind == "Container" && in.Name == "legacy" {
				continue // Its provider is too old for containers.
			}

			t.Run(name+in.Name, func(t *testing.T) {
				t.Parallel()

				m := playedPair(t, in, tc.kind, tc.spec).hostile
				m.withTenancy(nil)

				if tc.rules != "" {
					m.withTenancy(world.FromYAML(t, tc.rules))
				}

				config := fake.HandMade(t, "{nodeName: pve2}")
				if tc.notes != "" {
					config["description"] = tc.notes
				}

				m.Proxmox.ByHand(108, config)
				m.Proxmox.Containers[109] = &world.Container{Config: world.FromYAML(t, handMadeContainer)}

				for range 6 {
					m.try()
				}

				text := told(m.Call())

				for _, want := range tc.says {
					if !strings.Contains(text, want) {
						t.Errorf("%s\n%q is not in\n%s", tc.reason, want, text)
					}
				}

				for _, never := range tc.never {
					if strings.Contains(text, never) {
						t.Errorf("%s\n%q is in\n%s", tc.reason, never, text)
					}
				}

				m.did()
			})
		}
	}
}
