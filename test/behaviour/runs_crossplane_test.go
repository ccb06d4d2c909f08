package behaviour

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestTheOnlyServerOfCrossplanesCluster is never stopped: the change waits, and takes effect when a person has restarted the VM.
func TestTheOnlyServerOfCrossplanesCluster(t *testing.T) {
	t.Parallel()

	m := joined(t, 1, "Here", "lifecycle: {rebootPolicy: WhenNeeded}")[0]
	id := m.number()
	m.Spec()["size"] = map[string]any{"cores": 6}

	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "RunsCrossplane"})
	expectOrder(t, m)

	m.lifecycle("reboot", "a")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "RunsCrossplane"})
	expectOrder(t, m)

	m.Spec()["power"] = "Stopped"
	m.says(m.Rest(), map[string]string{"MachineReady": "RunsCrossplane"})
	expectOrder(t, m)

	// By hand. K3s registers the Node again.
	delete(m.Spec(), "power")
	m.Rest()
	m.Proxmox.Start(id)
	m.Join(id)
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending", "NodeJoined": "Joined"})
	expectOrder(t, m)

	// The word was for one restart, and a person may still force another one.
	m.says(m.Rest(), map[string]string{"RebootPending": "NothingPending"})
	world.Merge(m.Spec(), world.FromYAML(t, "lifecycle: {reboot: b, force: f}"))
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending"})
	expectOrder(t, m, "stop", "start")
}

// TestAMachineThatRunsCrossplane says so in its claim, and is neither power-cycled nor replaced.
func TestAMachineThatRunsCrossplane(t *testing.T) {
	t.Parallel()

	m, _ := living(t, "nixos/dns01", "runsCrossplane: true", "lifecycle: {rebootPolicy: WhenNeeded}")
	m.Spec()["size"] = map[string]any{"cores": 6}
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "RunsCrossplane"})
	expectOrder(t, m)

	m.replace("a")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "ReplacementBlocked"})
	expectOrder(t, m)

	m.lifecycle("force", "f")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending", "ReplacementRequired": "ReplacementBlocked"})
	expectOrder(t, m, "stop", "start")
}

// TestAnOldForceStopsNoCrossplane: a value of lifecycle.force that the claim had before Crossplane ran on the VM, or that was used, stops it never again.
func TestAnOldForceStopsNoCrossplane(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		reason string
		born   []string
		edits  []string
	}{
		"SaidLater": {"The value was for another day.", []string{"lifecycle: {force: f}"}, []string{"{runsCrossplane: true, size: {cores: 6}}"}},
		"SaidAgain": {
			"What was used stays used while the claim does not say that Crossplane runs on the VM.",
			[]string{"{runsCrossplane: true, lifecycle: {force: f}}"},
			[]string{"{runsCrossplane: false, size: {cores: 6}}", "{runsCrossplane: true, size: {cores: 5}}"},
		},
		"CreatedWith": {"There was nothing yet that it could force.", []string{"{runsCrossplane: true, lifecycle: {force: f}}"}, []string{"size: {cores: 6}"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m, _ := living(t, "nixos/dns01", tc.born...)

			for i, edit := range tc.edits {
				if i == len(tc.edits)-1 {
					m.lifecycle("rebootPolicy", "WhenNeeded")
				}

				world.Merge(m.Spec(), world.FromYAML(t, edit))
				m.Rest()
			}

			t.Log(tc.reason)
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "RunsCrossplane"})
			expectOrder(t, m)

			m.lifecycle("force", "g")
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending"})
			expectOrder(t, m, "stop", "start")
		})
	}
}
