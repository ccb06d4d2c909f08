package gitops

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const hour = time.Hour

// A machineState is a claim in a state, and what a health check should make of it.
type machineState struct {
	reason  string
	state   string
	changes []change
	want    string
}

// machineStates are claims in every state.
func machineStates() map[string]machineState {
	return map[string]machineState{
		"NoStatus":    {reason: "Crossplane has not seen it yet.", state: "healthy", changes: []change{without("status")}, want: inProgress},
		"Creating":    {reason: "A machine that is being made has not failed.", state: "creating", want: inProgress},
		"Healthy":     {reason: "It runs, with all of its spec.", state: "healthy", want: current},
		"RebootWaits": {reason: "An edit that waits for a reboot has arrived.", state: "reboot-pending", want: current},
		"JustCommitted": {
			reason: "All that is said of it is about the spec before.", state: "healthy",
			changes: []change{committed(set("medium", "spec", "class"))}, want: inProgress,
		},
		"PassedOn": {
			reason: "The claim says Ready and Synced of a generation that no function has seen.", state: "healthy",
			changes: []change{committed(set("medium", "spec", "class")), passedOn}, want: inProgress,
		},
		"FieldTakenAway": {
			reason: "An edit can be of what is there no more.", state: "healthy",
			changes: []change{committed(without("spec", "network")), passedOn}, want: inProgress,
		},
		"NestedField": {
			reason: "An edit can be deep inside.", state: "healthy",
			changes: []change{committed(set("192.168.4.99", "spec", "network", "ip")), passedOn}, want: inProgress,
		},
		"CrossplanesOwnFields": {
			reason: "Nobody edited what Crossplane wrote into the spec.", state: "healthy",
			changes: []change{set(map[string]any{"name": "x"}, "spec", "compositionRevisionRef"), set("x", "spec", "compositeDeletePolicy")}, want: current,
		},
		"Refused": {reason: "The function refused it; a claim says Ready and Synced all the same.", state: "refused", want: failed},
		"Mended": {
			reason: "The commit that mends it must not be called failed for what it mends.", state: "refused",
			changes: []change{committed(set("agent", "spec", "class"))}, want: inProgress,
		},
		"MendedAndPassedOn": {
			reason: "And not when Crossplane has passed it on, either.", state: "refused",
			changes: []change{committed(set("agent", "spec", "class")), passedOn}, want: inProgress,
		},
		"TakenBack": {
			reason: "What is said is about the bad commit until the function has seen the good one.", state: "refused",
			changes: []change{committed(set("server", "spec", "class")), passedOn}, want: inProgress,
		},
		"Held":            {reason: "The VM cannot follow, and nothing but another commit helps.", state: "held", want: failed},
		"BrokenCatalogue": {reason: "Nobody edited the claim, and it is understood no more.", state: "broken-catalogue", want: failed},
		"HeldByTheCatalogue": {
			reason: "What the catalogue asks for and the VM cannot follow is no edit of the claim.", state: "healthy",
			changes: []change{becomes("ReplacementRequired", "True", "ImmutableFieldChanged")}, want: current,
		},
		"ProviderError": {
			reason: "Of an error that does not pass by itself Git's people should know at once.", state: "provider-error", want: failed,
		},
		"PassingError": {
			reason: "It is tried again; whoever waits may see it end well.", state: "provider-error",
			changes: []change{set("Running", "status", "phase")}, want: inProgress,
		},
		"ErrorOfTheSpecBefore": {
			reason: "The commit may be what mends it.", state: "provider-error",
			changes: []change{committed(set("71Gi", "spec", "size", "disk")), passedOn}, want: inProgress,
		},
		"NotReadyAnyMore": {reason: "It ran, and does no more.", state: "healthy", changes: []change{becomes("Ready", "False", "Waiting")}, want: inProgress},
	}
}

// TestMachines holds the health checks of the layers of machines to claims in every state. Plain says what Flux would make of
// the claim without them.
func TestMachines(t *testing.T) {
	for name, tc := range machineStates() {
		for _, cluster := range inWaves {
			t.Run(name+"/"+cluster, func(t *testing.T) {
				o := recorded(t, cluster, tc.state)
				for _, c := range tc.changes {
					c(t, o)
				}

				for _, layer := range []string{"machines-1", "machines-2", "machines-3", "machines-4"} {
					if got := judge(t, cluster, layer, o); got != tc.want {
						t.Errorf("%s %s: %s, want %s", tc.reason, layer, got, tc.want)
					}
				}
			})
		}
	}
}

// TestWithoutExpressions shows what the expressions are for.
func TestWithoutExpressions(t *testing.T) {
	if got := plain(t, recorded(t, "claims", "refused")); got != current {
		t.Errorf("a claim whose edit was refused is %s to Flux, want %s: are the expressions needed still?", got, current)
	}

	healthy := recorded(t, "claims", "healthy")
	if _, written, _ := unstructured.NestedFieldNoCopy(healthy.Object, "status", "observedGeneration"); written {
		t.Error("status.observedGeneration is the composite's, and Flux takes it for the claim's")
	}

	none := recorded(t, "claims", "healthy")
	without("status")(t, none)

	if got := plain(t, none); got != current {
		t.Errorf("a claim without status is %s to Flux, want %s", got, current)
	}
}
