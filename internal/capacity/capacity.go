// Package capacity says how much memory each Proxmox node has for machines, and how much of it they have taken, by the rules by which the
// function chooses a node for a new VM.
package capacity

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
)

// A Host is a Proxmox node with its memory.
type Host struct {
	Site string `json:"site"`
	Node string `json:"node"`

	// MemoryMiB and ReserveMiB are the catalogue's; nil where it does not tell them.
	MemoryMiB  *int64 `json:"memoryMiB,omitempty"`
	ReserveMiB *int64 `json:"reserveMiB,omitempty"`
	// UsedMiB is the memory of the VMs and containers that managed resources describe, running or not, and of those that are to be created.
	UsedMiB int64 `json:"usedMiB"`
	// LeftMiB is the memory for further VMs; negative where VMs and containers have more than there is. Nil where the catalogue does not tell it.
	LeftMiB *int64 `json:"leftMiB,omitempty"`
	// Listed says whether the catalogue has the node.
	Listed bool `json:"listed"`
}

// Hosts of all sites of a catalogue, by site and node, with what managed resources among objects have taken of them.
func Hosts(cat catalog.Catalog, objects []unstructured.Unstructured) ([]Host, error) {
	var out []Host

	for _, name := range slices.Sorted(maps.Keys(cat.Sites)) {
		site := cat.Sites[name]
		used := map[string]int64{}

		for _, f := range proxmox.Flavours() {
			all, err := Neighbours(f, objects)
			if err != nil {
				return nil, err
			}

			for node, mib := range usedAt(cat, site, f, all) {
				used[node] += mib
			}
		}

		nodes := slices.Collect(maps.Keys(site.Nodes))
		for node := range used {
			nodes = append(nodes, node)
		}

		slices.Sort(nodes)

		for _, node := range slices.Compact(nodes) {
			entry, listed := site.Nodes[node]
			out = append(out, host(name, node, entry, listed, used[node]))
		}
	}

	return out, nil
}

// nobody is the composite of a machine that there is not, to which no managed resource belongs.
const nobody = "-"

// usedAt a site, by node. A ProviderConfig of a namespace is another one in each namespace; they are one site here.
func usedAt(cat catalog.Catalog, site catalog.Site, f proxmox.Flavour, all lifecycle.Neighbours) map[string]int64 {
	name, kind := site.Provider()
	owner := lifecycle.Owner{
		Composite: nobody, ProviderConfigRef: f.Ref(proxmox.ProviderConfig{Name: name, Kind: kind}), Proxmoxes: lifecycle.ProxmoxesOf(cat, f),
	}
	out := map[string]int64{}

	namespaces := namespacesOf(owner.ProviderConfigRef, all)
	if site.Proxmox != "" {
		namespaces = []string{""} // They are one by the catalogue's word.
	}

	for _, namespace := range namespaces {
		owner.Namespace = namespace
		for node, mib := range owner.Load(all, lifecycle.Newcomer{}).UsedMiB {
			out[node] += mib
		}
	}

	return out
}

// namespacesOf the resources that a provider configuration is to be looked up in: one for all where it has no namespace.
func namespacesOf(ref proxmox.ProviderConfigRef, all lifecycle.Neighbours) []string {
	if ref.Kind != "ProviderConfig" {
		return []string{""}
	}

	var out []string

	for _, vm := range all.VMs {
		out = append(out, vm.Metadata.Namespace)
	}

	for _, c := range all.Containers {
		out = append(out, c.Metadata.Namespace)
	}

	for _, f := range all.Files {
		out = append(out, f.Metadata.Namespace)
	}

	for _, i := range all.Images {
		out = append(out, i.Metadata.Namespace)
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// host is a node with its figures.
func host(site, node string, entry catalogue.Node, listed bool, used int64) Host {
	h := Host{Site: site, Node: node, UsedMiB: used, Listed: listed}

	capacity, known := catalog.CapacityMiB(entry)
	if !known {
		return h
	}

	memory, err := quantity.MemoryMiB(entry.Memory)
	if err != nil {
		return h
	}

	h.MemoryMiB, h.ReserveMiB, h.LeftMiB = &memory, new(memory-capacity), new(capacity-used)

	return h
}

// Neighbours are the managed resources of a flavour among objects.
func Neighbours(f proxmox.Flavour, objects []unstructured.Unstructured) (out lifecycle.Neighbours, err error) {
	for _, o := range objects {
		apiVersion, kind := o.GetAPIVersion(), o.GetKind()

		if group, _, _ := strings.Cut(apiVersion, "/"); !strings.HasPrefix(group, "virtualenvironment") {
			continue
		}

		s, err := structpb.NewStruct(o.Object)
		if err != nil {
			return out, errors.Wrapf(err, "cannot read %s %s", kind, o.GetName())
		}

		switch {
		case kind == proxmox.VMKind && apiVersion == f.VMAPIVersion():
			out.VMs, err = add(out.VMs, s, proxmox.ObserveVM)
		case kind == proxmox.ContainerKind && apiVersion == f.ContainerAPIVersion():
			out.Containers, err = add(out.Containers, s, proxmox.ObserveContainer)
		case kind == proxmox.FileKind && apiVersion == f.FileAPIVersion():
			out.Files, err = add(out.Files, s, proxmox.ObserveFile)
		case kind == proxmox.DownloadFileKind && apiVersion == f.DownloadFileAPIVersion():
			out.Images, err = add(out.Images, s, proxmox.ObserveDownloadFile)
		}

		if err != nil {
			return out, errors.Wrapf(err, "cannot read %s %s", kind, o.GetName())
		}
	}

	return out, nil
}

func add[T any](to []T, s *structpb.Struct, observe func(*structpb.Struct) (T, error)) ([]T, error) {
	one, err := observe(s)
	if err != nil {
		return to, err
	}

	return append(to, one), nil
}
