package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
)

// TestOCI: what people write for an image of a registry is told from what they write for a file on a node, at an address or in the catalogue.
func TestOCI(t *testing.T) {
	for written, tc := range map[string]struct {
		reason string
		want   bool
	}{
		"oci://ghcr.io/you/nginx:1.29":              {"The scheme of Helm and of Flux.", true},
		"docker://nginx":                            {"The scheme of skopeo.", true},
		"oras://ghcr.io/you/nginx":                  {"The scheme of Apptainer.", true},
		"docker-archive:nginx.img":                  {"A disk, whatever it is in.", false},
		"docker-archive:nginx":                      {"Another of skopeo's.", true},
		"docker.io/library/nginx":                   {"The registry, and no tag.", true},
		"docker.io/library/nginx:latest":            {"With a tag.", true},
		"GHCR.io/You/Nginx:1.29":                    {"In capitals.", true},
		"ghcr.io/you/nginx@sha256:0123456789abcdef": {"A digest.", true},
		"nginx:1.29@sha256:0123456789abcdef":        {"Both.", true},
		"nginx:1.29":                                {"A tag alone.", true},
		"linuxserver/plex":                          {"Somebody's at Docker Hub.", true},
		"localhost:5000/you/nginx":                  {"A registry at home.", true},
		"localhost:5000/nginx":                      {"Of a storage, this is in the folder of VM 5000.", false},
		"192.168.4.5:5000/nginx:1":                  {"By its address.", true},
		"registry:5000/nginx:1":                     {"By a name without a dot.", true},
		"https://hub.docker.com/_/nginx":            {"The page of one.", true},
		"https://ghcr.io/v2/you/nginx/manifests/1":  {"The address of one.", true},
		"local:vztmpl/nginx_latest.tar":             {"The file that Proxmox VE 9.1 makes of one.", true},
		"https://nas.lan/nginx.TAR":                 {"Such a file elsewhere.", true},

		"": {"Nothing.", false},
		"local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst": {"A template.", false},
		"docker:vztmpl/debian-12.tgz":                          {"A storage of that name.", false},
		"local:import/debian-13.qcow2":                         {"An image of a VM.", false},
		"local:debian-13":                                      {"A volume without its type.", false},
		"tank:debian-13.qcow2":                                 {"The same of another storage.", false},
		"zfs:vm-100-disk-0":                                    {"A disk.", false},
		"nas:9000/base-9000-disk-0":                            {"A disk in its folder.", false},
		"debian-13":                                            {"An image of the catalogue.", false},
		"download.proxmox.com/images/system/debian-12-standard_12.tar.zst":  {"An address without https://.", false},
		"https://download.proxmox.com/images/system/debian-12.tar.zst":      {"A template's address.", false},
		"https://ghcr.io/v2/you/disk.qcow2":                                 {"A disk's address, wherever it is.", false},
		"https://cloud.debian.org/images/cloud/trixie/latest/debian":        {"An address that ends with nothing known.", false},
		"templates/debian-12.tar.gz":                                        {"A path.", false},
		"/var/lib/vz/template/cache/debian-12-standard_12.7-1_amd64.tar.gz": {"A path from the root.", false},
	} {
		t.Run(strings.ReplaceAll(written, "/", "_"), func(t *testing.T) {
			if got := OCI(written) != ""; got != tc.want {
				t.Errorf("%s %q: %t (%s), want %t", tc.reason, written, got, OCI(written), tc.want)
			}
		})
	}
}

// TestOCIInCatalogue: an image of a registry is refused with that reason wherever the catalogue has it, and what the registry's name is only a part of is not.
func TestOCIInCatalogue(t *testing.T) {
	const address, disk = "must be the https:// or http:// address of a cloud image", "must end with .qcow2, .raw, .vmdk or .img; if the URL does not, set fileName"

	for name, tc := range map[string]struct {
		reason string
		image  catalogue.Image
		want   string
	}{
		"Scheme":   {"No address.", catalogue.Image{URL: "oci://ghcr.io/you/nginx:1.29"}, OCI("docker://nginx")},
		"Name":     {"Nor is this.", catalogue.Image{URL: "docker.io/library/nginx"}, OCI("docker://nginx")},
		"Archive":  {"Neither a disk nor a template.", catalogue.Image{URL: "https://nas.lan/nginx.tar"}, OCI("x.tar")},
		"FileName": {"The same in its other field.", catalogue.Image{URL: "https://nas.lan/get?id=5", FileName: "nginx.tar"}, OCI("x.tar")},
		"Page":     {"The page of an image.", catalogue.Image{URL: "https://hub.docker.com/_/nginx"}, OCI("docker://nginx")},
		"Disk":     {"A registry may have disks.", catalogue.Image{URL: "https://ghcr.io/v2/you/disk/blobs/1", FileName: "disk.qcow2"}, ""},
		"Template": {"And templates.", catalogue.Image{URL: "https://ghcr.io/v2/you/disk/blobs/1", FileName: "debian-12.tar.zst"}, ""},
		"Ending":   {"Something else.", catalogue.Image{URL: "https://nas.lan/disk"}, disk},
		"Address":  {"Something else.", catalogue.Image{URL: "ftp://nas.lan/disk.qcow2"}, address},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			for _, fault := range (Image{Image: tc.image}).SourceFaults() {
				got += fault.Detail
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOCIVolume: the same of a volume, of a claim or of the catalogue.
func TestOCIVolume(t *testing.T) {
	for id, want := range map[string]string{
		"docker.io/library/nginx:latest": OCI("docker://nginx"),
		"local:vztmpl/nginx.tar":         OCI("x.tar"),
		"local:import/debian-13.qcow2":   "",
		"local:import/debian-13.tgz":     "a file of content type import must end with .qcow2, .raw or .vmdk",
	} {
		got := ""
		if _, err := ParseVolume(id); err != nil {
			got = err.Error()
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", id, diff)
		}
	}
}
