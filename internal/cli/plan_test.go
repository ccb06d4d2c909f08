package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// clusterVariable names the file with what the cluster of [playKubectl] has.
const clusterVariable = "KUBECTL_MACHINE_TEST_CLUSTER"

// playKubectl answers `kubectl get` of a kind that some object has, as an API server does, and refuses everything else. It writes down how it
// was called.
func playKubectl(args []string) {
	log, err := os.OpenFile(os.Getenv(logVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}

	fmt.Fprintln(log, strings.Join(args, " "))

	if args[0] != "get" {
		fmt.Fprintln(os.Stderr, "error: this kubectl only reads")
		os.Exit(1)
	}

	data, err := os.ReadFile(os.Getenv(clusterVariable))
	if err != nil {
		fmt.Fprintln(os.Stderr, "E1122 18:52:22 a line of its log\nThe connection to the server 192.168.4.60:6443 was refused")
		os.Exit(1)
	}

	documents, err := manifest.Parse(data)
	if err != nil {
		panic(err)
	}

	if args[1] == "customresourcedefinitions" {
		listGroups(manifest.Objects(documents))

		return
	}

	kind, version, _ := strings.Cut(args[1], ".")
	version, group, _ := strings.Cut(version, ".")
	known := []string{"secret", "node", "customresourcedefinition", "environmentconfig"}

	var items []any

	for _, o := range manifest.Objects(documents) {
		gvk := o.GroupVersionKind()
		if strings.ToLower(gvk.Kind) != kind || group != "" && (gvk.Group != group || gvk.Version != version) {
			continue
		}

		known = append(known, kind)

		if name := args[3]; strings.HasPrefix(name, "--") || name == o.GetName() {
			items = append(items, o.Object)
		}
	}

	if !slices.Contains(known, kind) {
		fmt.Fprintf(os.Stderr, "error: the server doesn't have a resource type %q\n", args[1])
		os.Exit(1)
	}

	if kind == "secret" {
		fmt.Fprintln(os.Stderr, `Error from server (Forbidden): secrets "x" is forbidden`)
		os.Exit(1)
	}

	out, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		panic(err)
	}

	fmt.Print(string(out))
}

// listGroups prints CRDs of the API groups that some objects have, unless nobody may list them.
func listGroups(objects []unstructured.Unstructured) {
	if os.Getenv(forbiddenVariable) != "" {
		fmt.Fprintln(os.Stderr, "Error from server (Forbidden)")
		os.Exit(1)
	}

	for _, o := range objects {
		fmt.Printf("customresourcedefinition.apiextensions.k8s.io/things.%s\n", o.GroupVersionKind().Group)
	}
}

// forbiddenVariable makes [playKubectl] refuse to list CRDs.
const forbiddenVariable = "KUBECTL_MACHINE_TEST_FORBIDDEN"

const dayTwo = "../../example/day-two/"

