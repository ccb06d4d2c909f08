package replacement

import (
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// A Hindrance keeps a container from being replaced.
type Hindrance string

// The hindrances.
const (
	HinderedByNothing Hindrance = ""
	// HinderedByAdoption: somebody else made the container, and its claim does not say all of it.
	HinderedByAdoption Hindrance = "Adoption"
	// HinderedBySilence: the provider cannot read the container just now.
	HinderedBySilence Hindrance = "Silence"
	// HinderedByFaults: no new container can be made from the claim and its catalogue.
	HinderedByFaults Hindrance = "Faults"
	// HinderedBySite: the claim names another Proxmox cluster.
	HinderedBySite Hindrance = "Site"
	// HinderedByPower: the claim's container is not to run, so the new one would never be seen to.
	HinderedByPower Hindrance = "Power"
	// HinderedByClaim: spec.deletionProtection, and the old one is to be destroyed.
	HinderedByClaim Hindrance = "Claim"
	// HinderedByProxmox: Proxmox's own option protects the container, or is to, and it is to be destroyed.
	HinderedByProxmox Hindrance = "Proxmox"
	// HinderedBySameVMID: the claim names the VMID of the container that there is. Both exist for a while.
	HinderedBySameVMID Hindrance = "SameVMID"
	// HinderedByNoRange: the claim names no VMID, and its site has no range of them.
	HinderedByNoRange Hindrance = "NoRange"
	// HinderedByVMIDInUse: something else has the VMID of the new one.
	HinderedByVMIDInUse Hindrance = "VMIDInUse"
	// HinderedByApproval: nobody has approved the replacement.
	HinderedByApproval Hindrance = "Approval"
	// HinderedByWave: it is not the container's turn in its group.
	HinderedByWave Hindrance = "Wave"
)

// IsOfClaim says whether only another claim, or another catalogue, ends the hindrance: nobody can approve a replacement before, because it would not begin.
func (h Hindrance) IsOfClaim() bool {
	switch h {
	case HinderedByAdoption, HinderedByFaults, HinderedBySite, HinderedByPower, HinderedByClaim, HinderedByProxmox, HinderedBySameVMID, HinderedByNoRange:
		return true
	case HinderedByNothing, HinderedBySilence, HinderedByVMIDInUse, HinderedByApproval, HinderedByWave:
	}

	return false
}

// A Readiness is how far the new container has come.
type Readiness string

// The readinesses, in their order.
const (
	// Unready: its VMID is looked at, or its template is downloaded.
	Unready Readiness = ""
	// Ready: it can be created.
	Ready Readiness = "Ready"
	// Begun: it is created, or is to be, and was not seen to run.
	Begun Readiness = "Begun"
	// Runs: it was seen to run, as its claim wants it.
	Runs Readiness = "Runs"
)

// A Power is what is known of the power of a container.
type Power string

// The powers.
const (
	// Off: it was written to be off, and seen so.
	Off Power = "Off"
	// On: it runs, or may.
	On Power = "On"
)

// Facts are what the decision about a replacement rests on.
type Facts struct {
	// Trigger that asks for it; empty where none does.
	Trigger string
	// Announced is the trigger of the replacement that was announced; empty where none was.
	Announced string
	// Hindrance of one that has not begun.
	Hindrance Hindrance
	// Old is the power of the container that there is, and Stopped says of whether it was stopped for the replacement.
	Old     Power
	Stopped Stopping
	New     Readiness
}

// A Stopping says whether a container was stopped for its replacement.
type Stopping string

// The stoppings.
const (
	NotStopped         Stopping = ""
	StoppedReplacement Stopping = "Replacement"
)

// A Decision is how far a replacement has come.
type Decision struct {
	Trigger string
	// Stage is Blocked; Preparing; Stopping; Making, while the old one is off; or Retiring, when the new one was seen to run.
	Stage     lifecycle.Stage
	Hindrance Hindrance // Of StageBlocked.
	// Old is the power of the old one: while it is on, the new one does not start.
	Old Power
}

// Decide how far a replacement has come; nil where none is asked for. A container is replaced in these steps, each in a call of its own: it is announced,
// and what the new one needs is prepared; the old one is stopped; the new one is made beside it, and started; and when it was seen to run, the old
// one goes. What has begun ends, unless its trigger is taken back.
func Decide(f Facts) *Decision {
	if f.Trigger == "" {
		return nil
	}

	out := &Decision{Trigger: f.Trigger, Old: f.Old}
	begun := f.New == Begun || f.New == Runs

	switch {
	case f.New == Runs:
		out.Stage = lifecycle.StageRetiring
	case begun:
		out.Stage = lifecycle.StageMaking
	case f.Hindrance != HinderedByNothing:
		out.Stage, out.Hindrance = lifecycle.StageBlocked, f.Hindrance
	case f.Announced != f.Trigger, f.New != Ready && f.Stopped == NotStopped:
		out.Stage = lifecycle.StagePreparing
	case f.Old == On || f.New != Ready:
		out.Stage = lifecycle.StageStopping
	default:
		out.Stage = lifecycle.StageMaking
	}

	return out
}

// Begun says whether a replacement goes on, and is not blocked.
func (d *Decision) Begun() bool { return d != nil && d.Stage != lifecycle.StageBlocked }

// Stops says whether the old container is off, or is stopped.
func (d *Decision) Stops() bool {
	return d != nil && (d.Stage == lifecycle.StageStopping || d.Stage == lifecycle.StageMaking || d.Stage == lifecycle.StageRetiring)
}

// Looks says whether the provider looks whether the new container can have its VMID.
func (d *Decision) Looks() bool {
	return d.Begun() || d != nil && d.Hindrance == HinderedByVMIDInUse
}

// Makes says whether the new container may be created.
func (d *Decision) Makes() bool {
	return d != nil && (d.Stage == lifecycle.StageMaking || d.Stage == lifecycle.StageRetiring)
}
