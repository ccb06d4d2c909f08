package why

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite the file of expected results")

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// TestExplain explains machines as real control planes showed them, and some that they do not show. Read the golden file.
func TestExplain(t *testing.T) {
	files, err := filepath.Glob("testdata/claims/*.yaml")
	if err != nil || len(files) < 7 {
		t.Fatalf("want recorded objects, got %v, %v", files, err)
	}

	var got strings.Builder

	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		explain(t, &got, filepath.Base(file), string(b))
	}

	const head = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: dns01, namespace: infra, creationTimestamp: \"2026-11-22T11:00:00Z\"}\n"

	const container = "apiVersion: homelab.io/v1alpha1\nkind: Container\nmetadata: {name: dns01, namespace: infra}\nstatus: {vmId: 150, node: pve, conditions: ["

	const site = "apiVersion: homelab.io/v1alpha1\nkind: ProxmoxSite\nmetadata: {name: home, namespace: infra}\n"

	for _, extra := range []struct{ name, object string }{
		{"no conditions yet", head},
		{"paused", strings.Replace(head, "name: dns01", "name: dns01, annotations: {crossplane.io/paused: \"true\"}", 1)},
		{"being deleted", strings.Replace(head, "name: dns01", "name: dns01, deletionTimestamp: \"2026-11-22T11:58:00Z\"", 1) +
			"status: {conditions: [{type: ProviderHealthy, status: \"False\", reason: NetworkError, message: The provider cannot reach Proxmox., lastTransitionTime: \"2026-11-22T11:58:00Z\"}]}\n"},
		{"waits for a Secret, and a reboot is pending", head + "status: {vmId: 104, node: pve, conditions: [" +
			"{type: RebootPending, status: \"True\", reason: ChangesPending, message: Set spec.lifecycle.reboot to a new word., lastTransitionTime: \"2026-11-20T12:00:00Z\"}," +
			"{type: MachineReady, status: \"False\", reason: WaitingForToken, message: Secret k3s-join-token is missing., lastTransitionTime: \"2026-11-22T11:15:00Z\"}," +
			"{type: Ready, status: \"False\", reason: Creating, message: \"Unready resources: vm\", lastTransitionTime: \"2026-11-22T11:15:00Z\"}," +
			"{type: BootstrapCurrent, status: \"Unknown\", reason: TokenSecretMissing, message: unknown, lastTransitionTime: \"2026-11-22T11:15:00Z\"}]}\n"},
		{"an adoption waits for its approval", head + "status: {vmId: 104, node: pve, adoption: {plan: ba06a794e0, changes: ['spec.tags: old to new', 'spec.hostname: omv to nas'], " +
			"reboots: ['spec.size.memory: 4 GiB to 8 GiB'], refused: ['spec.size.disk: 32 GiB to 20 GiB']}, conditions: [" +
			"{type: MachineReady, status: \"False\", reason: WaitingForApproval, message: 'VM 104 (`omv`) on node pve can be adopted. status.adoption lists the changes: 2 at once. " +
			"To approve them, set spec.adopt.approve to \"ba06a794e0\".', lastTransitionTime: \"2026-11-22T11:15:00Z\"}]}\n"},
		{"faults have lines", head + "status: {conditions: [{type: SpecValid, status: \"False\", reason: ValidationFailed, lastTransitionTime: \"2026-11-22T11:59:50Z\", " +
			"message: \"The machine does not change until these 2 faults are corrected:\\n  spec.class: is missing\\n  spec.image: is missing\"}," +
			"{type: MachineReady, status: Unknown, reason: FatalError, message: unknown, lastTransitionTime: \"2026-11-22T11:59:50Z\"}]}\n"},
		{"a container is being made", container + "{type: MachineReady, status: \"False\", reason: Creating, message: The provider makes the container on node pve., lastTransitionTime: \"2026-11-22T11:15:00Z\"}]}\n"},
		{"changes of a container wait", container + "{type: RebootPending, status: \"True\", reason: ChangesPending, message: 'These changes take effect at a restart: spec.size.memory: 512 MiB to 1 GiB.', lastTransitionTime: \"2026-11-22T11:15:00Z\"}]}\n"},
		{"a container is replaced", container + "{type: ReplacementRequired, status: \"True\", reason: Replacing, message: Container 151 replaces container 150., lastTransitionTime: \"2026-11-22T11:15:00Z\"}]}\n"},
		{"a container's VMID is somebody's", container + "{type: VMIDInUse, status: \"True\", reason: NumberTaken, message: VMID 150 belongs to a VM that no claim has., lastTransitionTime: \"2026-11-22T11:15:00Z\"}]}\n"},
		{"a site", site + "status: {conditions: [" +
			"{type: SiteReady, status: \"True\", reason: AllPresent, message: All interfaces and pools of the claim are in Proxmox., lastTransitionTime: \"2026-11-22T11:15:00Z\"}," +
			"{type: InterruptionPending, status: \"False\", reason: NothingPending, message: No change waits., lastTransitionTime: \"2026-11-22T11:15:00Z\"}]}\n"},
		{"a site whose change waits", site + "status: {conditions: [" +
			"{type: InterruptionPending, status: \"True\", reason: WaitingForWord, message: 'These wait for a word of the claim, because they may cut the node or its VMs off. " +
			"bridge pve1/vmbr1: spec.nodes.pve1.bridges[vmbr1].mtu: 9000 to 1500. To allow it, set its allowInterruption to \"b81f9a3c20\".', lastTransitionTime: \"2026-11-22T11:15:00Z\"}," +
			"{type: SiteReady, status: \"True\", reason: AllPresent, message: All interfaces and pools of the claim are in Proxmox., lastTransitionTime: \"2026-11-22T11:15:00Z\"}]}\n"},
		{"a site whose bridge exists", site + "status: {conditions: [" +
			"{type: SiteReady, status: \"False\", reason: NameTaken, message: 'bridge pve1/vmbr0: Node pve1 has an interface vmbr0, which the claim did not create.', lastTransitionTime: \"2026-11-22T11:15:00Z\"}," +
			"{type: Ready, status: \"False\", reason: Creating, message: \"Unready resources: look-bridge-pve1-vmbr0\", lastTransitionTime: \"2026-11-22T11:15:00Z\"}]}\n"},
		{"a terminal is not told what to do", head + "status: {conditions: [{type: SpecValid, status: \"False\", reason: ConfigurationError, message: \"a\\e[2Jb\", lastTransitionTime: \"2026-11-22T11:59:50Z\"}]}\n"},
	} {
		explain(t, &got, extra.name, extra.object)
	}

	const golden = "testdata/why.txt"

	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (go test ./internal/why -update rewrites it): -want, +got:\n%s", golden, diff)
	}
}

