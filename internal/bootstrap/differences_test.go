package bootstrap

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/datadisks"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestDifferences holds that what differs is named as a person typed it, that token and release are told apart, and that no value is
// shown but the releases'.
func TestDifferences(t *testing.T) {
	const other = "K10aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa::server:0123c0ffeec0ffee"

	fields := func(paths ...string) []Difference {
		var out []Difference
		for _, p := range paths {
			out = append(out, inField(p))
		}

		return out
	}

	cases := map[string]struct {
		reason string
		made   func(m *machine.Machine)
		change func(m *machine.Machine)
		token  string
		want   []Difference
	}{
		"Nothing": {reason: "The same once more.", made: agent},
		"Token": {
			reason: "A rotated token is one difference.", made: agent, token: other,
			want: []Difference{{Kind: DifferenceToken, Field: "spec.k3s.token"}},
		},
		"TrustOnFirstUse": {
			reason: "Which tokens a node may join with is over when it has joined, as the token is.", made: agent,
			change: func(m *machine.Machine) { m.K3s.TrustOnFirstUse = true },
			want:   []Difference{{Kind: DifferenceToken, Field: FieldTrust}},
		},
		"Version": {
			reason: "The default installer is part of its release.", made: agent, change: func(m *machine.Machine) { m.K3s.Version = "v1.34.1+k3s1" },
			want: []Difference{{Kind: DifferenceVersion, Field: "spec.k3s.version", Has: "v1.33.6+k3s1", Wanted: "v1.34.1+k3s1"}},
		},
		"Installer": {
			reason: "Another installer is not.", made: agent, change: func(m *machine.Machine) { m.K3s.InstallURL = "https://mirror.home.arpa/install.sh" },
			want: fields("spec.k3s (INSTALL_URL)"),
		},
		"Labels": {
			reason: "Settings of K3s have fields of their own.", made: agent,
			change: func(m *machine.Machine) {
				m.K3s.Labels, m.K3s.Taints, m.K3s.Config = map[string]string{"a": "b"}, []string{"a=b:NoSchedule"}, map[string]any{"kubelet-arg": []any{"max-pods=50"}}
			},
			want: []Difference{
				{Kind: DifferenceField, Field: "spec.k3s.config.kubelet-arg"}, settled("spec.k3s.labels", "node-label"), settled("spec.k3s.taints", "node-taint"),
			},
		},
		"Server": {
			reason: "It is written twice, and named once.", made: agent, change: func(m *machine.Machine) { m.K3s.ServerURL = "https://vip.home.arpa:6443" },
			want: fields("spec.k3s.server"),
		},
		"Hostname": {
			reason: "The names that follow from it are one field.", made: agent, change: func(m *machine.Machine) { m.Hostname = "other" },
			want: fields("spec.hostname"),
		},
		"Domain": {
			reason: "The domain alone.", made: agent, change: func(m *machine.Machine) { m.Domain = "example.org" }, want: fields("spec.network.domain"),
		},
		"Keys": {
			reason: "Keys are public, and too long to be shown.", made: agent,
			change: func(m *machine.Machine) { m.Access.SSHAuthorizedKeys = []string{key, key[:70] + " other@home"} },
			want:   fields("spec.bootstrap.sshAuthorizedKeys"),
		},
		"Account": {
			reason: "Another account.", made: agent, change: func(m *machine.Machine) { m.Access.AdminUser = "root2" }, want: fields("spec.bootstrap.adminUser"),
		},
		"UserData": {
			reason: "A key of the claim's own cloud-config, and a file in it.", made: agent,
			change: func(m *machine.Machine) {
				m.UserData = "#cloud-config\ntimezone: Europe/Berlin\nwrite_files: [{path: /etc/motd, content: secret}]\n"
			},
			want: fields("spec.bootstrap.userData (timezone)", "spec.bootstrap.userData (write_files /etc/motd)"),
		},
		"Snippets": {
			reason: "Snippets on the node are known by their names.", made: agent, change: func(m *machine.Machine) { m.Snippets.VendorData = "local:snippets/x.yaml" },
			want: fields("spec.bootstrap.snippets.vendorData"),
		},
		"Flake": {
			reason: "A NixOS machine.", made: func(m *machine.Machine) { m.Nix = &machine.Nix{FlakeRef: "github:o/r#web", Reboot: "never"} },
			change: func(m *machine.Machine) { m.Nix.FlakeRef, m.Nix.Schedule = "github:o/r#other", "daily" },
			want:   fields("spec.nix", "spec.nix.flakeRef"),
		},
		"FlakeAndReport": {
			reason: "The report is a field of its own.", made: func(m *machine.Machine) { m.Nix = &machine.Nix{FlakeRef: "github:o/r#web", Reboot: "never"} },
			change: func(m *machine.Machine) { m.Silent, m.Nix.Reboot = true, "kernel" },
			want:   fields("spec.bootstrap.report", "spec.nix"),
		},
		"ReportOfAFlake": {
			reason: "Of the parameters, the report alone.", made: func(m *machine.Machine) { m.Nix = &machine.Nix{FlakeRef: "github:o/r#web", Reboot: "never"} },
			change: func(m *machine.Machine) { m.Silent = true }, want: fields("spec.bootstrap.report"),
		},
		"ReportOfANode": {
			reason: "A parameter of the K3s bootstrap.", made: agent, change: func(m *machine.Machine) { m.Silent = true }, want: fields("spec.bootstrap.report"),
		},
		"DiskAdded": {
			reason: "The guest has nothing that sets up disks, so a person does. Commands, packages and scripts that come with it are not named.", made: agent,
			change: func(m *machine.Machine) {
				m.Disks = []machine.Disk{ext4("data", "/srv/data"), xfs("logs", "/srv/logs")}
			},
			want: []Difference{
				{Kind: DifferenceDisk, Field: "spec.disks[data]", Advice: datadisks.ByHand(ext4("data", "/srv/data"))},
				{Kind: DifferenceDisk, Field: "spec.disks[logs]", Advice: datadisks.ByHand(xfs("logs", "/srv/logs"))},
			},
		},
		"DiskAddedToOthers": {
			reason: "The guest's own script does it.", made: func(m *machine.Machine) { agent(m); m.Disks = []machine.Disk{ext4("data", "/srv/data")} },
			change: func(m *machine.Machine) { m.Disks = append(m.Disks, xfs("logs", "/srv/logs")) },
			want:   []Difference{{Kind: DifferenceDisk, Field: "spec.disks[logs]", Advice: datadisks.Apply("logs xfs /srv/logs")}},
		},
		"DiskEdited": {
			reason: "What the guest has is said.", made: func(m *machine.Machine) { agent(m); m.Disks = []machine.Disk{ext4("data", "/srv/data")} },
			change: func(m *machine.Machine) { m.Disks[0].MountPath = "/srv/other" },
			want:   []Difference{{Kind: DifferenceDisk, Field: "spec.disks[data]", Advice: datadisks.Correct("data ext4 /srv/data")}},
		},
		"DiskLeftAlone": {
			reason: "The last one that the claim mounted.", made: func(m *machine.Machine) {
				m.Disks, m.UserData = []machine.Disk{xfs("data", "/srv/data")}, "#cloud-config\nruncmd: [[touch, /srv/data/x]]\npackages: [htop]\n"
			},
			change: func(m *machine.Machine) { m.Disks = nil },
			want:   []Difference{{Kind: DifferenceDisk, Field: "spec.disks[data]", Advice: datadisks.Correct("data xfs /srv/data")}},
		},
		"All": {
			reason: "Everything at once, sorted.", made: agent, token: other,
			change: func(m *machine.Machine) { m.K3s.Version, m.Domain = "v1.34.1+k3s1", "example.org" },
			want: []Difference{
				{Kind: DifferenceToken, Field: "spec.k3s.token"},
				{Kind: DifferenceVersion, Field: "spec.k3s.version", Has: "v1.33.6+k3s1", Wanted: "v1.34.1+k3s1"},
				inField("spec.network.domain"),
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			made, now := plain(), plain()
			tc.made(made)
			tc.made(now)

			if tc.change != nil {
				tc.change(now)
			}

			token := full
			was, errs := New(made, &token)
			if len(errs) > 0 {
				t.Fatal(errs)
			}

			if tc.token != "" {
				token = tc.token
			}

			is, errs := New(now, &token)
			if len(errs) > 0 {
				t.Fatal(errs)
			}

			if is.Hash == was.Hash != (len(tc.want) == 0) {
				t.Errorf("%s\nhashes: %s, %s", tc.reason, was.Hash, is.Hash)
			}

			// The same for VMs of earlier releases, which have fewer files.
			for _, d := range append([]cloudinit.Document{was.document}, was.former()...) {
				data, err := d.Marshal()
				if err != nil {
					t.Fatal(err)
				}

				got := is.Differences(Made{UserData: string(data), UserDataID: was.UserDataID, VendorDataID: was.VendorDataID, MetaDataID: was.MetaDataID})
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s\nDifferences(): -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func ext4(name, path string) machine.Disk {
	return machine.Disk{Name: name, Filesystem: "ext4", MountPath: path}
}

func xfs(name, path string) machine.Disk {
	return machine.Disk{Name: name, Filesystem: "xfs", MountPath: path}
}

// TestDisksOfNative: a VM whose user-data Proxmox generated has nothing that sets up disks.
func TestDisksOfNative(t *testing.T) {
	m := plain()
	m.Disks = []machine.Disk{ext4("data", "/srv/data")}

	b, errs := New(m, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}

	want := []Difference{{Kind: DifferenceDisk, Field: "spec.disks[data]", Advice: datadisks.ByHand(m.Disks[0])}}
	if diff := cmp.Diff(want, b.Differences(Made{Native: true})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	// Where other user-data is asked for as well, it cannot be the disks alone.
	m.UserData = "#cloud-config\ntimezone: UTC\n"

	if b, errs = New(m, nil); len(errs) > 0 {
		t.Fatal(errs)
	}

	if got := b.Differences(Made{Native: true}); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

// TestDifferencesOfNative: a claim that asks for nothing any more than what Proxmox generates is compared with the user-data of its VM, so that a data disk whose
// entry is gone does not read like something that only a new VM has.
func TestDifferencesOfNative(t *testing.T) {
	cases := map[string]struct {
		reason string
		made   func(m *machine.Machine)
		want   []Difference
	}{
		"Disk": {
			reason: "A person sets it up in the guest.", made: func(m *machine.Machine) { m.Disks = []machine.Disk{xfs("data", "/srv/data")} },
			want: []Difference{{Kind: DifferenceDisk, Field: "spec.disks[data]", Advice: datadisks.Correct("data xfs /srv/data")}},
		},
		"UserData": {
			reason: "Only a new VM is without it.", made: func(m *machine.Machine) { m.UserData = "#cloud-config\ntimezone: UTC\n" },
			want: []Difference{inField("spec.bootstrap.userData (timezone)")},
		},
		"Nothing": {reason: "The function's own part is no difference.", made: func(m *machine.Machine) { m.UserData = "#cloud-config\n{}\n" }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := plain()
			tc.made(before)

			b, errs := New(before, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}

			text, err := b.UserData()
			if err != nil {
				t.Fatal(err)
			}

			if b, errs = New(plain(), nil); len(errs) > 0 || b.Mode != ModeNative {
				t.Fatal(b, errs)
			}

			if diff := cmp.Diff(tc.want, b.Differences(Made{UserData: string(text)})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDifferencesOfUnknown: what cannot be read says nothing, and does no harm.
func TestDifferencesOfUnknown(t *testing.T) {
	m := plain()
	m.UserData = "#cloud-config\ntimezone: Europe/Berlin\n"

	b, errs := New(m, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}

	for _, text := range []string{"", "#cloud-config\n: [", "#!/bin/sh\necho {", "\x00", "[]", "write_files: {}"} {
		if got := b.Differences(Made{UserData: text}); len(got) != 0 {
			t.Errorf("%q: %v", text, got)
		}

		if got := K3sVersion(text); got != "" {
			t.Errorf("%q: release %q", text, got)
		}
	}
}

func TestK3sVersion(t *testing.T) {
	token, m := full, plain()
	agent(m)

	b, errs := New(m, &token)
	if len(errs) > 0 {
		t.Fatal(errs)
	}

	data, err := b.UserData()
	if err != nil {
		t.Fatal(err)
	}

	if got := K3sVersion(string(data)); got != "v1.33.6+k3s1" {
		t.Errorf("K3sVersion(): %q", got)
	}
}

// TestK3sShared: what a server was made with is read once, unless it has a secret.
func TestK3sShared(t *testing.T) {
	userData := func(config string) string {
		return "#cloud-config\nwrite_files:\n- path: " + k3s.ConfigPath + "\n  content: |\n    " + config + "\n"
	}

	for name, tc := range map[string]struct {
		reason, userData string
		want             k3s.Shared
		known            bool
	}{
		"Server": {
			reason: "Only what all servers have alike counts.", userData: userData(`{"flannel-backend": "none", "node-name": "a", "disable": ["traefik", "servicelb"]}`),
			want: k3s.Shared{Config: map[string]any{"flannel-backend": "none"}, Disable: []string{"traefik", "servicelb"}}, known: true,
		},
		"Secret": {
			reason: "It is read each time.", userData: userData(`{"agent-token": "secret"}`), want: k3s.Shared{Config: map[string]any{"agent-token": "secret"}}, known: true,
		},
		"NoServer": {reason: "It installs no K3s.", userData: "#cloud-config\n{}\n"},
		"Broken":   {reason: "Nobody can read it.", userData: "#cloud-config\n]"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				got, known := K3sShared(tc.userData)
				if diff := cmp.Diff(tc.want, got); diff != "" || known != tc.known {
					t.Errorf("%s\nK3sShared(): known %t, want %t: -want, +got:\n%s", tc.reason, known, tc.known, diff)
				}
			}
		})
	}
}

// TestScriptsAsMade: the function's scripts change from release to release. A VM that was created with other ones is current: it is neither
// replaced nor restarted, and no condition reports it.
func TestScriptsAsMade(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(m *machine.Machine)
		texts  []string // Of scripts and units in the user-data.
	}{
		"Machine": {
			reason: "Its disks and its secrets.",
			change: func(m *machine.Machine) { stores(m); m.Disks = []machine.Disk{ext4("data", "/srv/data")} },
			texts:  []string{"Formats and mounts this machine's data disks", "Fetches secrets from OpenBao or Vault into files", "Format and mount the data disks"},
		},
		"K3s": {
			reason: "A node has all of them, and its bootstrap.",
			change: func(m *machine.Machine) { fetchesToken(m); m.Disks = []machine.Disk{ext4("data", "/srv/data")} },
			texts:  []string{"Formats and mounts this machine's data disks", "Fetches secrets from OpenBao or Vault into files", "Installs K3s and brings this node"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := plain()
			tc.change(m)

			b, errs := New(m, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}

			data, err := b.UserData()
			if err != nil {
				t.Fatal(err)
			}

			made := string(data)
			for _, text := range tc.texts {
				if !strings.Contains(made, text) {
					t.Fatalf("the user-data lacks %q", text)
				}

				made = strings.ReplaceAll(made, text, "Does what it did in an earlier release")
			}

			if diff := cmp.Diff([]Difference(nil), b.Differences(Made{UserData: made}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nDifferences(): -want, +got:\n%s", tc.reason, diff)
			}

			d := b.document
			d.WriteFiles = slices.Clone(d.WriteFiles)

			for i, f := range d.WriteFiles {
				if f.Constant {
					d.WriteFiles[i].Content = "another\n"
				}
			}

			if was := hash(d.Fingerprint(), b.VendorDataID, b.MetaDataID); was != b.Hash {
				t.Errorf("%s\nthe hash is %s with other scripts, and %s with these", tc.reason, was, b.Hash)
			}
		})
	}
}

// TestConfigDifferences: what a new VM alone does not change, of a server.
func TestConfigDifferences(t *testing.T) {
	want := []Difference{
		settled("spec.k3s.config.cluster-cidr", "cluster-cidr"),
		{Kind: DifferenceField, Field: "spec.k3s.config.data-dir"},
		settled("spec.k3s.config.secrets-encryption", "secrets-encryption"), settled("spec.k3s.disable", "disable"),
		{Kind: DifferenceField, Field: "spec.k3s.tlsSANs"},
	}

	got := configDifferences("cluster-cidr: 10.42.0.0/16\nsame: 1\ndisable: [traefik]\n",
		"cluster-cidr: 10.52.0.0/16\nsame: 1\ndata-dir: /data\nsecrets-encryption: true\ntls-san: [a]\n")
	slices.SortFunc(got, func(a, b Difference) int { return strings.Compare(a.Field, b.Field) })

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("configDifferences(...): -want, +got:\n%s", diff)
	}
}

// settled is a difference in what a new VM alone does not change.
func settled(path, key string) Difference {
	advice, _ := k3s.SettledBy(key)

	return Difference{Kind: DifferenceCluster, Field: path, Advice: advice}
}
