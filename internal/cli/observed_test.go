package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

const observedMachines = `apiVersion: v1
kind: List
items:
  - apiVersion: homelab.io/v1alpha1
    kind: Machine
    metadata: {name: dns01, namespace: infra}
    spec: {resourceRef: {apiVersion: homelab.io/v1alpha1, kind: XMachine, name: dns01-x7k2p}}
    status:
      vmId: 104
      node: pve
      conditions:
        - {type: MachineReady, status: "False", reason: WaitingForImage, message: Image debian-13 is not on node pve yet., lastTransitionTime: "2026-11-22T11:45:00Z"}
  - apiVersion: homelab.io/v1alpha1
    kind: XMachine
    metadata: {name: dns01-x7k2p, labels: {crossplane.io/claim-name: dns01, crossplane.io/claim-namespace: infra}}
    spec:
      resourceRefs:
        - {apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1, kind: EnvironmentVM, name: dns01-x7k2p-vm}
        - {apiVersion: virtualenvironmentdownload.proxmoxbpg.crossplane.io/v1alpha1, kind: EnvironmentDownloadFile, name: dns01-x7k2p-image}
    status:
      conditions:
        - {type: Synced, status: "True", reason: ReconcileSuccess}
        - {type: Ready, status: "False", reason: Creating, message: "Unready resources: image"}
  - apiVersion: virtualenvironmentdownload.proxmoxbpg.crossplane.io/v1alpha1
    kind: EnvironmentDownloadFile
    metadata: {name: dns01-x7k2p-image, annotations: {crossplane.io/composition-resource-name: image-0123}}
    status:
      conditions:
        - {type: Synced, status: "False", reason: ReconcileError, message: "an SSH key that nobody should see: abc"}
        - {type: Ready, status: "False", reason: Creating}
  - apiVersion: homelab.io/v1alpha1
    kind: Container
    metadata: {name: proxy, namespace: infra}
    status:
      vmId: 150
      node: pve
      conditions:
        - {type: MachineReady, status: "True", reason: Running, message: Container 150 runs on node pve., lastTransitionTime: "2026-11-22T11:00:00Z"}
        - {type: RebootPending, status: "True", reason: ChangesPending, message: "Set spec.lifecycle.reboot to a new value.", lastTransitionTime: "2026-11-22T11:45:00Z"}
  - apiVersion: homelab.io/v1alpha1
    kind: K3sCluster
    metadata: {name: home, namespace: infra}
    status:
      conditions:
        - {type: SpecValid, status: "True", reason: Valid}
        - {type: RolledOut, status: "False", reason: Paused, message: "The next turn is server-1.", lastTransitionTime: "2026-11-22T11:45:00Z"}
        - {type: ServersReady, status: "True", reason: AllReady}
  - {apiVersion: homelab.io/v1alpha1, kind: Machine, metadata: {name: web, namespace: a}}
  - {apiVersion: homelab.io/v1alpha1, kind: K3sNode, metadata: {name: web, namespace: a}}
`

// observedNow is the time of the tests.
func observedNow() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }

// runAt runs a command at the time of the tests.
func runAt(t *testing.T, stdin string, args ...string) (code ExitCode, out, err string) {
	t.Helper()

	var stdout, stderr strings.Builder

	code = Run(t.Context(), args, Streams{In: strings.NewReader(stdin), Out: &stdout, Err: &stderr, Now: observedNow})

	return code, stdout.String(), stderr.String()
}

const waitsForImage = "Machine dns01 (VM 104 on pve): MachineReady is False (WaitingForImage) since 2026-11-22 11:45 UTC (15 minutes). It waits for the cloud image, which the " +
	"node is downloading. It says: Image debian-13 is not on node pve yet. To do: nothing, unless that lasts: then `kubectl machine trace` shows which managed resource is not ready.\n"

