package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestK3s(t *testing.T) {
	const document = `
clusters:
  home:
    server: https://k3s.home.arpa:6443
    version: v1.33.6+k3s1
    token: {secretRef: {name: join}, allowPlaintext: true}
    disable: [servicelb]
    tlsSANs: [k3s.home.arpa]
    installURL: https://mirror.home.arpa/install.sh
    installSHA256: "` + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" + `"
    releaseURL: file:///opt/k3s
    binarySHA256: "` + "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210" + `"
    proxy: {http: "http://proxy:3128", https: "http://proxy:3129", no: [.home.arpa], "no": [10.0.0.0/8]}
    config: {secrets-encryption: true, flannel-backend: vxlan, node-ip: 10.0.0.1}
    observe: Here
  trusting: {server: "https://k3s:6443", version: v1.33.6+k3s1, token: {secretRef: {name: join}, allowPlaintext: true, trustOnFirstUse: true}}
`

	home := machine.K3s{
		Cluster: "home", Observe: machine.ObserveHere, ReadyWhen: v1alpha1.ReadyWhenJoined, ServerURL: "https://k3s.home.arpa:6443", Version: "v1.33.6+k3s1",
		InstallURL: "https://mirror.home.arpa/install.sh", InstallSHA256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		ReleaseURL: "file:///opt/k3s", BinarySHA256: "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210",
		Proxy:       machine.Proxy{HTTP: "http://proxy:3128", HTTPS: "http://proxy:3129", No: []string{"10.0.0.0/8", ".home.arpa"}},
		TokenSecret: &v1alpha1.SecretKeyRef{Name: "join", Key: "token"},
	}
	with := func(change func(*machine.K3s)) *machine.K3s {
		k := home
		change(&k)

		if k.Role == v1alpha1.K3sServer {
			k.Etcd = proxmox.EtcdMember
		}

		return &k
	}

	cases := map[string]struct {
		reason string
		k3s    string
		want   *machine.K3s
	}{
		"Server": {
			reason: "A server takes all that its cluster says.", k3s: `{cluster: home, role: server}`,
			want: with(func(k *machine.K3s) {
				k.Role, k.Disable, k.TLSSANs = "server", []string{"servicelb"}, []string{"k3s.home.arpa"}
				k.Config = map[string]any{"secrets-encryption": true, "flannel-backend": "vxlan", "node-ip": "10.0.0.1"}
			}),
		},
		"Agent": {
			reason: "An agent takes what K3s has for agents.", k3s: `{cluster: home, role: agent, readyWhen: Ready}`,
			want: with(func(k *machine.K3s) {
				k.Role, k.ReadyWhen, k.Config = "agent", v1alpha1.ReadyWhenReady, map[string]any{"node-ip": "10.0.0.1"}
			}),
		},
		"FirstServer": {
			reason: "The first server makes the token, and takes none of a cluster that it is to start.", k3s: `{cluster: home, role: server, init: true}`,
			want: with(func(k *machine.K3s) {
				k.Role, k.Init, k.Disable, k.TLSSANs, k.TokenSecret = "server", true, []string{"servicelb"}, []string{"k3s.home.arpa"}, nil
				k.Config = map[string]any{"secrets-encryption": true, "flannel-backend": "vxlan", "node-ip": "10.0.0.1"}
			}),
		},
		"ClaimFirst": {
			reason: "What the claim says comes first, in config key by key.",
			k3s: `{cluster: home, role: server, server: "https://10.0.0.9:6443", version: v1.34.1+k3s1, token: {file: /etc/rancher/k3s/token}, disable: [servicelb, traefik], tlsSANs: [x.arpa],
				labels: {a: b}, taints: ["a=b:NoSchedule"], config: {flannel-backend: vxlan, node-ip: 10.0.0.2, etcd-snapshot-retention: 20}}`,
			want: with(func(k *machine.K3s) {
				k.Role, k.ServerURL, k.Version, k.TokenSecret, k.TokenFile = "server", "https://10.0.0.9:6443", "v1.34.1+k3s1", nil, "/etc/rancher/k3s/token"
				k.Disable, k.TLSSANs = []string{"servicelb", "traefik"}, []string{"x.arpa"}
				k.Labels, k.Taints = map[string]string{"a": "b"}, []string{"a=b:NoSchedule"}
				k.Config = map[string]any{"secrets-encryption": true, "flannel-backend": "vxlan", "node-ip": "10.0.0.2", "etcd-snapshot-retention": int64(20)}
			}),
		},
		"FirstServerWithToken": {
			reason: "The token in its own claim is the new cluster's.",
			k3s:    `{cluster: home, role: server, init: true, config: {node-ip: 10.0.0.1}, token: {secretRef: {name: chosen}, allowPlaintext: true}}`,
			want: with(func(k *machine.K3s) {
				k.Role, k.Init, k.Disable, k.TLSSANs, k.TokenSecret = "server", true, []string{"servicelb"}, []string{"k3s.home.arpa"}, &v1alpha1.SecretKeyRef{Name: "chosen", Key: "token"}
				k.Config = map[string]any{"secrets-encryption": true, "flannel-backend": "vxlan", "node-ip": "10.0.0.1"}
			}),
		},
		"Trusting": {
			reason: "A node that may join with a short token says so itself.",
			k3s:    `{cluster: home, role: agent, token: {secretRef: {name: chosen}, allowPlaintext: true, trustOnFirstUse: true}}`,
			want: with(func(k *machine.K3s) {
				k.Role, k.Config = "agent", map[string]any{"node-ip": "10.0.0.1"}
				k.TokenSecret, k.TrustOnFirstUse = &v1alpha1.SecretKeyRef{Name: "chosen", Key: "token"}, true
			}),
		},
		"TrustingCluster": {
			reason: "Or its cluster in the catalogue does.", k3s: `{cluster: trusting, role: agent}`,
			want: &machine.K3s{
				Cluster: "trusting", Observe: machine.ObserveNone, ReadyWhen: v1alpha1.ReadyWhenVM, ServerURL: "https://k3s:6443", Version: "v1.33.6+k3s1",
				Role: "agent", Config: map[string]any{}, TokenSecret: &v1alpha1.SecretKeyRef{Name: "join", Key: "token"}, TrustOnFirstUse: true,
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := aMachine(t, kindNode, `{proxmox: {node: pve}, k3s: `+tc.k3s+`}`, document, Existing{})

			if diff := cmp.Diff(tc.want, m.K3s); diff != "" {
				t.Errorf("%s\nK3s: -want, +got:\n%s", tc.reason, diff)
			}

			if m.DeletionPolicy != v1alpha1.DeletionOrphan {
				t.Errorf("A node outlives its claim: want Orphan, got %s", m.DeletionPolicy)
			}
		})
	}
}

func TestK3sClusterAtFault(t *testing.T) {
	const document = `
clusters:
  home: {server: "http://x", version: latest, token: {file: x}, disable: [serviclb], tlsSANs: ["a b"], installURL: "http://x", installSHA256: x, releaseURL: "ftp://x", binarySHA256: x, proxy: {http: x, no: ["a b"]}, config: {flanel-backend: x, token: x}, observe: here, providerConfig: x}
`

	_, errs := Claim(aClaim(t, kindNode, `{proxmox: {node: pve}, k3s: {cluster: home, role: agent}}`), aCatalog(t, document), Existing{})

	var got []string
	for _, err := range errs {
		got = append(got, err.Field)
	}

	want := []string{
		"data.clusters.home.server", "data.clusters.home.version", "data.clusters.home.token.file", "data.clusters.home.disable[0]", "data.clusters.home.tlsSANs[0]",
		"data.clusters.home.config[flanel-backend]", "data.clusters.home.config[token]", "data.clusters.home.installURL", "data.clusters.home.installSHA256",
		"data.clusters.home.releaseURL", "data.clusters.home.binarySHA256", "data.clusters.home.proxy.http", "data.clusters.home.proxy.no[0]",
		"data.clusters.home.observe", "data.clusters.home.providerConfig",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("A cluster at fault is reported where it was written, and nothing follows from it.\nClaim(...): -want, +got:\n%s", diff)
	}
}

// Settings that all servers of a cluster must have alike are the cluster's.
func TestK3sServersAgree(t *testing.T) {
	const document = `
clusters:
  home: {server: "https://k3s:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}, disable: [servicelb], config: {secrets-encryption: true}}
`

	const node, config, disable = `{proxmox: {node: pve}, k3s: {cluster: home, role: server, disable: [traefik], config: {cluster-cidr: 10.9.0.0/16, secrets-encryption: false}}}`,
		"spec.k3s.config", "spec.k3s.disable"

	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		want     []string
	}{
		"Server":  {"A server of its own kind would not join.", node, Existing{}, []string{config + "[cluster-cidr]", config + "[secrets-encryption]", disable}},
		"Alone":   {"Where no cluster is named, the next server cannot know.", `{proxmox: {node: pve}, k3s: {role: server, init: true, version: v1.33.6+k3s1, disable: [servicelb], config: {cluster-cidr: 10.9.0.0/16}}}`, Existing{}, []string{config + "[cluster-cidr]"}},
		"Mistake": {"What is wrong anyway is said once.", `{proxmox: {node: pve}, k3s: {cluster: home, role: server, config: {secrets-encryption: "no"}}}`, Existing{}, []string{config + "[secrets-encryption]"}},
		"Unknown": {"Of a cluster that is not there nothing follows.", `{proxmox: {node: pve}, k3s: {cluster: hom, role: server, config: {cluster-cidr: 10.9.0.0/16}}}`, Existing{}, []string{"spec.k3s.cluster"}},
		"Agent":   {"An agent reads none of them.", `{proxmox: {node: pve}, k3s: {cluster: home, role: agent, config: {node-ip: 10.0.0.2}}}`, Existing{}, nil},
		"Exists":  {"A VM that exists is set up, and its claim goes on being obeyed.", node, Existing{Node: "pve"}, nil},
		"Adopted": {"So is one that somebody else made.", node, Existing{Adopting: true}, nil},
		"Snippet": {"The file on the node says what K3s gets.", `{proxmox: {node: pve}, bootstrap: {snippets: {userData: "local:snippets/k3s.yaml"}}, k3s: {cluster: home, role: server, disable: [traefik]}}`, Existing{}, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Claim(aClaim(t, kindNode, tc.spec), aCatalog(t, document), tc.existing)

			var got []string
			for _, err := range errs {
				got = append(got, err.Field)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s\n%v", tc.reason, diff, errs.ToAggregate())
			}
		})
	}
}

func TestK3sSecretNeedsNamespace(t *testing.T) {
	c := aClaim(t, kindNode, `{proxmox: {node: pve}, k3s: {role: agent, server: "https://x:6443", version: v1.33.6+k3s1, token: {secretRef: {name: t}, allowPlaintext: true}}}`)
	c.Identity.Namespace = ""

	if _, errs := Claim(c, aCatalog(t, `{}`), Existing{}); len(errs) != 1 || errs[0].Field != "spec.k3s.token.secretRef" {
		t.Errorf("Without a namespace there is no Secret: %v", errs)
	}
}
