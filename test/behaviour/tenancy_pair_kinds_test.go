package behaviour

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestTwoTenantsOfACluster: whatever a K3sCluster of another namespace has that is the platform's, for one of its nodes or for all of them, the platform's machine
// runs on, its claim is valid, and nothing of it is told: while the cluster is made, edited, replaced and deleted.
func TestTwoTenantsOfACluster(t *testing.T) {
	t.Parallel()

	const (
		claimed = "VMID 153 belongs to another claim of this Proxmox, in another namespace"
		address = "is that of another claim of this Proxmox, which is not of tenant team-b"
		role    = `"server": is no role of tenant team-b`
		agents  = `agents: [{name: worker, count: 1, class: small, image: debian-12}]`
		own     = "{name: server-0, ip: 192.168.4.77, proxmoxNode: pve}"
	)

	cases := map[string]struct {
		spec string
		says []string
		// hostname of the platform's machine.
		hostname string
	}{
		"Address":        {spec: "{nodes: [{name: server-0, ip: 192.168.4.53}]}", says: []string{"nodes[server-0].ip", address}},
		"AddressOfAgent": {spec: "{" + agents + ", nodes: [" + own + ", {name: worker-0, ip: 192.168.4.53}]}", says: []string{"nodes[worker-0].ip", address}},
		"MAC":            {spec: `{nodes: [{name: server-0, ip: 192.168.4.77, mac: "BC:24:11:00:00:53"}]}`, says: []string{"nodes[server-0].mac", address}},
		"Number":         {spec: "{nodes: [{name: server-0, ip: 192.168.4.77, vmId: 153}]}", says: []string{"server-0 is being created, and has not joined yet, and cannot go on", claimed, "spec.nodes[server-0].vmId"}},
		"AdoptsVM":       {spec: "{nodes: [{name: server-0, ip: 192.168.4.77, adoptVm: {vmId: 153}}]}", says: []string{"server-0 is being created, and has not joined yet, and cannot go on", claimed}},
		"AdoptsByGuess":  {spec: `{nodes: [{name: server-0, ip: 192.168.4.77, adoptVm: {vmId: 153, approve: "0123456789"}}]}`, says: []string{claimed}},
		"AdoptsK3sNode":  {spec: "{nodes: [{name: server-0, ip: 192.168.4.77, adopt: guest}]}", says: []string{"guest"}},
		"HostName":       {spec: "{}", hostname: "mallory-server-0"},
		"Endpoint":       {spec: `{endpoint: "https://192.168.4.200:6443"}`, says: []string{"All nodes are as the claim describes them."}},
		"AtEndpoint":     {spec: "{nodes: [{name: server-0, ip: 192.168.4.200}]}", says: []string{"spec.nodes[0].ip", "is where cluster home is joined"}},
		"Cluster":        {spec: "{cluster: home}", says: []string{role}},
		"JoinToken":      {spec: `{joinToken: {secretRef: {name: k3s-token, key: token}, allowPlaintext: true}, endpoint: "https://192.168.4.200:6443"}`, says: []string{"All nodes are as the claim describes them."}},
		"Snapshots":      {spec: "{cluster: home, servers: {snapshots: {s3: {secretRef: {name: etcd-s3}}}}}", says: []string{role}},
		"Restore":        {spec: "{cluster: home, servers: {snapshots: {s3: {secretRef: {name: etcd-s3}}}, restore: {snapshot: etcd-snapshot-home-server-0-1732240800}}}", says: []string{role}},
		"Upgrade":        {spec: "{cluster: home, upgrade: SystemUpgrade}", says: []string{role}},
		"Template":       {spec: `{servers: {image: "153"}}`, says: []string{"no image of the catalogue is template 153"}},
		"Quota":          {spec: "{servers: {count: 3}}", says: []string{"tenant team-b has no room"}},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+in.Name, func(t *testing.T) {
				t.Parallel()

				p := playedPair(t, in, "K3sCluster", tc.spec)
				if tc.hostname != "" {
					p.victim.Spec()["hostname"] = tc.hostname
					p.turns(3)
					p.victim.Proxmox.Done = nil
				}

				p.turns(16)

				text := p.told()
				for _, says := range tc.says {
					if !strings.Contains(text, says) {
						t.Errorf("%q is not in\n%s", says, text)
					}
				}

				p.unharmed(t, "made")
				world.Merge(p.hostile.Spec(), world.FromYAML(t, `{servers: {class: small, image: ubuntu-24.04}, nodes: [{name: server-0, ip: 192.168.4.77, lifecycle: {replace: a, reboot: a, force: a}}]}`))
				p.turns(8)
				p.unharmed(t, "edited")

				p.hostile.Leave()
				p.hostile.Provide()
				p.victim.Settle()
				p.untouched(t, "deleted")
			})
		}
	}
}

