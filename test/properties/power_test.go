package properties

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// powerFaults: a VM runs as its claim says, and stops in between only where the claim asks for that.
func powerFaults(m *world.Machine, o, is map[string]any) []string {
	at := world.Object(world.Object(o["status"])["atProvider"])
	l := world.Object(m.Spec()["lifecycle"])
	if l["replace"] != nil || l["reboot"] != nil || l["rebootPolicy"] == "WhenNeeded" {
		return nil
	}

	// A VM that was to take another one's place, and is not any more, goes.
	if tried(o) {
		return nil
	}

	want := m.Spec()["power"] != "Stopped"
	if halfRead(o) || !powerReported(o) {
		// Nobody knows whether it runs: it is neither started nor stopped.
		was, _ := world.Object(world.Object(o["spec"])["forProvider"])["started"].(bool)
		if is["started"] != was {
			return []string{fmt.Sprintf("started is %v and was %v, and nobody knows whether the VM runs", is["started"], was)}
		}

		return nil
	}

	if m.Spec()["power"] == "Unmanaged" {
		// What is reported may be of before, where the provider has not done yet what was written last.
		runs, known := at["started"].(bool)
		if !known || !isReady(o) {
			return nil
		}

		// A VM that was created stopped is owed its first start, and one that was stopped for a replacement which is called off its start again.
		want = runs || world.Annotation(o, proxmox.CreatingAnnotation) != "" || startsAgain(o)
	}

	// A server of K3s that runs may have to wait for the others or for a person, a node for its drain, and any VM until the HA manager ignores it; restFaults
	// holds that it stops in the end, or says why not.
	was := world.Object(world.Object(o["spec"])["forProvider"])["started"]
	if (mayWait(m) || asksForHA(m) || inHA(m)) && !want && was == true && is["started"] == true {
		return nil
	}

	// One that made way for another starts when that one cannot run any more, and no sooner.
	if world.Annotation(o, proxmox.StoppedForAnnotation) == "replacement" && at["started"] != true && rivalMayRun(m) {
		if is["started"] != false || is["onBoot"] != false {
			return []string{fmt.Sprintf("started is %v and onBoot %v, beside the VM that was to replace it", is["started"], is["onBoot"])}
		}

		return nil
	}

	if is["started"] != want {
		return []string{fmt.Sprintf("started is %v", is["started"])}
	}

	return nil
}

// rivalMayRun says whether there is a VM that was to take the place of another, and may run: the provider was told to start it, or says that it runs. One whose
// VMID somebody else's VM has is none.
func rivalMayRun(m *world.Machine) bool {
	return slices.ContainsFunc(vmsOf(m), func(name string) bool {
		o := m.Observed[name]
		told := world.Object(world.Object(o["spec"])["forProvider"])["started"] == true
		runs := powerReported(o) && world.Object(world.Object(o["status"])["atProvider"])["started"] == true

		id, _ := strconv.Atoi(world.Annotation(o, world.ExternalName))
		taken := m.Proxmox.VMs[id] != nil && !world.Owns(m, m.Proxmox.VMs[id])

		return tried(o) && !onlyObserved(o) && !taken && (told || runs)
	})
}

// startsAgain says whether the function stopped a VM that ran, and has not seen it run since.
func startsAgain(o map[string]any) bool {
	return world.Annotation(o, proxmox.StoppedForAnnotation) != "" || world.Annotation(o, proxmox.StartingAgainAnnotation) != ""
}

// isServer says whether the machine is a server of K3s.
func isServer(m *world.Machine) bool { return world.Object(m.Spec()["k3s"])["role"] == "server" }

// mayWait says whether a stop of the machine may have to wait: for quorum, for a person where Crossplane runs on it, or for the drain of its Node.
func mayWait(m *world.Machine) bool {
	k3s := world.Object(m.Spec()["k3s"])

	return isServer(m) || k3s["drain"] == true || hostsCrossplane(m)
}

// asksForHA says whether the claim does: somebody may have entered the VM by hand.
func asksForHA(m *world.Machine) bool { return world.Object(m.Spec()["ha"])["enabled"] == true }

// inHA says whether the HA manager may keep the VM running, which may have replaced another.
func inHA(m *world.Machine) bool {
	return slices.ContainsFunc(vmsOf(m), func(name string) bool { return m.Observed["ha-"+name] != nil })
}

// waitsToStop says whether a condition says that the VM runs on until its cluster can do without it, or its Node is drained, or since Crossplane runs
// on it.
func waitsToStop(m *world.Machine, rsp *fnv1.RunFunctionResponse) bool {
	return saysItWaits(m, rsp, fnv1.Status_STATUS_CONDITION_FALSE, "")
}

