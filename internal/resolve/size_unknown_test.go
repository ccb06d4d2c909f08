package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestUnknownClass: a class with a typing error is one fault. What a claim does not say is then neither too little nor too much of anything.
func TestUnknownClass(t *testing.T) {
	t.Parallel()

	const crowded = `
classes: {small: {cores: 4, memory: 4Gi, disk: 30Gi}}
defaults: {image: debian-13, site: lab}
sites: {lab: {nodes: {n1: {memory: 8Gi, cores: 4}}}}
`

	loads := map[string]Existing{"Empty": {}, "Overcommitted": {Load: Load{UsedMiB: map[string]int64{"n1": 1 << 20}}}}

	cases := map[string]struct{ reason, kind, namespace, catalogue, load, spec string }{
		"Machine":     {reason: "A VM.", spec: "{class: %s}"},
		"Tenant":      {reason: "Limits of a tenant.", namespace: "team-b", catalogue: teamB, spec: "{class: %s, proxmox: {pool: team-b}}"},
		"DataDisk":    {reason: "A data disk is counted as far as the claim says it.", namespace: "team-b", catalogue: teamB, spec: "{class: %s, proxmox: {pool: team-b}, disks: [{name: d, size: 10Gi}]}"},
		"Container":   {reason: "A container of a tenant.", kind: claim.KindContainer, namespace: "team-b", catalogue: teamB, spec: "{class: %s, image: debian-ct, proxmox: {pool: team-b, vmId: 4200}}"},
		"Swap":        {reason: "The swap of one.", kind: claim.KindContainer, namespace: "team-b", catalogue: teamB, spec: "{class: %s, image: debian-ct, size: {swap: 2Gi}, proxmox: {pool: team-b, vmId: 4200}}"},
		"Floor":       {reason: "Ballooning needs the memory of the class.", spec: "{class: %s, size: {memoryFloor: 3Gi}}"},
		"Reservation": {reason: "The kubelet keeps less than the class has.", kind: claim.KindK3sNode, namespace: "infra", catalogue: "{}", spec: "{class: %s, k3s: {role: agent, cluster: home, config: {kubelet-arg: ['system-reserved=memory=2Gi']}}}"},
		"NoRoom":      {reason: "Nobody knows whether there is room for it.", load: "Overcommitted", spec: "{class: %s}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			kind, cat, load := tc.kind, aCatalog(t, crowded), loads[tc.load]
			if kind == "" {
				kind = kindMachine
			}

			if tc.catalogue != "" {
				cat = divided(t, tc.catalogue)
			}

			c := decoded(t, tc.namespace, "", kind, fmt.Sprintf(tc.spec, "smal"))

			var got []string

			if c.Container != nil {
				_, errs := Container(c.Identity, *c.Container, c.Faults, cat, load)
				for _, err := range errs {
					got = append(got, err.Error())
				}
			} else {
				_, errs := Claim(c, cat, load)
				for _, err := range errs {
					got = append(got, err.Error())
				}
			}

			if len(got) != 1 || !strings.HasPrefix(got[0], "spec.class: ") {
				t.Errorf("%s\nwant one fault, of spec.class; got:\n%s", tc.reason, strings.Join(got, "\n"))
			}
		})
	}
}
