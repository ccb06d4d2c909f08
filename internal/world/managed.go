package world

import (
	"cmp"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Kinds of provider-proxmox-bpg's managed resources.
const (
	VMKind           = "EnvironmentVM"
	FileKind         = "EnvironmentFile"
	DownloadFileKind = "EnvironmentDownloadFile"

	FirewallOptionsKind = "EnvironmentFirewallOptions"
	FirewallRulesKind   = "EnvironmentFirewallRules"
)

// Annotations and labels that the fake reads or writes, in the words of Crossplane and of this function's documents.
const (
	ExternalName = "crossplane.io/external-name"

	paused         = "crossplane.io/paused"
	createPending  = "crossplane.io/external-create-pending"
	adopted        = "homelab.io/adopted"
	compositeLabel = "crossplane.io/composite"

	// onlyObserves are policies with which the provider changes nothing.
	onlyObserves = "Observe"
)

// kindOf an object: of a managed resource as the function calls it, however its provider calls it.
func kindOf(o map[string]any) string {
	apiVersion, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)

	return proxmox.KindOf(&structpb.Struct{Fields: map[string]*structpb.Value{"apiVersion": structpb.NewStringValue(apiVersion), "kind": structpb.NewStringValue(kind)}})
}

// identityOf a machine: claims of two namespaces or kinds may have one name.
func identityOf(m *Machine) string {
	meta := Object(m.Composite["metadata"])

	return fmt.Sprint(m.Composite["kind"], ":", cmp.Or(meta["namespace"], any("")), ":", meta["name"])
}

// OwnerOf what is made for a managed resource: the composite that composes it, and its name as a composed resource.
func OwnerOf(m *Machine, name string) string { return identityOf(m) + "/" + name }

func setExternalName(o map[string]any, name string) { annotate(o, ExternalName, name) }

func annotate(o map[string]any, annotation, value string) {
	meta := Object(o["metadata"])
	annotations := Object(meta["annotations"])
	annotations[annotation] = value
	meta["annotations"] = annotations
}

// Owns says whether a VM is a machine's.
func Owns(m *Machine, vm *VM) bool { return strings.HasPrefix(vm.Owner, OwnerOf(m, "")) }
