package lifecycle

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// A Consent is whether a person has approved what an edit does to an existing VM.
type Consent string

// The consents.
const (
	// ConsentNever: the claim asks for no approval.
	ConsentNever Consent = ""
	// ConsentNotNeeded: nothing is to be done that needs approval.
	ConsentNotNeeded Consent = "NotNeeded"
	// ConsentAwaited: the plan waits for approval.
	ConsentAwaited Consent = "Awaited"
	// ConsentOtherPlan: the plan waits, and the claim approves another plan.
	ConsentOtherPlan Consent = "OtherPlan"
	// ConsentGiven: the plan is approved, and not finished.
	ConsentGiven Consent = "Given"
)

// ConsentTo is whether a claim approves the plan of an adoption, which nothing remembers.
func ConsentTo(plan, approve string) Consent {
	switch approve {
	case "":
		return ConsentAwaited
	case plan:
		return ConsentGiven
	}

	return ConsentOtherPlan
}

// The effects of a plan, as its status names them. All but the last are risks.
const (
	EffectReboot  v1alpha1.PlanEffect = "Reboot"
	EffectStop    v1alpha1.PlanEffect = "Stop"
	EffectMove    v1alpha1.PlanEffect = "Move"
	EffectReplace v1alpha1.PlanEffect = "Replace"
	EffectClose   v1alpha1.PlanEffect = "Close"
	EffectRefuse  v1alpha1.PlanEffect = "Refuse"
	EffectChange  v1alpha1.PlanEffect = "Change"
)

// An Approval is what an edit does to an existing VM, and whether somebody approved that.
type Approval struct {
	Consent Consent
	// Hash identifies the plan; empty where nothing needs approval.
	Hash    string
	Effects []v1alpha1.PlanEffect
	// Changes of the VM, in the order of the fields.
	Changes []change.Change
	// Closes is what the firewall drops after the plan, and what reaches the guest now, in clauses; nil unless that is among the effects.
	Closes []string
	// Memory is what the VM remembers after this call.
	Memory ApprovalMemory
}

// Waits says whether the plan may not begin.
func (a Approval) Waits() bool { return a.Consent == ConsentAwaited || a.Consent == ConsentOtherPlan }

// Has says whether the plan has an effect.
func (a Approval) Has(e v1alpha1.PlanEffect) bool { return slices.Contains(a.Effects, e) }
