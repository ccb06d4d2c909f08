package rehearse

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// observedDead is what kubectl prints of the machines of an input when the provider has noticed that a Proxmox node is dead.
func observedDead(t *testing.T, in Input, node string) []unstructured.Unstructured {
	t.Helper()

	p, err := begin(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}

	p.settle()
	p.proxmoxes()[0].Die(node)

	for range lateRounds {
		p.once()
	}

	return observedOf(p)
}

// TestDead: a host that was dead before a rehearsal began is as dead as one that dies before the edit.
func TestDead(t *testing.T) {
	cases := map[string]struct{ reason, claim, scene, node, fault string }{
		"Machine":   {"Nothing of a VM on it changes.", aMachine, "Machine", "pve3", "the Proxmox node of the VM dies"},
		"Container": {"And nothing of a container.", aContainer, "Restarted", "pve1", "the Proxmox node of the container dies"},
		"Server":    {"No other server is restarted meanwhile.", threeServers, "Reboot", "pve2", "the Proxmox node of another server dies"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			edit := scenes[tc.scene].edit
			in := edited(t, tc.claim, edit)

			well, moments, err := momentsOf(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}

			all := moments[0].variants()
			dies := all[slices.IndexFunc(all, func(v variant) bool { return v.fault == tc.fault })]
			dies.passes = nil

			ends, err := dies.play(context.Background(), well)
			if err != nil {
				t.Fatal(err)
			}

			is := sceneOf(t, strings.NewReplacer(edit...).Replace(tc.claim), preview.WorldWith(observedDead(t, in, tc.node)))
			asObserved(in, is)

			r := rehearsed(t, in)
			if diff := cmp.Diff(ends[0].verdict.Waits, r.Verdict.Waits); diff != "" || r.Verdict.Outcome != Waits || r.Sums.Restarts > 0 || len(r.Before.Waits) == 0 {
				t.Errorf("%s It ends with %s and %d restarts, and before the edit %v is waited for. -dies, +is dead:\n%s", tc.reason, r.Verdict.Outcome, r.Sums.Restarts, r.Before.Waits, diff)
			}
		})
	}
}

// TestLost: what docs/clusters.md and docs/day-two.md say is to be done where a Proxmox node does not come back, over what is observed then.
func TestLost(t *testing.T) {
	cases := map[string]struct {
		reason, claim, node string
		edit                []string
		want                Outcome
	}{
		"LostServer": {
			"A server and an agent come up on other nodes.", aCluster, "pve2",
			[]string{"ip: 192.168.4.212}", "ip: 192.168.4.212, lost: true, lifecycle: {replace: a}}, {name: worker-1, lost: true, lifecycle: {replace: a}}"},
			Done,
		},
		"LostUnsaid": {"Without a word nothing is replaced.", aCluster, "pve2", []string{"ip: 192.168.4.212}", "ip: 192.168.4.212, lifecycle: {replace: a}}"}, Waits},
		"LostMachine": {
			"A VM with data has it in its backup.", aMachine + aDisk, "pve3", []string{"spec:\n", "spec:\n  lifecycle: {lost: pve3, replace: a}\n"}, Done,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := edited(t, tc.claim, nil)
			catalogue := strings.Replace(aCatalogue, "        "+tc.node+": *host\n", "", 1)
			is := sceneWith(t, strings.NewReplacer(tc.edit...).Replace(tc.claim), catalogue, preview.WorldWith(observedDead(t, in, tc.node)))

			asObserved(in, is)

			r := rehearsed(t, in)
			if r.Verdict.Outcome != tc.want {
				t.Errorf("%s It ends with %s, want %s", tc.reason, r.Verdict.Outcome, tc.want)
			}

			text := &bytes.Buffer{}
			if err := r.Text(text); err != nil {
				t.Fatal(err)
			}

			golden(t, name+".txt", text.Bytes())
		})
	}
}
