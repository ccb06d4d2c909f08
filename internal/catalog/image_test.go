package catalog

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

const sum256 = "6a81c37564db9b1ee84e141922625e1d7c5b389b99bb3c572e0243607d5bb4d2"

func TestDownload(t *testing.T) {
	type want struct {
		download machine.Download
		fault    string
	}

	cases := map[string]struct {
		reason string
		image  Image
		want   want
	}{
		"FromURL": {
			reason: "The name is the URL's with a hash, and .img becomes .qcow2, which it is.",
			image:  Image{Image: catalogue.Image{URL: "https://cloud-images.ubuntu.com/noble/noble-server-cloudimg-amd64.img"}},
			want: want{download: machine.Download{
				URL: "https://cloud-images.ubuntu.com/noble/noble-server-cloudimg-amd64.img", FileName: "noble-server-cloudimg-amd64-0cfb249a.qcow2",
			}},
		},
		"FromFileName": {
			reason: "A name of one's own is hashed, too, so that a new URL never finds an old file.",
			image:  Image{Image: catalogue.Image{URL: "https://x.org/noble.img", FileName: "noble-20250805.qcow2", Checksum: "sha256:" + strings.ToUpper(sum256)}},
			want: want{download: machine.Download{
				URL: "https://x.org/noble.img", FileName: "noble-20250805-453a377a.qcow2", Checksum: sum256, ChecksumAlgorithm: "sha256",
			}},
		},
		"Kept": {
			reason: "A file that may be there already keeps its name.",
			image:  Image{Image: catalogue.Image{URL: "https://x.org/noble.img", FileName: "noble.qcow2", KeepFileName: true}},
			want:   want{download: machine.Download{URL: "https://x.org/noble.img", FileName: "noble.qcow2"}},
		},
		"Raw": {
			reason: "Query and odd letters are not part of a file's name.",
			image:  Image{Image: catalogue.Image{URL: "http://x.org/a%20b~c.RAW?token=1"}},
			want:   want{download: machine.Download{URL: "http://x.org/a%20b~c.RAW?token=1", FileName: "a-b-c-0ff53fc3.raw"}},
		},
		"KeptImg":         {reason: "Proxmox imports no .img.", image: Image{Image: catalogue.Image{URL: "https://x.org/a.img", FileName: "a.img", KeepFileName: true}}, want: want{fault: `images.x.fileName: Invalid value: "a.img": must end with .qcow2, .raw or .vmdk: Proxmox imports only these`}},
		"KeptNothing":     {reason: "There must be a name to keep.", image: Image{Image: catalogue.Image{URL: "https://x.org/a.img", KeepFileName: true}}, want: want{fault: "images.x.fileName: Required value: is required with keepFileName: the file's name on the datastore"}},
		"Compressed":      {reason: "Proxmox unpacks nothing.", image: Image{Image: catalogue.Image{URL: "https://x.org/haos.qcow2.xz"}}, want: want{fault: `images.x.url: Invalid value: "haos.qcow2.xz": Proxmox cannot import compressed images: unpack the file (unxz); serve the file that comes out, or put it on the node and name it as a volume`}},
		"Archive":         {reason: "A Container is made of it.", image: Image{Image: catalogue.Image{URL: "https://x.org/debian.qcow2", FileName: "debian-12.TAR.zst"}}, want: want{fault: `images.x.fileName: Invalid value: "debian-12.TAR.zst": is a container template, of which a Container is made: a VM needs an image of a disk, a .qcow2 file. Name such an image in the claim, or write kind: Container there`}},
		"CompressedName":  {reason: "Nor by another name.", image: Image{Image: catalogue.Image{URL: "https://x.org/haos", FileName: "haos.qcow2.zst"}}, want: want{fault: `images.x.fileName: Invalid value: "haos.qcow2.zst": Proxmox cannot import compressed images: unpack the file (unzstd); serve the file that comes out, or put it on the node and name it as a volume`}},
		"Installer":       {reason: "An installer is not imported.", image: Image{Image: catalogue.Image{URL: "https://x.org/debian.iso"}}, want: want{fault: `images.x.url: Invalid value: "debian.iso": the function does not download installers: put the file on the node and name it as a volume, such as local:iso/debian-12.iso; or name a cloud image, a file that ends with .qcow2, .raw, .vmdk or .img`}},
		"NoExtension":     {reason: "A redirect's address may have no file name.", image: Image{Image: catalogue.Image{URL: "https://x.org/download"}}, want: want{fault: `images.x.url: Invalid value: "download": must end with .qcow2, .raw, .vmdk or .img; if the URL does not, set fileName`}},
		"FTP":             {reason: "Proxmox downloads by HTTP.", image: Image{Image: catalogue.Image{URL: "ftp://x.org/a.img"}}, want: want{fault: "images.x.url: Invalid value: must be the https:// or http:// address of a cloud image"}},
		"Password":        {reason: "A password is not shown.", image: Image{Image: catalogue.Image{URL: "https://me:s3cret@x.org/a.img"}}, want: want{fault: "images.x.url: Invalid value: must not contain a user name or a password, because everybody who may read managed resources could read it"}},
		"PasswordInRuins": {reason: "Not even in a URL that cannot be read.", image: Image{Image: catalogue.Image{URL: "https://me:s3cret@x.org:port/a.img"}}, want: want{fault: "images.x.url: Invalid value: must be the https:// or http:// address of a cloud image"}},
		"Folder":          {reason: "A file name has no folders.", image: Image{Image: catalogue.Image{URL: "https://x.org/a.img", FileName: "../a.qcow2"}}, want: want{fault: `images.x.fileName: Invalid value: "../a.qcow2": must be a file name of letters, digits, dots, _, - and +`}},
		"Algorithm":       {reason: "The provider knows six.", image: Image{Image: catalogue.Image{URL: "https://x.org/a.img", Checksum: "crc32:00000000"}}, want: want{fault: `images.x.checksum: Invalid value: "crc32:00000000": must be algorithm:hexadecimal with md5, sha1, sha224, sha256, sha384 or sha512, such as sha256:6a81...`}},
		"Plain":           {reason: "An algorithm has to be named.", image: Image{Image: catalogue.Image{URL: "https://x.org/a.img", Checksum: "6a81"}}, want: want{fault: `images.x.checksum: Invalid value: "6a81": must be algorithm:hexadecimal with md5, sha1, sha224, sha256, sha384 or sha512, such as sha256:6a81...`}},
		"Length":          {reason: "A checksum has its length.", image: Image{Image: catalogue.Image{URL: "https://x.org/a.img", Checksum: "sha512:6a81"}}, want: want{fault: `images.x.checksum: Invalid value: "sha512:6a81": must have the 128 hexadecimal digits of sha512 after the colon`}},
		"Digits":          {reason: "A checksum has its digits.", image: Image{Image: catalogue.Image{URL: "https://x.org/a.img", Checksum: "md5:zz000000000000000000000000000000"}}, want: want{fault: `images.x.checksum: Invalid value: "md5:zz000000000000000000000000000000": must have the 32 hexadecimal digits of md5 after the colon`}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.image.From = "images.x"
			got := want{}

			d, errs := tc.image.Download()
			got.download = d

			if len(errs) > 0 {
				got.fault = errs[0].Error()
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\nDownload(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDownloadNamesDiffer(t *testing.T) {
	seen := map[string]string{}

	for _, i := range []catalogue.Image{
		{URL: "https://x.org/1/noble.img"},
		{URL: "https://x.org/2/noble.img"},
		{URL: "https://x.org/1/noble.img", Checksum: "sha256:" + sum256},
		{URL: "https://x.org/1/noble.img", Checksum: "md5:00000000000000000000000000000000"},
	} {
		d, errs := Image{Image: i}.Download()
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}

		if other, double := seen[d.FileName]; double {
			t.Errorf("Another URL or checksum is another file: %s and %s are both %s", other, i.URL, d.FileName)
		}

		seen[d.FileName] = i.URL + " " + i.Checksum
	}
}

func TestParseVolume(t *testing.T) {
	type want struct {
		volume Volume
		err    bool
	}

	cases := map[string]struct {
		reason string
		id     string
		want   want
	}{
		"Installer":   {reason: "E15.", id: "local:iso/ubuntu-22.04.iso", want: want{volume: Volume{"local:iso/ubuntu-22.04.iso", "local", "iso", machine.SourceISO}}},
		"UpperCase":   {reason: "An extension has no case.", id: "local:iso/Win11.ISO", want: want{volume: Volume{"local:iso/Win11.ISO", "local", "iso", machine.SourceISO}}},
		"DiskFile":    {reason: "Before Proxmox VE 8.4, disk images were kept with the installers.", id: "local:iso/noble.img", want: want{volume: Volume{"local:iso/noble.img", "local", "iso", machine.SourceDiskFile}}},
		"Import":      {reason: "A16.", id: "local:import/noble.qcow2", want: want{volume: Volume{"local:import/noble.qcow2", "local", "import", machine.SourceImport}}},
		"ImportRaw":   {reason: "Raw images are imported, too.", id: "nfs-1:import/x.raw", want: want{volume: Volume{"nfs-1:import/x.raw", "nfs-1", "import", machine.SourceImport}}},
		"ImportVMDK":  {reason: "So are VMware's.", id: "local:import/x.vmdk", want: want{volume: Volume{"local:import/x.vmdk", "local", "import", machine.SourceImport}}},
		"Disk":        {reason: "The disk of another VM is imported.", id: "local:9000/base-9000-disk-0.qcow2", want: want{volume: Volume{"local:9000/base-9000-disk-0.qcow2", "local", "images", machine.SourceImport}}},
		"NoSlash":     {reason: "A volume has a type.", id: "local:noble.qcow2", want: want{err: true}},
		"NoStorage":   {reason: "A volume has a storage.", id: ":iso/x.iso", want: want{err: true}},
		"Snippet":     {reason: "Nobody boots a snippet.", id: "local:snippets/x.yaml", want: want{err: true}},
		"Template":    {reason: "Nobody boots a container.", id: "local:vztmpl/x.tar.zst", want: want{err: true}},
		"Backup":      {reason: "Nobody boots a backup.", id: "local:backup/x.vma", want: want{err: true}},
		"Comma":       {reason: "A comma would end Proxmox' property.", id: "local:iso/x,media=cdrom.iso", want: want{err: true}},
		"Blank":       {reason: "So would a blank somewhere else.", id: "local:iso/x y.iso", want: want{err: true}},
		"Parent":      {reason: "No way up.", id: "local:iso/../x.iso", want: want{err: true}},
		"Compressed":  {reason: "Proxmox imports nothing compressed.", id: "local:import/x.qcow2.xz", want: want{err: true}},
		"LineEnd":     {reason: "A volume is one line.", id: "local:iso/x.iso\n", want: want{err: true}},
		"Unreadable":  {reason: "Text of any kind is no volume.", id: "\xff:\xff/\xff", want: want{err: true}},
		"WebAddress":  {reason: "A URL is no volume.", id: "https://x.org/noble.qcow2", want: want{err: true}},
		"EmptyVolume": {reason: "Nothing is no volume.", id: "", want: want{err: true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v, err := ParseVolume(tc.id)
			if diff := cmp.Diff(tc.want, want{v, err != nil}, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\nParseVolume(%q): -want, +got:\n%s", tc.reason, tc.id, diff)
			}
		})
	}
}

// TestPackedFiles: what a file that is no image of a disk by its name is, and what to do with it.
func TestPackedFiles(t *testing.T) {
	const name = ", and name the one that comes out: write a disk image as storage:import/file.qcow2, an installer as storage:iso/file.iso"

	cases := map[string]struct{ reason, id, want string }{
		"HomeAssistant": {"As it is published.", "local:import/haos_ova-14.2.qcow2.xz", "Proxmox cannot import compressed images: unpack the file (unxz)" + name},
		"OPNsense":      {"So is this one, for a drive.", "local:iso/OPNsense-25.7-dvd-amd64.iso.bz2", "Proxmox cannot import compressed images: unpack the file (bunzip2)" + name},
		"RouterOS":      {"And this one.", "local:import/chr-7.20.img.zip", "Proxmox cannot import compressed images: unpack the file (unzip)" + name},
		"Appliance":     {"A disk and its description.", "local:import/x.ova", "Proxmox cannot import compressed images: unpack the file (tar -xf)" + name},
		"Image":         {"Distributions name either format so.", "local:import/chr-7.20.img", "a file of content type import must end with .qcow2, .raw or .vmdk: `qemu-img info` on the node says which of them it is; rename it"},
		"VirtualBox":    {"Nobody imports it.", "local:import/x.vdi", "a file of content type import must end with .qcow2, .raw or .vmdk"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseVolume(tc.id); err == nil || err.Error() != tc.want {
				t.Errorf("%s\nParseVolume(%q): want %q, got %v", tc.reason, tc.id, tc.want, err)
			}
		})
	}
}

// TestBuiltIn keeps the built-in catalogue to what it promises.
func TestBuiltIn(t *testing.T) {
	c := BuiltIn()

	for _, name := range []string{DefaultClass, "micro", "medium", "large"} {
		if _, err := c.Class(field.NewPath("spec", "class"), name); err != nil {
			t.Error(err)
		}
	}

	for _, name := range []string{DefaultImage, "debian-12"} {
		if _, err := c.Image(field.NewPath("spec", "image"), name); err != nil {
			t.Error(err)
		}
	}

	// A date, and nothing that moves.
	dated, moving := regexp.MustCompile(`20[0-9]{6}`), regexp.MustCompile(`current|latest|daily|/release/`)

	for name := range c.Images {
		i, err := c.Image(nil, name)
		if err != nil {
			t.Fatal(err.ToAggregate())
		}

		if !dated.MatchString(i.URL) || moving.MatchString(i.URL) || !strings.HasPrefix(i.URL, "https://") {
			t.Errorf("image %s: %s is not the HTTPS address of a dated release", name, i.URL)
		}

		d, errs := i.Download()
		if len(errs) > 0 {
			t.Error(errs.ToAggregate())
		}

		if d.Checksum == "" || i.Disk == "" || i.OS == "" {
			t.Errorf("image %s: want a checksum, a smallest disk and a family of guests", name)
		}
	}
}

func TestLookup(t *testing.T) {
	c := Catalog{
		Classes:  map[string]Class{"small": {}, "medium": {}, "large": {}, "micro": {}},
		Clusters: map[string]Cluster{"home": {}},
	}

	at := field.NewPath("spec", "class")
	if _, err := c.Class(at, "smal"); err == nil ||
		err.ToAggregate().Error() != `spec.class: Invalid value: "smal": there is no class of that name; did you mean small? There are: small, large, micro, medium` {
		t.Errorf("An unknown name lists what there is, nearest first: %v", err)
	}

	if _, err := c.Site(at, "home"); err == nil || err.ToAggregate().Error() != `spec.class: Invalid value: "home": there is no site of that name; there are none: add sites: {home: {nodes: {pve: {}}, network: {bridge: vmbr0}}} to the catalogue, or name a node with proxmox.node` {
		t.Errorf("An empty catalogue says so: %v", err)
	}

	v, err := c.Cluster(at, "home")
	if err != nil || v.Path().String() != "catalogue.clusters.home" {
		t.Errorf("An entry that was not decoded has a place all the same: %v, %s", err, v.Path())
	}
}
