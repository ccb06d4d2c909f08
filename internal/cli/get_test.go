package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/why"
	"github.com/homelab-io/function-proxmox-machine/test/program"
)

func TestGet(t *testing.T) {
	machines := filepath.Join("testdata", "get.yaml")

	cases := map[string]struct {
		reason string
		args   []string
		want   ExitCode
		out    string
		err    string
	}{
		"Namespace": {
			reason: "one namespace alone, with the nodes of a claim's cluster", args: []string{"-n", "home", "--observed", machines},
			out: "NAMESPACE   KIND        NAME                  PHASE     NODE   VMID   ADDRESS         WAITS FOR\n" +
				"home        XK3sNode    home-8bk2d-server-0   Running   pve1   4784   192.168.4.221   -\n" +
				"home        Container   proxy                 Running   pve1   150    192.168.4.50    -\n",
		},
		"YAML": {
			reason: "programs read the whole message", args: []string{"-n", "infra-machines", "--observed", machines, "-o", "yaml"},
			out: "  - condition: RolledOut\n    message: The next turn is server-1.\n    reason: Paused\n    since: \"2026-11-22T10:45:00Z\"\n    status: \"False\"\n",
		},
		"JSON":      {reason: "and as JSON", args: []string{"-n", "infra-machines", "--observed", machines, "-o", "json"}, out: "\"vmId\": 153,"},
		"Empty":     {reason: "nothing is said to be nothing", args: []string{"-n", "other", "--observed", machines}, err: "there is nothing in namespace other of " + machines},
		"EmptyJSON": {reason: "an empty list is a list", args: []string{"-n", "other", "--observed", machines, "-o", "json"}, out: "[]\n"},
		"Output":    {reason: "an output that there is not", args: []string{"-o", "yml"}, want: ExitUsage, err: `unknown output "yml": want one of text, wide, json, yaml; did you mean yaml?`},
		"Both":      {reason: "all namespaces and one", args: []string{"-A", "-n", "home"}, want: ExitUsage, err: "--all-namespaces and --namespace exclude each other"},
		"WatchFile": {reason: "a file does not change", args: []string{"-w", "--observed", machines}, want: ExitUsage, err: "--observed and --watch exclude each other"},
		"WatchJSON": {reason: "no list ends", args: []string{"-w", "-o", "json"}, want: ExitUsage, err: "--watch prints lines"},
		"Often":     {reason: "kubectl reads for longer than that", args: []string{"-w", "--interval", "1ms"}, want: ExitUsage, err: "must be 1s or more"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, err := runAt(t, "", append([]string{"get"}, tc.args...)...)
			if code != tc.want || !strings.Contains(err, tc.err) {
				t.Errorf("%s: want exit code %d and %q, got %d and %q", tc.reason, tc.want, tc.err, code, err)
			}

			if !strings.Contains(out, tc.out) {
				t.Errorf("%s: want\n%s\nin\n%s", tc.reason, tc.out, out)
			}
		})
	}
}

const oneMachine = `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": {"name": "dns01", "namespace": "infra"},
	"status": {"phase": "Running", "vmId": 104, "node": "pve", "conditions": [{"type": "MachineReady", "status": "True", "reason": "Running"}]}}]}`

// TestGetOfTheCluster asks for the kinds that the cluster has, in one call.
func TestGetOfTheCluster(t *testing.T) {
	calls := fakeKubectl(
		t,
		answer{"get customresourcedefinitions", "customresourcedefinition.apiextensions.k8s.io/machines.homelab.io\n" +
			"customresourcedefinition.apiextensions.k8s.io/machines.cluster.x-k8s.io\ncustomresourcedefinition.apiextensions.k8s.io/xk3snodes.homelab.io\n"},
		answer{"get machines.homelab.io,xk3snodes.homelab.io", oneMachine},
	)

	code, out, err := runAt(t, "", "get", "-n", "infra", "--context", "home")
	if code != ExitOK {
		t.Errorf("exit code %d: %s", code, err)
	}

	const want = "KIND      NAME    PHASE     NODE   VMID   ADDRESS   WAITS FOR\nMachine   dns01   Running   pve    104    -         -\n"
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	const called = "get customresourcedefinitions --output=name --context=home\n" +
		"get machines.homelab.io,xk3snodes.homelab.io --output=json --namespace=infra --context=home\n"
	if diff := cmp.Diff(called, calls()); diff != "" {
		t.Errorf("calls of kubectl: -want, +got:\n%s", diff)
	}
}

// TestGetOfNoNamespace: a namespace that is not there is not one without machines. Who may not read namespaces is told what there is.
func TestGetOfNoNamespace(t *testing.T) {
	const nothing = `{"apiVersion": "v1", "kind": "List", "items": []}`

	fakeKubectl(
		t,
		answer{"get customresourcedefinitions", "customresourcedefinition.apiextensions.k8s.io/machines.homelab.io\n"}, answer{"get machines.homelab.io", nothing},
		answer{"namespaces --output=json gone", ""}, answer{"namespaces --output=json empty", `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "empty"}}`},
	)

	for namespace, want := range map[string]struct {
		code ExitCode
		said string
	}{
		"gone":   {ExitFailed, "there is no namespace gone in the cluster"},
		"empty":  {ExitOK, "there is nothing in namespace empty"},
		"denied": {ExitOK, "there is nothing in namespace denied"},
	} {
		if code, _, said := runAt(t, "", "get", "-n", namespace); code != want.code || !strings.Contains(said, want.said) {
			t.Errorf("namespace %s: want exit code %d and %q, got %d and %s", namespace, want.code, want.said, code, said)
		}
	}
}

