package resolve

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// lacksSnippets reports whether a new machine whose user-data Proxmox could generate otherwise would need a datastore that nobody named. A
// machine whose node is not known yet is not judged.
func lacksSnippets(g *given, p machine.Placement) bool {
	return g.existing.Node == "" && p.Node != "" && p.SnippetSource != machine.SnippetsNamed && g.k3s == nil && g.nix == nil && g.spec.Bootstrap.UserData == ""
}

// mountsDisks reports whether the machine's rendered user-data formats and mounts data disks.
func mountsDisks(g *given, os machine.OS) bool {
	return os != machine.OSNixOS && slices.ContainsFunc(g.spec.Disks, func(d v1alpha1.Disk) bool { return d.Filesystem != "" })
}

// asksForAgent reports whether the claim has the agent installed on an image without one.
func asksForAgent(g *given, b machine.Boot) bool {
	return g.spec.Bootstrap.GuestAgent != nil && *g.spec.Bootstrap.GuestAgent && !b.GuestAgent && g.spec.Bootstrap.Snippets.VendorData == ""
}

// needsSnippets reports whether the function will certainly render a snippet for the machine.
func needsSnippets(g *given, b machine.Boot) bool {
	said := g.spec.Bootstrap

	return b.CloudInit && said.Snippets.UserData == "" &&
		(g.k3s != nil || g.nix != nil || said.UserData != "" || asksForAgent(g, b) || mountsDisks(g, b.OS) || len(said.Secrets) > 0 ||
			said.SecretStore != nil)
}

// claimedSnippets are the volumes that the claim names as snippets.
func claimedSnippets(g *given) []named {
	var out []named

	s := g.spec.Bootstrap.Snippets
	for _, of := range [...]struct{ field, volume string }{{"userData", s.UserData}, {"vendorData", s.VendorData}, {"metaData", s.MetaData}} {
		if of.volume != "" {
			out = append(out, named{name: of.volume, at: g.at.Child("bootstrap", "snippets", of.field)})
		}
	}

	return out
}
