package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBesides: what the user-data and the config have in the guest beside what the claim says of it.
func TestBesides(t *testing.T) {
	const document = `
sites: {home: {nodes: {pve: {}}, network: {gateway: 192.168.4.1, dns: [192.168.4.1], cidr: 24}}}
images: {other: {url: "https://example.org/a.qcow2", os: other}}
clusters:
  home: {server: "https://192.168.4.210:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}}
  bare: {server: "https://192.168.4.210:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}, disable: [traefik]}
`

	const (
		address = "spec.bootstrap.userData: /etc/netplan/60-own.yaml: gives eth0 the address 192.168.4.99/24 from the guest's next boot on, which spec.network does not know of: write it as ip there, and remove it here."
		asks    = "spec.bootstrap.userData: /etc/netplan/60-own.yaml: dhcp4 gives eth0 an address beside the fixed one of spec.network from the guest's next boot on: remove it."
		second  = "spec.bootstrap.userData: /etc/netplan/60-own.yaml: gives eth1 the address 10.0.0.5/24 from the guest's next boot on, which spec.nics[0] does not know of: write it as ip there, and remove it here."
		hidden  = "spec.bootstrap.userData: packages: nginx listens at port 80, and nobody reaches it: K3s' ServiceLB gives the ports 80 and 443 of every node to Traefik. Let an Ingress serve it, " +
			"have nginx listen at another port, or set disable: [traefik] on all servers."
		volumes = "spec.k3s.config[default-local-storage-path]: /srv/dta/volumes is on the boot disk, and a replacement of the VM throws away what is there; did you mean /srv/data, where disk data is mounted?"
		snippet = `, bootstrap: {snippets: {vendorData: "local:snippets/token.yaml"}}`
	)

	netplan := func(network, ethernets string) string {
		return `{proxmox: {site: home, node: pve}, network: ` + network + `, bootstrap: {userData: "#cloud-config\nwrite_files: [{path: /etc/netplan/60-own.yaml, content: \"network: {ethernets: ` + ethernets + `}\"}]\nruncmd: [netplan apply]"}`
	}
	node := func(k3s, more string) string {
		return `{proxmox: {site: home, node: pve}, network: {ip: 192.168.4.53}, k3s: {` + k3s + `}` + more + `}`
	}
	packages := func(lines string) string { return `, bootstrap: {userData: "#cloud-config\n` + lines + `"}` }

	const fixed, disk = "{ip: 192.168.4.53}", `, disks: [{name: data, size: 9Gi, filesystem: ext4, mountPath: /srv/data}]`

	cases := map[string]struct {
		reason, spec string
		existing     Existing
		want         string // The warning; empty for none.
	}{
		"Address":         {reason: "The guest has both.", spec: netplan(fixed, "{eth0: {addresses: [192.168.4.99/24]}}") + "}", want: address},
		"AddressByLease":  {reason: "The guest has both.", spec: netplan("{dhcp: true}", "{eth0: {addresses: [192.168.4.99/24]}}") + "}", want: address},
		"AddressOfSecond": {reason: "Of another interface.", spec: netplan(fixed, "{eth1: {addresses: [10.0.0.5/24]}}") + ", nics: [{bridge: vmbr1, dhcp: true}]}", want: second},
		"Lease":           {reason: "The guest has both.", spec: netplan(fixed, "{eth0: {dhcp4: true}}") + "}", want: asks},
		"SameAddress":     {reason: "It is the machine's.", spec: netplan(fixed, "{eth0: {dhcp4: false, addresses: [192.168.4.53/24]}}") + "}"},
		"OtherNetwork":    {reason: "A second network on one interface.", spec: netplan(fixed, "{eth0: {addresses: [10.9.0.5/24, 'fd00::5/64']}}") + "}"},
		"Routes":          {reason: "Nothing that the claim has.", spec: netplan(fixed, "{eth0: {routes: [{to: 10.0.0.0/8, via: 192.168.4.2}], optional: true}}") + "}"},
		"OtherInterface":  {reason: "A device that is passed through.", spec: netplan(fixed, "{enp1s0: {dhcp4: true}}") + "}"},
		"OtherImage":      {reason: "Nobody knows its names.", spec: netplan(fixed, "{eth0: {dhcp4: true}}") + ", image: other}"},
		"Existing":        {reason: "Its first boot is over.", spec: netplan(fixed, "{eth0: {dhcp4: true}}") + "}", existing: Existing{Node: "pve", Adopting: true}},

		"Web":          {reason: "Traefik has its port.", spec: node("cluster: home, role: server", packages("packages: [curl, nginx=1.26.0]")), want: hidden},
		"WebOfAgent":   {reason: "ServiceLB runs on agents, too.", spec: node("cluster: home, role: agent", packages("packages: [nginx]")), want: hidden},
		"WebNoIngress": {reason: "K3s has no Traefik.", spec: node("cluster: bare, role: agent", packages("packages: [nginx]"))},
		"WebNoLB":      {reason: "Nor has anything the port.", spec: node("cluster: home, role: server, config: {}, disable: [servicelb]", packages("packages: [nginx]"))},
		"WebKnown":     {reason: "It listens elsewhere.", spec: node("cluster: home, role: agent", packages("packages: [nginx]\nwrite_files: [{path: /etc/nginx/conf.d/a.conf, content: listen 8080}]"))},
		"WebOutside":   {reason: "Nobody knows what the cluster disables.", spec: node(`server: "https://192.168.4.9:6443", role: agent, version: v1.34.1+k3s1, token: {file: /a/b}`, packages("packages: [nginx]"))},
		"WebOther":     {reason: "A program for files.", spec: node("cluster: home, role: agent", packages("packages: [nginx-common, apache2-utils]"))},

		"Volumes":        {reason: "A letter is missing.", spec: node("cluster: home, role: server, config: {default-local-storage-path: /srv/dta/volumes}", disk+snippet), want: volumes},
		"VolumesBelow":   {reason: "As it should be.", spec: node("cluster: home, role: server, config: {default-local-storage-path: /srv/data/volumes}", disk+snippet)},
		"VolumesThere":   {reason: "The disk itself.", spec: node("cluster: home, role: server, config: {default-local-storage-path: /srv/data}", disk+snippet)},
		"VolumesAway":    {reason: "Another folder altogether.", spec: node("cluster: home, role: server, config: {default-local-storage-path: /opt/volumes}", disk+snippet)},
		"VolumesOnBoot":  {reason: "The machine has no disk for data.", spec: node("cluster: home, role: server, config: {default-local-storage-path: /srv/dta}", snippet)},
		"VolumesShorter": {reason: "The folder that the disk is mounted in.", spec: node("cluster: home, role: server, config: {default-local-storage-path: /srv}", disk+snippet)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, all := lastWarning(t, tc.spec, document, tc.existing, "next boot on", "nobody reaches it", "on the boot disk")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s\n%s", tc.reason, diff, all)
			}
		})
	}
}
