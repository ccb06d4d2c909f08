package adopt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

const handMade = `{"name": "omv", "cores": 2, "memory": "4096", "scsi0": "local-zfs:vm-108-disk-0,iothread=1,size=32G", "ide2": "none,media=cdrom",
	"net0": "virtio=BC:24:11:00:00:08,bridge=vmbr0", "tags": "storage;nas", "onboot": 1`

func read(t *testing.T, config string) VM {
	t.Helper()

	all, err := Read(strings.NewReader(config), Alone{ID: 108})
	if err != nil {
		t.Fatal(err)
	}

	vm, ok := all.All[0].(VM)
	if !ok {
		t.Fatalf("want a VM, got %T", all.All[0])
	}

	return vm
}

func TestClaim(t *testing.T) {
	const spec = "spec:\n  adopt: {vmId: 108}\n  # The VM stays when the claim is deleted.\n  deletionPolicy: Orphan\n"

	cases := map[string]struct {
		reason  string
		config  string
		options Options
		want    []string
	}{
		"Plain": {
			reason: "what the claim would replace is in it, and nothing else", config: handMade + "}", options: Options{Namespace: "infra"},
			want: []string{
				"metadata:\n  name: omv\n  namespace: infra\n" + spec + "  # The claim replaces the VM's tags, so they are here.\n  tags: [storage, nas]\n",
				"# The VM keeps what the claim does not name: 2 cores, 4 GiB of memory, disk scsi0 of 32 GiB on local-zfs, net0 on vmbr0.\n",
			},
		},
		"Stopped": {
			reason: "a stopped VM may stay so", config: handMade + "}", options: Options{Namespace: "infra", Stopped: true},
			want: []string{"power: Stopped"},
		},
		"OtherName": {
			reason: "a VM's name stays, also where a claim cannot have it", config: `{"name": "nas.home.arpa"}`, options: Options{Namespace: "infra"},
			want: []string{"  name: nas\n", "hostname: nas.home.arpa\n"},
		},
		"Digit":    {reason: "a claim's name begins with a letter", config: `{"name": "3dprinter"}`, options: Options{Namespace: "infra"}, want: []string{"  name: vm-3dprinter\n"}},
		"Nameless": {reason: "a VM may have no name", config: `{"digest": "5a"}`, options: Options{Namespace: "infra"}, want: []string{"  name: vm-108\n"}},
		"Chosen":   {reason: "a person's name counts", config: handMade + "}", options: Options{Name: "store", Namespace: "infra"}, want: []string{"  name: store\n", "hostname: omv\n"}},
		"Cautions": {
			reason: "what a person should know stands above", options: Options{Namespace: "infra"},
			config: handMade + `, "agent": "enabled=1,freeze-fs-on-backup=0", "lock": "backup", "description": "mine"}`,
			want:   []string{"# The guest agent is enabled", "# The provider does not know the agent's option", "# The VM is locked (backup)", "# The claim replaces the VM's notes"},
		},
		"Hostile": {
			reason: "text of Proxmox begins no line of its own", config: `{"name": "a\nspec: {}", "tags": "yes", "memory": "1\n2"}`, options: Options{Namespace: "infra"},
			want: []string{"tags: [\"yes\"]", "name: a-spec\n", `"1\n2" MiB`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claim, err := read(t, tc.config).Claim(tc.options)
			if err != nil {
				t.Fatal(err)
			}

			for _, want := range tc.want {
				if !strings.Contains(string(claim), want) {
					t.Errorf("%s: want %q in:\n%s", tc.reason, want, claim)
				}
			}

			if name == "Hostile" {
				return
			}

			report := lint.Check([]manifest.Raw{{File: "claim", Documents: manifest.RawDocuments(claim)}}, nil, lint.Options{})
			if report.Claims != 1 || report.Refused() > 0 {
				t.Errorf("%s: lint says %v of:\n%s", tc.reason, report.Faults, claim)
			}
		})
	}
}

func TestUnfit(t *testing.T) {
	cases := map[string]struct{ reason, config, want string }{
		"Fit":         {"a plain VM", handMade + "}", ""},
		"Template":    {"a template is no VM", handMade + `, "template": 1}`, "It is a template"},
		"Gap":         {"interfaces with a gap", handMade + `, "net2": "virtio=BC:24:11:00:00:09,bridge=vmbr0"}`, "network interfaces have a gap"},
		"Serial":      {"serial ports with a gap", handMade + `, "serial1": "socket"}`, "serial ports have a gap"},
		"Passthrough": {"a disk of the node itself", handMade + `, "scsi1": "/dev/disk/by-id/ata-x,size=4T"}`, "passed through by its path"},
		"Small":       {"less than 1 GiB", handMade + `, "scsi1": "local-zfs:vm-108-disk-1,size=528M"}`, "`qm disk resize 108 scsi1 1G`"},
		"Sizeless":    {"no size in the configuration", handMade + `, "virtio0": "local-zfs:vm-108-disk-1"}`, "`qm disk rescan --vmid 108`"},
		"CloudInit":   {"a cloud-init drive is no disk", handMade + `, "ide0": "local-zfs:vm-108-cloudinit,media=cdrom"}`, ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := read(t, tc.config).Unfit()
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ config, want string }{
		"Text":  {"name: omv", "must be what `pvesh get"},
		"List":  {"[]", "must be what `pvesh get"},
		"Empty": {"", "there is none: it must be what `pvesh get"},
		"Mixed": {`{"path": "/nodes/pve/qemu/108/config", "answer": {"name": "omv"}} {"name": "nas"}`, "must be what `pvesh get"},
	} {
		if _, err := Read(strings.NewReader(tc.config), Alone{ID: 108}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: want an error with %q, got %v", name, tc.want, err)
		}
	}
}

func TestSizeGiB(t *testing.T) {
	got := map[string]int64{}
	for _, options := range []string{"size=32G", "iothread=1,size=2T", "size=1024M", "size=528M", "size=4194304K", "size=1073741824", "size=", "ssd=1", "size=xG"} {
		got[options] = sizeGiB(options)
	}

	want := map[string]int64{
		"size=32G": 32, "iothread=1,size=2T": 2048, "size=1024M": 1, "size=528M": 0, "size=4194304K": 4, "size=1073741824": 1, "size=": 0, "ssd=1": 0, "size=xG": 0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
