package k3s

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit/schematest"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Tokens of the right shape and of no use.
const (
	shortToken = "EXAMPLE-short-token-of-a-new-cluster"
	password   = "EXAMPLE-password"
)

var (
	caHash       = strings.Repeat("0123456789abcdef", 4)
	serverToken  = "K10" + caHash + "::server:" + password
	agentToken   = "K10" + caHash + "::node:" + password
	bootstrapTok = "K10" + caHash + "::abcdef.0123456789abcdef"
)

// nodes are one of each kind, with all that a claim can say.
func nodes() map[string]Node {
	return map[string]Node{
		"init": {
			Role: RoleInit, NodeName: "k3s-cp-1", Version: "v1.33.6+k3s1", ServerURL: "https://k3s.home.arpa:6443", Token: shortToken,
			Disable: []string{"servicelb", "traefik"}, TLSSANs: []string{"k3s.home.arpa", "192.168.4.79"}, NodeIP: "192.168.4.11",
			Config: map[string]any{
				"secrets-encryption": true, "etcd-snapshot-retention": 20.0, "etcd-snapshot-schedule-cron": "0 */6 * * *",
				"kubelet-arg": []any{"system-reserved=cpu=200m,memory=512Mi"}, "data-dir": "/srv/k3s",
			},
		},
		"server": {
			Role: RoleServer, NodeName: "k3s-cp-2", Version: "v1.33.6+k3s1", ServerURL: "https://k3s.home.arpa:6443", TokenFile: "/etc/k3s-token",
			InstallURL: "https://mirror.home.arpa/k3s/install.sh?a=$b&c", InstallSHA256: strings.Repeat("ab", 32),
			Disable: []string{"servicelb"}, TLSSANs: []string{"k3s.home.arpa"}, NodeIP: "192.168.4.12",
			Config: map[string]any{"write-kubeconfig-mode": "0640"},
		},
		"agent": {
			Role: RoleAgent, NodeName: "k3s-w-1", Version: "v1.33.6+k3s1", ServerURL: "https://k3s.home.arpa:6443", Token: Token(agentToken),
			FlannelIface: "eth0", Disable: []string{"servicelb"}, TLSSANs: []string{"k3s.home.arpa"},
			Labels: map[string]string{"topology.kubernetes.io/zone": "pve1", "gpu": "true", "empty": ""}, Taints: []string{"gpu=true:NoSchedule"},
		},
		"alone": {Role: RoleInit, NodeName: "k3s", Version: "v1.33.6+k3s1"},
	}
}

// document is the whole user-data of a node, as a machine's description would make it.
func document(t *testing.T, n Node) cloudinit.Document {
	t.Helper()

	files, err := n.Files()
	if err != nil {
		t.Fatal(err)
	}

	return cloudinit.Document{
		Hostname: n.NodeName, FQDN: n.NodeName + ".home.arpa", PreferFQDNOverHostname: new(false), PreserveHostname: new(false), ManageEtcHosts: "localhost",
		Users: []cloudinit.User{{
			Name: "ops", Groups: []string{"adm", "sudo"}, Shell: "/bin/bash", Sudo: "ALL=(ALL) NOPASSWD:ALL", LockPasswd: new(true),
			SSHAuthorizedKeys: []string{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam admin@example"},
		}},
		SSHPasswordAuth: new(false), DisableRoot: new(true), PackageUpdate: new(true), PackageUpgrade: new(false),
		Packages: append([]string{"qemu-guest-agent"}, n.Packages()...), WriteFiles: files, RunCmd: n.Commands(),
		FinalMessage: "cloud-init finished after $UPTIME s (datasource $DATASOURCE)",
	}
}

func TestGolden(t *testing.T) {
	for name, n := range nodes() {
		t.Run(name, func(t *testing.T) {
			got, err := document(t, n).Marshal()
			if err != nil {
				t.Fatal(err)
			}

			file := filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(file, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}

			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}

			again, err := document(t, n).Marshal()
			if err != nil || !bytes.Equal(got, again) {
				t.Error("the second time gave other bytes")
			}
		})
	}
}

func TestSchema(t *testing.T) {
	schemas := schematest.New(t)

	for name, n := range nodes() {
		text, err := document(t, n).Marshal()
		if err != nil {
			t.Fatal(err)
		}

		schemas.Check(t, name, text)
	}
}

// fileOf returns a file of a node.
func fileOf(t *testing.T, n Node, path string) *cloudinit.File {
	t.Helper()

	files, err := n.Files()
	if err != nil {
		t.Fatal(err)
	}

	for i := range files {
		if files[i].Path == path {
			return &files[i]
		}
	}

	return nil
}

func TestConfigReadsBack(t *testing.T) {
	want := map[string]map[string]any{
		"init": {
			"cluster-init": true, "token-file": DefaultTokenFile, "node-name": "k3s-cp-1", "node-ip": "192.168.4.11", "write-kubeconfig-mode": "0600",
			"tls-san": []any{"k3s.home.arpa", "192.168.4.79"}, "disable": []any{"servicelb", "traefik"}, "secrets-encryption": true,
			"etcd-snapshot-retention": 20, "etcd-snapshot-schedule-cron": "0 */6 * * *", "kubelet-arg": []any{"system-reserved=cpu=200m,memory=512Mi"}, "data-dir": "/srv/k3s",
		},
		"server": {
			"server": "https://k3s.home.arpa:6443", "token-file": "/etc/k3s-token", "node-name": "k3s-cp-2", "node-ip": "192.168.4.12", "write-kubeconfig-mode": "0640",
			"tls-san": []any{"k3s.home.arpa"}, "disable": []any{"servicelb"},
		},
		"agent": {
			"server": "https://k3s.home.arpa:6443", "token-file": DefaultTokenFile, "node-name": "k3s-w-1", "flannel-iface": "eth0",
			"node-label": []any{"empty=", "gpu=true", "topology.kubernetes.io/zone=pve1"}, "node-taint": []any{"gpu=true:NoSchedule"},
		},
		"alone": {"cluster-init": true, "node-name": "k3s", "write-kubeconfig-mode": "0600"},
	}

	for name, n := range nodes() {
		config := fileOf(t, n, "/etc/rancher/k3s/config.yaml")
		if config == nil || config.Permissions != "0600" || config.Constant {
			t.Fatalf("%s: config.yaml is %+v", name, config)
		}

		var got map[string]any
		if err := yaml.Unmarshal([]byte(config.Content), &got); err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(want[name], got); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}

func TestConfigOfTheUserWins(t *testing.T) {
	n := nodes()["init"]
	n.FlannelIface = "eth0"
	n.Config = map[string]any{"node-ip": []any{"192.168.4.11", "fd00::11"}, "flannel-iface": "eth1", "write-kubeconfig-mode": "0644"}

	var got map[string]any
	if err := yaml.Unmarshal([]byte(fileOf(t, n, "/etc/rancher/k3s/config.yaml").Content), &got); err != nil {
		t.Fatal(err)
	}

	for key, want := range n.Config {
		if diff := cmp.Diff(want, got[key]); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
}

func TestCommandsEndWithTheBootstrap(t *testing.T) {
	commands := nodes()["agent"].Commands()
	if diff := cmp.Diff([]string{"systemctl", "start", "k3s-bootstrap.service"}, commands[len(commands)-1]); diff != "" {
		t.Errorf("Only the last command's status counts.\n%s", diff)
	}
}
