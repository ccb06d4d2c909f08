package behaviour

import (
	"fmt"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// inWaves1and2 puts two machines into the waves 1 and 2 of a group, and asks for a power cycle of both.
func inWaves1and2(low, high *machine) {
	for i, m := range []*machine{low, high} {
		m.Spec()["rollout"] = map[string]any{"group": "edge", "wave": float64(i + 1)}
	}

	low.Rest()
	low.Proxmox.Done = nil

	for _, m := range []*machine{low, high} {
		m.lifecycle("reboot", "a")
	}
}

// takeTurns of some machines, one after the other.
func takeTurns(n int, all ...*machine) {
	for range n {
		for _, m := range all {
			m.Turn()
		}
	}
}

// TestWavesOfServers: a server is finished when it is a member of its cluster again, and not when its VM runs: until somebody finds out that it is
// away, its Node is Ready and votes as before.
func TestWavesOfServers(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()

			all := joined(t, 3, how)
			low, high := all[0], all[1]
			inWaves1and2(low, high)

			stop, start := fmt.Sprintf("stop %d", low.number()), fmt.Sprintf("start %d", low.number())

			takeTurns(12, all...)
			low.did(stop, start)
			low.says(low.Call(), map[string]string{"RolloutFinished": "RollingOut", "NodeReady": "KubeletReady"})
			high.says(high.Call(), map[string]string{"RolloutFinished": "WaitingForWave", "RebootPending": "WaitingForWave"})

			low.Join(low.number())

			// Its kubelet runs, and its etcd member does not vote yet.
			low.Cluster().SetNode("server-1", "EtcdIsVoter", "False", "MemberIsLearner")
			takeTurns(12, all...)
			low.did()

			low.Cluster().SetNode("server-1", "EtcdIsVoter", "True", "MemberNotLearner")
			takeTurns(12, all...)
			low.did(fmt.Sprintf("stop %d", high.number()), fmt.Sprintf("start %d", high.number()))
			low.says(low.Call(), map[string]string{"RolloutFinished": "Finished"})

			high.Join(high.number())
			takeTurns(12, all...)
			high.says(high.Call(), map[string]string{"RolloutFinished": "Finished"})
			high.did()
		})
	}
}

// observedAgents of a cluster that is observed in some way, which have joined it.
func observedAgents(t *testing.T, how string) (server, low, high *machine) {
	t.Helper()

	all, low := drainable(t, 1, how)
	high = low.beside(fake.ExampleNamed(t, "k3s-cluster/agent-2").Machine(world.Installations[0]))
	high.observe(how)
	high.Joins = true

	low.Rest()
	low.Rest()
	low.Proxmox.Done = nil

	return all[0], low, high
}

// TestWavesOfAgents: an agent is finished when its Node is Ready since the VM has started.
func TestWavesOfAgents(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()

			_, low, high := observedAgents(t, how)
			inWaves1and2(low, high)

			// K3s does not start again, and nobody has found out yet: the Node is Ready.
			low.Joins = false
			stop, start := fmt.Sprintf("stop %d", low.number()), fmt.Sprintf("start %d", low.number())

			takeTurns(12, low, high)
			low.did(stop, start)
			low.says(low.Call(), map[string]string{"RolloutFinished": "RollingOut", "NodeReady": "KubeletReady"})
			high.says(high.Call(), map[string]string{"RolloutFinished": "WaitingForWave"})

			// Then somebody has.
			low.Cluster().SetNode("agent-1", "Ready", "Unknown", "NodeStatusUnknown")
			takeTurns(12, low, high)
			low.did()

			low.Join(low.number())
			takeTurns(12, low, high)
			low.did(fmt.Sprintf("stop %d", high.number()), fmt.Sprintf("start %d", high.number()))
			low.says(low.Call(), map[string]string{"RolloutFinished": "Finished"})
			high.says(high.Call(), map[string]string{"RolloutFinished": "Finished"})
		})
	}
}

// TestAWaveWithANodeThatIsNotReady: a node that is not Ready, or whose Node is gone, holds the higher waves, although nothing is to be done with it.
func TestAWaveWithANodeThatIsNotReady(t *testing.T) {
	t.Parallel()

	cases := map[string]func(m *machine){
		"NotReady": func(m *machine) { m.Cluster().SetNode("agent-1", "Ready", "False", "KubeletNotReady") },
		"Gone":     func(m *machine) { m.Cluster().DeleteNode("agent-1") },
	}

	for name, breaks := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, low, high := observedAgents(t, "Here")
			inWaves1and2(low, high)
			low.lifecycle("reboot", "")

			low.Joins = false
			breaks(low)

			takeTurns(8, low, high)
			low.did()
			low.says(low.Call(), map[string]string{"RolloutFinished": "NotFinished"})
			high.says(high.Call(), map[string]string{"RolloutFinished": "WaitingForWave"})

			low.Join(low.number())
			takeTurns(8, low, high)
			low.did(fmt.Sprintf("stop %d", high.number()), fmt.Sprintf("start %d", high.number()))
		})
	}
}

