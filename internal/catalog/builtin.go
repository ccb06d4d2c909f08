package catalog

import (
	"sync"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
)

// builtInAt is the origin of built-in entries.
const builtInAt = "built-in catalogue"

// DefaultClass and DefaultImage apply if neither claim nor catalogue names one.
const (
	DefaultClass     = "small"
	DefaultImage     = "ubuntu-24.04"
	DefaultAdminUser = "ops"
)

// BuiltIn returns the built-in catalogue: four classes, and the cloud images of distributions with which K3s is tested.
//
// Every URL is of a dated release, whose content and address do not change. Every checksum is the distribution's own
// (SHA256SUMS, SHA512SUMS). Disk is the image's virtual size, rounded up. Everybody gets the same maps: nobody writes to them.
func BuiltIn() Catalog { return builtIn() }

// OverridesClass says whether a class is somebody's own, under the name of a built-in one.
func OverridesClass(name string, c Class) bool {
	_, there := builtIn().Classes[name]

	return there && c.From != "" && !c.BuiltIn()
}

// OverridesImage says whether an image is somebody's own, under the name of a built-in one.
func OverridesImage(name string, i Image) bool {
	_, there := builtIn().Images[name]

	return there && i.From != "" && !i.BuiltIn()
}

// builtIn takes a while to write down.
var builtIn = sync.OnceValue(func() Catalog { //nolint:gochecknoglobals // A constant.
	return placed(v1alpha1.Catalogue{
		Classes: map[string]v1alpha1.Class{
			"micro":  {Cores: 1, Memory: "1Gi", Disk: "10Gi"},
			"small":  {Cores: 2, Memory: "4Gi", Disk: "30Gi"},
			"medium": {Cores: 4, Memory: "8Gi", Disk: "60Gi"},
			"large":  {Cores: 8, Memory: "16Gi", Disk: "120Gi"},
		},
		Images: map[string]v1alpha1.Image{
			"ubuntu-24.04": {
				URL:      "https://cloud-images.ubuntu.com/releases/noble/release-20260926/ubuntu-24.04-server-cloudimg-amd64.img",
				FileName: "ubuntu-24.04-20260926.qcow2",
				Checksum: "sha256:6a81c37564db9b1ee84e141922625e1d7c5b389b99bb3c572e0243607d5bb4d2",
				OS:       "ubuntu", Disk: "4Gi",
			},
			"ubuntu-26.04": {
				URL:      "https://cloud-images.ubuntu.com/releases/resolute/release-20260927/ubuntu-26.04-server-cloudimg-amd64.img",
				FileName: "ubuntu-26.04-20260927.qcow2",
				Checksum: "sha256:8800651811af9a85465ad1d552add729947bb16488dddb4a9b5305a3d97332b2",
				OS:       "ubuntu", Disk: "4Gi",
			},
			"debian-12": {
				URL:      "https://cloud.debian.org/images/cloud/bookworm/20260909-2596/debian-12-genericcloud-amd64-20260909-2596.qcow2",
				FileName: "debian-12-20260909.qcow2",
				Checksum: "sha512:08fea112563461f251f3c95a5c5cf8cb25eb60f74cec03e85a97ff91d3efef30" +
					"59d35837598bbb476008f20db6d3bdc7143c5f2f2a9a6da394a0acc601fd5986",
				OS: "debian", Disk: "3Gi",
			},
			"debian-13": {
				URL:      "https://cloud.debian.org/images/cloud/trixie/20260831-2587/debian-13-genericcloud-amd64-20260831-2587.qcow2",
				FileName: "debian-13-20260831.qcow2",
				Checksum: "sha512:8ea9faae810043a0b35b0149f05014f26705c2339ffb11ead308f33e844a87cc" +
					"3ef46ec81d5262b38817b6a88af404874d48a5857ebe072ef6a31dfb6e371f50",
				OS: "debian", Disk: "3Gi",
			},
		},
	}, builtInAt)
})
