package rehearse

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// withData is a machine with a data disk, with more of its spec.
func withData(spec string) string { return aMachine + "  disks: [{name: data, size: 20Gi}]\n" + spec }

// ownServersThatGo are those of [ownServers], whose VMs go with their claims.
var ownServersThatGo = strings.ReplaceAll(ownServers, "  lifecycle:", "  deletionPolicy: Delete\n  deletionProtection: false\n  lifecycle:")

// aCatalogue of a cluster that nobody reads.
var blindCatalogue = strings.Replace(aCatalogue, ", observe: Here, providerConfig: home", "", 1)

// deletions are edits that delete claims, by the golden of their rehearsal.
var deletions = map[string]struct {
	reason    string
	claim     string
	catalogue string
	deleted   []string
	want      Outcome
	harms     []Harm
}{
	"DeleteData": {
		"Who switched protection off, loses the disks.", withData("  deletionProtection: false\n"), aCatalogue, []string{"Machine infra-machines/git01"}, Done, []Harm{HarmData},
	},
	"DeleteProtected": {
		"Protection holds, and says what to do.", withData(""), aCatalogue, []string{"Machine infra-machines/git01"}, Waits, nil,
	},
	"DeleteOrphan": {
		"The VM stays, and that is said.", withData("  deletionPolicy: Orphan\n"), aCatalogue, []string{"Machine infra-machines/git01"}, Done, nil,
	},
	"DeleteTwoServers": {
		"Members leave before their VMs.", ownServersThatGo, strings.Replace(aCatalogue, "observe: Here", "observe: Object", 1),
		[]string{"K3sNode infra-machines/server-2", "K3sNode infra-machines/server-3"},
		Done, nil,
	},
	"DeleteTwoServersBlind": {
		"Nobody takes the members out of etcd.", ownServersThatGo, blindCatalogue,
		[]string{"K3sNode infra-machines/server-2", "K3sNode infra-machines/server-3"},
		Done,
		[]Harm{HarmQuorum},
	},
	"DeleteTwoServersOrphaned": {
		"The VMs run on, and vote.", ownServers, blindCatalogue, []string{"K3sNode infra-machines/server-2", "K3sNode infra-machines/server-3"}, Done, nil,
	},
	"DeleteAllServers": {
		"The last server stays.", ownServersThatGo, strings.Replace(aCatalogue, "observe: Here", "observe: Object", 1),
		[]string{"K3sNode infra-machines/server-1", "K3sNode infra-machines/server-2", "K3sNode infra-machines/server-3"},
		Waits, nil,
	},
	"DeleteCluster": {
		"A cluster that nobody reads goes with all of its nodes.", aCluster, blindCatalogue, []string{"K3sCluster infra-machines/home"}, Done, []Harm{HarmQuorum},
	},
	"DeleteObserved": {
		"What is read would be waited for.", aCluster, strings.Replace(aCatalogue, "observe: Here", "observe: Object", 1), []string{"K3sCluster infra-machines/home"}, Waits, nil,
	},
	"DeleteContainer": {
		"A container goes with its root file system.", aContainer + "  deletionPolicy: Delete\n  deletionProtection: false\n", aCatalogue, []string{"Container infra-machines/dns01"}, Done, nil,
	},
	"DeleteContainerOrphan": {
		"A container stays where its claim says so.", aContainer + "  deletionPolicy: Orphan\n", aCatalogue, []string{"Container infra-machines/dns01"}, Done, nil,
	},
}

// pruned is the input of a rehearsal of an edit that deletes claims.
func pruned(t *testing.T, claim, catalogue string, deleted []string) Input {
	t.Helper()

	is := sceneWith(t, claim, catalogue, preview.World{})
	in := Input{Assumed: Usual(), Memory: memory}

	for _, name := range deleted {
		if _, there := is[name]; !there {
			t.Fatalf("there is no %s among %v", name, world.Keys(is))
		}
	}

	for _, name := range world.Keys(is) {
		before := is[name]
		m := Machine{Name: name, Was: &before, Is: before}

		if slices.Contains(deleted, name) {
			m.Fate = Deleted
		}

		in.Machines = append(in.Machines, m)
	}

	return in
}

func TestDeletions(t *testing.T) {
	for name, tc := range deletions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := rehearsed(t, pruned(t, tc.claim, tc.catalogue, tc.deleted))

			if r.Verdict.Outcome != tc.want || len(r.Verdict.Faults) > 0 || !r.Before.Rests {
				t.Errorf("%s Want %s, got %+v", tc.reason, tc.want, r.Verdict)
			}

			if diff := cmp.Diff(tc.harms, r.Verdict.Harms); diff != "" {
				t.Errorf("%s -want, +harms:\n%s", tc.reason, diff)
			}

			text := &bytes.Buffer{}
			if err := r.Text(text); err != nil {
				t.Fatal(err)
			}

			golden(t, name+".txt", text.Bytes())
		})
	}
}

