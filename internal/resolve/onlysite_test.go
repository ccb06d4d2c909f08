package resolve

import (
	"strings"
	"testing"
)

// TestOnlySite: who names a node of the only site, and not the site, is told that nothing of it counts.
func TestOnlySite(t *testing.T) {
	const (
		one = `{sites: {home: {nodes: {pve: {}}, network: {bridge: vmbr0}}}}`
		of  = "spec.proxmox.site: the claim names no site, so that nothing of site 'home' counts for it"
	)

	for name, tc := range map[string]struct {
		reason, spec, catalogue string
		existing                Existing
		want                    bool
	}{
		"Node":      {"It is a node of the site.", `{proxmox: {node: pve}}`, one, Existing{}, true},
		"Site":      {"The site is named.", `{proxmox: {node: pve, site: home}}`, one, Existing{}, false},
		"Default":   {"It is the default.", `{proxmox: {node: pve}}`, `{defaults: {site: home}, sites: {home: {nodes: {pve: {}}, network: {bridge: vmbr0}}}}`, Existing{}, false},
		"OtherNode": {"Another node is none of it.", `{proxmox: {node: pve9}}`, one, Existing{}, false},
		"Lives":     {"A VM that lives is as it is.", `{proxmox: {node: pve}}`, one, Existing{Node: "pve"}, false},
		"None":      {"There is no site.", `{proxmox: {node: pve}}`, `{}`, Existing{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := aMachine(t, kindMachine, tc.spec, tc.catalogue, tc.existing)
			if got := strings.Contains(strings.Join(m.Warnings, "\n"), of); got != tc.want {
				t.Errorf("%s\nwarned: %t, of %q", tc.reason, got, m.Warnings)
			}
		})
	}
}
