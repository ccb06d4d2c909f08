package claims

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// TestImmutableOnceTheVMExists has the XRDs refuse edits that no VM survives, and only once there is a VM.
func TestImmutableOnceTheVMExists(t *testing.T) {
	all := loadJudges(t)

	cases := map[string]struct {
		reason string
		claim  string
		edit   func(spec map[string]any)
		want   string // A piece of the message; empty: the edit is taken.
		made   bool
	}{
		"SiteBefore": {
			reason: "A typing error can be mended.", claim: aMachine("{proxmox: {site: a, node: pve}}"),
			edit: func(spec map[string]any) { spec["proxmox"].(map[string]any)["site"] = "b" },
		},
		"Site": {
			reason: "The provider would make a second VM in the other Proxmox cluster.", made: true, claim: aMachine("{proxmox: {site: a, node: pve}}"),
			edit: func(spec map[string]any) { spec["proxmox"].(map[string]any)["site"] = "b" }, want: "spec.proxmox.site is immutable",
		},
		"SiteAdded": {
			reason: "Naming a site is changing it.", made: true, claim: aMachine("{class: small}"),
			edit: func(spec map[string]any) { spec["proxmox"] = map[string]any{"site": "b"} }, want: "spec.proxmox.site is immutable",
		},
		"OtherEdit": {
			reason: "Everything else may be edited.", made: true, claim: aMachine("{proxmox: {site: a, node: pve}}"),
			edit: func(spec map[string]any) { spec["class"] = "large" },
		},
		"DayTwo": {
			reason: "What is meant for a living VM may be edited while it lives.", made: true, claim: aMachine("{proxmox: {site: a, node: pve}}"),
			edit: func(spec map[string]any) {
				spec["power"], spec["protection"] = "Unmanaged", true
				spec["lifecycle"] = map[string]any{"replace": "1", "reboot": "2", "rebootPolicy": "WhenNeeded", "retry": "3"}
				spec["proxmox"].(map[string]any)["migrate"] = true
				spec["proxmox"].(map[string]any)["node"] = "pve2"
			},
		},
		"DayTwoBack": {
			reason: "And taken back: a revert in Git is never refused.", made: true,
			claim: aMachine(`{power: Unmanaged, protection: true, lifecycle: {replace: "1", reboot: "2"}, adopt: {vmId: 108, approve: "3f9a0c71d2"}, proxmox: {site: a, node: pve, migrate: true}}`),
			edit: func(spec map[string]any) {
				for _, name := range []string{"power", "protection", "lifecycle", "adopt"} {
					delete(spec, name)
				}

				delete(spec["proxmox"].(map[string]any), "migrate")
			},
		},
		"AdoptAnother": {
			reason: "A wrong VMID can be corrected before the adoption.", claim: aMachine(`{adopt: {vmId: 108}, proxmox: {site: a, node: pve}}`),
			edit: func(spec map[string]any) { spec["adopt"].(map[string]any)["vmId"] = int64(109) },
		},
		"Role": {
			reason: "A server cannot become an agent.", made: true, claim: aNode("{k3s: {role: server, cluster: home}}"),
			edit: func(spec map[string]any) { spec["k3s"].(map[string]any)["role"] = "agent" }, want: "spec.k3s.role is immutable",
		},
		"RestoreBefore": {
			reason: "A typing error can be mended.", claim: aNode("{k3s: {role: server, cluster: home, init: true, token: {file: /etc/t/oken}, restore: a}}"),
			edit: func(spec map[string]any) { spec["k3s"].(map[string]any)["restore"] = "b" },
		},
		"Restore": {
			reason: "A state that is there stays.", made: true, claim: aNode("{k3s: {role: server, cluster: home, init: true, token: {file: /etc/t/oken}}}"),
			edit: func(spec map[string]any) { spec["k3s"].(map[string]any)["restore"] = "b" }, want: "a node that exists is not restored",
		},
		"RestoreRemoved": {
			reason: "It is done.", made: true, claim: aNode("{k3s: {role: server, cluster: home, init: true, token: {file: /etc/t/oken}, restore: a}}"),
			edit: func(spec map[string]any) { delete(spec["k3s"].(map[string]any), "restore") },
		},
		"NodeSite": {
			reason: "The same as for a Machine.", made: true, claim: aNode("{proxmox: {site: a}, k3s: {role: server, cluster: home}}"),
			edit: func(spec map[string]any) { delete(spec, "proxmox") }, want: "spec.proxmox.site is immutable",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			old := parse(t, tc.claim)
			if tc.made {
				old["status"] = map[string]any{"vmId": int64(100)}
			}

			edited := runtime.DeepCopyJSON(old)
			tc.edit(edited["spec"].(map[string]any))

			for _, j := range all[old["kind"].(string)] {
				errs := j.definition.Check(edited, old)

				if (len(errs) > 0) != (tc.want != "") || len(errs) > 0 && !strings.Contains(errs.ToAggregate().Error(), tc.want) {
					t.Errorf("%s\n%s: want a fault with %q, got %v", tc.reason, j.name, tc.want, errs)
				}
			}
		})
	}
}
