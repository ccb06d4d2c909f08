package rehearse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestWithoutEffect: what an edit brings to no guest is said once for all that say the same, with the field that replaces each, and no more where it was so
// before the edit, or where the edit restarts the guest.
func TestWithoutEffect(t *testing.T) {
	const servers = "dns: [192.168.4.1]"

	read := func(who, change, trigger string) string {
		return who + ": " + change + ". The guest read its cloud-init drive at its first boot, and keeps what it has: change it in the guest too, or replace the VM " +
			"with a new value of " + trigger + "."
	}

	cases := map[string]struct {
		reason    string
		claim     string
		edit      []string
		catalogue []string
		want      []string
	}{
		"Nodes": {
			reason: "The nodes of a cluster are replaced by its claim.", claim: aCluster, catalogue: []string{servers, "dns: [9.9.9.9]"},
			want: []string{
				read("server-0, server-1, server-2", "spec.servers.template.network.dns: 192.168.4.1 to 9.9.9.9", "spec.nodes[].lifecycle.replace"),
				read("worker-0, worker-1", "spec.agents[worker].template.network.dns: 192.168.4.1 to 9.9.9.9", "spec.nodes[].lifecycle.replace"),
			},
		},
		"Node": {
			reason: "One with a claim of its own by its own.", claim: aNode, catalogue: []string{servers, "dns: [9.9.9.9]"},
			want: []string{read("agent-9", "spec.network.dns: 192.168.4.1 to 9.9.9.9", "spec.lifecycle.replace")},
		},
		"Restarted": {
			reason: "A guest that is restarted has its name.", claim: aMachine, edit: []string{"spec:\n", "spec:\n  hostname: git02\n  lifecycle: {reboot: a}\n"},
		},
		"Restart of one that reads once": {
			reason: "A restart brings such a guest nothing.", claim: aNode, edit: []string{"  lifecycle: {", "  lifecycle: {reboot: a, "}, catalogue: []string{servers, "dns: [9.9.9.9]"},
			want: []string{read("agent-9", "spec.network.dns: 192.168.4.1 to 9.9.9.9", "spec.lifecycle.replace")},
		},
		"Stopped": {
			reason: "A guest that is stopped has all at its start.", claim: aMachine + "  power: Stopped\n", edit: []string{"spec:\n", "spec:\n  hostname: git02\n"},
		},
		"Earlier": {
			reason: "K3s has no way back, and not even the next VMs go there.", claim: aCluster, edit: []string{"version: v1.36.5+k3s1", "version: v1.36.3+k3s1"},
			want: []string{"home: The next VM of server-0, server-1, server-2 and 2 more comes with K3s v1.36.5+k3s1, and not with v1.36.3+k3s1, which is " +
				"older than what runs: write v1.36.5+k3s1 as the version."},
		},
		"Tags": {reason: "Tags are Proxmox's.", claim: aMachine, edit: []string{"spec:\n", "spec:\n  tags: [a]\n  notes: b\n"}},
		"MAC": {
			reason: "The network of a guest is bound to the MAC address.", claim: strings.Replace(aMachine, "ip: 192.168.4.61", `ip: 192.168.4.61, mac: "BC:24:11:00:00:20"`, 1),
			edit: []string{"00:20", "00:21"},
			want: []string{"git01: spec.network.mac: BC:24:11:00:00:20 to BC:24:11:00:00:21. The guest, whose network is bound to the MAC address, has none on this interface " +
				"until its next power cycle: set spec.lifecycle.reboot to a new value."},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := editOf(t, tc.claim, tc.edit, tc.catalogue)

			if diff := cmp.Diff(tc.want, rehearsed(t, in).Verdict.Without); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// editOf a claim, or of the catalogue, as replacements of words.
func editOf(t *testing.T, claim string, edit, catalogue []string) Input {
	t.Helper()

	was := sceneOf(t, claim, preview.World{})
	is := sceneWith(t, strings.NewReplacer(edit...).Replace(claim), strings.NewReplacer(catalogue...).Replace(aCatalogue), preview.World{})
	in := Input{Assumed: Usual(), Memory: memory}

	for _, machine := range world.Keys(is) {
		before := was[machine]
		in.Machines = append(in.Machines, Machine{Name: machine, Was: &before, Is: is[machine]})
	}

	return in
}
