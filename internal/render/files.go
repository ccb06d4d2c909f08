package render

import (
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Prefixes of composed resource names.
const (
	userDataPrefix = "user-data-"
	metaDataPrefix = "meta-data-"
)

// files are the machine's snippets by composed resource name, and the volume ids of those that its VM is to use.
//
// Proxmox reads snippets again at every cold start, so those of a VM that was made stay as they are, whatever its claim
// says now. Making new ones is skipped then: most calls are for such a VM. One that the VM uses and that is missing is
// written again, if the claim still describes the same.
func (r Request) files() (map[string]proxmox.File, proxmox.Initialization, error) {
	ids := proxmox.Initialization{
		UserDataFileID:   r.Bootstrap.UserDataID,
		VendorDataFileID: r.Bootstrap.VendorDataID,
		MetaDataFileID:   r.Bootstrap.MetaDataID,
	}
	out := map[string]proxmox.File{}

	if vm, ok := r.State.VMs[VMName]; ok {
		// Also the snippets of a VM that could not be made yet: its making may be under way.
		for name, f := range r.State.Files {
			out[name] = f.Retained(r.metadata(), r.mayDelete())
		}

		if r.made() && provides(out, vm.Spec.ForProvider.Initialization) {
			return out, ids, nil
		}
	}

	if r.Bootstrap.Mode != bootstrap.ModeRendered || r.Bootstrap.Lacks != "" {
		return out, ids, nil
	}

	snippets, err := r.snippets()
	if err != nil {
		return nil, ids, err
	}

	for name, f := range snippets {
		id := f.Spec.ForProvider.VolumeID()
		if strings.HasPrefix(name, userDataPrefix) {
			ids.UserDataFileID = id
		} else {
			ids.MetaDataFileID = id
		}

		if _, retained := out[name]; !retained && (!r.made() || r.used(id)) {
			out[name] = f
		}
	}

	return out, ids, nil
}

// snippets are the snippets that the claim describes now.
func (r Request) snippets() (map[string]proxmox.File, error) {
	out := map[string]proxmox.File{}

	userData, err := r.Bootstrap.UserData()
	if err != nil {
		return nil, errors.Wrap(err, "cannot make user-data")
	}

	r.addSnippet(out, userDataPrefix, ".user-data.yaml", userData)

	if r.Bootstrap.MetaDataID == "" {
		metaData, err := r.Bootstrap.MetaData()
		if err != nil {
			return nil, errors.Wrap(err, "cannot make meta-data")
		}

		r.addSnippet(out, metaDataPrefix, ".meta-data.yaml", metaData)
	}

	return out, nil
}

// addSnippet adds a snippet whose name follows from its content and its machine, so that two machines never share one.
func (r Request) addSnippet(to map[string]proxmox.File, prefix, suffix string, data []byte) {
	m := r.Machine
	hash := m.Identity.Hash(string(data))

	to[prefix+hash] = proxmox.NewFile(r.Flavour, r.providerConfig(), r.metadata(), r.mayDelete(), proxmox.FileParameters{
		NodeName:    m.Placement.Node,
		DatastoreID: m.Placement.SnippetDatastore,
		ContentType: "snippets",
		FileMode:    "0600",
		Overwrite:   true,
		SourceRaw:   []proxmox.SourceRaw{{FileName: m.Hostname + "-" + hash + suffix, Data: string(data)}},
	})
}

// used says whether the VM that was made reads a snippet.
func (r Request) used(id string) bool {
	vm := r.State.VMs[VMName]
	for _, i := range vm.Spec.ForProvider.Initialization {
		if id == i.UserDataFileID || id == i.MetaDataFileID {
			return true
		}
	}

	return false
}

// provides says whether the user-data that a VM reads is among the files. The meta-data is made and kept with it.
func provides(files map[string]proxmox.File, init []proxmox.Initialization) bool {
	if len(init) == 0 || init[0].UserDataFileID == "" {
		return true
	}

	for _, f := range files {
		if f.Spec.ForProvider.VolumeID() == init[0].UserDataFileID {
			return true
		}
	}

	return false
}
