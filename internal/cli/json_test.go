package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhyJSON: programs read the line of `get -o json`, and the paragraph.
func TestWhyJSON(t *testing.T) {
	code, out, said := runAt(t, observedMachines, "why", "dns01", "-A", "-o", "json", "--observed", "-")
	if code != ExitFound || said != "" {
		t.Errorf("want exit code %d, got %d: %s", ExitFound, code, said)
	}

	var got struct {
		Namespace, Kind, Name, Node, Text string
		VMID                              int64 `json:"vmId"`
		Waits                             []struct{ Condition, Reason, Todo string }
	}

	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}

	if len(got.Waits) != 1 || got.Waits[0].Condition != "MachineReady" || got.Waits[0].Todo == "" || got.VMID != 104 || got.Namespace != "infra" || got.Text+"\n" != waitsForImage {
		t.Errorf("got %+v", got)
	}
}

// TestTraceJSON: programs get the tree, without the provider's own words.
func TestTraceJSON(t *testing.T) {
	const want = `{
  "apiVersion": "homelab.io/v1alpha1",
  "kind": "Machine",
  "namespace": "infra",
  "name": "dns01",
  "conditions": [
    {
      "type": "MachineReady",
      "status": "False",
      "reason": "WaitingForImage",
      "message": "Image debian-13 is not on node pve yet.",
      "good": false
    }
  ],
  "below": [
    {
`

	code, out, said := runAt(t, observedMachines, "trace", "dns01", "-o", "json", "--observed", "-")
	if code != ExitOK || said != "" {
		t.Errorf("exit code %d: %s", code, said)
	}

	if diff := cmp.Diff(want, out[:min(len(out), len(want))]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	for _, has := range []string{`"missing": true`, `"resource": "image-0123"`, `"kind": "XMachine"`} {
		if !strings.Contains(out, has) {
			t.Errorf("want %s in\n%s", has, out)
		}
	}

	if strings.Contains(out, "SSH key") {
		t.Error("the provider's own words can hold secrets, and are shown")
	}
}

// TestScope: -n and -A of the commands about one machine, and of plan.
func TestScope(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"web.yaml":   "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: web}\nspec: {network: {dhcp: true}, proxmox: {node: pve}}\n",
		"other.yaml": "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: web, namespace: other}\nspec: {network: {dhcp: true}, proxmox: {node: pve}}\n",
		"cat.yaml":   "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {classes: {small: {cores: 8, memory: 4Gi, disk: 30Gi}}}\n",
	})
	observed := []string{"--observed", dayTwo + "cluster/observed.yaml"}

	for name, tc := range map[string]struct {
		reason string
		args   []string
		code   ExitCode
		says   string
	}{
		"Both":      {"one namespace, or all", []string{"why", "dns01", "-A", "-n", "infra"}, ExitUsage, "--all-namespaces and --namespace exclude each other"},
		"Nowhere":   {"in none of them", []string{"trace", "nobody", "-A", "--observed", dayTwo + "cluster/observed.yaml"}, ExitFailed, `there is no machine "nobody" in any namespace`},
		"Output":    {"a value that is none", []string{"why", "dns01", "-o", "yaml"}, ExitUsage, `unknown output "yaml"`},
		"Plan":      {"a claim that names no namespace gets it, as from kubectl apply", append([]string{"plan", "-f", dir + "/web.yaml", "-n", "infra"}, observed...), ExitOK, "Machine infra/web: new"},
		"Another":   {"a claim that names another one is no claim of it", append([]string{"plan", "-f", dir + "/other.yaml", "-n", "infra"}, observed...), ExitUsage, "is in namespace other, and not in infra, which -n names"},
		"Catalogue": {"an edit of the catalogue, for the machines of one namespace", append([]string{"plan", "--catalogue", dir + "/cat.yaml", "-n", "infra-machines"}, observed...), ExitOK, "Plan: 1 changed."},
		"Elsewhere": {"the others are left out", append([]string{"plan", "--catalogue", dir + "/cat.yaml", "-n", "infra"}, observed...), ExitOK, "Plan: no machines."},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, said := runAt(t, "", tc.args...)
			if code != tc.code || !strings.Contains(out+said, tc.says) {
				t.Errorf("%s: want exit code %d and %q, got %d and\n%s%s", tc.reason, tc.code, tc.says, code, out, said)
			}
		})
	}
}