// waitsToReconnect says whether a condition says that interfaces of a VM that runs stay where they are, for the same reasons.
func waitsToReconnect(m *world.Machine, rsp *fnv1.RunFunctionResponse) bool {
	return saysItWaits(m, rsp, fnv1.Status_STATUS_CONDITION_TRUE, " An interface is to be plugged in elsewhere (")
}

// replacedWhenDrained says whether a condition says that a VM, which is to be replaced, runs until its Node is drained.
func replacedWhenDrained(rsp *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(rsp.GetConditions(), func(c *fnv1.Condition) bool {
		return c.GetType() == "ReplacementRequired" && c.GetReason() == "Replacing" && strings.Contains(c.GetMessage(), " The old VM runs until its Node is drained")
	})
}

// keptInterface is how a condition says that an interface of a VM stays where it is.
var keptInterface = regexp.MustCompile(`spec\.[a-z]+(\[\d+\])?\.(vlan|bridge) \(the VM has `)

// keepsInterfaces says whether a condition says that the VM keeps the network of an interface, and that a replacement would bring it into the claim's.
func keepsInterfaces(rsp *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(rsp.GetConditions(), func(c *fnv1.Condition) bool {
		return c.GetType() == "ReplacementRequired" && c.GetStatus() == fnv1.Status_STATUS_CONDITION_TRUE && keptInterface.MatchString(c.GetMessage())
	})
}

// saysItWaits says whether the condition of the VM has a status and a text, and the reason of something that waits for others.
func saysItWaits(m *world.Machine, rsp *fnv1.RunFunctionResponse, ready fnv1.Status, text string) bool {
	reasons := []string{"WaitingForQuorum", "WaitingForDrain"}
	if hostsCrossplane(m) {
		reasons = append(reasons, "RunsCrossplane")
	}

	return slices.ContainsFunc(rsp.GetConditions(), func(c *fnv1.Condition) bool {
		return c.GetType() == "MachineReady" && slices.Contains(reasons, c.GetReason()) && c.GetStatus() == ready && strings.Contains(c.GetMessage(), text)
	})
}

// saysProviderError says whether the condition of the VM is that of an error that keeps the provider from its work.
func saysProviderError(rsp *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(rsp.GetConditions(), func(c *fnv1.Condition) bool {
		return c.GetType() == "MachineReady" && c.GetReason() == "ProviderError" && c.GetStatus() == fnv1.Status_STATUS_CONDITION_FALSE
	})
}

// powerReported says whether the provider reports of a VM whether it runs. A report of another VM, which the provider saw when it
// checked the VMID, is none.
func powerReported(o map[string]any) bool {
	at := world.Object(world.Object(o["status"])["atProvider"])
	external := world.Annotation(o, world.ExternalName)

	return at["id"] != nil && (external == "" || external == at["id"]) && (world.Annotation(o, proxmox.SeenInCheckAnnotation) == "" || isReady(o))
}

// halfRead says whether a VM was created, and the provider has read no disk of it yet: it is not known to be the claim's, and its first start is to come.
func halfRead(o map[string]any) bool {
	hasInterface := func(d any) bool { return world.Object(d)["interface"] != nil }

	return world.Annotation(o, proxmox.CreatingAnnotation) != "" && !slices.ContainsFunc(world.List(world.Object(world.Object(o["status"])["atProvider"])["disk"]), hasInterface)
}

// restFaults: whatever was asked for, in the end the VM runs, or does not, as its claim says.
func restFaults(m *world.Machine, rsp *fnv1.RunFunctionResponse) []string {
	want := m.Spec()["power"] != "Stopped"
	if m.Spec()["power"] == "Unmanaged" || len(vmsOf(m)) != 1 || !madeVM(m) {
		return nil
	}

	vm := world.Manifests(rsp)[vmsOf(m)[0]]

	// While another server of its cluster goes first, the claim describes the VM that is to come.
	if world.Annotation(vm, proxmox.ReplacingAnnotation) != "" {
		return nil
	}

	// A VM that could not be created yet is asked for stopped, and started once it is there and known to be the machine's own.
	if world.Annotation(vm, proxmox.CreatingAnnotation) != "" {
		want = false
	}

	// A restart that the provider cannot begin, and says so, has not begun.
	if world.Annotation(vm, proxmox.StoppedForAnnotation) == "restart" && atProvider(m.Observed[vmsOf(m)[0]])["started"] == true && saysProviderError(rsp) {
		return nil
	}

	started := world.Object(world.Object(vm["spec"])["forProvider"])["started"]
	if mayWait(m) && !want && started == true && (waitsToStop(m, rsp) || replacedWhenDrained(rsp)) {
		return nil
	}

	if started != want {
		return []string{fmt.Sprintf("settles with started %v", started)}
	}

	return nil
}
