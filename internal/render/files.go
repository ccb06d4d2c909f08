package render

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// files are the machine's snippets by composed resource name, and the volume ids of those that its VM is to use.
//
// Proxmox reads snippets again at every cold start, so those of a VM that was made stay as they are, whatever its claim
// says now. Making new ones is skipped then: most calls are for such a VM. One that the VM uses and that is missing is
// written again, if the claim still describes the same.
func (d describer) files() (map[string]proxmox.File, proxmox.Initialization, error) {
	ids := proxmox.Initialization{
		UserDataFileID:   d.r.Bootstrap.UserDataID,
		VendorDataFileID: d.r.Bootstrap.VendorDataID,
		MetaDataFileID:   d.r.Bootstrap.MetaDataID,
	}
	out := d.retained()

	if d.r.Adopted || !d.renders() || d.r.Bootstrap.Lack != nil || d.r.Bootstrap.Undetermined || d.r.PoolAddress.Lacks() ||
		d.living && d.provided(out) && d.hasMetaData(out) {
		return out, ids, nil
	}

	snippets, err := d.snippets()
	if err != nil {
		return nil, ids, err
	}

	for name, f := range snippets {
		// The composed resource may have a name that somebody else gave it; the file's is ours.
		id := f.Spec.ForProvider.VolumeID()

		switch {
		case strings.HasSuffix(id, userDataSuffix):
			ids.UserDataFileID = id
		case strings.HasSuffix(id, vendorDataSuffix):
			ids.VendorDataFileID = id
		default:
			ids.MetaDataFileID = id
		}

		if _, retained := out[name]; !retained && (!d.living || uses(*d.vm, id)) {
			out[name] = f
		}
	}

	return out, ids, nil
}

// retained are the snippets that stay: those of every VM that stays, and those of a VM that could not be made yet, whose
// making may be under way. Before there is any VM, the claim's own are all that matters.
func (d describer) retained() map[string]proxmox.File {
	out, letGo := map[string]proxmox.File{}, map[string]proxmox.File{}

	var departed map[string]proxmox.File // Which the VM can still read; mostly none.

	node, _, _ := d.snippetPlace()

	for name, f := range d.r.Observed.Files {
		lost := d.r.LostNode(f.Spec.ForProvider.NodeName)
		mayDelete := d.goesWithItsVM(f.Spec.ForProvider.VolumeID()) && !lost

		if passedOver(d, f, node) || d.departs(f, lost, mayDelete) {
			// With its node: the VM needs its text where it is.
			if !d.leaves(f.Spec.ForProvider.VolumeID()) {
				if departed == nil {
					departed = map[string]proxmox.File{}
				}

				departed[name] = f.Retained(d.r.metadata(), proxmox.Deletion(mayDelete))
			}

			if diagnose.OnSilentNode(f) && proxmox.MayDelete(f.Spec.ManagementPolicies) {
				letGo[name] = f.Retained(d.r.metadata(), proxmox.DeletionOrphans)
			}

			continue
		}

		out[name] = f.Retained(d.r.metadata(), proxmox.Deletion(mayDelete))
	}

	if !made(d) {
		return ofBefore(d, letGo)
	}

	read := out
	if len(departed) > 0 {
		read = maps.Clone(out)
		maps.Copy(read, departed)
	}

	maps.Copy(out, d.moved(read))
	maps.Copy(out, letGo)

	return out
}

// made says whether a VM was made, or is being made, for the claim.
func made(d describer) bool {
	return len(d.r.Observed.VMs) > 0 && (d.living || d.r.Replacing() || d.r.State != lifecycle.StateChecking)
}

// ofBefore adds the snippets that the VM of before may read at its next start, where its managed resource is gone and the provider looks for the VM: nothing
// deletes them. Which those are is remembered by their policies. Without the right to delete them, that of a claim which deletes nothing, they stay in
// Proxmox anyway.
func ofBefore(d describer, out map[string]proxmox.File) map[string]proxmox.File {
	if d.r.Machine.DeletionPolicy != v1alpha1.DeletionDelete {
		return out
	}

	for name, f := range d.r.Observed.Files {
		if out[name].Kind == "" && (d.r.VMID.Before != 0 || !proxmox.MayDelete(f.Spec.ManagementPolicies)) {
			out[name] = f.Retained(d.r.metadata(), proxmox.DeletionOrphans)
		}
	}

	return out
}

