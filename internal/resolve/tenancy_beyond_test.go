package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// someLists is a tenant that may do all that there is a word for, at one node of one site.
const someLists = `{tenants: {team-e: {namespaces: [team-e], sites: {lab: {nodes: [n1], bridges: {vmbr0: [30]}, pool: team-e}}, clusters: {home: [agent]}, allow: [pin, proxmoxSites]},
  team-f: {namespaces: [team-f]}}}`

// saidOf are faults, in which those that are wanted have their field and a part of their text.
func saidOf(errs field.ErrorList, want []string) (out []string) {
	for i, err := range errs {
		text := err.Error()

		if i < len(want) {
			if path, part, _ := strings.Cut(want[i], ": "); err.Field == path && strings.Contains(text, part) {
				text = want[i]
			}
		}

		out = append(out, text)
	}

	return out
}

// TestTenancyOfProxmoxSites: with the word proxmoxSites, a tenant has the nodes and pools of the sites that its lists have, and without it none. What exists
// stays, and so does it beside another edit.
func TestTenancyOfProxmoxSites(t *testing.T) {
	const (
		bridge  = ": {bridges: [{name: vmbr9}]}"
		beyond  = "{proxmox: {site: lab}, nodes: {n2" + bridge + "}, pools: [{name: vault}]}"
		without = "tenant team-f may not (interfaces and pools of the nodes are everybody's): data.tenancy.tenants.team-f.allow has no proxmoxSites"
	)

	cases := map[string]struct {
		reason, namespace, spec string
		// applied is what the site was last ready with; empty for a new one.
		applied string
		want    []string
	}{
		"Own":           {reason: "A bridge of its node, and its pool.", namespace: "team-e", spec: "{proxmox: {site: lab}, nodes: {n1" + bridge + "}, pools: [{name: team-e}]}"},
		"Default":       {reason: "The default site is the tenant's.", namespace: "team-e", spec: "{nodes: {n1" + bridge + "}}"},
		"Node":          {reason: "A node of the site that is not the tenant's.", namespace: "team-e", spec: "{nodes: {n2" + bridge + "}}", want: []string{"spec.nodes.n2: is no node of tenant team-e (data.tenancy.tenants.team-e.sites.lab.nodes); there are: n1"}},
		"NoNode":        {reason: "One that there is not is refused in the same words.", namespace: "team-e", spec: "{nodes: {n3" + bridge + "}}", want: []string{"spec.nodes.n3: is no node of tenant team-e (data.tenancy.tenants.team-e.sites.lab.nodes); there are: n1"}},
		"Site":          {reason: "A site that is not the tenant's.", namespace: "team-e", spec: "{proxmox: {site: other}, nodes: {m1" + bridge + "}}", want: []string{"spec.proxmox.site: is no site of tenant team-e"}},
		"NoSite":        {reason: "One that there is not is refused in the same words.", namespace: "team-e", spec: "{proxmox: {site: othe}, pools: [{name: team-e}]}", want: []string{"spec.proxmox.site: is no site of tenant team-e"}},
		"Pool":          {reason: "Another team's pool.", namespace: "team-e", spec: "{pools: [{name: vault}, {name: team-e}]}", want: []string{"spec.pools[vault]: is no pool of tenant team-e"}},
		"Stays":         {reason: "What was there before the rules stays, beside another edit.", namespace: "team-e", applied: beyond, spec: beyond},
		"StaysBeside":   {reason: "The edit is within the rules.", namespace: "team-e", applied: beyond, spec: strings.Replace(beyond, "{n2", "{n1"+bridge+", n2", 1)},
		"MoreOfAnother": {reason: "An edit brings a second pool of others.", namespace: "team-e", applied: beyond, spec: strings.Replace(beyond, "{name: vault}", "{name: vault}, {name: shop}", 1), want: []string{"spec.pools[shop]: is no pool of tenant team-e"}},
		"Word":          {reason: "Without the word there is one sentence.", namespace: "team-f", spec: beyond, want: []string{"kind: " + without}},
		"WordAndFault":  {reason: "And with a typing error no name of the catalogue.", namespace: "team-f", spec: "{nodes: {n3" + bridge + "}}", want: []string{"spec.nodes.n3: is no node of the site: n1 or n2", "kind: " + without}},
		"WordEdit":      {reason: "What exists is not edited without the word.", namespace: "team-f", applied: beyond, spec: "{pools: [{name: vault}]}", want: []string{"kind: " + without}},
		"WordStays":     {reason: "It stays as it is.", namespace: "team-f", applied: beyond, spec: beyond},
		"Platform":      {reason: "Who is no tenant is helped.", namespace: "infra", spec: "{nodes: {n3" + bridge + "}}", want: []string{"spec.nodes.n3: is no node of the site: n1 or n2"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, e := claimIn(t, tc.namespace, claim.KindProxmoxSite, tc.spec), Existing{}

			if tc.applied != "" {
				was := claimIn(t, tc.namespace, claim.KindProxmoxSite, tc.applied)
				e = Existing{Has: &Entries{}, Applied: &was}
			}

			_, errs := ProxmoxSite(c.Identity, *c.ProxmoxSite, c.Faults, divided(t, someLists), e)
			if diff := cmp.Diff(tc.want, saidOf(errs, tc.want)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTenancyOfEndpoints: who has the address at which a cluster is joined is taken for its server. A tenant without servers of it may not have it, where
// others are warned, since they may be its load balancer.
func TestTenancyOfEndpoints(t *testing.T) {
	const (
		rule  = ": is where a K3s cluster is joined of which tenant team-e has no servers (data.tenancy.tenants.team-e.clusters): take another address"
		place = "proxmox: {pool: team-e, node: n1, vmId: 4200}"
		home  = "{" + place + ", network: {ip: 10.7.0.210}}"
	)

	cases := map[string]struct {
		reason, namespace, kind, spec, applied string
		want                                   []string
	}{
		"Machine":   {reason: "A VM in the place of a cluster's API.", namespace: "team-e", spec: "{" + place + ", network: {ip: 10.7.0.211}}", want: []string{"spec.network.ip" + rule}},
		"OfAgents":  {reason: "A tenant with agents in the cluster has no server of it.", namespace: "team-e", spec: home, want: []string{"spec.network.ip" + rule}},
		"Second":    {reason: "By a further interface.", namespace: "team-e", spec: "{" + place + ", nics: [{bridge: vmbr0, vlan: 30, ip: 10.7.0.210, cidr: 24}]}", want: []string{"spec.nics[0].ip" + rule}},
		"Container": {reason: "By a container.", namespace: "team-e", kind: claim.KindContainer, spec: "{image: debian-ct, " + place + ", network: {ip: 10.7.0.210}}", want: []string{"spec.network.ip" + rule}},
		"Beside":    {reason: "The address beside it is nobody's.", namespace: "team-e", spec: "{" + place + ", network: {ip: 10.7.0.212}}"},
		"Edit":      {reason: "An edit brings it no more than a new VM.", namespace: "team-e", spec: home, applied: "{" + place + ", network: {ip: 10.7.0.212}}", want: []string{"spec.network.ip" + rule}},
		"Lives":     {reason: "A VM that has it keeps it.", namespace: "team-e", spec: strings.Replace(home, "{", "{notes: x, ", 1), applied: home},
		"AllLists":  {reason: "A tenant without a list may serve all clusters.", namespace: "team-f", spec: "{network: {ip: 10.7.0.210}}"},
		"Platform":  {reason: "Who is no tenant is warned.", namespace: "infra", spec: "{network: {ip: 10.7.0.210}}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind, e := tc.kind, Existing{}
			if kind == "" {
				kind = kindMachine
			}

			if tc.applied != "" {
				was := claimIn(t, tc.namespace, kind, tc.applied)
				e = Existing{Node: "n1", Has: &Entries{}, Applied: &was}
			}

			c, cat := claimIn(t, tc.namespace, kind, tc.spec), divided(t, someLists)

			var errs field.ErrorList
			if c.Container != nil {
				_, errs = Container(c.Identity, *c.Container, c.Faults, cat, e)
			} else {
				_, errs = Claim(c, cat, e)
			}

			if diff := cmp.Diff(tc.want, saidOf(errs, tc.want)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
