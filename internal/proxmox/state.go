package proxmox

import (
	"iter"
	"maps"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
)

// A State is one composite's observed managed resources, by composed resource name.
type State struct {
	VMs           map[string]ObservedVM
	Containers    map[string]ObservedContainer // Nil where there are none.
	Files         map[string]ObservedFile
	DownloadFiles map[string]ObservedDownloadFile
	HAResources   map[string]ObservedHAResource
	Firewalls     ObservedFirewalls
	// SiteParts are bridges, VLAN interfaces and pools; nil where there are none.
	SiteParts map[string]ObservedSitePart
}

// ObservedFirewalls are the managed resources of VMs' own firewalls, by composed resource name; maps without any are nil.
type ObservedFirewalls struct {
	Options map[string]ObservedFirewallOptions
	Rules   map[string]ObservedFirewallRules
}

// Firewalls are the managed resources of VMs' own firewalls that should exist, by composed resource name; maps without any are nil.
type Firewalls struct {
	Options map[string]FirewallOptions
	Rules   map[string]FirewallRules
}

// ReadState sorts observed composed resources by kind. Other kinds are passed over.
func ReadState(observed map[string]*structpb.Struct) (State, error) {
	s := State{
		VMs:           map[string]ObservedVM{},
		Files:         map[string]ObservedFile{},
		DownloadFiles: map[string]ObservedDownloadFile{},
		HAResources:   map[string]ObservedHAResource{},
	}

	for name, object := range observed {
		var err error

		switch KindOf(object) {
		case VMKind:
			s.VMs[name], err = ObserveVM(object)
		case ContainerKind:
			err = put(&s.Containers, name, object, ObserveContainer)
		case BridgeKind, VLANKind, PoolKind:
			err = put(&s.SiteParts, name, object, ObserveSitePart)
		case FileKind:
			s.Files[name], err = ObserveFile(object)
		case DownloadFileKind:
			s.DownloadFiles[name], err = ObserveDownloadFile(object)
		case HAResourceKind:
			s.HAResources[name], err = ObserveHAResource(object)
		case FirewallOptionsKind:
			err = put(&s.Firewalls.Options, name, object, ObserveFirewallOptions)
		case FirewallRulesKind:
			err = put(&s.Firewalls.Rules, name, object, ObserveFirewallRules)
		}

		if err != nil {
			return State{}, errors.Wrapf(err, "cannot read observed composed resource %q", name)
		}
	}

	return s, nil
}

// put what is read of an object into a map, which is made for the first one.
func put[T any](to *map[string]T, name string, object *structpb.Struct, read func(*structpb.Struct) (T, error)) error {
	o, err := read(object)

	if *to == nil {
		*to = map[string]T{}
	}

	(*to)[name] = o

	return err
}

// Desired are the managed resources that should exist, by composed resource name.
type Desired struct {
	VMs           map[string]VM
	Files         map[string]File
	DownloadFiles map[string]DownloadFile
	HAResources   map[string]HAResource
	Firewalls     Firewalls
}

// Has says whether a managed resource of any kind is desired.
func (d Desired) Has(name string) bool {
	_, vm := d.VMs[name]
	_, file := d.Files[name]
	_, image := d.DownloadFiles[name]
	_, ha := d.HAResources[name]

	_, options := d.Firewalls.Options[name]
	_, rules := d.Firewalls.Rules[name]

	return vm || file || image || ha || options || rules
}

// UserDataOf a VM, as its snippet was written; empty for a VM with another user-data than one of the composite's snippets.
func (s State) UserDataOf(vm ObservedVM) string { return UserDataAmong(maps.Values(s.Files), vm) }

// UserDataAmong snippets of a VM, as it was written; empty where none of them is its user-data.
func UserDataAmong(files iter.Seq[ObservedFile], vm ObservedVM) string {
	for _, init := range vm.Spec.ForProvider.Initialization {
		for f := range files {
			if id := init.UserDataFileID; id != "" && f.Spec.ForProvider.VolumeID() == id {
				return TextOf(f)
			}
		}
	}

	return ""
}

// TextOf a snippet.
func TextOf(f ObservedFile) string { return Unescape(string(f.Spec.ForProvider.SourceRaw[0].Data)) }
