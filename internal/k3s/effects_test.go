package k3s

import (
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestEveryKeyStatesItsEffect: a key that has none says so, and what has one does not say that it has none.
func TestEveryKeyStatesItsEffect(t *testing.T) {
	for name := range configKeys() {
		e, stated := EffectOf(name)
		without := e
		without.None = false

		if nothing := reflect.ValueOf(without).IsZero(); !stated || e.None != nothing {
			t.Errorf("%s: state what it does to ports, votes, names, networks, addresses and files in effects_table.go, or None: true; stated: %+v", name, e)
		}
	}

	for name, e := range effects {
		if _, known := configKeys()[name]; !known {
			t.Errorf("%s has an effect and is no key", name)
		}

		if len(e.Ports) > 0 != (indexOf(portKeys(), name) >= 0) {
			t.Errorf("%s opens ports, and portKeys does not have its place", name)
		}
	}
}

// TestDocsStateEffects keeps docs/catalogue.md true: it names each key with an effect, and none without one.
func TestDocsStateEffects(t *testing.T) {
	b, err := os.ReadFile("../../docs/catalogue.md")
	if err != nil {
		t.Fatal(err)
	}

	_, chapter, _ := strings.Cut(string(b), "### What keys of config do elsewhere\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")

	for name, e := range effects {
		first := func(line string) bool { return strings.Contains(strings.SplitN(line+"||", "|", 3)[1], "`"+name+"`") }
		named := slices.ContainsFunc(strings.Split(chapter, "\n"), func(line string) bool { return strings.HasPrefix(line, "|") && first(line) })

		if named == e.None {
			t.Errorf("%s: named in docs/catalogue.md is %v, and none is %v", name, named, e.None)
		}
	}
}

func indexOf(list []string, item string) int {
	for i, s := range list {
		if s == item {
			return i
		}
	}

	return -1
}

func TestPorts(t *testing.T) {
	api := Port{Roles: servers, Protocol: "tcp", Port: "6443", From: FromEverywhere, For: "Kubernetes API"}
	etcd := Port{Roles: servers, Protocol: "tcp", Port: "2379:2380", From: FromNodes, For: "etcd"}
	kubelet := Port{Roles: all, Protocol: "tcp", Port: "10250", From: FromNodes, For: "kubelet"}
	vxlan := Port{Roles: all, Protocol: "udp", Port: "8472", From: FromNodes, For: "flannel, VXLAN"}
	wireguard := Port{Roles: all, Protocol: "udp", Port: "51820:51821", From: FromNodes, For: "flannel, WireGuard"}
	with := func(p Port, change func(*Port)) Port { change(&p); return p }

	cases := map[string]struct {
		reason  string
		role    Role
		config  map[string]any
		unknown bool
		want    []Port
	}{
		"Server":      {reason: "K3s' defaults.", role: RoleServer, want: []Port{api, etcd, kubelet, vxlan}},
		"FirstServer": {reason: "It is a server.", role: RoleInit, want: []Port{api, etcd, kubelet, vxlan}},
		"Agent":       {reason: "No API, no etcd.", role: RoleAgent, want: []Port{kubelet, vxlan}},
		"Guess":       {reason: "Nobody knows the backend.", role: RoleAgent, unknown: true, want: []Port{kubelet, vxlan, wireguard}},
		"Known":       {reason: "What is said is no guess.", role: RoleAgent, unknown: true, config: map[string]any{"flannel-backend": "vxlan"}, want: []Port{kubelet, vxlan}},
		"API": {
			reason: "The API is where the config says, and so is the supervisor.", role: RoleServer, config: map[string]any{"https-listen-port": 7443.0, "supervisor-port": 9345},
			want: []Port{
				with(api, func(p *Port) { p.Port = "7443" }), with(api, func(p *Port) { p.Port, p.For = "9345", "K3s supervisor" }), etcd, kubelet, vxlan,
			},
		},
		"NoEtcd": {reason: "Without a member nobody asks it.", role: RoleServer, config: map[string]any{"disable-etcd": true}, want: []Port{api, kubelet, vxlan}},
		"NoAgent": {
			reason: "No kubelet. Metrics are nothing that the cluster needs.", role: RoleServer,
			config: map[string]any{"disable-agent": true, "etcd-expose-metrics": true, "flannel-backend": "none"}, want: []Port{api, etcd},
		},
		"Registry": {
			reason: "Agents answer at the port of the API, too.", role: RoleAgent, config: map[string]any{"embedded-registry": true, "https-listen-port": 7443},
			want: []Port{
				{Roles: all, Protocol: "tcp", Port: "5001", From: FromNodes, For: "embedded registry, peers"},
				{Roles: agents, Protocol: "tcp", Port: "7443", From: FromNodes, For: "embedded registry"},
				kubelet, vxlan,
			},
		},
		"RegistryOff": {reason: "Off is off.", role: RoleAgent, config: map[string]any{"embedded-registry": false}, want: []Port{kubelet, vxlan}},
		"HostGateway": {
			reason: "Pods come under their own addresses.", role: RoleAgent, config: map[string]any{"flannel-backend": "host-gw"},
			want: []Port{kubelet, {Roles: all, From: FromPods, For: "pods, flannel host-gw"}},
		},
		"LaterBackend": {reason: "A backend that nobody knows has the ports of the default.", role: RoleAgent, config: map[string]any{"flannel-backend": "geneve"}, want: []Port{kubelet, vxlan}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Ports(tc.role, tc.config, tc.unknown)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestVoteOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		config map[string]any
		want   Vote
	}{
		"Default": {"A server has a member of etcd.", nil, ""},
		"Without": {"This one has none.", map[string]any{"disable-etcd": true}, VoteGivenUp},
		"Said":    {"False is the default.", map[string]any{"disable-etcd": false}, ""},
		"Outside": {"There is no etcd.", map[string]any{"datastore-cafile": "/etc/ca.pem", "disable-etcd": true}, VoteOutside},
		"Other":   {"Other keys that are true give up no vote.", map[string]any{"disable-agent": true, "embedded-registry": true}, ""},
	}

	for name, tc := range cases {
		if got := VoteOf(tc.config); got != tc.want {
			t.Errorf("%s: %s got %q", name, tc.reason, got)
		}
	}
}

func TestRanges(t *testing.T) {
	prefix := netip.MustParsePrefix
	pods, services := Range{prefix("10.42.0.0/16"), NetworkPods, keyPods, false}, Range{prefix("10.43.0.0/16"), NetworkServices, keyServices, false}

	cases := map[string]struct {
		reason string
		config map[string]any
		want   []Range
	}{
		"Default": {"K3s' own.", nil, []Range{pods, services}},
		"DualStack": {
			"Both families, with a comma or as a list.",
			map[string]any{"cluster-cidr": "10.9.0.0/16,fd00:9::/56", "service-cidr": []any{"10.8.0.0/16", "fd00:8::/112"}},
			[]Range{
				{prefix("10.9.0.0/16"), NetworkPods, keyPods, true},
				{prefix("fd00:9::/56"), NetworkPods, keyPods, true},
				{prefix("10.8.0.0/16"), NetworkServices, keyServices, true},
				{prefix("fd00:8::/112"), NetworkServices, keyServices, true},
			},
		},
		"OtherPlugin": {"Its pods are where it says.", map[string]any{"flannel-backend": "none"}, []Range{services}},
		"NoRange":     {"A mistake is a fault of its own.", map[string]any{"cluster-cidr": "x"}, []Range{services}},
	}

	for name, tc := range cases {
		if diff := cmp.Diff(tc.want, Ranges(tc.config), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
			t.Errorf("%s: %s -want, +got:\n%s", name, tc.reason, diff)
		}
	}
}

func TestNeeds(t *testing.T) {
	none := func(string) bool { return false }
	mine := func(file string) bool { return file == "/etc/vpn" }

	cases := map[string]struct {
		reason  string
		config  map[string]any
		brought func(string) bool
		want    []Need
	}{
		"Nothing":    {reason: "Most keys need nothing.", config: map[string]any{"selinux": false, "log": "/var/log/k3s", "cluster-cidr": "10.42.0.0/16"}, brought: none},
		"File":       {reason: "K3s stops without it.", config: map[string]any{"flannel-conf": "/etc/flannel.json"}, brought: none, want: []Need{{Key: "flannel-conf", File: "/etc/flannel.json", What: "/etc/flannel.json"}}},
		"Brought":    {reason: "The claim writes the file; the program it does not install.", config: map[string]any{"vpn-auth-file": "/etc/vpn"}, brought: mine, want: []Need{{Key: "vpn-auth-file", What: "the program of the VPN, such as tailscale"}}},
		"Image":      {reason: "Every image has these.", config: map[string]any{"resolv-conf": "/run/systemd/resolve/resolv.conf", "datastore-cafile": "/etc/ssl/certs/ca.pem"}, brought: none},
		"Argument":   {reason: "The API server reads a policy when it starts, and writes a log.", config: map[string]any{"kube-apiserver-arg": []any{"--audit-policy-file=/etc/audit.yaml", "audit-log-path=/var/log/audit.log"}}, brought: none, want: []Need{{Key: "kube-apiserver-arg", File: "/etc/audit.yaml", What: "/etc/audit.yaml"}}},
		"ArgumentOf": {reason: "K3s writes its own certificates, an image has those of authorities, and no path is no file.", config: map[string]any{"kube-apiserver-arg": []any{"client-ca-file=/var/lib/rancher/k3s/server/tls/client-ca.crt", "oidc-ca-file=/etc/ssl/certs/ca.pem", "audit-policy-file="}}, brought: none},
		"Registries": {reason: "K3s' own default may be missing.", config: map[string]any{"private-registry": RegistriesPath}, brought: none},
		"Snapshots":  {reason: "containerd looks at the file system.", config: map[string]any{"snapshotter": "zfs"}, brought: none, want: []Need{{Key: "snapshotter", What: "a file system zfs at agent/containerd in K3s' data-dir, where the node has that of its image or of its data disk"}}},
		"AnySystem":  {reason: "These take ext4.", config: map[string]any{"snapshotter": "native"}, brought: none},
		"Kernel":     {reason: "The kubelet compares them.", config: map[string]any{"protect-kernel-defaults": true}, brought: none, want: []Need{{Key: "protect-kernel-defaults", What: kernelDefaults}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Needs(tc.config, tc.brought)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestBadValue(t *testing.T) {
	cases := map[string]struct {
		reason, key string
		value       any
		want        string
	}{
		"Argument":      {reason: "As K3s documents it.", key: "kubelet-arg", value: []any{"max-pods=200", "v=2", "feature-gates=A=true,B=false"}},
		"Dashes":        {reason: "K3s cuts them off.", key: "kubelet-arg", value: []any{"--max-pods=200"}},
		"NoValue":       {reason: "K3s takes true.", key: "kube-apiserver-arg", value: "profiling"},
		"BlankInValue":  {reason: "A value may have one.", key: "kube-apiserver-arg", value: []any{"oidc-username-prefix=a b"}},
		"Blank":         {reason: "As on a command line.", key: "kubelet-arg", value: []any{"v=2", "max-pods 200"}, want: "item 2 must be name=value"},
		"Colon":         {reason: "As in YAML.", key: "kubelet-arg", value: []any{"max-pods: 200"}, want: "item 1 must be name=value"},
		"OneDash":       {reason: "Only two are cut off.", key: "kubelet-arg", value: "-v=2", want: "item 1 must be name=value"},
		"Ports":         {reason: "Kubernetes' form.", key: "service-node-port-range", value: "80-32767"},
		"PortsAndCount": {reason: "Kubernetes' other form.", key: "service-node-port-range", value: "30000+100"},
		"PortsList":     {reason: "Kubernetes has one range.", key: "service-node-port-range", value: "80,443", want: "must be the first and the last port, such as 30000-32767, and one range alone"},
		"PortsColon":    {reason: "As a firewall has it.", key: "service-node-port-range", value: "30000:32767", want: "must be the first and the last port, such as 30000-32767, and one range alone"},
		"Other":         {reason: "Of other keys nobody knows more.", key: "log", value: "a b"},
		"Backend":       {reason: "flannel has it.", key: "flannel-backend", value: "host-gw"},
		"BackendPlugin": {reason: "Cilium is a plugin and no backend.", key: "flannel-backend", value: "cilium", want: "must be vxlan, host-gw, wireguard-native or none"},
		"BackendOption": {reason: "Options went with v1.27.", key: "flannel-backend", value: "wireguard-native=Mode=auto", want: "must be vxlan"},
		"Egress":        {reason: "A word of Kubernetes that K3s does not have.", key: "egress-selector-mode", value: "nodes", want: "must be agent, cluster, pod or disabled"},
		"Provider":      {reason: "A short form.", key: "secrets-encryption-provider", value: "aes", want: "must be aescbc or secretbox"},
		"Addresses":     {reason: "Both families, with a blank.", key: "node-ip", value: "10.0.0.1, fd00::1"},
		"AddressList":   {reason: "As a list.", key: "node-external-ip", value: []any{"1.2.3.4", "x"}, want: "must be IP addresses"},
		"AddressPrefix": {reason: "An address has no length.", key: "bind-address", value: "10.0.0.1/24", want: "must be one IP address"},
		"Networks":      {reason: "Both families.", key: "cluster-cidr", value: "10.42.0.0/16,fd42::/56"},
		"NoNetwork":     {reason: "A network has a length.", key: "service-cidr", value: "10.43.0.0", want: "must be networks"},
		"Cron":          {reason: "Five fields.", key: "etcd-snapshot-schedule-cron", value: "0 */6 * * *"},
		"CronWord":      {reason: "Words, and a time zone, that the library of K3s has.", key: "etcd-snapshot-schedule-cron", value: "CRON_TZ=Europe/Berlin @daily"},
		"CronEvery":     {reason: "The same.", key: "etcd-snapshot-schedule-cron", value: "@every 6h"},
		"CronShort":     {reason: "A field is missing.", key: "etcd-snapshot-schedule-cron", value: "0 */6 * *", want: "must be the five fields of cron"},
		"Bucket":        {reason: "A host and a port.", key: "etcd-s3-endpoint", value: "minio.lab:9000"},
		"BucketURL":     {reason: "The client completes it with the scheme.", key: "etcd-s3-endpoint", value: "https://minio.lab:9000", want: "must be a host with a port or none"},
		"BucketName":    {reason: "As S3 has names.", key: "etcd-s3-bucket", value: "k3s.backup-1"},
		"BucketPath":    {reason: "As other tools have it.", key: "etcd-s3-bucket", value: "s3://k3s/home", want: "must be the name of a bucket alone"},
		"BucketFolder":  {reason: "A folder is another key.", key: "etcd-s3-bucket", value: "k3s/home", want: "must be the name of a bucket alone"},
		"BucketProxy":   {reason: "With its scheme, or none.", key: "etcd-s3-proxy", value: "http://proxy.lab:3128"},
		"BucketNoProxy": {reason: "K3s' word for it.", key: "etcd-s3-proxy", value: "none"},
		"BucketProxied": {reason: "As a browser takes it.", key: "etcd-s3-proxy", value: "proxy.lab:3128", want: "must be an address with its scheme"},
		"Domain":        {reason: "Any domain.", key: "cluster-domain", value: "k8s.home.arpa"},
		"DomainDot":     {reason: "Names would have two dots.", key: "cluster-domain", value: ".cluster.local", want: "must be a domain in lower case"},
		"DomainWord":    {reason: "No name has that.", key: "cluster-domain", value: "my_cluster.local", want: "must be a domain in lower case"},
		"Namespace":     {reason: "As Kubernetes names them.", key: "servicelb-namespace", value: "lb-system"},
		"NamespaceWord": {reason: "No namespace has that.", key: "servicelb-namespace", value: "kube_system", want: "must be the name of a namespace"},
		"Joined":        {reason: "As on a command line.", key: "kubelet-arg", value: "max-pods=200 system-reserved=cpu=1", want: "item 1 has a further argument behind a blank"},
		"JoinedDashes":  {reason: "The same.", key: "kube-apiserver-arg", value: []any{"v=2", "profiling=false --anonymous-auth"}, want: "item 2 has a further argument behind a blank"},
		"NotJoined":     {reason: "A value may have blanks.", key: "kube-apiserver-arg", value: []any{"oidc-username-prefix=a b=c", `oidc-groups-prefix="0 --x=1"`}},
		"Registry":      {reason: "With a folder.", key: "system-default-registry", value: "harbor.lab:5000/proxy"},
		"RegistryURL":   {reason: "No name of an image begins so.", key: "system-default-registry", value: "https://harbor.lab", want: "must be a host with a port or none"},
		"Pause":         {reason: "A name with a digest.", key: "pause-image", value: "harbor.lab/rancher/mirrored-pause:3.6"},
		"PauseURL":      {reason: "The same.", key: "pause-image", value: "https://harbor.lab/pause", want: "must be the name of an image"},
		"Snapshotter":   {reason: "A word of Docker.", key: "snapshotter", value: "overlay2", want: "must be a snapshotter of containerd"},
		"Snapshotters":  {reason: "A later release may have more.", key: "snapshotter", value: "zfs"},
		"Issuer":        {reason: "The API server ends.", key: "kube-apiserver-arg", value: []any{"v=2", "oidc-issuer-url=http://dex.lab"}, want: "item 2: oidc-issuer-url must begin with https://"},
		"IssuerTLS":     {reason: "As it must be.", key: "kube-apiserver-arg", value: []any{"--oidc-issuer-url=https://dex.lab"}},
		"Mode":          {reason: "As people write it.", key: "write-kubeconfig-mode", value: "0644"},
		"ModeWords":     {reason: "As chmod takes it.", key: "write-kubeconfig-mode", value: "u+r", want: "must be three digits"},
		"Relative":      {reason: "K3s has no folder that it would be in.", key: "private-registry", value: "registries.yaml", want: "must be the absolute path"},
		"Certificate":   {reason: "It may be the certificate itself.", key: "etcd-s3-endpoint-ca", value: "LS0tLS1CRUdJTg=="},
		"WrongType":     {reason: "Another check says so.", key: "flannel-backend", value: 7},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := BadValue(tc.key, tc.value)
			if (got == "") != (tc.want == "") || !strings.HasPrefix(got, tc.want) {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
