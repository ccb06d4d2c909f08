package k3s

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestValidateConfigAccepts(t *testing.T) {
	server := map[string]any{
		"secrets-encryption": true, "etcd-snapshot-retention": int64(20), "https-listen-port": 6443, "v": 4.0, "etcd-s3-timeout": "5m0s", "write-kubeconfig-mode": "0644",
		"cluster-cidr": "10.42.0.0/16", "kube-apiserver-arg": []any{"oidc-issuer-url=https://id.home.arpa"}, "node-ip": []any{"192.168.4.11", "fd00::11"}, "flannel-iface": "eth1",
		"data-dir": "/srv/k3s", "agent-token-file": "/etc/k3s-agent-token", "etcd-s3-config-secret": "k3s-s3", "disable-agent": true, "flannel-backend": "wireguard-native",
	}

	check(t, "A server's settings.", nil, ValidateConfig(RoleServer, server, at))
	check(t, "A first server is a server.", nil, ValidateConfig(RoleInit, server, at))
	check(t, "A further server may do without etcd.", nil, ValidateConfig(RoleServer, map[string]any{"disable-etcd": true}, at))
	check(t, "An agent's settings.", nil, ValidateConfig(RoleAgent, map[string]any{"kubelet-arg": []any{"max-pods=200"}, "snapshotter": "stargz", "vpn-auth-file": "/etc/vpn"}, at))
	check(t, "A key of a later release.", nil, ValidateConfig(RoleAgent, map[string]any{"quick-start": true, "level": 1.0, "peers": []any{"a"}, "zone": "x"}, at))
	check(t, "None.", nil, ValidateConfig(RoleAgent, nil, at))
}

func TestValidateConfigRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		role   Role
		config map[string]any
		want   []string
	}{
		"Unknown": {
			"A mistake has no effect.", RoleServer,
			map[string]any{"flanel-backend": "vxlan", "label": "x", "Zzz": 1, "zzz": nil, "later-key": map[string]any{}, "later-list": []any{1}, "kube-api-server-arg": []any{"x"}, "disable+": []any{"x"}, strings.Repeat("x", 100): 1, "a\nb": 1},
			[]string{
				"spec.k3s.x[Zzz]: Forbidden: K3s has no such key in its config.yaml",
				"spec.k3s.x[...]: Forbidden: K3s has no such key in its config.yaml",
				"spec.k3s.x[disable+]: Forbidden: K3s has no such key in its config.yaml; 'key+' extends a list of another configuration file, and there is no other file: write the whole list",
				"spec.k3s.x[flanel-backend]: Forbidden: K3s has no such key in its config.yaml; did you mean flannel-backend?",
				"spec.k3s.x[kube-api-server-arg]: Forbidden: K3s has no such key in its config.yaml; did you mean kube-apiserver-arg?",
				"spec.k3s.x[label]: Forbidden: K3s has no such key in its config.yaml; did you mean node-label?",
				"spec.k3s.x[later-key]: Invalid value: must be true or false, a whole number, text, or a list of strings",
				"spec.k3s.x[later-list]: Invalid value: must be a list of strings; put item 1 in quotes",
				"spec.k3s.x[...]: Forbidden: K3s has no such key in its config.yaml",
				"spec.k3s.x[zzz]: Invalid value: must be true or false, a whole number, text, or a list of strings",
			},
		},
		"Role": {
			"An agent does not start with a server's key.", RoleAgent,
			map[string]any{"secrets-encryption": true, "etcd-arg": []any{"x"}},
			[]string{
				"spec.k3s.x[etcd-arg]: Forbidden: K3s reads this key on a server only, and this node is an agent",
				"spec.k3s.x[secrets-encryption]: Forbidden: K3s reads this key on a server only, and this node is an agent",
			},
		},
		"Decided": {
			"What the claim says must be said once.", RoleServer,
			map[string]any{
				"server": "https://x:6443", "cluster-init": true, "token-file": "/x", "node-name": "x", "with-node-id": true, "tls-san": []any{"x"}, "disable": []any{"x"},
				"node-label": []any{"a=b"}, "node-taint": []any{"a=b:NoSchedule"},
			},
			[]string{
				"spec.k3s.x[cluster-init]: Forbidden: set spec.k3s.init",
				"spec.k3s.x[disable]: Forbidden: set spec.k3s.disable",
				"spec.k3s.x[node-label]: Forbidden: set spec.k3s.labels",
				"spec.k3s.x[node-name]: Forbidden: the node has the machine's host name; set spec.hostname",
				"spec.k3s.x[node-taint]: Forbidden: set spec.k3s.taints",
				"spec.k3s.x[server]: Forbidden: set spec.k3s.server",
				"spec.k3s.x[tls-san]: Forbidden: set spec.k3s.tlsSANs",
				"spec.k3s.x[token-file]: Forbidden: set spec.k3s.token",
				"spec.k3s.x[with-node-id]: Forbidden: the node has the machine's host name without a suffix; set spec.hostname",
			},
		},
		"Dangerous": {
			"These destroy data or leave the bootstrap waiting.", RoleInit,
			map[string]any{"cluster-reset": true, "cluster-reset-restore-path": "x", "config": "/x", "rootless": true, "disable-apiserver": true, "disable-etcd": true},
			[]string{
				"spec.k3s.x[cluster-reset]: Forbidden: this is an operation, not a setting: it would reset the cluster's etcd at every start of K3s; run it by hand on the server",
				"spec.k3s.x[cluster-reset-restore-path]: Forbidden: this is an operation, not a setting: it would reset the cluster's etcd at every start of K3s; run it by hand on the server",
				"spec.k3s.x[config]: Forbidden: the bootstrap writes /etc/rancher/k3s/config.yaml, and K3s reads this file",
				"spec.k3s.x[disable-apiserver]: Forbidden: every server runs the API server here, and the bootstrap waits for it",
				"spec.k3s.x[disable-etcd]: Forbidden: the first server starts the cluster's etcd",
				"spec.k3s.x[rootless]: Forbidden: K3s always runs as a system service here",
			},
		},
		"Secrets": {
			"The configuration lies in Git, in the cluster and on the host.", RoleServer,
			map[string]any{
				"token": "hunter2", "agent-token": "hunter2", "vpn-auth": "hunter2", "datastore-endpoint": "hunter2", "etcd-s3-access-key": "hunter2", "etcd-s3-secret-key": "hunter2",
				"etcd-s3-session-token": "hunter2", "kubelet-arg": []any{"x=" + serverToken}, "log": serverToken, "agent-token-file": "hunter2",
			},
			[]string{
				"spec.k3s.x[agent-token]: Forbidden: secrets are not written into the configuration; set agent-token-file to a file that bootstrap.secrets or bootstrap.secretStore writes",
				"spec.k3s.x[agent-token-file]: Invalid value: must be the absolute path of a file on the node",
				"spec.k3s.x[datastore-endpoint]: Forbidden: secrets are not written into the configuration; let a snippet on the Proxmox node write it into /etc/rancher/k3s/config.yaml.d/. Without user and password, as of etcd, it may stand here",
				"spec.k3s.x[etcd-s3-access-key]: Forbidden: secrets are not written into the configuration; set etcd-s3-config-secret to a Secret in the cluster's kube-system namespace",
				"spec.k3s.x[etcd-s3-secret-key]: Forbidden: secrets are not written into the configuration; set etcd-s3-config-secret to a Secret in the cluster's kube-system namespace",
				"spec.k3s.x[etcd-s3-session-token]: Forbidden: secrets are not written into the configuration; set etcd-s3-config-secret to a Secret in the cluster's kube-system namespace",
				"spec.k3s.x[kubelet-arg]: Forbidden: contains a K3s token; secrets are not written into the configuration",
				"spec.k3s.x[log]: Forbidden: contains a K3s token; secrets are not written into the configuration",
				"spec.k3s.x[token]: Forbidden: secrets are not written into the configuration; set spec.k3s.token",
				"spec.k3s.x[vpn-auth]: Forbidden: secrets are not written into the configuration; set vpn-auth-file to a file that bootstrap.secrets or bootstrap.secretStore writes",
			},
		},
		"Types": {
			"K3s reads every value as a flag's.", RoleServer,
			map[string]any{
				"secrets-encryption": "true", "https-listen-port": "6443", "v": 1.5, "etcd-s3-timeout": 5.0, "etcd-snapshot-reconcile-interval": "soon", "write-kubeconfig-mode": 420.0,
				"kubelet-arg": map[string]any{"a": "b"}, "kube-proxy-arg": []any{}, "etcd-arg": []any{"a", 1.0}, "kube-scheduler-arg": []any{map[string]any{"v": 2.0}}, "cluster-dns": "", "node-external-ip": []any{"a", ""}, "log": nil, "vmodule": "a\nb",
				"data-dir": "srv/k3s", "cluster-domain": "",
			},
			[]string{
				"spec.k3s.x[cluster-dns]: Invalid value: must not be empty; leave it out instead",
				"spec.k3s.x[cluster-domain]: Invalid value: must not be empty; leave it out instead",
				"spec.k3s.x[data-dir]: Invalid value: must be an absolute path without '..' and without a '/' at the end",
				"spec.k3s.x[etcd-arg]: Invalid value: must be a list of strings; put item 2 in quotes",
				"spec.k3s.x[etcd-s3-timeout]: Invalid value: must be a duration such as 5m or 30s",
				"spec.k3s.x[etcd-snapshot-reconcile-interval]: Invalid value: must be a duration such as 5m or 30s",
				"spec.k3s.x[https-listen-port]: Invalid value: must be a whole number, without quotes",
				"spec.k3s.x[kube-proxy-arg]: Invalid value: must be a list of strings and not empty; leave the key out instead",
				`spec.k3s.x[kube-scheduler-arg]: Invalid value: must be a list of strings: write item 1 as "name=value", and not as name: value`,
				`spec.k3s.x[kubelet-arg]: Invalid value: must be a list of strings: write each as "name=value" behind a hyphen`,
				`spec.k3s.x[log]: Invalid value: must be text; put it in quotes ("0644", not 0644)`,
				"spec.k3s.x[node-external-ip]: Invalid value: item 2 must not be empty; leave it out instead",
				"spec.k3s.x[secrets-encryption]: Invalid value: must be true or false, without quotes",
				"spec.k3s.x[v]: Invalid value: must be a whole number, without quotes",
				"spec.k3s.x[vmodule]: Invalid value: must be one line without control characters",
				`spec.k3s.x[write-kubeconfig-mode]: Invalid value: must be text; put it in quotes ("0644", not 0644)`,
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ValidateConfig(tc.role, tc.config, at)
			check(t, tc.reason, tc.want, got)

			if all := strings.Join(messages(got), "\n"); strings.Contains(all, "hunter2") || strings.Contains(all, password) {
				t.Errorf("a message shows a secret: %s", all)
			}
		})
	}
}

