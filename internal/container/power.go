package container

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Power is what becomes of the power of a container that exists.
type Power struct {
	// Started says whether the container is to run.
	Started bool
	Phase   PowerPhase
	// StoppedFor is written while we have stopped the container to start it again.
	StoppedFor string
	// Followed are the values of spec.lifecycle.reboot that the container has followed.
	Followed []string
	// RestartedFor identifies the changes for which WhenNeeded restarted the container last; empty where none wait.
	RestartedFor string
}

// A PowerPhase is what is under way with a container's power.
type PowerPhase string

// The phases.
const (
	PowerAsItIs PowerPhase = ""
	// PowerFirstStart: the container was created, is to run, and has not been seen to run yet.
	PowerFirstStart PowerPhase = "FirstStart"
	// PowerStaysOff: the container is stopped, or is to be, and nobody starts it again.
	PowerStaysOff PowerPhase = "StaysOff"
	// PowerStops: the container stops now because somebody asked for a restart.
	PowerStops PowerPhase = "Stops"
	// PowerStartsAgain: it was stopped for a restart, and starts now.
	PowerStartsAgain PowerPhase = "StartsAgain"
)

// TakesChanges says whether changes that need a restart are written now. The provider writes them before it stops the container, and restarts nothing that is
// not to run.
func (p PowerPhase) TakesChanges() bool { return p == PowerStaysOff || p == PowerStops }

// Restarts says whether the container is stopped or started now because somebody asked for a restart.
func (p PowerPhase) Restarts() bool { return p == PowerStops || p == PowerStartsAgain }

// Values of [proxmox.StoppedForAnnotation].
const (
	// stoppedForRestart: the container is to stop.
	stoppedForRestart = "restart"
	// startedAgain: it was seen stopped, and is to start.
	startedAgain = "start"
)

// power decides whether a container runs. A restart is a stop and a start: the provider's own restart of a container gives up when the guest does not
// shut down in time, and never repeats it, since the change was written before.
func (p *Plan) power(o proxmox.ObservedContainer) Power {
	runs := o.Status.AtProvider.Started
	annotations := o.Metadata.Annotations
	mark := annotations[proxmox.StoppedForAnnotation]
	out := Power{Followed: triggers(annotations[proxmox.RebootTriggersAnnotation])}

	trigger, needed := p.Container.Lifecycle.Reboot, identify(p.Pending)
	unfollowed := trigger != "" && !slices.Contains(out.Followed, trigger)
	asked := unfollowed || needsRestart(p.Container.Lifecycle.RebootPolicy, annotations, needed)

	if needed != "" {
		out.RestartedFor = annotations[proxmox.RestartedForAnnotation]
	}

	switch {
	case p.Container.Power == v1alpha1.PowerStopped:
		out.Phase = PowerStaysOff
	case annotations[proxmox.FirstStartAnnotation] != "" && !runs, proxmox.CreatingIn(o.Metadata.Metadata):
		if out.Started = true; !runs {
			out.Phase = PowerFirstStart
		}
	case mark == stoppedForReplacement && !runs:
		// Another container was to replace it, and is not to any more.
		out.Started, out.StoppedFor = true, stoppedForReplacement
	case asked && runs:
		out.Phase, out.StoppedFor, out.RestartedFor = PowerStops, stoppedForRestart, needed
	case mark != "" && !runs:
		out.Started, out.Phase, out.StoppedFor = true, PowerStartsAgain, startedAgain
	case p.Container.Power == v1alpha1.PowerUnmanaged:
		// It stays as it is. While it is stopped, a restart that somebody asks for is but the changes that wait for one.
		if out.Started = runs; asked && !runs {
			out.Phase = PowerStaysOff
		}
	default:
		out.Started = true
	}

	waits := out.Phase.TakesChanges() && p.Container.Power == v1alpha1.PowerUnmanaged && needed != ""
	if !runs && !waits && unfollowed {
		out.Followed = append(out.Followed, trigger)
	}

	return out
}

// needsRestart says whether the claim has the container restarted for the changes that wait for one. A change that Proxmox does not take as it is written would
// restart it for ever. What has begun goes on.
func needsRestart(policy v1alpha1.RebootPolicy, annotations map[string]string, changes string) bool {
	if policy != v1alpha1.RebootWhenNeeded || changes == "" {
		return false
	}

	return annotations[proxmox.RestartedForAnnotation] != changes || annotations[proxmox.StoppedForAnnotation] == stoppedForRestart
}

func triggers(annotation string) []string {
	if annotation == "" {
		return nil
	}

	return strings.Split(annotation, ",")
}

// identify changes; empty where there are none.
func identify(changes []change.Change) string {
	if len(changes) == 0 {
		return ""
	}

	h := sha256.New()
	for _, c := range changes {
		_, _ = h.Write([]byte(c.Field + "\x00" + c.Wanted + "\x00"))
	}

	return hex.EncodeToString(h.Sum(nil))[:10]
}