func TestPlan(t *testing.T) {
	observed := dayTwo + "cluster/observed.yaml"
	kept := writeTree(t, map[string]string{
		"k/git01.yaml": "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: git01, namespace: infra-machines}\nspec:\n  class: small\n  image: ubuntu-24.04\n  role: git\n" +
			"  network: {ip: 192.168.4.61}\n  disks: [{name: repos, size: 100Gi}]\n  proxmox: {node: pve, vmId: 161}\n",
		"image/git01.yaml": "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: git01, namespace: infra-machines}\nspec:\n  class: small\n  image: debian-13\n  role: git\n" +
			"  network: {ip: 192.168.4.61}\n  disks: [{name: repos, size: 100Gi}]\n  proxmox: {node: pve, vmId: 161}\n",
		"named/c.yaml":  "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: git02, namespace: infra-machines}\nspec: {hostname: git01, proxmox: {node: pve}}\n",
		"other/b.yaml":  "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: b, namespace: infra-machines}\nspec: {proxmox: {node: pve}}\n",
		"legacy/c.yaml": "apiVersion: homelab.io/v1alpha1\nkind: Container\nmetadata: {name: c, namespace: infra-machines}\nspec: {proxmox: {node: pve}}\n",
		"legacy/catalogue.yaml": "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog, annotations: {homelab.io/flavour: legacy}}\n" +
			"data: {}\n",
		"unknown/b.yaml": "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: b, namespace: infra-machines}\nspec: {proxmox: {node: pve}}\n",
		"unknown/catalogue.yaml": "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog, annotations: {homelab.io/flavour: claim}}\n" +
			"data: {}\n",
		"nodes/nodes.yaml": "{apiVersion: v1, kind: Node, metadata: {name: a}}\n",
		"faulty/b.yaml":    "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: b, namespace: infra-machines}\nspec: {class: huge, sise: 1, proxmox: {node: pve}}\n",
		"larger/cat.yaml":  "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {classes: {small: {cores: 8, memory: 4Gi, disk: 30Gi}}}\n",
	})
	in := func(name string) string { return filepath.Join(kept, name) }

	cases := map[string]struct {
		reason string
		args   []string
		code   ExitCode
		has    []string // In what is printed.
		err    string
	}{
		"Edits": {
			reason: "Edits of a living machine, each with its effect.",
			args:   []string{"-f", dayTwo + "git01.yaml", "--observed", observed},
			has: []string{
				"Machine infra-machines/git01: changed (change, reboot, refused)\n", "    needs a reboot: spec.size.cores: 2 to 4\n",
				"    at once: spec.disks[repos].size: 100 GiB to 200 GiB\n", "    refused: spec.image: ", "Plan: 1 changed. Machines with reboot: 1, refused: 1.\n",
			},
		},
		"Kept": {
			reason: "A machine whose claim did not change is counted only.",
			args:   []string{"-f", in("k"), "--catalogue", dayTwo + "catalogue.yaml", "--observed", observed, "--fail-on", "change,reboot,refused,replace,destroy"},
			has:    []string{"Plan: 1 kept.\n"},
		},
		"FailOn": {
			reason: "An effect that was named ends with a code of its own.",
			args:   []string{"-f", dayTwo + "git01.yaml", "--observed", observed, "--fail-on=replace,reboot"},
			code:   ExitFound,
			has:    []string{"Plan: 1 changed."},
		},
		"FailOnOthers": {
			reason: "Others do not.",
			args:   []string{"-f", dayTwo + "git01.yaml", "--observed", observed, "--fail-on=replace,destroy"},
			has:    []string{"Plan: 1 changed."},
		},
		"Refused": {
			reason: "A machine of which every change is refused is not changed, and the plan says why.",
			args:   []string{"-f", in("image"), "--catalogue", dayTwo + "catalogue.yaml", "--observed", observed, "--fail-on", "refused"},
			code:   ExitFound,
			has:    []string{"Machine infra-machines/git01: refused\n", "only spec.lifecycle.replace changes it", "Plan: 0 changed, 1 refused.\n"},
		},
		"Claims": {
			reason: "The same machine, in an installation with claims.",
			args:   []string{"-f", dayTwo + "git01.yaml", "--observed", dayTwo + "cluster/claims/observed.yaml"},
			has:    []string{"Machine infra-machines/git01: changed (change, reboot, refused)\n", "Plan: 1 changed. Machines with reboot: 1, refused: 1.\n"},
		},
		"Delete": {
			reason: "The deletion of a claim.",
			args:   []string{"-f", dayTwo + "git01.yaml", "--observed", observed, "--delete", "--fail-on=destroy"},
			code:   ExitFound,
			has:    []string{"Machine infra-machines/git01: gone (destroy)\n", "is destroyed with its disks: boot disk (30 GiB), repos (100 GiB)\n"},
		},
		"NotNamed": {
			reason: "A machine that is there and not among the claims is named, and nothing is planned for it.",
			args:   []string{"-f", in("other"), "--observed", observed, "--fail-on=destroy"},
			has: []string{
				"Machine infra-machines/b: new\n", "VM (Proxmox chooses its VMID) on pve: 2 cores, 4 GiB, 30 GiB", "Plan: 1 new.\n",
				"There, and not among these claims: Machine infra-machines/git01. --prune plans their deletion.\n",
			},
		},
		"Prune": {
			reason: "With --prune its deletion is planned.",
			args:   []string{"-f", in("other"), "--observed", observed, "--prune", "--fail-on=destroy"},
			code:   ExitFound,
			has:    []string{"Machine infra-machines/git01: gone (destroy)\n", "Plan: 1 new, 1 gone."},
		},
		"Renamed": {
			reason: "Another name is another machine, and the plan says so.",
			args:   []string{"-f", in("named"), "--observed", observed, "--prune"},
			has:    []string{"warning: it has the host name of Machine infra-machines/git01, which this edit deletes.", "Plan: 1 new, 1 gone."},
		},
		"Catalogue": {
			reason: "An edit of the catalogue is planned for all machines that there are.",
			args:   []string{"--catalogue", in("larger/cat.yaml"), "--observed", observed},
			has:    []string{"Machine infra-machines/git01: changed (reboot", "    needs a reboot: spec.size.cores: 2 to 8\n"},
		},
		"Faulty": {
			reason: "Of a claim with faults there is no plan, and each fault has a line.",
			args:   []string{"-f", in("faulty"), "--observed", observed},
			code:   ExitFailed,
			has:    []string{"Machine infra-machines/b: faulty\n", "b.yaml:4:15: spec.class: \"huge\": there is no class", "b.yaml:4:21: spec.sise: ", "Plan: 1 faulty.\n"},
		},
		"Remembered": {
			reason: "Where what there is does not tell the flavour, the catalogue's annotation does: the former provider has no containers.",
			args:   []string{"-f", in("legacy/c.yaml"), "--observed", in("nodes/nodes.yaml")},
			code:   ExitFailed,
			has:    []string{"Container infra-machines/c: faulty\n", "kind: a Container needs provider-proxmox-bpg v1.14.0 or later"},
		},
		"Shown": {
			reason: "What there is counts more than what the catalogue remembers.",
			args:   []string{"-f", in("legacy/c.yaml"), "--observed", observed},
			code:   ExitFailed,
			has:    []string{"Container infra-machines/c: faulty\n", "spec.proxmox.vmId: is missing"},
		},
		"Misremembered": {
			reason: "A flavour that there is none of is not guessed at.",
			args:   []string{"-f", in("unknown/b.yaml"), "--observed", in("nodes/nodes.yaml")},
			code:   ExitUsage,
			err:    `unknown flavour "claim": want one of namespaced, claims, legacy`,
		},
		"NoFileNoCluster": {
			reason: "A typing error is told before the cluster is asked, which does not answer.",
			args:   []string{"-f", in("nowhere")},
			code:   ExitFailed,
			err:    "cannot read claims: stat ",
		},
		"Markdown": {
			reason: "A comment for a pull request.",
			args:   []string{"-f", dayTwo + "git01.yaml", "--observed", observed, "-o", "markdown"},
			has:    []string{"### Machines\n", "| Machine infra-machines/git01 | changed | change, reboot, refused |\n", "<details><summary>Machine infra-machines/git01: changed</summary>"},
		},
		"NoFile":        {reason: "A file that is missing is named.", args: []string{"-f", in("k"), "--observed", "nowhere.yaml"}, code: ExitFailed, err: "cannot find what was observed: nowhere.yaml: there is no such file or folder"},
		"NothingThere":  {reason: "A file with nothing is that of a command which failed, and no birth.", args: []string{"-f", dayTwo + "git01.yaml", "--observed", os.DevNull}, code: ExitFailed, err: "has nothing that counts as observed"},
		"NoClaim":       {reason: "Without claims and without a catalogue there is nothing to plan.", code: ExitUsage, err: "name the claims with -f"},
		"UnknownEffect": {reason: "A mistyped effect would never fail.", args: []string{"-f", in("k"), "--fail-on=destroyed"}, code: ExitUsage, err: `unknown effect "destroyed" of --fail-on: want some of approval, wait, create,`},
		"UnknownOutput": {reason: "So would a mistyped output.", args: []string{"-f", in("k"), "-o", "yaml"}, code: ExitUsage, err: `unknown output "yaml"`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := call(t, "", append([]string{"plan"}, tc.args...)...)

			if got.code != tc.code || !strings.Contains(got.stderr, tc.err) || tc.err == "" && got.stderr != "" {
				t.Errorf("%s: want exit code %d and %q, got %d and %q", tc.reason, tc.code, tc.err, got.code, got.stderr)
			}

			for _, s := range tc.has {
				if !strings.Contains(got.stdout, s) {
					t.Errorf("%s: want %q in\n%s", tc.reason, s, got.stdout)
				}
			}
		})
	}
}

