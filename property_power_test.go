package main

import (
	"fmt"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// powerFaults: a VM runs as its claim says, and stops in between only where the claim asks for that.
func powerFaults(w *world, o, is map[string]any) []string {
	at := object(object(o["status"])["atProvider"])
	l := object(specOf(w)["lifecycle"])
	if l["replace"] != nil || l["reboot"] != nil || l["rebootPolicy"] == "WhenNeeded" {
		return nil
	}

	want := specOf(w)["power"] != "Stopped"
	if specOf(w)["power"] == "Unmanaged" {
		// What is reported may be of before, where the provider has not done yet what was written last.
		runs, known := at["started"].(bool)
		if !known || !isReady(o) {
			return nil
		}

		want = runs
	}

	if is["started"] != want {
		return []string{fmt.Sprintf("started is %v", is["started"])}
	}

	return nil
}

// restFaults: whatever was asked for, in the end the VM runs, or does not, as its claim says.
func restFaults(w *world, rsp *fnv1.RunFunctionResponse) []string {
	want := specOf(w)["power"] != "Stopped"
	if specOf(w)["power"] == "Unmanaged" || len(vmsOf(w)) != 1 || !madeVM(w) {
		return nil
	}

	vm := manifestsOf(rsp)[vmsOf(w)[0]]
	if started := object(object(vm["spec"])["forProvider"])["started"]; started != want {
		return []string{fmt.Sprintf("settles with started %v", started)}
	}

	return nil
}
