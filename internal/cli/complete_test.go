package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestComplete: the shell completes names and values, and never a file in their place.
func TestComplete(t *testing.T) {
	fakeKubectl(t,
		answer{"config get-contexts", "home\noffice\n"}, answer{"get namespaces", "infra infra-machines"},
		answer{"get customresourcedefinitions", "customresourcedefinition.apiextensions.k8s.io/machines.homelab.io\n"},
		answer{"machines.homelab.io", `{"apiVersion": "v1", "kind": "List", "items": [
			{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": {"name": "dns01", "namespace": "a"}},
			{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": {"name": "web", "namespace": "a"}},
			{"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "metadata": {"name": "web", "namespace": "a"}}]}`},
	)

	files := writeTree(t, map[string]string{"catalogue.yaml": "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\n" +
		"data: {sites: {home: {nodes: {pve: {}}}, office: {nodes: {pve: {}}}}}\n"})

	for name, tc := range map[string]struct {
		reason string
		args   []string
		want   []string
	}{
		"Names":            {"a machine of the cluster; two of a name have their kinds", []string{"why", ""}, []string{"dns01", "k3snode/web", "machine/web"}},
		"Typed":            {"the kind is typed", []string{"trace", "machine/"}, []string{"machine/dns01", "machine/web"}},
		"Second":           {"there is one name only", []string{"why", "dns01", ""}, nil},
		"Context":          {"of the kubeconfig", []string{"get", "--context", "h"}, []string{"home"}},
		"Namespace":        {"of the cluster", []string{"why", "-n", "infra"}, []string{"infra", "infra-machines"}},
		"TenancyContext":   {"of tenancy, too", []string{"tenancy", "--context", ""}, []string{"home", "office"}},
		"TenancyNamespace": {"of tenancy, too", []string{"tenancy", "-n", "infra-"}, []string{"infra-machines"}},
		"PlanNamespace":    {"of plan, too", []string{"plan", "-n", "infra-"}, []string{"infra-machines"}},
		"FlavourOfLint":    {"of the program, too", []string{"lint", "--flavour", "l"}, []string{"legacy"}},
		"Flavour":          {"of the program", []string{"render", "--flavour", "n"}, []string{"namespaced"}},
		"Output":           {"each command has its own", []string{"render", "-o", ""}, []string{"json", "picture", "summary", "user-data", "wide", "yaml"}},
		"OutputPlan":       {"such as plan", []string{"plan", "-o", "m"}, []string{"markdown"}},
		"OutputRehearse":   {"and rehearse", []string{"rehearse", "-o", "m"}, []string{"markdown"}},
		"OutputTenancy":    {"and tenancy", []string{"tenancy", "-o", ""}, []string{"json", "text", "yaml"}},
		"Harm":             {"a rehearsal fails on other things than a plan", []string{"rehearse", "--fail-on", "quorum,da"}, []string{"quorum,data"}},
		"Colour":           {"of every command", []string{"get", "--color", "a"}, []string{"always", "auto"}},
		"FailOn":           {"the last of several", []string{"plan", "--fail-on", "reboot,des"}, []string{"reboot,destroy"}},
		"Site":             {"of the catalogue", []string{"privileges", "--catalogue", files + "/catalogue.yaml", "--site", ""}, []string{"home", "office"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, out, _ := runAt(t, "", append([]string{"__completeNoDesc"}, tc.args...)...)

			lines := strings.Split(strings.TrimSpace(out), "\n")
			if last := lines[len(lines)-1]; last != ":4" {
				t.Errorf("%s: want no files, got directive %s", tc.reason, last)
			}

			var got []string
			got = append(got, lines[:len(lines)-1]...)
			slices.Sort(got)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
