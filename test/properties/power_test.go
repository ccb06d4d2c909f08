package properties

import (
	"fmt"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// powerFaults: a VM runs as its claim says, and stops in between only where the claim asks for that.
func powerFaults(m *fake.Machine, o, is map[string]any) []string {
	at := fake.Object(fake.Object(o["status"])["atProvider"])
	l := fake.Object(m.Spec()["lifecycle"])
	if l["replace"] != nil || l["reboot"] != nil || l["rebootPolicy"] == "WhenNeeded" {
		return nil
	}

	want := m.Spec()["power"] != "Stopped"
	if !powerReported(o) {
		// Nobody knows whether it runs: it is neither started nor stopped.
		was, _ := fake.Object(fake.Object(o["spec"])["forProvider"])["started"].(bool)
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
		want = runs || fake.Annotation(o, proxmox.CreatingAnnotation) != "" || startsAgain(o)
	}

	// A server of K3s that runs may have to wait for the others or for a person, a node for its drain, and any VM until the HA manager ignores it; restFaults
	// holds that it stops in the end, or says why not.
	was := fake.Object(fake.Object(o["spec"])["forProvider"])["started"]
	if (mayWait(m) || inHA(m)) && !want && was == true && is["started"] == true {
		return nil
	}

	if is["started"] != want {
		return []string{fmt.Sprintf("started is %v", is["started"])}
	}

	return nil
}

// startsAgain says whether the function stopped a VM that ran, and has not seen it run since.
func startsAgain(o map[string]any) bool {
	return fake.Annotation(o, proxmox.StoppedForAnnotation) != "" || fake.Annotation(o, proxmox.StartingAgainAnnotation) != ""
}

// isServer says whether the machine is a server of K3s.
func isServer(m *fake.Machine) bool { return fake.Object(m.Spec()["k3s"])["role"] == "server" }

// mayWait says whether a stop of the machine may have to wait: for quorum, for a person where Crossplane runs on it, or for the drain of its Node.
func mayWait(m *fake.Machine) bool {
	k3s := fake.Object(m.Spec()["k3s"])

	return isServer(m) || k3s["drain"] == true
}

// inHA says whether the HA manager may keep the VM running.
func inHA(m *fake.Machine) bool { return m.Observed["ha-vm"] != nil }

// waitsToStop says whether a condition says that the VM runs on until its cluster can do without it, or its Node is drained, or since Crossplane runs
// on it.
func waitsToStop(m *fake.Machine, rsp *fnv1.RunFunctionResponse) bool {
	reasons := []string{"WaitingForQuorum", "WaitingForDrain"}
	if hostsCrossplane(m) {
		reasons = append(reasons, "RunsCrossplane")
	}

	return slices.ContainsFunc(rsp.GetConditions(), func(c *fnv1.Condition) bool {
		return c.GetType() == "MachineReady" && slices.Contains(reasons, c.GetReason()) && c.GetStatus() == fnv1.Status_STATUS_CONDITION_FALSE
	})
}

// powerReported says whether the provider reports of a VM whether it runs. A report of another VM, which the provider saw when it
// checked the VMID, is none.
func powerReported(o map[string]any) bool {
	at := fake.Object(fake.Object(o["status"])["atProvider"])
	external := fake.Annotation(o, fake.ExternalName)

	return at["id"] != nil && (external == "" || external == at["id"]) && (fake.Annotation(o, proxmox.SeenInCheckAnnotation) == "" || isReady(o))
}

// restFaults: whatever was asked for, in the end the VM runs, or does not, as its claim says.
func restFaults(m *fake.Machine, rsp *fnv1.RunFunctionResponse) []string {
	want := m.Spec()["power"] != "Stopped"
	if m.Spec()["power"] == "Unmanaged" || len(vmsOf(m)) != 1 || !madeVM(m) {
		return nil
	}

	vm := fake.Manifests(rsp)[vmsOf(m)[0]]

	// While another server of its cluster goes first, the claim describes the VM that is to come.
	if fake.Annotation(vm, proxmox.ReplacingAnnotation) != "" {
		return nil
	}

	// A VM that could not be created yet is asked for stopped, and started once it is there and known to be the machine's own.
	if fake.Annotation(vm, proxmox.CreatingAnnotation) != "" {
		want = false
	}

	started := fake.Object(fake.Object(vm["spec"])["forProvider"])["started"]
	if mayWait(m) && !want && started == true && waitsToStop(m, rsp) {
		return nil
	}

	if started != want {
		return []string{fmt.Sprintf("settles with started %v", started)}
	}

	return nil
}
