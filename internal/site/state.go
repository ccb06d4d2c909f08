package site

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A State is how far a part has come.
type State string

// The states of a part.
const (
	// StateAbsent: there is no managed resource of the part.
	StateAbsent State = "Absent"
	// StateCreating: the provider was asked to create it, and has not shown it yet.
	StateCreating State = "Creating"
	// StateFailed: the provider could not create it.
	StateFailed State = "Failed"
	// StateForeign: the provider was to create it, and found somebody else's.
	StateForeign State = "Foreign"
	// StateTainted: the provider has created it, and has given it up since: it neither changes nor deletes it. As another managed resource, it takes it.
	StateTainted State = "Tainted"
	// StateLiving: it exists.
	StateLiving State = "Living"
)

// StateOf a part of a site whose comments end with mark.
func StateOf(o proxmox.ObservedSitePart, observed bool, mark string) State {
	at := o.Status.AtProvider

	switch {
	case !observed || o.ObserveOnly():
		return StateAbsent
	case proxmox.IsTainted(o):
		return StateTainted
	case !proxmox.CreatingIn(o.Metadata.Metadata) && isReplaced(o, mark):
		return StateForeign
	case !proxmox.CreatingIn(o.Metadata.Metadata):
		return StateLiving
	case at.ID == "" && !o.MayExist():
		return StateFailed
	case at.ID == "":
		return StateCreating
	case !hasBegun(o):
		return StateForeign
	case marked(at.Comment, mark):
		return StateLiving
	}

	return StateForeign
}

// hasBegun says whether the provider has begun to create a part since it was asked to. What it finds before that, somebody else has made, whatever its
// comment seems to be: where Proxmox reports none, the plugin shows that of the managed resource.
func hasBegun(o proxmox.ObservedSitePart) bool {
	return proxmox.CreationBeganIn(o.Metadata.Metadata)
}

// isReplaced says whether somebody has put another one in the place of a part, or has taken its mark: it is the claim's no more.
func isReplaced(o proxmox.ObservedSitePart, mark string) bool {
	at := o.Status.AtProvider

	return at.ID != "" && o.Is(proxmox.ConditionSynced) && !isGone(o) && !marked(at.Comment, mark)
}

// isGone says whether the provider did not find a part that existed, and is to create it again. It leaves in its report what it read before.
func isGone(o proxmox.ObservedSitePart) bool {
	return o.Condition(proxmox.ConditionReady).IsFalse() || o.FoundNone()
}

// marked says whether a comment ends with a mark.
func marked(comment, mark string) bool { return strings.HasSuffix(strings.TrimSpace(comment), mark) }

// A Look is what the provider has found under a name, or under the name of what a part needs.
type Look string

// The looks.
const (
	LookUnknown Look = "Unknown" // The provider has not answered yet.
	LookFree    Look = "Free"    // There is none.
	LookOurs    Look = "Ours"    // There is one whose comment says that it is the claim's.
	LookTaken   Look = "Taken"   // There is one.
)

// lookOf an observed look.
func lookOf(o proxmox.ObservedSitePart, observed bool, mark string) Look {
	read := o.Is(proxmox.ConditionSynced) && o.Fresh(proxmox.ConditionSynced) && o.Is(proxmox.ConditionReady) && o.Status.AtProvider.ID != ""

	switch {
	case !observed || !o.ObserveOnly():
		return LookUnknown
	case proxmox.LacksInterface(o):
		return LookFree
	case !read:
		return LookUnknown
	case marked(o.Status.AtProvider.Comment, mark):
		return LookOurs
	}

	return LookTaken
}

// kindOf the managed resource of a part.
func kindOf(k machine.SitePartKind) string {
	switch k {
	case machine.SiteBridge:
		return proxmox.BridgeKind
	case machine.SiteVLAN:
		return proxmox.VLANKind
	case machine.SitePool:
	}

	return proxmox.PoolKind
}

// partKind of a managed resource.
func partKind(kind string) machine.SitePartKind {
	switch kind {
	case proxmox.BridgeKind:
		return machine.SiteBridge
	case proxmox.VLANKind:
		return machine.SiteVLAN
	}

	return machine.SitePool
}

// ResourceName is the composed resource name of a part. Names of interfaces have no hyphen, so that no two parts have the same.
func ResourceName(p machine.SitePart) string {
	switch p.Kind {
	case machine.SiteBridge:
		return "bridge-" + p.Node + "-" + p.Name
	case machine.SiteVLAN:
		return "vlan-" + p.Node + "-" + p.Name
	case machine.SitePool:
	}

	return "pool-" + p.Name
}

// importName of a part: what Terraform imports it by, and what the provider knows it by afterwards.
func importName(p machine.SitePart) string {
	if p.Kind == machine.SitePool {
		return p.Name
	}

	return p.Node + ":" + p.Name
}
