package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGuestsOfPods: what a new node's guest does to pods and their volumes.
func TestGuestsOfPods(t *testing.T) {
	const document = `sites: {home: {nodes: {pve: {bridges: [vmbr0]}}, network: {gateway: 192.168.4.1, cidr: 24}}}
images: {noble: {url: "https://x.lab/noble.img", os: ubuntu}, trixie: {url: "https://x.lab/trixie.qcow2", os: debian}}
defaults: {site: home, image: noble, adminUser: ops, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6wjNxBzvIwvpG3cVKVUmQ4iYYZZKcVQyM8YLfJvWZl a"]}
clusters: {home: {server: "https://192.168.4.210:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}, config: {default-local-storage-path: /var/lib/longhorn/local}}
, plain: {server: "https://k3s.lab:6443", tlsSANs: [k3s.lab, 192.168.4.79], version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}}}
`

	const (
		takes = "spec.bootstrap.userData: multipathd of the image takes Longhorn's volumes"
		lacks = "spec.bootstrap.userData: Longhorn attaches volumes over iSCSI, and images of Debian have no iscsiadm"
		asks  = "spec.k3s.config[resolv-conf]: /etc/resolv.conf of Debian and Ubuntu asks systemd-resolved"
		rook  = "spec.disks: Rook takes no disk that has a file system"
		disk  = "disks: [{name: vol, size: 10Gi, filesystem: ext4, mountPath: /var/lib/longhorn}]"
		agent = "k3s: {cluster: plain, role: agent}"

		asksByArg   = "spec.k3s.config[kubelet-arg]: /etc/resolv.conf of Debian and Ubuntu asks systemd-resolved"
		cephCluster = `write_files: [{path: /var/lib/rancher/k3s/server/manifests/a.yaml, content: \"apiVersion: ceph.rook.io/v1\\nkind: CephCluster\"}]\n`
	)

	of := func(rest string) string { return "{proxmox: {node: pve}, network: {ip: 192.168.4.53}, " + rest + "}" }
	shared := func(network, k3s string) string {
		return "{proxmox: {node: pve}, network: " + network + ", k3s: {" + k3s + "}}"
	}
	data := func(yaml string) string { return `bootstrap: {userData: "#cloud-config\n` + yaml + `"}, ` }
	search := func(domains, config string) string {
		return "{proxmox: {node: pve}, network: {ip: 192.168.4.53, searchDomains: " + domains + "}, bootstrap: {userData: \"#cloud-config\\n{}\"}, k3s: {cluster: plain, role: agent, config: " + config + "}}"
	}
	completes := func(i, domain string) string {
		return "spec.network.searchDomains[" + i + "]: pods complete each name with " + domain + ", too"
	}

	cases := map[string]struct {
		reason, spec string
		existing     Existing
		want         []string // From the beginning to a colon behind it.
	}{
		"Disk":         {reason: "Ubuntu's images have multipathd.", spec: of(disk + ", " + agent), want: []string{takes}},
		"Label":        {reason: "Longhorn makes its disk there.", spec: of(`k3s: {cluster: plain, role: agent, labels: {node.longhorn.io/create-default-disk: "true"}}`), want: []string{takes}},
		"Config":       {reason: "The cluster's config names it.", spec: of("k3s: {cluster: home, role: server}"), want: []string{takes}},
		"Package":      {reason: "Longhorn needs it.", spec: of(data(`packages: [open-iscsi]\n`) + agent), want: []string{takes}},
		"Debian":       {reason: "Debian's images have no multipathd, and no iscsiadm either.", spec: of("image: trixie, " + disk + ", " + agent), want: []string{lacks}},
		"DebianISCSI":  {reason: "The document installs it.", spec: of("image: trixie, " + data(`packages: [open-iscsi]\n`) + disk + ", " + agent)},
		"DebianVendor": {reason: "A snippet that nobody reads here may install it.", spec: of("image: trixie, bootstrap: {snippets: {vendorData: \"local:snippets/a.yaml\"}}, " + disk + ", " + agent)},
		"DebianOther":  {reason: "Nothing is said of Longhorn.", spec: of("image: trixie, " + agent)},
		"DebianLives":  {reason: "Its guest is what it is.", spec: of("image: trixie, " + disk + ", " + agent), existing: Existing{Node: "pve"}},
		"Rook":         {reason: "Each disk has one.", spec: of(data(cephCluster) + "disks: [{name: osd, size: 10Gi, filesystem: ext4, mountPath: /srv/osd}], " + agent), want: []string{rook}},
		"RookRaw":      {reason: "One is left for it.", spec: of(data(cephCluster) + "disks: [{name: osd, size: 10Gi}, {name: data, size: 10Gi, filesystem: ext4, mountPath: /srv/data}], " + agent)},
		"RookNone":     {reason: "It may have other nodes' disks.", spec: of(data(cephCluster) + agent)},
		"RookNot":      {reason: "Nothing is said of Rook.", spec: of("disks: [{name: osd, size: 10Gi, filesystem: ext4, mountPath: /srv/osd}], " + agent)},
		"DebianTools":  {reason: "The document installs it.", spec: of("image: trixie, " + data(`packages: [open-iscsi, multipath-tools]\n`) + agent), want: []string{takes}},
		"Listed":       {reason: "As Longhorn's documentation has it.", spec: of(data(`packages: [open-iscsi]\nwrite_files: [{path: /etc/multipath.conf, content: x}]\n`) + agent)},
		"Masked":       {reason: "It does not run.", spec: of(data(`packages: [open-iscsi]\nruncmd: [systemctl mask --now multipathd.service multipathd.socket]\n`) + agent)},
		"Other":        {reason: "Nothing is said of Longhorn.", spec: of(agent)},
		"DiskExisting": {reason: "Its guest is what it is.", spec: of(disk + ", " + agent), existing: Existing{Node: "pve"}},

		"Shared":       {reason: "It is the virtual address of the servers, or that of one.", spec: shared("{ip: 192.168.4.79}", "cluster: plain, role: agent"), want: []string{"spec.network.ip: 192.168.4.79 is in"}},
		"SharedServer": {reason: "Many write the servers' own addresses there.", spec: shared("{ip: 192.168.4.79}", "cluster: plain, role: server")},
		"SharedNot":    {reason: "Another address.", spec: shared("{ip: 192.168.4.78}", "cluster: plain, role: agent")},

		"Search":         {reason: "It may have a wildcard record.", spec: search("[home.arpa, apps.example.org, lan, k.test]", "{}"), want: []string{completes("1", "apps.example.org")}},
		"Resolver":       {reason: "It names systemd-resolved.", spec: of("k3s: {cluster: plain, role: agent, config: {resolv-conf: /etc/resolv.conf}}"), want: []string{asks}},
		"ResolverArg":    {reason: "The kubelet's own word counts.", spec: of("k3s: {cluster: plain, role: agent, config: {resolv-conf: /run/systemd/resolve/resolv.conf, kubelet-arg: [resolv-conf=/etc/resolv.conf]}}"), want: []string{asksByArg}},
		"ResolverOwn":    {reason: "The document may write the file.", spec: of(data(`runcmd: [systemctl disable --now systemd-resolved]\n`) + "k3s: {cluster: plain, role: agent, config: {resolv-conf: /etc/resolv.conf}}")},
		"ResolverLives":  {reason: "Its guest is what it is.", spec: of("k3s: {cluster: plain, role: agent, config: {resolv-conf: /etc/resolv.conf}}"), existing: Existing{Node: "pve"}},
		"SearchOwn":      {reason: "The kubelet has another file.", spec: search("[apps.example.org]", "{resolv-conf: /etc/rancher/k3s/resolv.conf}")},
		"SearchArgument": {reason: "The same.", spec: search("[apps.example.org]", "{kubelet-arg: [resolv-conf=/etc/x]}")},
		"SearchExisting": {reason: "Its pods have it.", spec: search("[apps.example.org]", "{}"), existing: Existing{Node: "pve"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, kindNode, tc.spec), aCatalog(t, document), tc.existing)
			if m == nil {
				t.Fatalf("%s\nClaim(...): %v", tc.reason, errs)
			}

			var got []string

			for _, w := range m.Warnings {
				for _, begin := range []string{takes, lacks, rook, asks, asksByArg, "spec.network.searchDomains", "spec.network.ip: 192.168.4.79 is in"} {
					if strings.HasPrefix(w, begin) {
						text, _, _ := strings.Cut(w, ", too:")
						if text != w {
							text += ", too"
						} else {
							text = begin
						}

						got = append(got, text)
					}
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