// TestTwoClusters: a K3sCluster of another namespace has all names of the platform's: the name of the claim and so those of its nodes, its cluster, its endpoint and the
// addresses of its servers. The platform's cluster, whose Nodes are read or are not, goes on with an edit of its own, and nothing of it is told or taken away.
func TestTwoClusters(t *testing.T) {
	t.Parallel()

	const same = "{nodes: [{name: server-0, ip: 192.168.4.211}, {name: server-1, ip: 192.168.4.212}, {name: server-2, ip: 192.168.4.213}]}"

	cases := map[string]string{
		"Names":     "{}",
		"Cluster":   "{cluster: home}",
		"Addresses": same,
		"All":       `{cluster: home, endpoint: "https://k3s.home.arpa:6443", upgrade: SystemUpgrade, rollout: {drain: true}, servers: {count: 3}, nodes: [{name: server-0, ip: 192.168.4.211, lost: true, lifecycle: {replace: a, force: a}}]}`,
	}

	for name, edit := range cases {
		for _, observe := range []string{"", "Here"} {
			t.Run(name+observe, func(t *testing.T) {
				t.Parallel()

				s := &scene{ClusterWorld: world.NewClusterWorld(newCluster(t), observe, "{agents: null, rollout: {rebootPolicy: WhenNeeded}}"), t: t}
				s.Cluster().Fault = func(format string, args ...any) {
					// VMs of one name are servers of two clusters here.
					if text := fmt.Sprintf(format, args...); !strings.HasSuffix(strings.Split(text, ":")[0], " run with name home-server-0") {
						t.Error(text)
					}
				}

				world.Object(s.Machine.Catalogue["data"])["tenancy"] = world.FromYAML(t, `{default: Deny, tenants: {
					platform: {namespaces: [infra-machines], clusters: {home: [server, agent]}, allow: [pin]}, team-b: {namespaces: [team-b], clusters: {home: [agent]}, allow: [pin, mac, adopt]}}}`)
				s.comesTo("Complete")

				platform := &machine{Machine: s.Machine, t: t}
				p := pair{platform, platform.hostile(world.Installations[2], "K3sCluster", "home", "{servers: {class: agent}, nodes: [{name: server-0, ip: 192.168.4.77}]}")}
				world.Merge(p.hostile.Spec(), world.FromYAML(t, edit))

				before, ours := len(s.Cluster().Machines)-1, slices.Collect(maps.Keys(s.Proxmox.VMs))
				p.turns(12)

				for _, m := range s.Cluster().Machines[before:] {
					if text := told(m.Call()); strings.Contains(text, "infra-machines") || strings.Contains(text, "platform") {
						t.Errorf("the other tenant reads %s", text)
					}
				}

				s.Edit("{servers: {count: 3, class: server-large}}")
				p.turns(4)
				s.comesTo("Complete")
				p.hostile.Leave()
				s.comesTo("Complete")

				for _, id := range ours {
					if vm := s.Proxmox.VMs[id]; vm == nil || vm.Running == nil || vm.Starts != 2 {
						t.Errorf("VM %d of the platform is %+v; done: %v", id, vm, s.Proxmox.Done)
					}
				}

				if got := world.Keys(s.Cluster().Nodes); len(got) != len(ours) {
					t.Errorf("want the Nodes of the platform, got %v", got)
				}
			})
		}
	}
}

