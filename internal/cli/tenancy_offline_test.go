package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTenancyBeforeACommit: lint, render and plan refuse a new claim that is outside of its tenant's rules, in the words of the function, without a cluster.
func TestTenancyBeforeACommit(t *testing.T) {
	claim := func(name, spec string) string {
		return "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: " + name + ", namespace: team-b}\nspec: " + spec + "\n"
	}

	files := writeTree(t, map[string]string{
		".git/HEAD": "", "catalogue.yaml": tenancyCatalogue, "observed/none.yaml": tenancyCatalogue, "observed/all.yaml": tenancyCatalogue + "---\n" + tenancyObserved,
		"within.yaml": claim("web02", "{proxmox: {pool: team-b}}"),
		"class.yaml":  claim("web02", "{class: large, proxmox: {pool: team-b}}"),
		"pin.yaml":    claim("web02", "{proxmox: {pool: team-b, node: n1}}"),
		"cluster.yaml": "apiVersion: homelab.io/v1alpha1\nkind: K3sNode\nmetadata: {name: k1, namespace: team-b}\n" +
			"spec: {proxmox: {pool: team-b}, k3s: {cluster: home, role: server}}\n",
		"nobody.yaml": strings.Replace(claim("web02", "{}"), "team-b", "elsewhere", 1),
	})
	in := func(name string) string { return filepath.Join(files, name) }

	cases := map[string]struct {
		reason, claim string
		says          string // Empty: all accept it.
	}{
		"Within":  {reason: "Nothing is outside.", claim: "within.yaml"},
		"Class":   {reason: "A class of others.", claim: "class.yaml", says: `"large": is no class of tenant team-b`},
		"Pin":     {reason: "A word that the tenant does not have.", claim: "pin.yaml", says: "data.tenancy.tenants.team-b.allow has no pin"},
		"Cluster": {reason: "A role of others.", claim: "cluster.yaml", says: `"server": is no role of tenant team-b`},
		"Nobody":  {reason: "A namespace that is no tenant's.", claim: "nobody.yaml", says: "data.tenancy.default"},
	}

	commands := map[string][]string{
		"lint": {"--catalogue", in("catalogue.yaml")}, "render": {"--catalogue", in("catalogue.yaml")}, "plan": {"--observed", in("observed/none.yaml")},
	}

	for name, tc := range cases {
		for command, args := range commands {
			t.Run(name+"/"+command, func(t *testing.T) {
				code, out, err := runAt(t, "", append([]string{command, "-f", in(tc.claim)}, args...)...)

				if accepted := code == ExitOK; accepted != (tc.says == "") || !strings.Contains(out+err, tc.says) {
					t.Errorf("%s: ends with %d and %s%s", tc.reason, code, out, err)
				}
			})
		}
	}
	code, out, err := runAt(t, "", "plan", "-f", in("within.yaml"), "--observed", in("observed/all.yaml"))
	if code == ExitOK || !strings.Contains(out+err, "tenant team-b has no room for this") {
		t.Errorf("A plan counts what the cluster has of the quota: ends with %d and %s%s", code, out, err)
	}
}