func explain(t *testing.T, to *strings.Builder, name, text string) {
	t.Helper()

	object := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("%s: %v", name, err)
	}

	u := unstructured.Unstructured{Object: object}
	if group, _, _ := strings.Cut(u.GetAPIVersion(), "/"); group != "homelab.io" {
		return
	}

	story := Explain(u, now)
	fmt.Fprintf(to, "== %s (waits: %v)\n%s\n\n", name, story.Waits, story.Text)

	if strings.ContainsAny(story.Text, "\x1b\u202e") {
		t.Errorf("%s: the text has characters that a terminal interprets: %q", name, story.Text)
	}
}

// TestTold: of conditions of which one is the cause, or says more, only that one is told, and of two that refer to one another, one is.
func TestTold(t *testing.T) {
	const dead, silent = "ProviderHealthy False NodeUnhealthy", "NodeReady Unknown KubeletSilent"

	cases := map[string]struct {
		reason    string
		bad, want []string
	}{
		"Dead":      {"A Proxmox node that does not answer takes the Node, its member of etcd and the restart with it.", []string{dead, "EtcdMember False NotAMember", silent, "RebootPending True Rebooting"}, []string{dead}},
		"Firewall":  {"A firewall is written when the provider answers again.", []string{dead, "FirewallApplied False FirewallPending"}, []string{dead}},
		"Stands":    {"A firewall that stays as it is says why.", []string{dead, "FirewallApplied False FirewallStands"}, []string{dead}},
		"Differs":   {"Who changed a firewall by hand is another matter.", []string{dead, "FirewallApplied False FirewallDiffers"}, []string{dead, "FirewallApplied False FirewallDiffers"}},
		"Wave":      {"A wave goes on when the provider does.", []string{dead, "MachineReady False ProviderError", "RolloutFinished False RollingOut"}, []string{dead}},
		"Restarts":  {"A restart that waits for its wave is told by the wave.", []string{"RebootPending True WaitingForWave", "RolloutFinished False WaitingForWave"}, []string{"RolloutFinished False WaitingForWave"}},
		"Joins":     {"A VM that the provider cannot make or start joins nothing.", []string{"ProviderHealthy False QuotaExceeded", "MachineReady False ProviderError", "NodeJoined False NotYet"}, []string{"ProviderHealthy False QuotaExceeded"}},
		"Waits":     {"A VM that runs says how far K3s has come.", []string{"MachineReady False WaitingForAddress", "NodeJoined False NotYet"}, []string{"MachineReady False WaitingForAddress", "NodeJoined False NotYet"}},
		"Off":       {"Nor does its kubelet report.", []string{"ProviderHealthy False QuotaExceeded", "MachineReady False ProviderError", silent, "EtcdMember False NotAMember"}, []string{"ProviderHealthy False QuotaExceeded"}},
		"Silent":    {"A kubelet is silent whatever Proxmox says of a password.", []string{"ProviderHealthy False AuthenticationError", silent}, []string{"ProviderHealthy False AuthenticationError", silent}},
		"Etcd":      {"The last value of a server that is down says nothing.", []string{"EtcdMember False NotAMember", silent}, []string{silent}},
		"Member":    {"A member that does not vote while its Node is well has a story of its own.", []string{"EtcdMember False NotAMember"}, []string{"EtcdMember False NotAMember"}},
		"NoNode":    {"Where there is no Node, one condition says so.", []string{"NodeJoined False NotYet", "EtcdMember Unknown NoNode", "VersionCurrent Unknown NoNode"}, []string{"NodeJoined False NotYet"}},
		"Each":      {"Of two that refer to one another, one is told.", []string{"NodeDrained False WaitingForQuorum", "RebootPending True WaitingForDrain"}, []string{"NodeDrained False WaitingForQuorum"}},
		"Rebooting": {"A power cycle that nothing else is wrong with is told.", []string{"RebootPending True Rebooting"}, []string{"RebootPending True Rebooting"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var bad []any

			for _, b := range tc.bad {
				f := strings.Fields(b)
				bad = append(bad, map[string]any{"type": f[0], "status": f[1], "reason": f[2]})
			}

			var got []string

			for _, w := range LineOf(unstructured.Unstructured{Object: map[string]any{"kind": "K3sNode", "status": map[string]any{"conditions": bad}}}).Waits {
				got = append(got, strings.Join([]string{w.Condition, w.Status, w.Reason}, " "))
			}

			slices.Sort(got)
			slices.Sort(tc.want)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTodo: what the message says with the values of the machine is not said again, and nobody who is waited for is told to do nothing.
func TestTodo(t *testing.T) {
	cases := map[string]struct {
		reason string
		c      condition
		want   string
	}{
		"Command": {"The command is in the message.", condition{kind: "EtcdMember", status: "False", reason: "NotAMember", message: "`journalctl -u k3s` on the VM has the cause."}, ""},
		"Other":   {"The message has no command.", condition{kind: "EtcdMember", status: "False", reason: "NotAMember", message: "K3s says so."}, "`journalctl -u k3s` on the VM shows the cause."},
		"Says":    {"The message says it.", condition{kind: "RolledOut", status: "False", reason: "Blocked", message: "server-2 stays."}, ""},
		"Adopt":   {"The message says what to correct.", condition{kind: "MachineReady", status: "False", reason: "AdoptionTargetMissing", message: "Correct spec.adopt.vmId."}, ""},
		"Refused": {"What a machine does is nothing for a site.", condition{kind: "ReplacementRequired", status: "True", reason: "ImmutableFieldChanged", message: "ports: a to none. Take them back in the claim, or make them in Proxmox by hand."}, ""},
		"Others":  {"Others do it.", condition{kind: "MachineReady", status: "False", reason: "Starting", message: "It starts."}, "nothing, unless that lasts: then `kubectl machine trace` shows which managed resource is not ready."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, todoOf(tc.c.typed(unstructured.Unstructured{Object: map[string]any{}}))); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStopped: nobody waits for the Node of a VM that is off as its claim wants it, and everybody else is told of a Node that is not there.
func TestStopped(t *testing.T) {
	of := func(conditions ...any) []string {
		machine := unstructured.Unstructured{Object: map[string]any{"kind": "K3sNode", "status": map[string]any{"conditions": conditions}}}

		var out []string
		for _, w := range LineOf(machine).Waits {
			out = append(out, w.Condition+" "+w.Reason)
		}

		return out
	}
	is := func(kind, status, reason string) any {
		return map[string]any{"type": kind, "status": status, "reason": reason, "message": reason}
	}
	noNode := []any{is("NodeReady", "Unknown", "NoNode"), is("EtcdMember", "Unknown", "NoNode"), is("VersionCurrent", "Unknown", "NoNode")}

	for name, tc := range map[string]struct {
		reason     string
		conditions []any
		want       []string
	}{
		"Off":     {"Its kubelet does not run.", []any{is("NodeJoined", "True", "Joined"), is("NodeReady", "Unknown", "Stopped")}, nil},
		"Born":    {"It is not to join yet.", append(noNode, is("NodeJoined", "Unknown", "Stopped")), nil},
		"NotYet":  {"It is to join.", append(noNode, is("NodeJoined", "False", "NotYet")), []string{"NodeJoined NotYet"}},
		"Silent":  {"It is to run.", []any{is("NodeJoined", "True", "Joined"), is("NodeReady", "Unknown", "KubeletSilent")}, []string{"NodeReady KubeletSilent"}},
		"Another": {"Another Node is there.", append(noNode, is("NodeJoined", "False", "OtherMachine")), []string{"NodeJoined OtherMachine"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, of(tc.conditions...)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDocument holds the parser against the document: it finds every section that it needs.
func TestDocument(t *testing.T) {
	d := read()

	for _, c := range causes {
		if c == "Synced" || c == "Ready" {
			continue // Crossplane's.
		}

		if d.good[c] == "" {
			t.Errorf("docs/conditions.md does not say when %s is good", c)
		}

		found := false
		for k := range d.rows {
			found = found || strings.HasPrefix(k, c+" ")
		}

		if !found {
			t.Errorf("docs/conditions.md has no reasons of %s", c)
		}
	}

	if r := d.rows["MachineReady False WaitingForImage"]; !r.waits || !strings.Contains(r.means, "image") {
		t.Errorf("what a machine waits for was not read: %+v", r)
	}

	if r := d.rows["SpecValid False ConfigurationError"]; r.waits || !strings.HasPrefix(r.todo, "Correct the catalogue,") {
		t.Errorf("what to do was not read, or has a link: %+v", r)
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		30 * time.Second: "less than a minute", 90 * time.Second: "1 minute", 59 * time.Minute: "59 minutes", 61 * time.Minute: "1 hour", 49 * time.Hour: "2 days", -time.Minute: "less than a minute",
	} {
		if got := Age(d); got != want {
			t.Errorf("Age(%s): want %q, got %q", d, want, got)
		}
	}
}