// TestTwoTenantsOfASite: whatever a ProxmoxSite of another namespace has that is there already stays as it is, with the claim and after it, and the platform's machine runs on.
// With lists of the site, nothing is made on it of which its machines may have no network.
func TestTwoTenantsOfASite(t *testing.T) {
	t.Parallel()

	there := map[string]map[string]any{
		"pve:vmbr0":  {"nodeName": "pve", "name": "vmbr0", "ports": []any{"enp1s0"}},
		"pve:enp1s0": {"nodeName": "pve", "name": "enp1s0"},
		"pve:enp2s0": {"nodeName": "pve", "name": "enp2s0"},
		"infra":      {"poolId": "infra"},
	}

	const (
		word   = "allow: [proxmoxSites, "
		listed = "sites: {home: {bridges: {vmbr0: [30], vmbr7: []}, addresses: 10.0.9.60-10.0.9.69}}, " + word
	)

	cases := map[string]struct {
		spec, says string
		// listed is what is said with lists of the site; empty for what they allow.
		listed string
	}{
		"Bridge":  {"{nodes: {pve: {bridges: [{name: vmbr0, ports: [enp2s0]}]}}}", "vmbr0", ""},
		"VLAN":    {"{nodes: {pve: {vlans: [{interface: vmbr0, tag: 99, address: 10.0.9.2/24}]}}}", "", "is no VLAN tag of tenant team-b on bridge vmbr0"},
		"Address": {"{nodes: {pve: {vlans: [{interface: vmbr0, tag: 30, address: 10.0.9.2/24}]}}}", "", "is no address of tenant team-b"},
		"NIC":     {"{nodes: {pve: {vlans: [{interface: enp1s0, tag: 30}]}}}", "", "is no bridge of tenant team-b"},
		"Through": {"{nodes: {pve: {bridges: [{name: vmbr7, ports: [enp1s0.99]}]}}}", "", "is no bridge of tenant team-b"},
		"Port":    {"{nodes: {pve: {bridges: [{name: vmbr7, ports: [enp1s0]}]}}}", "", ""},
		"Pool":    {"{pools: [{name: infra}]}", "infra", ""},
		"Removal": {"{pools: [{name: infra}], nodes: {pve: {bridges: [{name: vmbr0}]}}, allowRemoval: {pools: [infra], interfaces: [pve/vmbr0]}}", "vmbr0", ""},
		"Used": {
			"{nodes: {pve: {bridges: [{name: vmbr8}]}}}", "is not deleted, because it is in use: a VM of another claim, in another namespace.",
			"is no bridge of tenant team-b",
		},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			if in.Name == "legacy" {
				continue // Its provider is too old for interfaces.
			}

			for mode, rules := range map[string]string{"": "", "Allowed": word, "Listed": listed} {
				t.Run(name+in.Name+mode, func(t *testing.T) {
					t.Parallel()

					p := playedPair(t, in, "ProxmoxSite", tc.spec)
					for part, has := range there {
						p.victim.Proxmox.SiteParts[part] = world.Object(world.Copy(has))
					}

					if rules != "" {
						rules := world.FromYAML(t, strings.Replace(pairRules, "quota: {machines: 2}, allow: [", rules, 1))
						p.victim.withTenancy(rules)
						p.hostile.withTenancy(rules)
					}

					says, refused := tc.says, false

					switch {
					case rules == "":
						says, refused = "tenant team-b may not (interfaces and pools of the nodes are everybody's)", true
					case rules == listed && tc.listed != "":
						says, refused = tc.listed, true
					}

					p.turns(6)

					if diff := cmp.Diff(world.Keys(there), world.Keys(p.victim.Proxmox.SiteParts)); refused && diff != "" {
						t.Errorf("something was made: -want, +got:\n%s", diff)
					}

					if name == "Used" && !refused {
						for _, m := range []*machine{p.victim, p.hostile} {
							m.SetSite("home", "nodes", map[string]any{"pve": map[string]any{"bridges": []any{"vmbr0", "vmbr8"}}})
						}

						world.Object(p.victim.Spec()["network"])["bridge"] = "vmbr8"
						p.turns(4)
						p.victim.Proxmox.Done = nil
						p.hostile.Spec()["nodes"] = map[string]any{}
						world.Merge(p.hostile.Spec(), world.FromYAML(t, "{allowRemoval: {interfaces: [pve/vmbr8]}}"))
						p.turns(6)
					}

					if text := p.told(); !strings.Contains(text, says) {
						t.Errorf("%q is not in\n%s", says, text)
					}

					p.unharmed(t, "made")

					world.Merge(p.hostile.Spec(), world.FromYAML(t, "{nodes: {}, pools: []}"))
					p.turns(4)
					p.unharmed(t, "emptied")

					p.hostile.Leave()
					p.hostile.Provide()
					p.victim.Settle()
					p.untouched(t, "deleted")

					for part, has := range there {
						if diff := cmp.Diff(has, p.victim.Proxmox.SiteParts[part]); diff != "" {
							t.Errorf("%s: -want, +got:\n%s", part, diff)
						}
					}
				})
			}
		}
	}
}
