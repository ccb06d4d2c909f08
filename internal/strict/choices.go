package strict

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// choices are fields that take one of a few words, by the end of their path. Empty is one that takes any text, unlike others of its name. Quotes make none
// of a number or a truth value. Tests hold them against the XRDs and the schema of the catalogue.
var choices = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"allow":              "a permission, such as ha or pin",
	"approval":           "Never, OnRisk or Always",
	"cache":              "none, writethrough, writeback, directsync or unsafe",
	"datastores.images":  "",
	"days":               "a day, such as monday",
	"deletion":           "Required",
	"deletionPolicy":     "Delete or Orphan",
	"filesystem":         "ext4 or xfs",
	"firewall":           "Required",
	"firmware.type":      "BIOS or UEFI",
	"images":             "Strict or Open",
	"k3s.role":           "server or agent",
	"log":                "a level such as info, or nolog",
	"nix.reboot":         "Never, Kernel or Always",
	"observe":            "None, Here or Object",
	"os":                 "debian, ubuntu, nixos, linux, windows or other",
	"spec.os":            "the distribution of the template, such as debian or alpine, or unmanaged",
	"power":              "Running, Stopped or Unmanaged",
	"preset":             "k3s-server, k3s-agent, ssh or none",
	"protocol":           "tcp or udp",
	"providerConfigKind": "ClusterProviderConfig or ProviderConfig",
	"readyWhen":          "VM, Joined or Ready",
	"rebootPolicy":       "OnRequest or WhenNeeded",
	"replacePolicy":      "OnRequest or WhenNeeded",
	"report":             "Link or None",
	"storages.*":         "a content type of Proxmox VE: images, rootdir, import, snippets, iso, vztmpl or backup",
	"tenancy.default":    "Allow or Deny",
	"upgrade":            "None, SystemUpgrade, or Replace for a K3sCluster",
	"vga.type":           "std, virtio, virtio-gl, qxl, vmware, cirrus, serial0 or none",
	"zoneLabel":          "None or ProxmoxNode",
}

// index is that of an item of a list.
var index = regexp.MustCompile(`\[\d+\]`)

// choicesOf a field; empty for one that takes any text.
func choicesOf(at *field.Path) string {
	path := index.ReplaceAllString(at.String(), "")
	last := path[strings.LastIndex(path, ".")+1:]
	above := strings.TrimSuffix(path, "."+last)
	above = above[strings.LastIndex(above, ".")+1:]

	if words, ok := choices[above+"."+last]; ok {
		return words
	}

	return cmp.Or(choices[above+".*"], choices[last])
}

// oneOf says whether a word is one of a few, as in "Running, Stopped or Unmanaged". Of choices that are no such list, as "a day, such as monday", every
// word may be one.
func oneOf(words, word string) bool {
	list := strings.Split(strings.ReplaceAll(words, " or ", ", "), ", ")

	return slices.Contains(list, word) || slices.ContainsFunc(list, func(w string) bool { return w == "" || strings.Contains(w, " ") })
}
