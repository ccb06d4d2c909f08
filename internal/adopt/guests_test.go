package adopt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const answers = `{"path": "/cluster/resources", "answer": [{"vmid": 108, "status": "stopped"}, {"vmid": 113, "status": "running"}, {"storage": "local", "status": "available"}]}
{"path": "/nodes/pve2/lxc/113/config", "answer": {"rootfs": "local-lvm:vm-113-disk-0,size=8G", "hostname": "omv", "lxc": [["lxc.a", "b"]], "onboot": 1}}
{"path": "/nodes/pve/qemu/108/config", "answer": {"name": "omv", "cores": 2}}
{"path": "/nodes/down/qemu/120/config", "answer": null}
`

func TestRead(t *testing.T) {
	container := Container{ID: 113, Node: "pve2", State: StateRunning, Config: map[string]string{
		"rootfs": "local-lvm:vm-113-disk-0,size=8G", "hostname": "omv", "lxc": "1 settings", "onboot": "1",
	}}

	for name, tc := range map[string]struct {
		reason, text string
		alone        Alone
		want         Guests
	}{
		"Several": {
			"VMs and containers by their VMIDs, with what is known of them beside the configuration.", answers,
			Alone{},
			Guests{
				All:    []Guest{VM{ID: 108, Name: "omv", State: StateStopped, Config: map[string]string{"name": "omv", "cores": "2"}}, container},
				Unread: map[int64]string{120: "down"},
			},
		},
		"VM": {
			"The configuration of one guest does not say its VMID.", `{"name": "omv"}`,
			Alone{ID: 108},
			Guests{All: []Guest{VM{ID: 108, Name: "omv", Config: map[string]string{"name": "omv"}}}},
		},
		"Container": {
			"Only a container has a root file system.", `{"rootfs": "x"}`,
			Alone{ID: 113, Node: "pve"},
			Guests{All: []Guest{Container{ID: 113, Node: "pve", Config: map[string]string{"rootfs": "x"}}}},
		},
		"Nothing": {"A site without guests has none.", `{"path": "/cluster/resources", "answer": []}`, Alone{}, Guests{Unread: map[int64]string{}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(strings.NewReader(tc.text), tc.alone)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReadForeign: a file of another program is no guest, of which a claim would adopt who knows what.
func TestReadForeign(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, want string }{
		"TerraformState": {"a state of Terraform", `{"version": 4, "terraform_version": "1.9.0", "resources": []}`, "it has resources, which is no setting of a guest: it "},
		"Manifest":       {"what kubectl prints", `{"kind": "Machine", "metadata": {"name": "a"}, "name": "a"}`, "it has metadata, which is no setting of a guest: it "},
		"Enveloped":      {"what the API answers without pvesh", `{"data": {"name": "a", "digest": "b"}}`, "it has data, which is no setting of a guest: it "},
		"List":           {"only settings of LXC itself are a list", `{"name": "a", "scsi0": []}`, "it has scsi0, which is no setting of a guest: it "},
		"Nothing":        {"Proxmox says something of each guest", `{}`, "it has no setting of a guest: it "},
		"Credentials":    {"a flat object of something else", `{"endpoint": "https://a", "api_token": "secret"}`, "it has no setting of a guest: it "},
		"InAnswer":       {"so is an answer of the script", `{"path": "/nodes/pve/qemu/108/config", "answer": {}}`, "it has no setting of a guest: it "},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(strings.NewReader(tc.text), Alone{ID: 108})
			if err == nil {
				t.Fatalf("%s: read %+v", tc.reason, got)
			}

			if text := err.Error(); !strings.Contains(text, "cannot read the configuration: "+tc.want+whatToRead) || strings.Contains(text, "secret") {
				t.Errorf("%s: %s", tc.reason, text)
			}
		})
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("a", 63)
	got := Names([]Guest{
		VM{ID: 101, Name: "web"},
		Container{ID: 102, Config: map[string]string{"hostname": "Web.home.arpa"}},
		VM{ID: 103, Name: "web-102"},
		VM{ID: 104, Name: "3d"},
		Container{ID: 105, Config: map[string]string{}},
		VM{ID: 106},
		VM{ID: 107, Name: long},
		VM{ID: 108, Name: long},
		VM{ID: 109, Name: long + "b"},
	})

	want := []string{"web", "web-102", "web-102-103", "vm-3d", "ct-105", "vm-106", long, long[:59] + "-108", long[:59] + "-109"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestContainerUnfit(t *testing.T) {
	for name, tc := range map[string]struct {
		c    Container
		want string
	}{
		"Fit":      {Container{ID: 113, Node: "pve"}, ""},
		"Template": {Container{ID: 113, Node: "pve", Config: map[string]string{"template": "1"}}, "It is a template, not a container."},
		"Nodeless": {Container{ID: 113}, "Its node is not known, and the provider finds a container on its own node only: name it with --node."},
	} {
		if got := tc.c.Unfit(); got != tc.want {
			t.Errorf("%s: want %q, got %q", name, tc.want, got)
		}
	}
}

// TestContainerHostile: text of Proxmox begins no line of its own, and a password in a setting is not repeated.
func TestContainerHostile(t *testing.T) {
	claim, err := Container{ID: 113, Node: "pve", Config: map[string]string{
		"hostname": "a\nspec: {}", "rootfs": "x\ny: z,size=1\n2G", "startup": "1\n2", "net0": "name=eth0\nq,ip=1\n,bridge=a\nb,x\ny=1", "mp0": "a:b\nc,mp=/d\ne",
		"tags": "ok;b\ne", "env": "TOKEN=secret", "e\nvil": "1", "lock": "a\nb",
	}}.Claim(Options{Namespace: "infra"})
	if err != nil {
		t.Fatal(err)
	}

	if strings.Contains(string(claim), "secret") {
		t.Errorf("the value of a setting is in:\n%s", claim)
	}

	for line := range strings.Lines(string(claim)) {
		if text := strings.TrimSpace(line); !strings.HasPrefix(line, "#") && !strings.HasPrefix(text, "#") && !strings.Contains(text, ":") {
			t.Errorf("a line of Proxmox's: %q in:\n%s", line, claim)
		}
	}
}
