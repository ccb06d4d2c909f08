package rehearse

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// threeServers are a cluster without agents, whose servers give way one after another.
var threeServers = strings.Replace(aCluster, "  agents: [{name: worker, count: 2, class: agent}]\n", "", 1)

// oneServer is a cluster with agents.
var oneServer = strings.NewReplacer("count: 3", "count: 1", ", {name: server-1, ip: 192.168.4.212}, {name: server-2, ip: 192.168.4.213}", "").Replace(aCluster)

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
		"FaultsOfMachine":   {"A machine that may be restarted, with every error of the provider.", aMachine, "Machine", true},
		"FaultsOfContainer": {"A container that is restarted, with every error of the provider.", aContainer, "Restarted", true},
		"FaultsOfServers":   {"Three servers restart one after another.", threeServers, "Reboot", false},
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

// TestFaultsOfFirewalls: the firewall of a guest that somebody destroys comes back with the guest, and nothing is wrong until then.
func TestFaultsOfFirewalls(t *testing.T) {
	for reason, claim := range map[string]string{"That of a VM.": aMachine, "That of a container.": aContainer} {
		walled := claim + "  firewall: {allow: [{port: 22}]}\n"
		f := faultsOf(t, edited(t, walled, []string{"{port: 22}", "{port: 22}, {port: 443}"}), false)

		seen := false

		for _, row := range f.Rows {
			if !strings.Contains(row.Fault, "deleted by hand") {
				continue
			}

			seen = true

			if row.Outcome != Done || len(row.Never) > 0 {
				t.Errorf("%s %s: %s %v; want %s", reason, row.Fault, row.Outcome, row.Never, Done)
			}
		}

		if !seen {
			t.Errorf("%s Nothing is destroyed by hand.", reason)
		}
	}
}

// TestFaultsOfUpgrade: an upgrade in place that was ordered before anybody could know that another server went is no mistake; two servers are away then.
func TestFaultsOfUpgrade(t *testing.T) {
	f := faultsOf(t, edited(t, aCluster, scenes["Upgrade"].edit), false)

	lowest := 3

	for _, row := range f.Rows {
		if row.Quorum || len(row.Never) > 0 || row.Outcome == Stuck {
			t.Errorf("%s at %v: %s, majority taken %t, %v", row.Fault, row.Steps, row.Outcome, row.Quorum, row.Never)
		}

		for _, e := range row.Lowest {
			lowest = min(lowest, e.Votes)
		}
	}

	if lowest != 1 {
		t.Errorf("want a world in which one of three votes, got at least %d", lowest)
	}
}