func TestPlanAsJSON(t *testing.T) {
	got := call(t, "", "plan", "-f", dayTwo+"git01.yaml", "--observed", dayTwo+"cluster/observed.yaml", "-o", "json")

	var plan preview.Plan
	if err := json.Unmarshal([]byte(got.stdout), &plan); err != nil {
		t.Fatal(err)
	}

	want := []preview.PlanChange{
		{Effect: "change", Field: "spec.tags", From: "role_git", To: "role_git, tier1"},
		{Effect: "reboot", Field: "spec.size.cores", From: "2", To: "4"},
	}

	i := slices.IndexFunc(plan.Machines[0].Steps, func(s preview.PlanStep) bool { return s.Resource == "VM 161" })
	if diff := cmp.Diff(want, plan.Machines[0].Steps[i].Changes[:2]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestPlanInCluster plans against a cluster, through kubectl.
// pretendKubectl puts [playKubectl] in the place of kubectl: it writes down its calls, and a file has what its cluster has.
func pretendKubectl(t *testing.T, log, cluster string) {
	t.Helper()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "kubectl")); err != nil {
		t.Fatal(err)
	}

	t.Setenv("PATH", bin)
	t.Setenv(roleVariable, "kubectl")
	t.Setenv(logVariable, log)
	t.Setenv(clusterVariable, cluster)
}

