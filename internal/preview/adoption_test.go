package preview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const adoptionCatalogue = `apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults: {site: home}
  sites:
    home:
      providerConfig: default
      nodes: {pve: {bridges: [vmbr0], storages: {local: [import, snippets, vztmpl], local-lvm: [images, rootdir]}}}
      network: {bridge: vmbr0}
`

// TestAdoptionIsNoCreation: what a claim adopts is there already, and its plan creates nothing, whatever was rendered to look at it.
func TestAdoptionIsNoCreation(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, kind, spec string
		effects            []Effect
		action             string
		notes              []string
	}{
		"VM": {
			"Its size, node and interfaces are Proxmox's to say.", "Machine", "adopt: {vmId: 108}, deletionPolicy: Orphan",
			[]Effect{EffectApproval},
			adoptsGuest,
			[]string{"VM 108: the provider only reads it until somebody approves the plan of its adoption"},
		},
		"Container": {
			"So is a container.", "Container", "adopt: {vmId: 113}, proxmox: {node: pve}, deletionPolicy: Orphan",
			[]Effect{EffectApproval},
			adoptsGuest,
			[]string{"container pve/113: the provider only looks whether it is there"},
		},
		"New": {
			"A VM with a VMID that nobody adopts is created, with the claim's size.", "Machine", "proxmox: {node: pve, vmId: 161}, class: small, image: debian-13",
			[]Effect{EffectCreate},
			"create",
			[]string{"VM 161 on pve: 2 cores, 4 GiB, 30 GiB on local-lvm"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := "apiVersion: homelab.io/v1alpha1\nkind: " + tc.kind + "\nmetadata: {name: nas, namespace: infra}\nspec: {" + tc.spec + "}\n"
			r, _ := renderClusterWith(t, FlavourNamespaced, text, adoptionCatalogue)

			plan := r.asNew(MachinePlan{})
			if diff := cmp.Diff(tc.effects, plan.Effects); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}

			if len(plan.Steps) != 1 || plan.Steps[0].Action != tc.action || !strings.HasPrefix(strings.Join(plan.Steps[0].Notes, "\n"), strings.Join(tc.notes, "\n")) {
				t.Errorf("%s got %+v", tc.reason, plan.Steps)
			}

			picture, err := guestsByNode([]Rendered{r})
			if err != nil {
				t.Fatal(err)
			}

			for _, guests := range picture {
				for _, g := range guests {
					if tc.kind == "Machine" && (g.size == "") != (tc.action == adoptsGuest) {
						t.Errorf("%s the picture has %+v", tc.reason, g)
					}
				}
			}
		})
	}
}
