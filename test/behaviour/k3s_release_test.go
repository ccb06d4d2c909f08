package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestAnAgentWaitsForItsServers: no agent is made, nor replaced, with a later minor release than a server runs; one that runs is left alone.
func TestAnAgentWaitsForItsServers(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()

			all := joined(t, 3, how)
			born := all[0].beside(fake.ExampleNamed(t, "k3s-cluster/agent-1").Machine(world.Installations[0]))
			born.SetSite("home", "vmIds", nil)
			born.observe(how)
			born.says(born.Rest(), map[string]string{"MachineReady": "Running"})

			// The catalogue gets a later release, and nobody upgrades the servers.
			late := all[0].beside(fake.ExampleNamed(t, "k3s-cluster/agent-2").Machine(world.Installations[0]))
			late.SetSite("home", "vmIds", nil)
			late.observe(how)

			for _, m := range append(all, born, late) {
				m.SetCluster("home", "version", "v1.34.2+k3s1")
			}

			waits := late.Rest()
			late.says(waits, map[string]string{"MachineReady": "ServersBehind"})

			if msg := world.Message(waits, "MachineReady"); !strings.Contains(msg, "set spec.k3s.version to v1.33.6+k3s1 for this agent") {
				t.Errorf("the message is %s", msg)
			}

			was := born.number()
			born.replace("a")
			born.says(born.Rest(), map[string]string{"MachineReady": "Running"})

			if born.number() != was || born.happened(fmt.Sprintf("stop %d", was)) >= 0 {
				t.Errorf("an agent was stopped for a VM that may not join: %v", born.Proxmox.Done)
			}

			// The release of the servers is a way out.
			world.Object(late.Spec()["k3s"])["version"] = "v1.33.6+k3s1"
			late.says(late.Rest(), map[string]string{"MachineReady": "Running"})
		})
	}
}
