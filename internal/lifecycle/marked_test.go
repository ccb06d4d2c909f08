package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestMarkedBy: whose something in Proxmox is, as its notes say, where nobody knows that two provider configurations reach one Proxmox.
func TestMarkedBy(t *testing.T) {
	const (
		marked = "The vault's.\nMachine infra/web (homelab.io), managed by Crossplane. Change the claim in Git: changes made here are undone."
		ofNode = "K3sNode infra/web (homelab.io), managed by Crossplane. Change the claim in Git: changes made here are undone."
		ofPath = "Container infra/web (homelab.io, 1e0c2d3a-0000-5000-8000-000000000000), managed by Crossplane: change the claim in Git."
	)

	mine, theirs := proxmox.ProviderConfigRef{Name: "mine"}, proxmox.ProviderConfigRef{Name: "theirs"}
	other := Other{VMID: 153, ProviderConfigRef: theirs, Metadata: proxmox.ObservedMetadata{
		Metadata: proxmox.Metadata{Labels: map[string]string{proxmox.NamespaceLabel: "infra", proxmox.MachineLabel: "web", proxmox.CompositeLabel: "web-x"}},
	}}
	look := other
	look.Checks = true
	tenants := &catalog.Tenancy{Tenancy: catalogue.Tenancy{Tenants: map[string]catalogue.Tenant{
		"infra": {Namespaces: []string{"infra", "core"}}, "team-b": {Namespaces: []string{"team-b"}},
	}}}

	cases := map[string]struct {
		reason    string
		namespace string // Of the claim, whose name is nas.
		name      string
		notes     string
		others    []Other
		proxmoxes Proxmoxes
		tenancy   *catalog.Tenancy
		want      string
	}{
		"Another":     {reason: "That claim has it.", namespace: "team-b", notes: marked, others: []Other{other}, want: AnotherClaim},
		"OfNode":      {reason: "Of whichever kind it is.", namespace: "team-b", notes: ofNode, others: []Other{other}, want: AnotherClaim},
		"OfContainer": {reason: "A container's notes say it, too.", namespace: "team-b", notes: ofPath, others: []Other{other}, want: AnotherClaim},
		"Same":        {reason: "They may read each other.", namespace: "infra", notes: marked, others: []Other{other}, want: "infra/web"},
		"LetGo":       {reason: "A claim that was deleted with Orphan has none any more.", namespace: "team-b", notes: marked},
		"Back":        {reason: "The claim itself, in a cluster that was built again.", namespace: "infra", name: "web", notes: marked, others: []Other{other}},
		"Nobodys":     {reason: "A person made it, and another Proxmox has the VMID.", namespace: "team-b", notes: "nas", others: []Other{other}},
		"Looks":       {reason: "To look at a VMID is to have nothing.", namespace: "team-b", notes: marked, others: []Other{look}},
		"TwoProxmoxes": {
			reason: "The catalogue says that they are two: it is a copy.", namespace: "team-b", notes: marked, others: []Other{other}, proxmoxes: Proxmoxes{mine: "dc1", theirs: "dc2"},
		},
		"Tenant":       {reason: "What another tenant let go is that tenant's.", namespace: "team-b", notes: marked, tenancy: tenants, want: AnotherClaim},
		"SameTenant":   {reason: "A tenant moves what it has.", namespace: "core", notes: marked, tenancy: tenants},
		"NoTenant":     {reason: "A namespace without rules.", namespace: "lab", notes: marked, tenancy: tenants},
		"TenantByHand": {reason: "Nobody's.", namespace: "team-b", notes: "nas", tenancy: tenants},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			owner := Owner{Composite: "nas", ClaimNamespace: tc.namespace, ProviderConfigRef: mine, Proxmoxes: tc.proxmoxes, Tenancy: tc.tenancy}
			id := machine.Identity{Kind: "Machine", Namespace: tc.namespace, Name: tc.name}

			if diff := cmp.Diff(tc.want, owner.MarkedBy(id, 153, tc.notes, tc.others)); diff != "" {
				t.Errorf("%s\nMarkedBy(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
