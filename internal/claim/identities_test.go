package claim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIdentities(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		kind   string
		spec   map[string]any
		want   []string
	}{
		"Machine": {
			reason: "Each spelling of a value is one identity, and the host name is the claim's where it has none.",
			kind:   KindMachine,
			spec: map[string]any{
				"proxmox": map[string]any{"site": "home", "vmId": int64(104)},
				"network": map[string]any{"ip": "192.168.4.53/24", "mac": "bc:24:11:00:00:53", "domain": "home.arpa", "ipv6": map[string]any{"ip": "FD00:0::53/64"}},
				"nics":    []any{map[string]any{"bridge": "vmbr1", "ip": "10.0.0.53/24"}},
			},
			want: []string{
				"home VMID 104 spec.proxmox.vmId", "home HostName files01.home.arpa metadata.name", "home Address 192.168.4.53 spec.network.ip",
				"home Address fd00::53 spec.network.ipv6.ip", "home MAC BC:24:11:00:00:53 spec.network.mac", "home Address 10.0.0.53 spec.nics[0].ip",
			},
		},
		"Adopts": {
			reason: "What is adopted has its VMID.",
			kind:   KindMachine,
			spec:   map[string]any{"hostname": "Files", "adopt": map[string]any{"vmId": int64(104)}, "network": map[string]any{"ip": "not one"}},
			want:   []string{" VMID 104 spec.adopt.vmId", " HostName files spec.hostname"},
		},
		"K3sNode": {
			reason: "A cluster knows its nodes by their host names.",
			kind:   KindK3sNode,
			spec:   map[string]any{"k3s": map[string]any{"cluster": "home", "role": "agent"}},
			want:   []string{" Object files01 metadata.name", " Node home/files01 metadata.name", " HostName files01 metadata.name"},
		},
		"K3sCluster": {
			reason: "The identities of its nodes, whose names are made of its own.",
			kind:   KindK3sCluster,
			spec: map[string]any{
				"servers": map[string]any{"count": int64(1), "template": map[string]any{"proxmox": map[string]any{"site": "home"}}},
				"agents":  []any{map[string]any{"name": "worker", "count": int64(1), "template": map[string]any{"network": map[string]any{"domain": "home.arpa"}}}},
				"nodes":   []any{map[string]any{"name": "server-0", "ip": "192.168.4.61/24", "vmId": int64(4001)}},
			},
			want: []string{
				"home Object files01-server-0 metadata.name of server-0", "home HostName files01-server-0 metadata.name of server-0",
				"home Object files01-worker-0 metadata.name of worker-0", "home HostName files01-worker-0.home.arpa metadata.name of worker-0",
				"home Address 192.168.4.61 spec.nodes[0].ip of server-0", "home VMID 4001 spec.nodes[0].vmId of server-0",
			},
		},
		"K3sClusterOfTheCatalogue": {
			reason: "Who writes a node of it by hand names its entry; three servers are the default, a count that nobody can have is a fault of its own, and an adopted node keeps its names.",
			kind:   KindK3sCluster,
			spec: map[string]any{
				"cluster": "home", "endpoint": "https://home.example:6443", "agents": []any{map[string]any{"name": "worker", "count": int64(-1)}},
				"nodes": []any{map[string]any{"name": "server-1", "adopt": "former"}},
			},
			want: []string{
				" Object files01-server-0 metadata.name of server-0", " Node home/files01-server-0 metadata.name of server-0", " HostName files01-server-0 metadata.name of server-0",
				" Object files01-server-2 metadata.name of server-2", " Node home/files01-server-2 metadata.name of server-2", " HostName files01-server-2 metadata.name of server-2",
			},
		},
		"Container": {
			reason: "A container is known as a machine is.",
			kind:   KindContainer,
			spec:   map[string]any{"proxmox": map[string]any{"vmId": int64(150)}, "network": map[string]any{"ip": "192.168.4.54/24"}},
			want:   []string{" VMID 150 spec.proxmox.vmId", " HostName files01 metadata.name", " Address 192.168.4.54 spec.network.ip"},
		},
		"ProxmoxSite": {
			reason: "A host has addresses, too, and its interfaces and the pools are one claim's.",
			kind:   KindProxmoxSite,
			spec: map[string]any{"pools": []any{map[string]any{"name": "k3s"}}, "nodes": map[string]any{"pve": map[string]any{
				"bridges": []any{map[string]any{"name": "vmbr7", "address": "10.0.7.1/24"}},
				"vlans":   []any{map[string]any{"interface": "eno1", "tag": int64(20), "address6": "fd00:20::1/64"}},
			}}},
			want: []string{
				" Part pve/vmbr7 spec.nodes.pve.bridges[0].name", " Address 10.0.7.1 spec.nodes.pve.bridges[0].address",
				" Part pve/eno1.20 spec.nodes.pve.vlans[0]", " Address fd00:20::1 spec.nodes.pve.vlans[0].address6", " Part pool k3s spec.pools[0].name",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := Decode(map[string]any{
				"apiVersion": "homelab.io/v1alpha1", "kind": "X" + tc.kind, "metadata": map[string]any{"name": "files01"}, "spec": tc.spec,
			})

			var got []string

			for _, i := range c.Identities("files01") {
				value := i.Value
				if i.Cluster != "" {
					value = i.Cluster + "/" + value
				}

				line := i.Site + " " + string(i.Kind) + " " + value + " " + i.Path.String()
				if i.Of != "" {
					line += " of " + i.Of
				}

				got = append(got, line)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nIdentities(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
