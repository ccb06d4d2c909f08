package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestUselessOfKinds: what containers, sites and firewalls say without effect, and what they say with one.
func TestUselessOfKinds(t *testing.T) {
	vm := func(more string) string {
		return aMachine("class: small\nproxmox: {node: pve, vmId: 150}\nnetwork: {dhcp: true}\nbootstrap: {sshAuthorizedKeys: [ssh-ed25519 " +
			"AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam]}\n" + more)
	}

	cases := map[string]struct {
		reason, document string
		want             []string // Parts of the warnings, in their order.
	}{
		"Filters":   {reason: "As a firewall should.", document: vm("firewall: {preset: ssh, allow: [{port: 80}]}")},
		"Off":       {reason: "It says that there is none.", document: vm("firewall: {enabled: false}")},
		"OffNone":   {reason: "So does this.", document: vm("firewall: {enabled: false, preset: none}")},
		"OffRules":  {reason: "Rules of a firewall that is off.", document: vm("firewall: {enabled: false, allow: [{port: 80}]}"), want: []string{"spec.firewall.enabled: false: preset and allow"}},
		"OffPreset": {reason: "And a preset.", document: vm("firewall: {enabled: false, preset: ssh}"), want: []string{"spec.firewall.enabled: false: preset and allow"}},
		"Empty":     {reason: "It is on, and lets everything in.", document: vm("firewall: {}"), want: []string{"spec.firewall: drops nothing"}},
		"None":      {reason: "The preset is none.", document: vm("firewall: {preset: none}"), want: []string{"spec.firewall: drops nothing"}},
		"Container": {
			reason:   "Of a container as of a VM.",
			document: aContainerClaim("image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve, vmId: 150}\nbootstrap: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam]}\nfirewall: {}"),
			want:     []string{"spec.firewall: drops nothing"},
		},
		"Notes":     {reason: "Text that is taken as it is.", document: vm("notes: \"of ${CLUSTER}\""), want: []string{"spec.notes: of ${CLUSTER}: has a placeholder"}},
		"NotesLine": {reason: "One of several lines.", document: vm("notes: \"a\\nof {{ .Values.x }}\\n\""), want: []string{"spec.notes: of {{ .Values.x }}: has a placeholder"}},
		"Money":     {reason: "A dollar alone is none.", document: vm("notes: costs $5 a month")},
		"Script":    {reason: "A script has names of its own.", document: vm("notes: a\nrole: x")},
		"Sealed": {
			reason: "What SOPS has encrypted is nothing anywhere.", document: vm("notes: \"ENC[AES256_GCM,data:abc,iv:def,tag:ghi,type:str]\""),
			want: []string{"spec.notes: is encrypted by SOPS"},
		},
		"Site": {reason: "Ports that may be.", document: aProxmoxSite("nodes: {pve: {bridges: [{name: vmbr1, ports: [enp2s0, bond0, enx001122334455, eno1.30, wan0]}]}}")},
		"SitePorts": {
			reason:   "Ports that no bridge takes.",
			document: aProxmoxSite("nodes: {pve: {bridges: [{name: vmbr1, ports: [wlp3s0, wg0, docker0, tap100i0, veth101i0]}]}}"),
			want:     []string{"ports[0]: wlp3s0: is a Wi-Fi", "ports[1]: wg0: has no frames", "ports[2]: docker0: is a bridge", "ports[3]: tap100i0: is an interface of a guest", "ports[4]: veth101i0: is an interface"},
		},
		"Installers": {reason: "A node has it from its installation.", document: aProxmoxSite("nodes: {pve: {bridges: [{name: vmbr0}]}}"), want: []string{"bridges[0].name: vmbr0: Proxmox's installer"}},
		"Word": {
			reason: "Only a hash allows a change.", document: aProxmoxSite("nodes: {pve: {bridges: [{name: vmbr1, allowInterruption: \"yes\"}], vlans: [{interface: vmbr1, tag: 3, allowInterruption: always}]}}"),
			want: []string{"bridges[0].allowInterruption: yes: has no effect", "vlans[0].allowInterruption: always: has no effect"},
		},
		"Hash":         {reason: "Whether it is the one of a change, a file does not tell.", document: aProxmoxSite("nodes: {pve: {bridges: [{name: vmbr1, allowInterruption: b81f9a3c20}]}}")},
		"Removal":      {reason: "Nothing is removed with Orphan.", document: aProxmoxSite("allowRemoval: {pools: [old]}\npools: [{name: a}]"), want: []string{"spec.allowRemoval: has no effect"}},
		"RemovalMeant": {reason: "With Delete it is.", document: aProxmoxSite("deletionPolicy: Delete\nallowRemoval: {pools: [old]}\npools: [{name: a}]")},
		"InPool": {
			reason: "A guest may get the address of a node.",
			document: aProxmoxSite("nodes: {pve: {bridges: [{name: vmbr1, address: 10.0.9.7/24}], vlans: [{interface: vmbr1, tag: 3, address: 10.0.8.7/24}]}}") +
				"\n---\n" + environment("sites: {home: {nodes: {pve: {}}, network: {gateway: 10.0.8.1, cidr: 24, pool: 10.0.8.5-10.0.8.9}}}"),
			want: []string{"vlans[0].address: 10.0.8.7/24: is in the site's address pool, 10.0.8.5-10.0.8.9"},
		},
		"Comment": {reason: "Of a pool, too.", document: aProxmoxSite("pools: [{name: a, comment: \"${X}\"}]"), want: []string{"spec.pools[0].comment: ${X}: has a placeholder"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			faults := Check([]manifest.Raw{{File: "c.yaml", Documents: manifest.RawDocuments([]byte(tc.document))}}, nil, Options{}).Faults

			var got []string

			for _, f := range faults {
				_, said, _ := strings.Cut(f.String(), "warning: ")
				if said == "" || strings.Contains(said, noCatalogue) {
					said = ""
				}

				for _, want := range tc.want {
					if strings.Contains(said, want) {
						said = want
					}
				}

				if said != "" {
					got = append(got, said)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s\n%v", tc.reason, diff, faults)
			}
		})
	}
}