// TestNoKinds: a cluster without this project is not one without machines, whatever is asked.
func TestNoKinds(t *testing.T) {
	fakeKubectl(t, answer{"get customresourcedefinitions", "customresourcedefinition.apiextensions.k8s.io/machines.cluster.x-k8s.io\n"})

	stub := filepath.Join(strings.Split(os.Getenv("PATH"), ":")[0], "kubectl")
	script := "#!/bin/sh\ncase \"$*\" in\n*customresourcedefinitions*) echo customresourcedefinition.apiextensions.k8s.io/machines.cluster.x-k8s.io;;\n" +
		"*homelab.io*) echo \"error: the server doesn't have a resource type\" >&2; exit 1;;\n*) echo '{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": []}';;\nesac\n"

	if err := program.Write(stub, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}

	claimFile := filepath.Join(t.TempDir(), "dns01.yaml")
	if err := os.WriteFile(claimFile, []byte("apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: dns01}\nspec: {proxmox: {node: pve}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	for want, all := range map[ExitCode][][]string{ExitFailed: {{"get", "-A"}, {"why", "dns01"}, {"trace", "dns01"}}, ExitOK: {{"plan", "-f", claimFile}}} {
		for _, args := range all {
			code, _, err := runAt(t, "", args...)
			if code != want || !strings.Contains(err, "the cluster has none of this project's kinds (Machine, K3sNode, Container, K3sCluster, ProxmoxSite)") {
				t.Errorf("%v: exit code %d, %s", args, code, err)
			}
		}
	}
}

// TestKindsUnsaid: who may not list CRDs has what there is of the kinds that the cluster serves, and is told where it serves none.
func TestKindsUnsaid(t *testing.T) {
	const (
		begin   = "#!/bin/sh\ncase \"$*\" in\n*customresourcedefinitions*) echo 'Error from server (Forbidden): no' >&2; exit 1;;\n"
		machine = "\"get machines.homelab.io --output\"*) echo '{\"apiVersion\": \"homelab.io/v1alpha1\", \"kind\": \"Machine\", \"metadata\": {\"name\": \"dns01\", \"namespace\": \"infra\"}}';;\n"
		unknown = "*) echo \"error: the server doesn't have a resource type\" >&2; exit 1;;\nesac\n"
	)

	cases := map[string]struct {
		reason string
		script string
		code   ExitCode
		want   string // On one of the two streams.
	}{
		"Some": {"The packages are older than this program.", begin + machine + unknown, ExitOK, "dns01"},
		"None": {"Nobody has installed them.", begin + unknown, ExitFailed, "the cluster has none of this project's kinds"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := program.Write(filepath.Join(dir, "kubectl"), []byte(tc.script), 0o700); err != nil {
				t.Fatal(err)
			}

			t.Setenv("PATH", dir)

			code, out, err := runAt(t, "", "get", "-A")
			if code != tc.code || !strings.Contains(out+err, tc.want) {
				t.Errorf("%s: want %d and %q, got %d, %s%s", tc.reason, tc.code, tc.want, code, out, err)
			}
		})
	}
}

// interrupted is where a command prints, and who interrupts it once it has printed some words.
type interrupted struct {
	strings.Builder

	words     string
	interrupt func()
}

func (i *interrupted) Write(b []byte) (int, error) {
	n, err := i.Builder.Write(b)
	if strings.Contains(i.String(), i.words) {
		i.interrupt()
	}

	return n, err
}

// TestWatch ends when the person interrupts, and that is no failure. Of three looks the second one finds nothing new.
func TestWatch(t *testing.T) {
	fakeKubectl(t)

	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	script := "#!/bin/sh\ncase \"$*\" in\n*customresourcedefinitions*) echo customresourcedefinition.apiextensions.k8s.io/machines.homelab.io; exit;;\nesac\n" +
		"echo >>" + dir + "/looks\n[ $(wc -l <" + dir + "/looks) -lt 3 ] && phase=Running || phase=Stopped\nsed s/Running/$phase/ <<'end'\n" + oneMachine + "\nend\n"

	if err := program.Write(filepath.Join(dir, "kubectl"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}

	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()

	out, said := &interrupted{words: "Stopped", interrupt: interrupt}, strings.Builder{}
	if code := Run(ctx, []string{"get", "-w", "--interval", "1s"}, Streams{Out: out, Err: &said, Now: observedNow}); code != ExitOK {
		t.Errorf("exit code %d: %s", code, said.String())
	}

	if running, stopped := strings.Count(out.String(), "Running"), strings.Count(out.String(), "Stopped"); running != 1 || stopped != 1 {
		t.Errorf("what does not change is not printed again:\n%s%s", out.String(), said.String())
	}
}

func TestChanged(t *testing.T) {
	a, b, c := why.Line{Name: "a", Phase: "Running"}, why.Line{Name: "b", Phase: "Pending"}, why.Line{Name: "c", Phase: "Running"}
	later := b
	later.Phase = "Running"

	got := changed([]why.Line{a, b, c}, []why.Line{a, later, {Name: "d", Phase: "Pending"}})
	want := []why.Line{later, {Name: "d", Phase: "Pending"}, {Name: "c", Phase: phaseGone}}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
