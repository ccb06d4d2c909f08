package render

import (
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
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
func (w *work) files() (map[string]proxmox.File, proxmox.Initialization, error) {
	ids := proxmox.Initialization{
		UserDataFileID:   w.Bootstrap.UserDataID,
		VendorDataFileID: w.Bootstrap.VendorDataID,
		MetaDataFileID:   w.Bootstrap.MetaDataID,
	}
	out := w.retained()

	if w.adopted || w.Bootstrap.Mode != bootstrap.ModeRendered || w.Bootstrap.Lacks != "" || w.made && w.provided(out) {
		return out, ids, nil
	}

	snippets, err := w.snippets()
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

		if _, retained := out[name]; !retained && (!w.made || uses(w.vm, id)) {
			out[name] = f
		}
	}

	return out, ids, nil
}

// retained are the snippets that stay: those of every VM that stays, and those of a VM that could not be made yet, whose
// making may be under way. Before there is any VM, the claim's own are all that matters.
func (w *work) retained() map[string]proxmox.File {
	out := map[string]proxmox.File{}

	for name, f := range w.State.Files {
		id := f.Spec.ForProvider.VolumeID()
		mayDelete := w.goesWithItsVM(id)

		// As with its VM, the policies that it was last written with decide what becomes of it.
		if w.leaves(id) && proxmox.MayDelete(f.Spec.ManagementPolicies) == mayDelete || w.settled() && w.stray(id) {
			continue
		}

		out[name] = f.Retained(w.metadata(), mayDelete)
	}

	if len(w.State.VMs) == 0 || !w.made && !w.next && w.vm.ObserveOnly() {
		return map[string]proxmox.File{}
	}

	maps.Copy(out, w.moved(out))

	return out
}

// goesWithItsVM says whether a snippet is deleted with what reads it. A VM that stays in Proxmox needs its own at every cold
// start, also when another one has taken its place.
func (w *work) goesWithItsVM(id string) bool {
	if w.Machine.DeletionPolicy == v1alpha1.DeletionDelete {
		return true
	}

	goes := w.next

	for name, o := range w.State.VMs {
		if !uses(o, id) {
			continue
		}

		if name != w.Incarnation.Next && !(slices.Contains(w.Incarnation.Former, name) && w.destroys(o)) {
			return false
		}

		goes = true
	}

	return goes
}

// leaves says whether a snippet goes with a VM that goes now.
func (w *work) leaves(id string) bool {
	goes := false

	for name, o := range w.State.VMs {
		if !uses(o, id) {
			continue
		}

		if _, stays := w.vms[name]; stays || !slices.Contains(w.Incarnation.Former, name) {
			return false
		}

		goes = true
	}

	return goes
}

// settled says whether the machine is one VM that was made from one of the snippets, and nothing is on its way.
func (w *work) settled() bool {
	if !w.made || w.next {
		return false
	}

	for _, f := range w.State.Files {
		if uses(w.vm, f.Spec.ForProvider.VolumeID()) {
			return true
		}
	}

	return false
}

// stray says whether nobody reads a snippet: it was written for a VM that was never made, since its claim, or the word that
// asked for it, was taken back.
func (w *work) stray(id string) bool {
	for _, o := range w.State.VMs {
		if uses(o, id) {
			return false
		}
	}

	return true
}

// snippets are the snippets that the claim describes now.
func (w *work) snippets() (map[string]proxmox.File, error) {
	out := map[string]proxmox.File{}

	userData, err := w.Bootstrap.UserData()
	if err != nil {
		return nil, errors.Wrap(err, "cannot make user-data")
	}

	w.addSnippet(out, userDataPrefix, ".user-data.yaml", userData)

	if w.made && !w.provided(out) {
		if out, err = w.asMade(out); err != nil {
			return nil, err
		}
	}

	if w.Bootstrap.MetaDataID == "" {
		metaData, err := w.Bootstrap.MetaData()
		if err != nil {
			return nil, errors.Wrap(err, "cannot make meta-data")
		}

		w.addSnippet(out, metaDataPrefix, ".meta-data.yaml", metaData)
	}

	return out, nil
}

// asMade takes the user-data that the VM was made with in place of the claim's, if an earlier release has written down the
// same with other scripts. To be called where the claim's is not it.
func (w *work) asMade(current map[string]proxmox.File) (map[string]proxmox.File, error) {
	former, err := w.Bootstrap.Formerly()
	if err != nil {
		return nil, errors.Wrap(err, "cannot make user-data as an earlier release did")
	}

	for _, userData := range former {
		out := map[string]proxmox.File{}
		w.addSnippet(out, userDataPrefix, ".user-data.yaml", userData)

		if w.provided(out) {
			return out, nil
		}
	}

	return current, nil
}

// addSnippet adds a snippet whose name follows from its content and its machine, so that two machines never share one.
func (w *work) addSnippet(to map[string]proxmox.File, prefix, suffix string, data []byte) {
	m := w.Machine
	parts := []string{string(data)}

	// A VM that takes the place of another has snippets of its own, also where they say the same: the others go with theirs.
	if salt := w.Incarnation.Salt(); salt != "" {
		parts = append(parts, salt)
	}

	hash := m.Identity.Hash(parts...)

	f := proxmox.FileParameters{
		NodeName:    m.Placement.Node,
		DatastoreID: m.Placement.SnippetDatastore,
		ContentType: "snippets",
		FileMode:    "0600",
		Overwrite:   true,
		SourceRaw:   []proxmox.SourceRaw{{FileName: m.Hostname + "-" + hash + suffix, Data: string(data)}},
	}
	to[w.fileName(prefix, hash, f)] = proxmox.NewFile(w.Flavour, w.providerConfig(), w.metadata(), w.mayDelete(), f)
}

// fileName is the composed resource name of a snippet. A file is never changed in place, so one that is to be somewhere else
// is another resource, and one that is there already stays the same.
func (w *work) fileName(prefix, hash string, f proxmox.FileParameters) string {
	ref := w.Flavour.Ref(w.providerConfig())

	for _, name := range slices.Sorted(maps.Keys(w.State.Files)) {
		o := w.State.Files[name].Spec
		if o.ForProvider.NodeName == f.NodeName && o.ForProvider.VolumeID() == f.VolumeID() && o.ProviderConfigRef == ref {
			return name
		}
	}

	if _, elsewhere := w.State.Files[prefix+hash]; elsewhere {
		return prefix + w.Machine.Identity.Hash(hash, f.NodeName, f.VolumeID(), ref.Name, ref.Kind)
	}

	return prefix + hash
}

// uses says whether a VM reads a snippet.
func uses(vm proxmox.ObservedVM, id string) bool {
	return slices.ContainsFunc(vm.Spec.ForProvider.Initialization, func(i proxmox.Initialization) bool {
		return id != "" && (id == i.UserDataFileID || id == i.MetaDataFileID)
	})
}

// provided says whether the user-data that the VM reads is among the files. The meta-data is made and kept with it.
func (w *work) provided(files map[string]proxmox.File) bool {
	init := w.vm.Spec.ForProvider.Initialization
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