func TestWhy(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   ExitCode
		out    string
		err    string
	}{
		"Waits":     {reason: "a machine that waits says for what, and ends with a code of its own", args: []string{"dns01", "--observed", "-"}, want: ExitFound, out: waitsForImage},
		"Typed":     {reason: "the kind may stand in front, as with kubectl", args: []string{"machines/dns01", "--observed", "-"}, want: ExitFound, out: waitsForImage},
		"Namespace": {reason: "another namespace has another machine", args: []string{"dns01", "-n", "other", "--observed", "-"}, want: ExitFailed, err: `there is no machine "dns01" in namespace other of standard input`},
		"Container": {reason: "a container is no VM", args: []string{"proxy", "--observed", "-"}, want: ExitFound, out: "Container proxy (container 150 on pve): RebootPending is True " +
			"(ChangesPending) since 2026-11-22 11:45 UTC (15 minutes). Changes take effect at the next restart. It says: Set spec.lifecycle.reboot to a new value.\n"},
		"Cluster": {reason: "a cluster waits for turns", args: []string{"k3scluster/home", "--observed", "-"}, want: ExitFound, out: "K3sCluster home: RolledOut is False (Paused) since " +
			"2026-11-22 11:45 UTC (15 minutes). `rollout.pause` holds the next turn; K3sNodes are adopted meanwhile. It says: The next turn is server-1. To do: remove `rollout.pause`.\n"},
		"Unknown": {reason: "a name of nothing", args: []string{"dns02", "--observed", "-"}, want: ExitFailed, err: `there is no machine "dns02" in standard input: did you mean dns01?`},
		"Two":     {reason: "of two with one name, nobody knows which", args: []string{"web", "--observed", "-"}, want: ExitFailed, err: "there are 2 machines called \"web\": name one of machine/web -n a, k3snode/web -n a"},
		"NoName":  {reason: "a machine has to be named", args: nil, want: ExitUsage, err: "name one machine"},
		"NoFile":  {reason: "a file that is not there", args: []string{"dns01", "--observed", "none.yaml"}, want: ExitFailed, err: "none.yaml"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, err := runAt(t, observedMachines, append([]string{"why"}, tc.args...)...)
			if code != tc.want || !strings.Contains(err, tc.err) {
				t.Errorf("%s: want exit code %d and %q, got %d and %q", tc.reason, tc.want, tc.err, code, err)
			}

			if diff := cmp.Diff(tc.out, out); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// An answer of the fake kubectl: what it prints where its arguments have these words.
type answer struct{ words, prints string }

// fakeKubectl puts a kubectl into PATH that answers, and returns what notes its calls.
func fakeKubectl(t *testing.T, answers ...answer) (calls func() string) {
	t.Helper()

	dir := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >> " + dir + "/calls\ncase \"$*\" in\n"

	for i, a := range answers {
		file := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(file, []byte(a.prints), 0o600); err != nil {
			t.Fatal(err)
		}

		script += "*\"" + a.words + "\"*) cat " + file + ";;\n"
	}

	if err := program.Write(filepath.Join(dir, "kubectl"), []byte(script+"*fails*) echo 'error: no cluster' >&2; exit 1;;\n*denied*) echo 'Error from server (Forbidden): xmachines.homelab.io is forbidden' >&2; exit 1;;\n"+
		"*containers.homelab.io*older*) echo 'error: the server doesn'\\''t have a resource type \"containers\"' >&2; exit 1;;\nesac\n"), 0o700); err != nil {
		t.Fatal(err)
	}

	t.Setenv("PATH", dir+":/usr/bin:/bin")

	return func() string {
		b, err := os.ReadFile(filepath.Join(dir, "calls")) //nolint:gosec // A test's own file.
		if err != nil {
			t.Fatal(err)
		}

		return string(b)
	}
}

func TestWhyOfTheCluster(t *testing.T) {
	calls := fakeKubectl(t, answer{" machines.homelab.io --output=json dns01", `{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": {"name": "dns01"},
		"status": {"vmId": 104, "node": "pve", "conditions": [{"type": "MachineReady", "status": "False", "reason": "WaitingForImage",
		"message": "Image debian-13 is not on node pve yet.", "lastTransitionTime": "2026-11-22T11:45:00Z"}]}}`})

	code, out, err := runAt(t, "", "why", "dns01", "-n", "infra", "--context", "home")
	if code != ExitFound {
		t.Errorf("want exit code %d, got %d: %s", ExitFound, code, err)
	}

	if diff := cmp.Diff(waitsForImage, out); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	want := "get machines.homelab.io --output=json dns01 --ignore-not-found --namespace=infra --context=home\n" +
		"get k3snodes.homelab.io --output=json dns01 --ignore-not-found --namespace=infra --context=home\n" +
		"get containers.homelab.io --output=json dns01 --ignore-not-found --namespace=infra --context=home\n" +
		"get k3sclusters.homelab.io --output=json dns01 --ignore-not-found --namespace=infra --context=home\n" +
		"get proxmoxsites.homelab.io --output=json dns01 --ignore-not-found --namespace=infra --context=home\n"
	if diff := cmp.Diff(want, calls()); diff != "" {
		t.Errorf("calls of kubectl: -want, +got:\n%s", diff)
	}

	// The packages of the cluster are older than this program, and have no containers.
	code, _, err = runAt(t, "", "why", "older")
	if code != ExitFailed || !strings.Contains(err, `there is no machine "older"`) {
		t.Errorf("an old installation: exit code %d, %s", code, err)
	}

	code, _, err = runAt(t, "", "why", "fails")
	if code != ExitFailed || !strings.Contains(err, "cannot read from the cluster: no cluster") {
		t.Errorf("a cluster that does not answer: exit code %d, %s", code, err)
	}
}

func TestTrace(t *testing.T) {
	const want = `Machine dns01
│ ! MachineReady=False (WaitingForImage): Image debian-13 is not on node pve yet.
└─ XMachine dns01-x7k2p  Synced=True
   │ ! Ready=False (Creating): Unready resources: image
   ├─ EnvironmentVM dns01-x7k2p-vm
   │    ! does not exist, or not yet
   └─ EnvironmentDownloadFile dns01-x7k2p-image (image-0123)
        ! Synced=False (ReconcileError)
        ! Ready=False (Creating)
`

	code, out, err := runAt(t, observedMachines, "trace", "dns01", "--observed", "-")
	if code != ExitOK {
		t.Errorf("exit code %d: %s", code, err)
	}

	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	if strings.Contains(out, "SSH key") {
		t.Error("the provider's own words can hold secrets, and are shown")
	}
}

// TestTraceOfTheCluster follows references with a call of kubectl each, in the namespace of the machine.
func TestTraceOfTheCluster(t *testing.T) {
	calls := fakeKubectl(t,
		answer{" k3snodes.homelab.io --output=json server-1", `{"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "metadata": {"name": "server-1", "namespace": "infra"},
			"spec": {"crossplane": {"resourceRefs": [{"apiVersion": "virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1", "kind": "EnvironmentVM", "name": "server-1-vm"}]}}}`},
		answer{
			" EnvironmentVM.v1alpha1.virtualenvironmentvm.proxmoxbpg.m.crossplane.io --output=json server-1-vm --ignore-not-found --namespace=infra",
			`{"apiVersion": "virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1", "kind": "EnvironmentVM", "metadata": {"name": "server-1-vm", "namespace": "infra",
			"annotations": {"crossplane.io/paused": "true"}}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}`,
		})

	code, out, err := runAt(t, "", "trace", "k3snodes.homelab.io/server-1", "-n", "infra")
	if code != ExitOK {
		t.Errorf("exit code %d: %s", code, err)
	}

	if diff := cmp.Diff("K3sNode server-1\n└─ EnvironmentVM server-1-vm, paused  Ready=True\n", out); diff != "" {
		t.Errorf("-want, +got:\n%s\n%s", diff, calls())
	}
}

// TestTraceOfAContainer and of a K3sCluster: whatever the kind, the tree is that of what it refers to.
func TestTraceOfAContainer(t *testing.T) {
	const observed = `apiVersion: v1
kind: List
items:
- apiVersion: homelab.io/v1alpha1
  kind: Container
  metadata: {name: proxy, namespace: home}
  spec: {crossplane: {resourceRefs: [{apiVersion: virtualenvironmentcontainer.proxmoxbpg.m.crossplane.io/v1alpha1, kind: EnvironmentContainer, name: proxy-1}]}}
  status: {conditions: [{type: ContainerReady, status: "False", reason: Starting, message: It starts.}]}
- apiVersion: virtualenvironmentcontainer.proxmoxbpg.m.crossplane.io/v1alpha1
  kind: EnvironmentContainer
  metadata: {name: proxy-1, namespace: home}
  status: {conditions: [{type: Synced, status: "True"}, {type: Ready, status: "False", reason: Creating}]}
- apiVersion: homelab.io/v1alpha1
  kind: K3sCluster
  metadata: {name: home, namespace: home}
  spec: {crossplane: {resourceRefs: [{apiVersion: homelab.io/v1alpha1, kind: K3sNode, name: home-server-0}]}}
- apiVersion: homelab.io/v1alpha1
  kind: K3sNode
  metadata: {name: home-server-0, namespace: home}
  status: {conditions: [{type: MachineReady, status: "True", reason: Running}]}
`

	for name, want := range map[string]string{
		"container/proxy": "Container proxy\n│ ! ContainerReady=False (Starting): It starts.\n└─ EnvironmentContainer proxy-1  Synced=True\n     ! Ready=False (Creating)\n",
		"k3scluster/home": "K3sCluster home\n└─ K3sNode home-server-0  MachineReady=True\n",
	} {
		code, out, err := runAt(t, observed, "trace", name, "-n", "home", "--observed", "-")
		if code != ExitOK {
			t.Errorf("%s: exit code %d: %s", name, code, err)
		}

		if diff := cmp.Diff(want, out); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}

// TestTraceOfATenant: who may read their own claim and nothing below it sees that, and not that there is nothing.
func TestTraceOfATenant(t *testing.T) {
	fakeKubectl(t,
		answer{" machines.homelab.io --output=json dns01", `{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": {"name": "dns01", "namespace": "team-b"},
			"spec": {"resourceRef": {"apiVersion": "homelab.io/v1alpha1", "kind": "XMachine", "name": "denied-x7k2p"}}}`})

	code, out, err := runAt(t, "", "trace", "machines.homelab.io/dns01", "-n", "team-b")
	if code != ExitOK {
		t.Errorf("exit code %d: %s", code, err)
	}

	const want = "Machine dns01\n└─ XMachine denied-x7k2p\n     ! you may not read it: what is below it, and how it is, is not known here\n"
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