// TestDeletionOfNothing: who deletes what is not there does nothing.
func TestDeletionOfNothing(t *testing.T) {
	in := pruned(t, aMachine, aCatalogue, []string{"Machine infra-machines/git01"})
	in.Machines[0].Was = nil

	if r := rehearsed(t, in); r.Verdict.Outcome != Done || r.Verdict.Effect != EffectNone || len(r.Steps) > 0 {
		t.Errorf("%+v", r)
	}
}

// TestFaultsOfDeletion: what the provider cannot destroy is waited for by name, and goes when it can; and a server that is gone already counts.
func TestFaultsOfDeletion(t *testing.T) {
	cases := map[string]struct {
		reason, claim, catalogue string
		deleted                  []string
		errors                   bool
	}{
		"FaultsOfDeletion": {"Every error of the provider.", withData("  deletionProtection: false\n"), aCatalogue, []string{"Machine infra-machines/git01"}, true},
		"FaultsOfPrunedServer": {
			"One of three servers goes.", ownServersThatGo, strings.Replace(aCatalogue, "observe: Here", "observe: Object", 1), []string{"K3sNode infra-machines/server-3"}, false,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := faultsOf(t, pruned(t, tc.claim, tc.catalogue, tc.deleted), tc.errors)

			text := &bytes.Buffer{}
			if err := f.Text(text); err != nil {
				t.Fatal(err)
			}

			golden(t, name+".txt", text.Bytes())
		})
	}
}

// TestForkOfDeletion: a copy of a world in the middle of a deletion comes to the same end.
func TestForkOfDeletion(t *testing.T) {
	for _, name := range []string{"DeleteTwoServers", "DeleteAllServers", "DeleteCluster"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			tc := deletions[name]
			p := playedTo(t, pruned(t, tc.claim, tc.catalogue, tc.deleted), 1)
			copied := p.fork(context.Background())

			want := rested(t, p)
			if diff := cmp.Diff(want, rested(t, copied)); diff != "" {
				t.Errorf("-world, +copy:\n%s", diff)
			}
		})
	}
}

// TestDeletionOfClaim: where claims have composites of their own, a person lifts the protection of the claim.
func TestDeletionOfClaim(t *testing.T) {
	for flavour, want := range map[string]string{
		"namespaced": "kubectl patch machines.homelab.io git01 -n infra-machines", "claims": "kubectl patch machines.homelab.io git01 -n infra-machines",
	} {
		t.Run("of/"+flavour, func(t *testing.T) {
			r := rehearsed(t, pruned(t, withData(""), aCatalogue, []string{"Machine infra-machines/git01"}))

			if len(r.Verdict.Waits) != 1 || !strings.Contains(r.Verdict.Waits[0].Message, want) {
				t.Errorf("want %q in %+v", want, r.Verdict)
			}
		})
	}
}

// TestPausedDeletion: what is paused does not go, and is waited for by name.
func TestPausedDeletion(t *testing.T) {
	in := pruned(t, withData("  deletionProtection: false\n"), aCatalogue, []string{"Machine infra-machines/git01"})

	p, err := begin(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}

	w := p.commit(p.settle())
	m := p.machineOf("git01")
	world.Object(world.Object(m.Observed["vm"]["metadata"])["annotations"])["crossplane.io/paused"] = "true"

	for !w.act() {
		p.round++
	}

	var out Rehearsal
	w.end(&out)

	if v := out.Verdict; v.Outcome != Waits || len(v.Faults) > 0 || len(v.Waits) != 1 || v.Waits[0].Reason != string(world.HinderedByPause) {
		t.Errorf("%+v", v)
	}

	if len(m.Proxmox.VMs) != 1 {
		t.Errorf("there are %d VMs", len(m.Proxmox.VMs))
	}
}

// TestObservedDeletion: what a cluster has of machines that were born, is deleted as what was born just now.
func TestObservedDeletion(t *testing.T) {
	for _, name := range []string{"DeleteData/namespaced", "DeleteProtected/claims", "DeleteTwoServersBlind/namespaced", "DeleteTwoServersOrphaned/namespaced", "DeleteContainer/claims"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			scene, _, _ := strings.Cut(name, "/")
			tc := deletions[scene]
			in := pruned(t, tc.claim, tc.catalogue, tc.deleted)
			want := rehearsed(t, in)

			p, err := begin(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}

			p.settle()

			is := sceneWith(t, tc.claim, tc.catalogue, preview.WorldWith(observedOf(p)))
			asObserved(in, is)

			if diff := cmp.Diff(want, rehearsed(t, in)); diff != "" {
				t.Errorf("-born, +observed:\n%s", diff)
			}
		})
	}
}
