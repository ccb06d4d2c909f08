package provider

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// template is a NixOS template as example/nix/template.nix makes it.
func template(node string) Template {
	return Template{Node: node, Config: map[string]string{
		"name": "nixos-template", "scsi0": "local-zfs:10,discard=on,iothread=1", "ide2": "local-zfs:cloudinit",
		"net0": "virtio,bridge=vmbr0", "boot": "order=scsi0;net0", "scsihw": "virtio-scsi-single", "agent": "1",
		"memory": "2048", "cores": "2", "ostype": "l26", "serial0": "socket", "vga": "serial0", "ipconfig0": "ip=dhcp",
		"description": "made by an administrator", "tags": "template",
	}}
}

// uefiTemplate is a template with UEFI, and so with a disk for its variables.
func uefiTemplate(node string) Template {
	t := template(node)
	maps.Copy(t.Config, map[string]string{"bios": "ovmf", "machine": "q35", "efidisk0": "local-zfs:1,efitype=4m,pre-enrolled-keys=1"})

	return t
}

// TestFixtures reconciles manifests written by hand, one file a machine, as a provider would.
func TestFixtures(t *testing.T) {
	cases := map[string]struct {
		reason  string
		file    string
		cluster Cluster
		vm      string
		want    map[string]string
	}{
		"K3sServer": {
			reason: "A machine from a cloud image comes up with its two snippets; text with ${ and %{ reaches the node as it was meant.",
			file:   "k3s-server.yaml",
			vm:     "4101",
			want: map[string]string{
				"cicustom": "meta=local:snippets/k3s-home-1-3fa9c1d2.meta-data.yaml,user=local:snippets/k3s-home-1-3fa9c1d2.user-data.yaml",
				"scsi30":   "local-lvm:vm-4101-cloudinit,media=cdrom,size=4M",
				"scsi0":    "local-lvm:vm-4101-disk-0,aio=io_uring,backup=1,cache=none,discard=on,iothread=1,replicate=1,size=40G,ssd=1",
				"startup":  "order=3,up=30,down=60",
				"tags":     "crossplane;k3s;role_server",
			},
		},
		"CloneWithDHCP": {
			reason:  "A clone keeps its template's display and gets its own tags, disk size and cloud-init drive.",
			file:    "clone-dhcp.yaml",
			cluster: Cluster{Templates: map[int]Template{9000: template("pve")}},
			vm:      "153",
			want: map[string]string{
				"ide2": "local-zfs:vm-153-cloudinit,media=cdrom,size=4M", "ipconfig0": "ip=dhcp", "tags": "core;role_dns", "vga": "serial0",
				"scsi0": "local-zfs:vm-153-disk-0,aio=io_uring,backup=1,cache=none,discard=on,iothread=1,replicate=1,size=30G,ssd=1",
			},
		},
		"InstallFromISO": {
			reason:  "An installer's CD is second in the boot order of an empty disk.",
			file:    "iso-install.yaml",
			cluster: Cluster{Volumes: []string{"local:iso/nixos-minimal-25.05.iso"}},
			vm:      "160",
			want:    map[string]string{"ide3": "local:iso/nixos-minimal-25.05.iso,media=cdrom", "boot": "order=scsi0;ide3"},
		},
		"DevicesWithUEFI": {
			reason:  "EFI variables, TPM, mapped devices and a second disk on another datastore.",
			file:    "uefi-devices.yaml",
			cluster: Cluster{Volumes: []string{"local:import/debian-13.qcow2", "local:snippets/gpu01.yaml"}},
			vm:      "170",
			want: map[string]string{
				"efidisk0": "local-zfs:vm-170-disk-0,efitype=4m,pre-enrolled-keys=1,size=4M", "tpmstate0": "local-zfs:vm-170-disk-2,size=4M,version=v2.0",
				"hostpci0": "mapping=gpu0,pcie=1,rombar=1,x-vga=0", "usb0": "mapping=coral,usb3=1", "machine": "q35", "bios": "ovmf",
				"scsi1": "tank:vm-170-disk-0,aio=io_uring,backup=0,cache=none,discard=on,iothread=1,replicate=1,size=500G,ssd=0",
			},
		},
		"NativeCloudInit": {
			reason:  "Two interfaces of which the second has no address, both IP versions, name servers, an account with a key.",
			file:    "native-cloud-init.yaml",
			cluster: Cluster{Volumes: []string{"local:import/debian-13.qcow2"}},
			vm:      "180",
			want: map[string]string{
				"ipconfig0": "gw=192.168.4.1,gw6=fd00:4::1,ip=192.168.4.60/24,ip6=fd00:4::60/64", "ipconfig1": "",
				"nameserver": "192.168.4.1 fd00:4::1", "searchdomain": "home.arpa", "ciuser": "ops",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			rs := readFixture(t, tc.file)
			b := startBench(t, tc.cluster, rs...)

			for _, r := range rs {
				reconcileAll(t, b, r)
			}

			state, err := b.Simulator.State(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			vm := state.VMs[tc.vm]
			got := map[string]string{}

			for k := range tc.want {
				got[k] = vm.Config[k]
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nVM %s: -want, +got:\n%s", tc.reason, tc.vm, diff)
			}

			if vm.Status != "running" || len(vm.Pending) > 0 {
				t.Errorf("\n%s\nVM %s is %s, pending: %v", tc.reason, tc.vm, vm.Status, vm.Pending)
			}
		})
	}
}

func readFixture(t *testing.T, file string) []Resource {
	t.Helper()

	f, err := os.Open(filepath.Join("testdata", "fixtures", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	rs, err := ReadResources(f)
	if err != nil {
		t.Fatal(err)
	}

	return rs
}

// reconcileAll makes a resource, looks at it again, and again after a restart of the provider.
func reconcileAll(t *testing.T, b *Bench, r Resource) {
	t.Helper()

	c := Control{Bench: b}
	d := &composed{resource: r, generation: 1}

	if err := c.reconcile(t.Context(), d); err != nil {
		t.Fatal(err)
	}

	if !d.outcome.Applied {
		t.Errorf("%s was there before it was made", r.Metadata.Name)
	}

	if r.Kind == KindFile {
		checkSnippet(t, b, d)
	}
}

// literal is what a Terraform template without expressions stands for.
func literal(s string) string {
	return strings.NewReplacer("$${", "${", "%%{", "%{").Replace(s)
}

// TestFixtureFlavours holds that the fixtures cover all flavours of the provider's API.
func TestFixtureFlavours(t *testing.T) {
	got := map[Flavour]int{}

	files, err := filepath.Glob("testdata/fixtures/*.yaml")
	if err != nil {
		t.Fatal(err)
	}

	for _, f := range files {
		for _, r := range readFixture(t, filepath.Base(f)) {
			fl, err := r.Flavour()
			if err != nil {
				t.Fatal(err)
			}

			got[fl]++

			if _, err := strconv.Atoi(r.ExternalName()); r.Kind == KindVM && err != nil {
				t.Errorf("%s has external name %q", r.Metadata.Name, r.ExternalName())
			}
		}
	}

	want := []Flavour{FlavourLegacy, FlavourCluster, FlavourNamespaced}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("flavours of the fixtures: -want, +got:\n%s", diff)
	}
}
