package rehearse

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// threeServers are a cluster without agents, whose servers give way one after another.
var threeServers = strings.Replace(aCluster, "  agents: [{name: worker, count: 2, class: agent}]\n", "", 1)

func quietly(int, int) {}

// faultsOf an edit; only those without an error of the provider, of which there are the most, where it is not about them.
func faultsOf(t *testing.T, in Input, errors bool) Faults {
	t.Helper()

	f, err := withSome(context.Background(), in, quietly, func(v variant) bool { return errors || v.class == "" })
	if err != nil {
		t.Fatal(err)
	}

	return f
}

// TestFaults: what becomes of an edit of a machine and of a cluster where something goes wrong.
func TestFaults(t *testing.T) {
	cases := map[string]struct {
		reason, claim, scene string
		errors               bool
	}{
		"FaultsOfMachine": {"A machine that may be restarted, with every error of the provider.", aMachine, "Machine", true},
		"FaultsOfServers": {"Three servers restart one after another.", threeServers, "Reboot", false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := faultsOf(t, edited(t, tc.claim, scenes[tc.scene].edit), tc.errors)

			for _, h := range Harms() {
				if f.Does(h) {
					t.Errorf("%s It does harm: %s", tc.reason, h)
				}
			}

			for ext, write := range map[string]func(f Faults, to *bytes.Buffer) error{
				".txt": func(f Faults, to *bytes.Buffer) error { return f.Text(to) }, ".md": func(f Faults, to *bytes.Buffer) error { return f.Markdown(to) },
			} {
				text := &bytes.Buffer{}
				if err := write(f, text); err != nil {
					t.Fatal(err)
				}

				golden(t, name+ext, text.Bytes())
			}
		})
	}
}

// TestFaultsAreTheSame: worlds are played at the same time, and what comes out is in one order.
func TestFaultsAreTheSame(t *testing.T) {
	in := edited(t, aMachine, scenes["Machine"].edit)

	if diff := cmp.Diff(faultsOf(t, in, true), faultsOf(t, in, true)); diff != "" {
		t.Errorf("another time it is another one:\n%s", diff)
	}
}

// TestErrorsOf: each class of errors is played, and by an error of that class.
func TestErrorsOf(t *testing.T) {
	var played, all []string

	for _, e := range errorsOf {
		vm := proxmox.ObservedVM{Kind: proxmox.VMKind}
		vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
		vm.Status.Conditions = []proxmox.Condition{{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: e.message}}

		if e.last != "" {
			vm.Status.Conditions = append(vm.Status.Conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: e.last})
		}

		if row, wrong := diagnose.Of(vm, ""); !wrong || row.Class != e.class {
			t.Errorf("%q is of class %s, want %s", e.message, row.Class, e.class)
		}

		played = append(played, e.class)
	}

	for _, r := range diagnose.Rows() {
		if r.Class != diagnose.ClassNoError && r.Class != diagnose.ClassPaused && !slices.Contains(all, r.Class) {
			all = append(all, r.Class)
		}
	}

	slices.Sort(all)

	if diff := cmp.Diff(all, played); diff != "" {
		t.Errorf("classes of errors: -there are, +played:\n%s", diff)
	}
}

// TestGuard: who takes a server away while another one is gone has lost the majority, also where the other one went by itself; what went wrong alone has not.
func TestGuard(t *testing.T) {
	cases := map[string]struct {
		reason string
		rounds int // After what goes wrong.
		taken  func(p *play)
		want   bool
	}{
		"Alone":   {"Nobody takes one.", 2, func(*play) {}, false},
		"Unseen":  {"Nobody can have seen what went just now.", 1, stopped("server-1"), false},
		"Taken":   {"It has been seen.", 2, stopped("server-1"), true},
		"Removed": {"One of the two that are left is no majority.", 2, removed("server-1"), true},
	}
	claims := map[string]struct{ text, another string }{"K3sCluster": {threeServers, "server-0"}, "K3sNodes": {ownServers, "server-2"}}

	for name, tc := range cases {
		for kind, of := range claims {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()

				p := playedTo(t, edited(t, of.text, nil), 1)
				g := watchOver(p)
				g.breaks(p, func() { stopped(of.another)(p) })

				p.round += tc.rounds
				tc.taken(p)
				g.hold(p)

				if g.lost != tc.want {
					t.Errorf("%s Want %t, got %t", tc.reason, tc.want, g.lost)
				}
			})
		}
	}
}

// removed is a machine's Node.
func removed(label string) func(*play) {
	return func(p *play) { p.cluster.DeleteNode(p.machineOf(label).NodeName()) }
}

// stopped is a machine whose VM is.
func stopped(label string) func(*play) {
	return func(p *play) {
		m := p.machineOf(label)
		s, _ := p.stateOf(m)
		m.Proxmox.Stop(s.VMID)
	}
}
