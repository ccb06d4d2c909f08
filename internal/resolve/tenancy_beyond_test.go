package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// someLists is a tenant that may do all that there is a word for, at one node of one site.
const someLists = `{tenants: {team-e: {namespaces: [team-e], sites: {lab: {nodes: [n1], bridges: {vmbr0: [30], vmbr9: []}, pool: team-e}}, clusters: {home: [agent]}, allow: [pin, proxmoxSites]},
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

// TestTenancyOfNodeNetworks: a node gets no network and no address of others for a tenant's ProxmoxSite that the tenant's machines may not have, in whichever
// field. What lives stays beside another edit, at its node and with its address.
func TestTenancyOfNodeNetworks(t *testing.T) {
	const (
		lists = `{tenants: {team-e: {namespaces: [team-e], sites: {lab: {nodes: [n1], bridges: {vmbr0: [30], vmbr8: [0, 30], vmbr9: []}, addresses: 10.9.0.60-10.9.0.79}}, clusters: {home: [agent]}, allow: [proxmoxSites]},
  team-f: {namespaces: [team-f], clusters: {home: [agent]}, allow: [proxmoxSites]}}}`
		rules    = "data.tenancy.tenants.team-e.sites.lab"
		noBridge = "is no bridge of tenant team-e (" + rules + ".bridges)"
		noTag    = "is no VLAN tag of tenant team-e on bridge vmbr0 (" + rules + ".bridges.vmbr0); there are: 30"
		noIP     = "is no address of tenant team-e (" + rules + ".addresses); there are: 10.9.0.60-10.9.0.79"
		noIPv6   = "the addresses of tenant team-e are IPv4 (" + rules + ".addresses)"
		joined   = "is where a K3s cluster is joined"
		before   = "vlans: [{interface: vmbr0, tag: 99, address: 10.0.9.2/24}, {interface: eno2, tag: 99}], bridges: [{name: vmbr7, ports: [eno1.99], address6: 'fd00:9::2/64'}]"
	)

	cases := map[string]struct {
		reason, namespace, nodes, applied string
		want                              []string
	}{
		"Own":          {reason: "A bridge of its list with an address of its range, and a VLAN interface with a tag of the list.", nodes: "bridges: [{name: vmbr9, ports: [eno1], vlanAware: true, address: 10.9.0.60/24}], vlans: [{interface: vmbr0, tag: 30, address: 10.9.1.61/24}]", want: []string{"spec.nodes.n1.vlans[0].address: " + noIP}},
		"AllTags":      {reason: "An empty list is every tag, and a list that has 0 none.", nodes: "vlans: [{interface: vmbr9, tag: 99}], bridges: [{name: vmbr8, ports: [vmbr9.77, vmbr0.30], address: 10.9.0.60/24}]"},
		"Bridge":       {reason: "A bridge that its machines may not be on.", nodes: "bridges: [{name: vmbr7}]", want: []string{"spec.nodes.n1.bridges[0].name: " + noBridge}},
		"VLAN":         {reason: "A VLAN of the bridge that its machines may not have.", nodes: "vlans: [{interface: vmbr0, tag: 99}]", want: []string{"spec.nodes.n1.vlans[0].tag: " + noTag}},
		"NICBelow":     {reason: "Nor by the NIC below the bridge.", nodes: "vlans: [{interface: eno1, tag: 30}]", want: []string{"spec.nodes.n1.vlans[0].interface: " + noBridge}},
		"Port":         {reason: "Nor as the port of a bridge of its own.", nodes: "bridges: [{name: vmbr9, ports: [vmbr0.99]}]", want: []string{"spec.nodes.n1.bridges[0].ports[0]: " + noTag}},
		"PortOfNIC":    {reason: "Nor as a port on the NIC.", nodes: "bridges: [{name: vmbr9, ports: [eno2, eno1.99]}]", want: []string{"spec.nodes.n1.bridges[0].ports[1]: " + noBridge}},
		"PortOfOthers": {reason: "Nor as a port of Proxmox's other form of names.", nodes: "bridges: [{name: vmbr9, ports: [vlan99]}]", want: []string{"spec.nodes.n1.bridges[0].ports[0]: " + noBridge}},
		"Untagged":     {reason: "The node is in the bridge's network without a tag with an address there.", nodes: "bridges: [{name: vmbr0, address: 10.9.0.60/24}]", want: []string{"spec.nodes.n1.bridges[0].address: " + noTag}},
		"Address":      {reason: "An address of others.", nodes: "bridges: [{name: vmbr9, address: 10.9.0.81/24}]", want: []string{"spec.nodes.n1.bridges[0].address: " + noIP}},
		"IPv6":         {reason: "The ranges are IPv4.", nodes: "bridges: [{name: vmbr9, address6: 'fd00:9::2/64'}], vlans: [{interface: vmbr9, tag: 5, address6: 'fd00:8::2/64'}]", want: []string{"spec.nodes.n1.bridges[0].address6: " + noIPv6, "spec.nodes.n1.vlans[0].address6: " + noIPv6}},
		"Endpoint":     {reason: "Who has the address at which a cluster is joined is taken for its server, also a tenant that has no lists of sites.", namespace: "team-f", nodes: "bridges: [{name: vmbr9, address: 10.7.0.210/28}]", want: []string{"spec.nodes.n1.bridges[0].address: " + joined}},
		"EndpointVLAN": {reason: "By a VLAN interface.", namespace: "team-f", nodes: "vlans: [{interface: vmbr9, tag: 5, address: 10.7.0.211/28}]", want: []string{"spec.nodes.n1.vlans[0].address: " + joined}},
		"NoLists":      {reason: "What is left out has everything.", namespace: "team-f", nodes: before},
		"Platform":     {reason: "Who is no tenant has no rules.", namespace: "infra", nodes: before},
		"Lives":        {reason: "What was there before the rules stays, wherever it stands in its list.", applied: before, nodes: strings.NewReplacer("vlans: [", "vlans: [{interface: vmbr0, tag: 30}, ", "bridges: [", "bridges: [{name: vmbr9}, ").Replace(before)},
		"Moves":        {reason: "It gets no other network, and no other address, for that.", applied: before, nodes: "vlans: [{interface: vmbr0, tag: 98, address: 10.0.9.2/24}, {interface: eno3, tag: 99}], bridges: [{name: vmbr7, ports: [eno1.98], address6: 'fd00:9::3/64'}]", want: []string{"spec.nodes.n1.bridges[0].address6: " + noIPv6, "spec.nodes.n1.vlans[0].tag: " + noTag, "spec.nodes.n1.vlans[0].address: " + noIP, "spec.nodes.n1.vlans[1].interface: " + noBridge}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			site := func(nodes string) claim.Claim {
				namespace := tc.namespace
				if namespace == "" {
					namespace = "team-e"
				}

				return claimIn(t, namespace, claim.KindProxmoxSite, "{proxmox: {site: lab}, nodes: {n1: {"+nodes+"}}}")
			}

			c, e := site(tc.nodes), Existing{}

			if tc.applied != "" {
				was := site(tc.applied)
				e = Existing{Has: &Entries{}, Applied: &was}
			}

			_, errs := ProxmoxSite(c.Identity, *c.ProxmoxSite, c.Faults, divided(t, lists), e)
			if diff := cmp.Diff(tc.want, saidOf(errs, tc.want)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