// TestAWaveWithANewNode: a new node of a lower wave holds the higher waves until it has joined.
func TestAWaveWithANewNode(t *testing.T) {
	t.Parallel()

	all, high := drainable(t, 1, "Here")
	high.Spec()["rollout"] = map[string]any{"group": "edge", "wave": float64(2)}
	high.Rest()

	low := high.beside(fake.ExampleNamed(t, "k3s-cluster/agent-2").Machine(world.Installations[0]))
	low.observe("Here")
	low.Spec()["rollout"] = map[string]any{"group": "edge", "wave": float64(1)}

	takeTurns(12, low, all[0])
	high.Proxmox.Done = nil
	low.says(low.Call(), map[string]string{"RolloutFinished": "NotFinished", "NodeJoined": "NotYet"})

	high.lifecycle("reboot", "a")
	takeTurns(8, low, high)
	high.did()

	low.Joins = true

	takeTurns(12, low, high)
	high.did(fmt.Sprintf("stop %d", high.number()), fmt.Sprintf("start %d", high.number()))
}

// TestWavesOfReports: what the guest of a machine of a lower wave reports lets the higher wave begin, or does not.
func TestWavesOfReports(t *testing.T) {
	t.Parallel()

	const k3s, nixos = "k3s-cluster/agent-1 k3s-cluster/agent-2", "nixos/dns01 nixos/docker01"

	cases := map[string]struct {
		reason   string
		machines string
		report   string
		edit     string
		lacks    string
	}{
		"NodeSilent":     {reason: "Nobody reads its cluster, and an old guest reports nothing.", machines: k3s},
		"NodeJoined":     {reason: "It has served.", machines: k3s, report: "k3s-joined"},
		"NodeWaits":      {reason: "It waits for its server.", machines: k3s, report: "k3s-waiting", lacks: "NodeJoined"},
		"NodeRefused":    {reason: "Its server refused it.", machines: k3s, report: "k3s-bad-refused", lacks: "NodeJoined"},
		"NixConverged":   {reason: "It has converged.", machines: nixos, report: "nix-ok-3f9a0c"},
		"NixNeedsReboot": {reason: "It has converged, but for its kernel.", machines: nixos, report: "nix-boot-3f9a0c"},
		"NixSilent":      {reason: "It has not converged since it booted, as far as anybody knows.", machines: nixos, lacks: "Converged"},
		"NixFailed":      {reason: "Its flake cannot be built.", machines: nixos, report: "nix-bad", lacks: "Converged"},
		"NixRolledBack":  {reason: "It is what it was before.", machines: nixos, report: "nix-back-3f9a0c", lacks: "Converged"},
		"NixHeld":        {reason: "It waits for somebody.", machines: nixos, report: "nix-held", lacks: "Converged"},
		"NixReportsNot":  {reason: "It is not to report.", machines: nixos, edit: "bootstrap: {report: None}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var first, second string
			if _, err := fmt.Sscan(tc.machines, &first, &second); err != nil {
				t.Fatal(err)
			}

			low := example(t, first)
			if tc.edit != "" {
				world.Merge(low.Spec(), world.FromYAML(t, tc.edit))
			}

			high := low.beside(fake.ExampleNamed(t, second).Machine(world.Installations[0]))
			low.Rest()

			vm := low.Proxmox.VMs[low.number()]
			vm.Report = tc.report

			inWaves1and2(low, high)

			want := []string{fmt.Sprintf("stop %d", low.number()), fmt.Sprintf("start %d", low.number())}
			if tc.lacks == "" {
				want = append(want, fmt.Sprintf("stop %d", high.number()), fmt.Sprintf("start %d", high.number()))
			}

			takeTurns(15, low, high)
			low.did(want...)

			is := "Finished"
			if tc.lacks != "" {
				is = "NotFinished"
			}

			low.says(low.Call(), map[string]string{"RolloutFinished": is})

			if tc.lacks == "" {
				return
			}

			high.says(high.Call(), map[string]string{"RolloutFinished": "WaitingForWave"})

			// It is repaired.
			vm.Report = map[string]string{k3s: "k3s-joined", nixos: "nix-ok"}[tc.machines]

			takeTurns(15, low, high)
			low.did(fmt.Sprintf("stop %d", high.number()), fmt.Sprintf("start %d", high.number()))
		})
	}
}