// departs says whether a snippet goes with this call. As with its VM, the policies that it was last written with decide what becomes of it: one that the
// provider would delete on a node that does not come back could not go. One on the node to which the VM moves stays, whatever is said of that node.
func (d describer) departs(f proxmox.ObservedFile, lost, mayDelete bool) bool {
	id, may := f.Spec.ForProvider.VolumeID(), proxmox.MayDelete(f.Spec.ManagementPolicies)
	bound := lost && may

	switch {
	case d.leaves(id) && may == mayDelete:
		return true
	case d.settled() && d.stray(id) && !bound:
		return true
	default:
		return lost && !bound && !d.r.Lost(d.r.Roles.Described()) && (!d.living || !slices.Contains(d.nodes(), f.Spec.ForProvider.NodeName))
	}
}

// passedOver says whether a snippet was written for a VM that could not be made on its Proxmox node, which does not answer, and is made on another one. The
// provider loses its right to delete it, since it would try that for as long as the node is away, and then it goes. That of a VM that goes later, goes with it.
func passedOver(d describer, f proxmox.ObservedFile, node string) bool {
	return !d.r.Replacing() && diagnose.OnSilentNode(f) && f.Spec.ForProvider.NodeName != node &&
		!goesLater(d, func(vm proxmox.ObservedVM) bool { return uses(vm, f.Spec.ForProvider.VolumeID()) })
}

// goesLater says whether there is a VM that another one has replaced, that reads something, and that does not go with this call.
func goesLater(d describer, reads func(vm proxmox.ObservedVM) bool) bool {
	for name, step := range d.r.Retirement {
		if !d.r.Released(name) && step.Action != "" && reads(d.r.Observed.VMs[name]) {
			return true
		}
	}

	return false
}

// goesWithItsVM says whether a snippet is deleted with what reads it. A VM that stays in Proxmox needs its own at every cold
// start, also when another one has taken its place.
func (d describer) goesWithItsVM(id string) bool {
	if d.r.Machine.DeletionPolicy == v1alpha1.DeletionDelete {
		return true
	}

	goes := d.r.Provisional()

	for name, o := range d.r.Observed.VMs {
		if !uses(o, id) {
			continue
		}

		if !(name == d.r.Roles.Candidate && d.r.Provisional()) && !(slices.Contains(d.r.Roles.Retired, name) && d.r.Destroys(name)) {
			return false
		}

		goes = true
	}

	return goes
}

// leaves says whether a snippet goes with a VM that goes now.
func (d describer) leaves(id string) bool {
	goes := false

	for name, o := range d.r.Observed.VMs {
		if !uses(o, id) {
			continue
		}

		if !d.r.Released(name) {
			return false
		}

		goes = true
	}

	return goes
}

// settled says whether the machine is one VM that was made from one of the snippets, and nothing is on its way.
func (d describer) settled() bool {
	if !d.living || d.r.Replacing() {
		return false
	}

	for _, f := range d.r.Observed.Files {
		if uses(*d.vm, f.Spec.ForProvider.VolumeID()) {
			return true
		}
	}

	return false
}

// stray says whether nobody reads a snippet: it was written for a VM that was never made, since its claim, or the word that
// asked for it, was taken back.
func (d describer) stray(id string) bool {
	for _, o := range d.r.Observed.VMs {
		if uses(o, id) {
			return false
		}
	}

	return true
}

// snippets are the snippets that the claim describes now.
func (d describer) snippets() (map[string]proxmox.File, error) {
	out := map[string]proxmox.File{}

	if d.r.Bootstrap.InstallsAgent() {
		vendorData, err := d.r.Bootstrap.VendorData()
		if err != nil {
			return nil, errors.Wrap(err, "cannot make vendor-data")
		}

		d.addSnippet(out, vendorDataPrefix, vendorDataSuffix, vendorData)

		return out, nil
	}

	userData, err := d.r.Bootstrap.UserData()
	if err != nil {
		return nil, errors.Wrap(err, "cannot make user-data")
	}

	d.addSnippet(out, userDataPrefix, userDataSuffix, userData)

	if d.living && !d.provided(out) {
		if out, err = d.originalUserData(out); err != nil {
			return nil, err
		}
	}

	if d.r.Bootstrap.MetaDataID == "" {
		metaData, err := d.r.Bootstrap.MetaData()
		if err != nil {
			return nil, errors.Wrap(err, "cannot make meta-data")
		}

		d.addSnippet(out, metaDataPrefix, metaDataSuffix, metaData)
	}

	return out, nil
}