// Every key of the table is either taken with a value of its type or refused for a reason that is written down.
func TestValidateConfigKnowsEveryKey(t *testing.T) {
	values := map[string]any{"string": "/x", "bool": true, "int": 1.0, "duration": "1m", "list": []any{"x"}}

	for name, key := range configKeys() {
		role := key.Roles[0]
		faults := ValidateConfig(role, map[string]any{name: values[key.Type]}, at)

		if refused := key.Secret || decided(role, name) != ""; refused != (len(faults) > 0) {
			t.Errorf("%s: refused is %v: %v", name, refused, faults.ToAggregate())
		}
	}
}

// TestIsOpen: endpoints of datastores that may stand in the configuration, since they have no secret.
func TestIsOpen(t *testing.T) {
	for endpoint, want := range map[string]bool{
		"https://10.0.0.9:2379,https://10.0.0.10:2379": true, "http://etcd:2379": true, "postgres://db.home.arpa:5432/k3s": true, "mysql://tcp(db:3306)/k3s": true,
		"postgres://k3s:hunter2@db:5432/k3s": false, "mysql://k3s:hunter2@tcp(db:3306)/k3s": false, "postgres://db/k3s?user=a&password=hunter2": false,
		"https://10.0.0.9:2379,https://u:hunter2@10.0.0.10:2379": false, "hunter2": false, "://hunter2": false, "hunter2://x": false, "": false,
	} {
		fault := validateKey(RoleServer, "datastore-endpoint", endpoint, field.NewPath("x"))
		if got := fault == nil; got != want {
			t.Errorf("%q may stand in the configuration: %t (%v), want %t", endpoint, got, fault, want)
		}
	}

	if fault := validateKey(RoleServer, "etcd-s3-secret-key", "https://10.0.0.9:2379", field.NewPath("x")); fault == nil {
		t.Error("another key with a secret may stand in the configuration")
	}
}
