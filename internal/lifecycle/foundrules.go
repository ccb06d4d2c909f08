package lifecycle

import (
	"reflect"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// FoundRules are the rules of a firewall that are in Proxmox before the provider has created the claim's. The provider creates rules only where
// there are none, and forgets those of a creation that broke off; so it reads them first, without any right to write, and goes on from what is
// there only where every rule is one of the claim's. The zero FoundRules are of a firewall whose rules the provider creates.
type FoundRules struct {
	// ImportName is the external name under which the provider only reads them; empty where it may write.
	ImportName string
	// ID is the provider's name for rules that are the claim's, for good; empty before.
	ID string
	// Foreign are those that the claim does not have, as the provider read them last.
	Foreign []proxmox.FoundFirewallRule
}

// findRules decides what is done about the rules that are in Proxmox.
func findRules(o proxmox.ObservedFirewallRules, wanted proxmox.FirewallRulesParameters) FoundRules {
	if id := o.Metadata.Annotations[proxmox.FoundRulesAnnotation]; id != "" {
		return FoundRules{ID: id}
	}

	if !proxmox.LooksForRules(o) {
		row, _ := diagnose.Of(o, diagnose.ClassNoError)
		if row.Name != diagnose.RowRulesExist || o.Metadata.ExternalName() != "" || o.Working() {
			return FoundRules{}
		}

		return FoundRules{ImportName: wanted.ImportName()}
	}

	out := FoundRules{ImportName: wanted.ImportName()}
	if !areRead(o, wanted) {
		return out
	}

	for _, r := range o.Status.AtProvider.Rule {
		if !slices.ContainsFunc(wanted.Rule, r.Is) {
			out.Foreign = append(out.Foreign, r)
		}
	}

	if len(out.Foreign) == 0 {
		return FoundRules{ID: o.Status.AtProvider.ID}
	}

	return out
}

// areRead says whether the provider has read the rules that are in Proxmox. An edit is compared with what the provider reads after it: somebody may have
// added a rule since the last poll.
func areRead(o proxmox.ObservedFirewallRules, wanted proxmox.FirewallRulesParameters) bool {
	return o.Resting() && o.Status.AtProvider.ID != "" && reflect.DeepEqual(o.Spec.ForProvider, wanted)
}