// originalUserData takes the user-data that the VM was made with in place of the claim's, if an earlier release has written down the
// same with other scripts. To be called where the claim's is not it.
func (d describer) originalUserData(current map[string]proxmox.File) (map[string]proxmox.File, error) {
	former, err := d.r.Bootstrap.Formerly()
	if err != nil {
		return nil, errors.Wrap(err, "cannot make user-data as an earlier release did")
	}

	for _, userData := range former {
		out := map[string]proxmox.File{}
		d.addSnippet(out, userDataPrefix, userDataSuffix, userData)

		if d.provided(out) {
			return out, nil
		}
	}

	return current, nil
}

// addSnippet adds a snippet whose name follows from its content and its machine, so that two machines never share one.
func (d describer) addSnippet(to map[string]proxmox.File, prefix, suffix string, data []byte) {
	m := d.r.Machine
	parts := []string{string(data)}

	// A VM that takes the place of another has snippets of its own, also where they say the same: the others go with theirs.
	if salt := d.r.Roles.SnippetSalt(); salt != "" {
		parts = append(parts, salt)
	}

	node, datastore, ref := d.snippetPlace()
	hash := d.snippetHash(datastore, suffix, parts)
	p := proxmox.FileParameters{
		NodeName:    node,
		DatastoreID: datastore,
		ContentType: "snippets",
		FileMode:    "0600",
		Overwrite:   true,
		SourceRaw:   []proxmox.SourceRaw{{FileName: snippetName(m.Hostname, hash, suffix), Data: proxmox.NewLiteral(string(data))}},
	}

	metadata := d.r.metadata()
	if !d.downloads() {
		metadata = d.r.awaiting(metadata)
	}

	f := proxmox.NewFile(d.r.Flavour, d.r.providerConfig(), metadata, d.r.MayDelete(), p)
	f.Spec.ProviderConfigRef = ref
	to[d.fileName(prefix, m.Identity.Hash(parts...), f.Spec)] = f // A composed resource name is the machine's own.
}

// snippetPlace is where a snippet is written: where a new VM is to be, but for a living VM where it is and reads its snippets,
// whatever the claim says now. On another node they would be of no use to it.
func (d describer) snippetPlace() (node, datastore string, ref proxmox.ProviderConfigRef) {
	if !d.living {
		p := d.r.Machine.Placement
		return p.Node, p.SnippetDatastore, d.r.providerConfigRef()
	}

	datastore = d.r.Machine.Placement.SnippetDatastore

	for _, i := range d.vm.Spec.ForProvider.Initialization {
		if reads, _, ok := strings.Cut(cmp.Or(i.UserDataFileID, i.VendorDataFileID), ":"); ok {
			datastore = reads
		}
	}

	return change.AsMade(*d.vm).NodeName, datastore, d.vm.Spec.ProviderConfigRef
}

// fileName is the composed resource name of a snippet. A file is never changed in place, so one that is to be somewhere else
// is another resource, and one that is there already stays the same.
func (d describer) fileName(prefix, hash string, s proxmox.Spec[proxmox.FileParameters]) string {
	f, ref := s.ForProvider, s.ProviderConfigRef

	for _, name := range slices.Sorted(maps.Keys(d.r.Observed.Files)) {
		o := d.r.Observed.Files[name].Spec
		if o.ForProvider.NodeName == f.NodeName && o.ForProvider.VolumeID() == f.VolumeID() && o.ProviderConfigRef == ref {
			return name
		}
	}

	if _, elsewhere := d.r.Observed.Files[prefix+hash]; elsewhere {
		return prefix + d.r.Machine.Identity.Hash(hash, f.NodeName, f.VolumeID(), ref.Name, ref.Kind)
	}

	return prefix + hash
}

// provided says whether the user-data that the VM reads, or else its vendor-data, is among the files.
func (d describer) provided(files map[string]proxmox.File) bool {
	return d.has(files, func(i proxmox.Initialization) string { return cmp.Or(i.UserDataFileID, i.VendorDataFileID) })
}

// hasMetaData says whether the meta-data that the VM reads is among the files, or is none of ours. Somebody may have deleted its managed resource alone, and
// without it the VM does not start again.
func (d describer) hasMetaData(files map[string]proxmox.File) bool {
	return d.r.Bootstrap.MetaDataID != "" || d.has(files, func(i proxmox.Initialization) string { return i.MetaDataFileID })
}

// has says whether a snippet that the VM reads is among the files. One that it does not read lacks nowhere.
func (d describer) has(files map[string]proxmox.File, reads func(proxmox.Initialization) string) bool {
	init := d.vm.Spec.ForProvider.Initialization
	if len(init) == 0 || reads(init[0]) == "" {
		return true
	}

	for _, f := range files {
		if f.Spec.ForProvider.VolumeID() == reads(init[0]) {
			return true
		}
	}

	return false
}
