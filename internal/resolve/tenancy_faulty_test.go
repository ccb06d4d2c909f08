package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTenancyWithFaults: what is said to a claim beside rules with a fault is true of the catalogue, and nobody is without rules because those that were meant for them
// have a typing error.
func TestTenancyWithFaults(t *testing.T) {
	const (
		at     = "data.tenancy.tenants.team-b."
		unread = "data.tenancy.tenants: Invalid value: cannot be read, because of a fault in rules that are not those of this namespace: nothing new is made until whoever writes the catalogue corrects it"
	)

	rules := func(t string) string { return "{tenants: {team-b: {" + t + "}}}" }
	ours := func(t string) string { return rules("namespaces: [team-b], " + t) }

	cases := map[string]struct {
		reason, tenancy, namespace string
		want                       []string
	}{
		"Class": {
			"A tenant is told no other classes, and not that there are none.", ours("classes: [smal, small]"), "team-b",
			[]string{at + `classes: Invalid value: "smal": the catalogue has no class of this name; did you mean small?`},
		},
		"OnlyClass": {
			"Nor is one told so who has no class at all.", ours("classes: [smal]"), "team-b",
			[]string{at + `classes: Invalid value: "smal": the catalogue has no class of this name`},
		},
		"Node": {
			"The site has nodes, and none that the rules name.", ours("sites: {lab: {nodes: [n9]}}"), "team-b",
			[]string{
				"spec.proxmox.node: Required value: must be the Proxmox node for the VM: the catalogue lists no nodes of site 'lab' that " + at + "sites.lab.nodes names",
				at + `sites.lab.nodes: Invalid value: "n9": the catalogue has no node of this name`,
			},
		},
		"NoNodes": {
			"An empty list has nothing, and is no fault.", ours("sites: {lab: {nodes: []}}"), "team-b",
			[]string{"spec.proxmox.node: Required value: must be the Proxmox node for the VM: the catalogue lists no nodes of site 'lab' that " + at + "sites.lab.nodes names"},
		},
		"VMIDs": {
			"A range of the rules is no fault of the site.", ours("sites: {lab: {vmIds: {from: 4299, to: 4200}}}"), "team-b",
			[]string{at + "sites.lab.vmIds.to: Invalid value: 4200: must not be less than from"},
		},
		"Capitals":  {"No namespace has capital letters: it is not known whose these rules are.", rules("namespaces: [Team-B]"), "team-b", []string{unread}},
		"Underline": {"Nor an underline.", rules("namespaces: [team_b]"), "team-b", []string{unread}},
		"Regular":   {"Nor the signs of a regular expression.", rules(`namespaces: ["^team-b$"]`), "infra", []string{unread}},
		"Empty":     {"Who writes rules means somebody.", rules("namespaces: []"), "team-b", []string{unread}},
		"Missing":   {"The same of a list that is left out.", rules("classes: [small]"), "team-b", []string{unread}},
		"Another":   {"Whose namespace is named, has rules that can be read.", `{tenants: {a: {namespaces: [A]}, team-b: {namespaces: [team-b]}}}`, "team-b", nil},
		"Platform":  {"What has no namespace is the platform's.", rules("namespaces: [Team-B]"), "", nil},
		"Nobodys":   {"Rules without a fault are those of others.", rules("namespaces: [team-b, team-*]"), "infra", nil},
		"Default": {
			"A word that is none of ours counts as the strict one, and is quoted.", "{default: deny, tenants: {team-b: {namespaces: [team-b]}}}", "infra",
			[]string{
				`metadata.namespace: Forbidden: infra is no tenant's namespace, and data.tenancy.default is "deny", which is neither Allow nor Deny and counts as Deny: machines are made in the namespaces that ` +
					`data.tenancy.tenants name`,
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Claim(claimIn(t, tc.namespace, kindMachine, "{proxmox: {site: lab}}"), divided(t, tc.tenancy), Existing{})

			var got []string
			for _, err := range errs {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTenancyWithFaultsOfOthers: rules whose namespaces are none stop what is new, and leave what exists.
func TestTenancyWithFaultsOfOthers(t *testing.T) {
	applied := claimIn(t, "team-b", kindMachine, "{proxmox: {site: lab}}")

	if _, errs := Claim(applied, divided(t, "{tenants: {team-b: {namespaces: [Team-B]}}}"), Existing{Node: "n1", Has: &Entries{}, Applied: &applied}); len(errs) > 0 {
		t.Errorf("an existing VM is refused: %v", errs)
	}
}