func TestPlanInCluster(t *testing.T) {
	// The cluster has the catalogue, too, and an object of somebody else's of a kind that machines use.
	var cluster []string

	for _, file := range []string{"cluster/observed.yaml", "catalogue.yaml"} {
		b, err := os.ReadFile(dayTwo + file)
		if err != nil {
			t.Fatal(err)
		}

		cluster = append(cluster, string(b))
	}

	cluster = append(cluster, "apiVersion: kubernetes.crossplane.io/v1alpha2\nkind: Object\nmetadata: {name: other}\n")

	dir := writeTree(t, map[string]string{"cluster.yaml": strings.Join(cluster, "\n---\n")})

	claim, err := os.ReadFile(dayTwo + "git01.yaml")
	if err != nil {
		t.Fatal(err)
	}

	log := filepath.Join(dir, "calls")

	pretendKubectl(t, log, filepath.Join(dir, "cluster.yaml"))

	fromFile := call(t, "", "plan", "-f", dayTwo+"git01.yaml", "--observed", dayTwo+"cluster/observed.yaml")
	// From standard input the claim has no catalogue beside it: the cluster has it.
	inCluster := call(t, string(claim), "plan", "-f", "-", "--context", "home")

	if diff := cmp.Diff(fromFile.stdout, inCluster.stdout); diff != "" || inCluster.code != ExitOK || inCluster.stderr != "" {
		t.Errorf("the plan in the cluster is not that of the file: %+v\n-file, +cluster:\n%s", inCluster, diff)
	}

	calls, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}

	if strings.Contains(string(calls), "proxmoxbpg.crossplane.io") {
		t.Errorf("kubectl was asked for kinds that the cluster does not have:\n%s", calls)
	}

	t.Setenv(forbiddenVariable, "true")

	if forbidden := call(t, string(claim), "plan", "-f", "-"); forbidden != fromFile {
		t.Errorf("who may not list CRDs gets another plan: %+v", forbidden)
	}

	for _, want := range []string{
		"get environmentvm.v1alpha1.virtualenvironmentvm.proxmoxbpg.m.crossplane.io --output=json --all-namespaces --context=home\n",
		"get machine.v1alpha1.homelab.io --output=json --all-namespaces --context=home\n",
		"get environmentconfig.v1beta1.apiextensions.crossplane.io --output=json machine-catalog --ignore-not-found --context=home\n",
	} {
		if !strings.Contains(string(calls), want) {
			t.Errorf("kubectl was not asked %q:\n%s", want, calls)
		}
	}

	for line := range strings.Lines(string(calls)) {
		if !strings.HasPrefix(line, "get ") {
			t.Errorf("a plan only reads: %s", line)
		}
	}

	// A Secret that may not be read is one that the machine waits for.
	waits := call(t, "apiVersion: homelab.io/v1alpha1\nkind: K3sNode\nmetadata: {name: a, namespace: infra-machines}\nspec: {network: {dhcp: true}, proxmox: {node: pve}, "+
		"k3s: {role: agent, server: \"https://192.168.4.79:6443\", version: v1.33.6+k3s1, token: {secretRef: {name: join, key: token}, allowPlaintext: true}}}\n", "plan", "-f", "-")
	if !strings.Contains(waits.stdout, "waits for Secret join") || waits.code != ExitOK {
		t.Errorf("want a machine that waits for its Secret, got %+v", waits)
	}

	t.Setenv(clusterVariable, filepath.Join(dir, "none"))

	if got := call(t, string(claim), "plan", "-f", "-"); got.code != ExitFailed || !strings.Contains(got.stderr, "from the cluster: The connection to the server 192.168.4.60:6443 was refused\n") ||
		strings.Contains(got.stderr, "a line of its log") {
		t.Errorf("want the last line of what kubectl said, got %+v", got)
	}

	t.Setenv("PATH", t.TempDir())

	if got := call(t, string(claim), "plan", "-f", "-"); got.code != ExitFailed || !strings.Contains(got.stderr, "name a file with what there is with --observed") {
		t.Errorf("want a way without kubectl, got %+v", got)
	}
}
