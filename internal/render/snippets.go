package render

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Prefixes of composed resource names.
const (
	userDataPrefix = "user-data-"
	metaDataPrefix = "meta-data-"
	// Vendor-data that installs the guest agent, beside the user-data that Proxmox generates.
	vendorDataPrefix = "vendor-data-"
)

// Ends of the snippets' file names.
const (
	userDataSuffix   = ".user-data.yaml"
	metaDataSuffix   = ".meta-data.yaml"
	vendorDataSuffix = ".vendor-data.yaml"
)

// snippetName is the name of a snippet's file.
func snippetName(hostname, hash, suffix string) string { return hostname + "-" + hash + suffix }

// uses says whether a VM reads a snippet.
func uses(vm proxmox.ObservedVM, id string) bool {
	return slices.ContainsFunc(vm.Spec.ForProvider.Initialization, func(i proxmox.Initialization) bool {
		return id != "" && (id == i.UserDataFileID || id == i.VendorDataFileID || id == i.MetaDataFileID)
	})
}
