package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNodesWithoutValue: `nodes: {pve: }` lists no node, which a new machine is told.
func TestNodesWithoutValue(t *testing.T) {
	const (
		document = "defaults: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtZ0FvBO1xBC3yyyiGXJdtQcGJmGkWfPRqWkUOU6GPn a]}\nsites:\n  lone: {nodes: {pve: null}}\n  pair: {nodes: {pve: null, other: {}}}\n"
		lacks    = "has no value, and counts as left out: write its fields or {} behind the name, or remove it"
		at       = "data.sites."
	)

	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		faults   []string
		warnings string
	}{
		"Named":    {reason: "The node is taken as it is typed, as before.", spec: "{proxmox: {site: lone, node: pve}}", warnings: at + "lone.nodes.pve: " + lacks + "."},
		"Other":    {reason: "Another node has nothing to do with it.", spec: "{proxmox: {site: lone, node: pve2}}"},
		"Existing": {reason: "A VM is where it is.", spec: "{proxmox: {site: lone, node: pve}}", existing: Existing{Node: "pve"}},
		"None": {
			reason: "Why there is none to choose.", spec: "{proxmox: {site: lone}}",
			faults: []string{"spec.proxmox.node: Required value: must be the Proxmox node for the VM: the catalogue lists no nodes of site 'lone'; " + at + "lone.nodes.pve " + lacks},
		},
		"NotAmong": {
			reason: "Why it is not among those that there are.", spec: "{proxmox: {site: pair, node: pve}}",
			faults: []string{"spec.proxmox.node: Invalid value: \"pve\": node 'pve' does not exist in site 'pair'; there are: other; " + at + "pair.nodes.pve " + lacks},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			faults, warnings := resolvedWith(t, document, kindMachine, tc.spec, tc.existing)

			if diff := cmp.Diff(tc.faults, faults); diff != "" {
				t.Errorf("%s\nfaults: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.warnings, warnings); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