// TestOther: what befalls a server beside those of the step is said of the server that it is.
func TestOther(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, claim string
		edit          []string
		want          string
	}{
		"Another": {"A server is edited, and another one goes.", aCluster, scenes["Reboot"].edit, "another server is stopped by hand"},
		"Agents":  {"Agents are edited: no server is another one.", aCluster, []string{"count: 2", "count: 1"}, "a server is stopped by hand"},
		"Upgrade": {"K3s of a server is upgraded in place.", aCluster, scenes["Upgrade"].edit, "another server is stopped by hand"},
		"Only":    {"There is one server.", oneServer, []string{"count: 2", "count: 1"}, "the only server is stopped by hand"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, moments, err := momentsOf(context.Background(), edited(t, tc.claim, tc.edit))
			if err != nil {
				t.Fatal(err)
			}

			var got []string

			for _, v := range moments[0].variants() {
				if strings.Contains(v.fault, "server is stopped by hand") {
					got = append(got, v.fault)
				}
			}

			if diff := gocmp.Diff([]string{tc.want}, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMerged: errors that end alike are one row with each class once, and two machines that end differently at one step are told apart.
func TestMerged(t *testing.T) {
	wait := func(machine string) []Wait {
		return []Wait{{Machine: machine, Condition: ConditionDeletion, Message: "It stays."}}
	}
	of := func(machine, class string, waits []Wait) end {
		out := end{fault: kindError, class: class, of: machine, step: 1, verdict: Verdict{Outcome: Waits, Waits: waits}}
		if len(waits) == 0 {
			out.verdict.Outcome = Done
		}

		return out
	}

	f := Faults{Rows: folded([]end{
		of("git01", "Busy", wait("git01")), of("git02", "Busy", wait("git02")), of("git01", "Tainted", wait("git01")), of("git02", "Tainted", wait("git02")), of("db01", "Busy", nil),
	})}

	var got []string
	for _, r := range f.Rows {
		got = append(got, f.nameOf(r))
	}

	want := []string{kindError + " (git01, git02): Busy, Tainted", kindError + " (db01): Busy"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestOfOneError: what the provider says of several machines is said once, and each node that does not answer is another one.
func TestOfOneError(t *testing.T) {
	dead := func(machine, node string) Wait {
		return Wait{
			Machine: machine, Condition: "ProviderHealthy",
			Message: "vm (EnvironmentVM), image-" + machine + " (EnvironmentDownloadFile): Proxmox cannot reach node " + node + ". Check it. VM of " + machine + " ran.",
		}
	}

	var got []string
	for _, w := range ofOneError([]Wait{dead("a", "pve1"), dead("b", "pve2"), {Machine: "c"}, dead("d", "pve1"), {Machine: "e"}}) {
		got = append(got, w.Machine)
	}

	if diff := gocmp.Diff([]string{"a, d", "b", "c", "e"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestFaultsAreTheSame: worlds are played at the same time, and what comes out is in one order.
func TestFaultsAreTheSame(t *testing.T) {
	in := edited(t, aMachine, scenes["Machine"].edit)

	if diff := gocmp.Diff(faultsOf(t, in, true), faultsOf(t, in, true)); diff != "" {
		t.Errorf("another time it is another one:\n%s", diff)
	}
}

// A kind of rows of docs/errors.md: the function does the same for all of them, beside what it says.
type kind struct{ reason, passes string }

// rowsOf docs/errors.md, by kind, in the order of the page.
func rowsOf(t *testing.T) map[kind][]string {
	t.Helper()

	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "errors.md"))
	if err != nil {
		t.Fatal(err)
	}

	out := map[kind][]string{}

	for _, m := range regexp.MustCompile("(?m)^\\| `([a-zA-Z.]+)` \\| `(\\w+)` \\|.*\\|([^|]*)\\|$").FindAllStringSubmatch(string(b), -1) {
		k := kind{m[2], strings.TrimSpace(m[3])}
		out[k] = append(out[k], m[1])
	}

	if len(out) < 15 {
		t.Fatalf("only %d kinds of errors were read", len(out))
	}

	return out
}

// TestErrorsOf: an error of each kind of rows of docs/errors.md is played, once. Paused is what the function or a person does, and NoError is none.
func TestErrorsOf(t *testing.T) {
	rows, played := rowsOf(t), map[kind]bool{}

	for _, e := range errorsOf {
		vm := proxmox.ObservedVM{Kind: proxmox.VMKind}
		vm.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
		vm.Status.Conditions = []proxmox.Condition{{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: e.message}}

		if e.last != "" {
			vm.Status.Conditions = append(vm.Status.Conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: e.last})
		}

		class, named, _ := strings.Cut(e.class, " (")

		row, wrong := diagnose.Of(vm, "")
		if !wrong || row.Class != class || named != "" && row.Name+")" != named {
			t.Errorf("%q is %s %s, want %s", e.message, row.Class, row.Name, e.class)
		}

		for k, names := range rows {
			if slices.Contains(names, row.Name) {
				if played[k] {
					t.Errorf("%v is played twice, the second time by %s", k, row.Name)
				}

				played[k] = true
			}
		}
	}

	for k, names := range rows {
		if k.reason != diagnose.ClassNoError && k.reason != diagnose.ClassPaused && !played[k] {
			t.Errorf("none of %v is played, which are %v", names, k)
		}
	}
}

// TestAlike: docs/rehearse.md says which rows are alike.
func TestAlike(t *testing.T) {
	var table strings.Builder

	table.WriteString("<!-- rows that are alike -->\n\n| reason | passes by itself | rows |\n| --- | --- | --- |\n")

	rows := rowsOf(t)
	kinds := slices.SortedFunc(maps.Keys(rows), func(a, b kind) int {
		return cmp.Or(strings.Compare(a.reason, b.reason), strings.Compare(a.passes, b.passes))
	})

	for _, k := range kinds {
		if k.reason != diagnose.ClassNoError && k.reason != diagnose.ClassPaused {
			fmt.Fprintf(&table, "| `%s` | %s | `%s` |\n", k.reason, k.passes, strings.Join(rows[k], "`, `"))
		}
	}

	table.WriteString("\n<!-- end of rows that are alike -->")

	page := filepath.Join("..", "..", "docs", "rehearse.md")

	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}

	shown := regexp.MustCompile("(?s)<!-- rows that are alike -->.*<!-- end of rows that are alike -->").ReplaceAllLiteralString(string(b), table.String())

	if *update {
		if err := os.WriteFile(page, []byte(shown), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if shown != string(b) || !strings.Contains(shown, table.String()) {
		t.Errorf("docs/rehearse.md has other rows (go test ./internal/rehearse -run TestAlike -update rewrites them): want\n%s", table.String())
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
