package bootstrap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

const (
	key  = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"
	full = "K10aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa::server:c0ffeec0ffeec0ffee"
)

// plain is a machine with nothing special: what each case starts from.
func plain() *machine.Machine {
	return &machine.Machine{
		Identity: machine.Identity{Kind: "Machine", Name: "web", Namespace: "infra", UID: "1"},
		Hostname: "web", Domain: "home.arpa",
		Boot:   machine.Boot{Image: "debian-12", OS: machine.OSDebian, CloudInit: true},
		NICs:   []machine.NIC{{Bridge: "vmbr0", IPv4: machine.Addressing{Method: machine.MethodDHCP}}},
		Access: machine.Access{AdminUser: "ops", SSHAuthorizedKeys: []string{key}},
	}
}

func agent(m *machine.Machine) {
	m.K3s = &machine.K3s{Role: v1alpha1.K3sAgent, ServerURL: "https://k3s.home.arpa:6443", Version: "v1.33.6+k3s1", TokenSecret: &v1alpha1.SecretKeyRef{Name: "join", Key: "token"}}
}

func TestNew(t *testing.T) {
	token := full

	type want struct {
		mode     Mode
		agent    bool
		hashed   bool
		lacks    string
		contains []string
		lacking  []string
	}

	cases := map[string]struct {
		reason string
		change func(m *machine.Machine)
		token  *string
		want   want
	}{
		"Native": {
			reason: "Proxmox makes the user-data of a machine that needs nothing else.",
			want:   want{mode: ModeNative},
		},
		"NativeWithAgent": {
			reason: "Whether a guest has the agent is the image's business then.",
			change: func(m *machine.Machine) { m.Boot.GuestAgent = true },
			want:   want{mode: ModeNative, agent: true},
		},
		"Appliance": {
			reason: "What does not read cloud-init gets none.",
			change: func(m *machine.Machine) { m.Boot.CloudInit = false },
			want:   want{mode: ModeNone},
		},
		"Preplaced": {
			reason: "A snippet on the host is the whole user-data.",
			change: func(m *machine.Machine) { m.Snippets.UserData = "local:snippets/x.yaml" },
			want:   want{mode: ModeSnippets, agent: true, hashed: true},
		},
		"OwnUserData": {
			reason: "The claim's own cloud-config comes on top of what every machine has.",
			change: func(m *machine.Machine) { m.UserData = "#cloud-config\ntimezone: Europe/Berlin\npackages: [htop]\n" },
			want: want{
				mode: ModeRendered, agent: true, hashed: true,
				contains: []string{"hostname: web\n", "fqdn: web.home.arpa\n", "preserve_hostname: false\n", "timezone: Europe/Berlin\n", "htop", "qemu-guest-agent", key, "ssh_pwauth: false"},
			},
		},
		"OwnKeys": {
			reason: "Keys of the user-data are the account's, too: the image's default user does not exist.",
			change: func(m *machine.Machine) {
				m.UserData = "#cloud-config\nssh_authorized_keys: [ssh-ed25519 BBBB ann@home]\n"
			},
			want: want{
				mode: ModeRendered, agent: true, hashed: true,
				contains: []string{"    ssh_authorized_keys:\n      - " + key + "\n      - ssh-ed25519 BBBB ann@home\n"}, lacking: []string{"\nssh_authorized_keys:"},
			},
		},
		"OnlyOwnKeys": {
			reason: "They make the account.",
			change: func(m *machine.Machine) {
				m.Access.SSHAuthorizedKeys = nil
				m.UserData = "#cloud-config\nssh_authorized_keys: [ssh-ed25519 BBBB ann@home]\n"
			},
			want: want{
				mode: ModeRendered, agent: true, hashed: true,
				contains: []string{"  - name: ops\n", "    sudo: 'ALL=(ALL) NOPASSWD:ALL'\n", "    ssh_authorized_keys:\n      - ssh-ed25519 BBBB ann@home\n"},
				lacking:  []string{"\nssh_authorized_keys:"},
			},
		},
		"FullHostName": {
			reason: "A host name with a dot is the full name.",
			change: func(m *machine.Machine) { m.Hostname, m.UserData = "web.example.org", "#cloud-config\n{}\n" },
			want:   want{mode: ModeRendered, agent: true, hashed: true, contains: []string{"hostname: web\n", "fqdn: web.example.org\n"}},
		},
		"NoKeys": {
			reason: "An account that nobody can log into is none, and the image's own stays.",
			change: func(m *machine.Machine) { m.Access.SSHAuthorizedKeys, m.UserData = nil, "#cloud-config\n{}\n" },
			want:   want{mode: ModeRendered, agent: true, hashed: true, lacking: []string{"users:"}},
		},
		"Agent": {
			reason: "A K3s node has the token in a file of its own, readable by root only.",
			change: agent, token: &token,
			want: want{
				mode: ModeRendered, agent: true, hashed: true,
				contains: []string{full, "flannel-iface: eth0", "token-file: /etc/rancher/k3s/token", "k3s-bootstrap.service"},
			},
		},
		"AgentWithoutItsSecret": {
			reason: "It is said which Secret is missing.",
			change: agent,
			want:   want{mode: ModeRendered, agent: true, lacks: "join"},
		},
		"AgentWithATokenOnTheHost": {
			reason: "Then no token is rendered at all.",
			change: func(m *machine.Machine) {
				agent(m)
				m.K3s.TokenSecret, m.K3s.TokenFile = nil, "/etc/k3s-token"
				m.Snippets.VendorData = "local:snippets/token.yaml"
			},
			want: want{mode: ModeRendered, agent: true, hashed: true, contains: []string{"token-file: /etc/k3s-token"}, lacking: []string{"c0ffee", "path: /etc/k3s-token"}},
		},
		"StaticServer": {
			reason: "A fixed address is what the node registers with.",
			change: func(m *machine.Machine) {
				agent(m)
				m.K3s.Role = v1alpha1.K3sServer
				m.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.9", Prefix: 24}
			},
			token: &token,
			want:  want{mode: ModeRendered, agent: true, hashed: true, contains: []string{"node-ip: 192.168.4.9"}, lacking: []string{"flannel-iface"}},
		},
		"DualStackServer": {
			reason: "A cluster with two families needs an address of each, in the order of its pod network.",
			change: func(m *machine.Machine) {
				agent(m)
				m.K3s.Role, m.K3s.PodNetwork = v1alpha1.K3sServer, "fd00:42::/56,10.42.0.0/16"
				m.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.9", Prefix: 24}
				m.NICs[0].IPv6 = machine.Addressing{Method: machine.MethodStatic, Address: "fd00::9", Prefix: 64}
			},
			token: &token,
			want:  want{mode: ModeRendered, agent: true, hashed: true, contains: []string{"node-ip: fd00::9,192.168.4.9"}, lacking: []string{"flannel-iface"}},
		},
		"DualStackAdvertised": {
			reason: "With one address alone K3s would not start, so it finds both.",
			change: func(m *machine.Machine) {
				agent(m)
				m.K3s.PodNetwork = []any{"10.42.0.0/16", "fd00:42::/56"}
				m.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.9", Prefix: 24}
				m.NICs[0].IPv6 = machine.Addressing{Method: machine.MethodAuto}
			},
			token: &token,
			want:  want{mode: ModeRendered, agent: true, hashed: true, contains: []string{"flannel-iface: eth0"}, lacking: []string{"node-ip"}},
		},
		"NixInjected": {
			reason: "An image without the unit gets it with the user-data; root stays closed, and host keys stay.",
			change: func(m *machine.Machine) {
				m.Boot.OS, m.Boot.GuestAgent = machine.OSNixOS, true
				m.Nix = &machine.Nix{FlakeRef: "github:o/r#web", Reboot: "never"}
			},
			want: want{
				mode: ModeRendered, agent: true, hashed: true,
				contains: []string{"github:o/r#web", "NIX_GITOPS_MODE=first-boot", "/var/lib/cloud/scripts/per-boot/10-nix-gitops", "ssh_deletekeys: false", "wheel"},
				lacking:  []string{"/bin/bash\n", "packages:", "disable_root", "NIX_GITOPS_SCHEDULE="},
			},
		},
		"NixInImage": {
			reason: "An image with the unit gets the target only, and is told to start.",
			change: func(m *machine.Machine) {
				m.Boot.OS, m.Boot.ConvergeUnit = machine.OSNixOS, true
				m.Nix = &machine.Nix{FlakeRef: "github:o/r#web", Reboot: "kernel", Schedule: "daily"}
			},
			want: want{
				mode: ModeRendered, hashed: true,
				contains: []string{"NIX_GITOPS_MODE=continuous", "NIX_GITOPS_SCHEDULE=daily", "[systemctl, start, --no-block, nix-gitops-apply.service]"},
				lacking:  []string{"per-boot"},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := plain()
			if tc.change != nil {
				tc.change(m)
			}

			b, errs := New(m, tc.token)
			if len(errs) > 0 {
				t.Fatalf("%s\nNew(): %v", tc.reason, errs)
			}

			got := want{mode: b.Mode, agent: b.GuestAgent, hashed: b.Hash != ""}
			if b.Lack != nil {
				got.lacks = b.Lack.Secret
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}), cmpopts.IgnoreFields(want{}, "contains", "lacking")); diff != "" {
				t.Errorf("%s\nNew(): -want, +got:\n%s", tc.reason, diff)
			}

			if b.Mode != ModeRendered {
				return
			}

			doc, err := b.UserData()
			if err != nil {
				t.Fatal(err)
			}

			for _, s := range tc.want.contains {
				if !strings.Contains(string(doc), s) {
					t.Errorf("%s\nuser-data does not hold %q:\n%s", tc.reason, s, doc)
				}
			}

			for _, s := range tc.want.lacking {
				if strings.Contains(string(doc), s) {
					t.Errorf("%s\nuser-data holds %q:\n%s", tc.reason, s, doc)
				}
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	short := "c0ffeec0ffeec0ffee"

	cases := map[string]struct {
		reason string
		change func(m *machine.Machine)
		token  *string
		want   []string
	}{
		"UserDataBesideSnippet": {
			reason: "A file on the host cannot be merged with.",
			change: func(m *machine.Machine) {
				m.Snippets.UserData, m.UserData = "local:snippets/x.yaml", "#cloud-config\n{}\n"
			},
			want: []string{"spec.bootstrap.userData"},
		},
		"ApplianceWithEverything": {
			reason: "What an image cannot obey is named, all of it.",
			change: func(m *machine.Machine) {
				m.Boot.CloudInit = false
				m.UserData, m.Nix, m.Snippets.VendorData = "#cloud-config\n{}\n", &machine.Nix{}, "local:snippets/x.yaml"
			},
			want: []string{"spec.bootstrap.snippets", "spec.bootstrap.userData", "spec.nix"},
		},
		"ShortTokenForAnAgent": {
			reason: "A short token is not checked against the cluster's CA.",
			change: agent, token: &short,
			want: []string{"spec.k3s.token.secretRef"},
		},
		"HostName": {
			reason: "The claim has a field for it.",
			change: func(m *machine.Machine) { m.UserData = "#cloud-config\nhostname: x\n" },
			want:   []string{"spec.bootstrap.userData"},
		},
		"K3sFiles": {
			reason: "K3s' settings come from the claim.",
			change: func(m *machine.Machine) {
				agent(m)
				m.UserData = "#cloud-config\nwrite_files: [{path: /etc/rancher/k3s/config.yaml.d/x.yaml, content: a}]\n"
			},
			want: []string{"spec.bootstrap.userData"},
		},
		"PowerState": {
			reason: "It would cut off the bootstrap.",
			change: func(m *machine.Machine) {
				agent(m)
				m.UserData = "#cloud-config\npower_state: {mode: reboot}\n"
			},
			want: []string{"spec.bootstrap.userData"},
		},
		"BootcmdHidesTheVendors": {
			reason: "Cloud-init replaces lists, so the token would never be written.",
			change: func(m *machine.Machine) {
				agent(m)
				m.Snippets.VendorData = "local:snippets/token.yaml"
				m.UserData = "#cloud-config\nbootcmd: [ls]\n"
			},
			want: []string{"spec.bootstrap.userData"},
		},
		"NoCloudConfig": {
			reason: "A script is no cloud-config.",
			change: func(m *machine.Machine) { m.UserData = "#!/bin/sh\nreboot\n" },
			want:   []string{"spec.bootstrap.userData"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := plain()
			tc.change(m)

			_, errs := New(m, tc.token)

			if diff := cmp.Diff(tc.want, paths(errs)); diff != "" {
				t.Errorf("%s\nNew(): -want fields, +got fields:\n%s\n%v", tc.reason, diff, errs)
			}

			if strings.Contains(errs.ToAggregate().Error(), "c0ffee") {
				t.Errorf("%s\na message holds the token: %v", tc.reason, errs)
			}
		})
	}
}

func paths(errs field.ErrorList) []string {
	var out []string

	for _, e := range errs {
		path, _, _ := strings.Cut(e.Field, "[")
		for _, known := range []string{"spec.bootstrap.userData"} {
			if strings.HasPrefix(path, known) {
				path = known
			}
		}

		out = append(out, path)
	}

	return out
}

// TestHash holds what an edit is, and what a new build of this program is not.
func TestHash(t *testing.T) {
	hash := func(change func(m *machine.Machine)) string {
		m := plain()
		agent(m)

		if change != nil {
			change(m)
		}

		token := full

		b, errs := New(m, &token)
		if len(errs) > 0 {
			t.Fatal(errs)
		}

		return b.Hash
	}

	same := hash(nil)
	if again := hash(nil); again != same {
		t.Errorf("the same claim has hash %s and %s", same, again)
	}

	for name, change := range map[string]func(m *machine.Machine){
		"key":     func(m *machine.Machine) { m.Access.SSHAuthorizedKeys = []string{key + "2"} },
		"version": func(m *machine.Machine) { m.K3s.Version = "v1.34.1+k3s1" },
		"name":    func(m *machine.Machine) { m.Hostname = "web2" },
		"vendor":  func(m *machine.Machine) { m.Snippets.VendorData = "local:snippets/x.yaml" },
	} {
		if hash(change) == same {
			t.Errorf("another %s has the same hash", name)
		}
	}
}

// TestMetaData: the instance id stays when the user-data changes, or cloud-init would run everything again.
func TestMetaData(t *testing.T) {
	ids := map[string]bool{}

	for _, text := range []string{"#cloud-config\na: 1\n", "#cloud-config\na: 2\n"} {
		m := plain()
		m.UserData = text

		b, errs := New(m, nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}

		doc, err := b.MetaData()
		if err != nil {
			t.Fatal(err)
		}

		if !strings.Contains(string(doc), "local-hostname: web.home.arpa\n") {
			t.Errorf("meta-data has no name: %s", doc)
		}

		ids[string(doc)] = true
	}

	if len(ids) != 1 {
		t.Errorf("meta-data changes with the user-data: %v", ids)
	}
}
