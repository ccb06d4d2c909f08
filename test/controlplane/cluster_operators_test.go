package controlplane

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/k3s"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// TestOnlyServer is the life of a K3sCluster whose only server carries Crossplane, and on whose control plane a team has a policy of its own:
// docs/clusters.md.
func TestOnlyServer(t *testing.T) {
	t.Parallel()

	for _, on := range []*installation{namespaced, claims} {
		t.Run(on.configuration, func(t *testing.T) {
			t.Parallel()

			r := ownRig(t, on, "only-server")
			o := &onlyServerRun{&clusterRun{nodesRun: &nodesRun{rig: r, k3s: r.observing(t, "None")}, claim: clusterClaim()}}
			o.claim = counted(edited(o.claim, map[string]any{"servers.count": int64(1), "agents": o.agentsOf(1), "rollout": map[string]any{"rebootPolicy": "WhenNeeded"}}))
			o.grant(t)
			o.live(t, []nodesStep{
				{"Birth", o.birth},
				{"Class", o.class},
				{"Reboot", o.reboot},
				{"Policy", o.policy},
				{"Delete", o.goes},
			})
		})
	}
}

// An onlyServerRun is a cluster whose only server carries Crossplane.
type onlyServerRun struct{ *clusterRun }

func (o *onlyServerRun) birth(t *testing.T) { o.born(t, []string{"server-0", "worker-0"}) }

// restart a VM as a person does in Proxmox.
func (o *onlyServerRun) restart(id int) {
	k3s.ByHand(o.k3s, func() {
		o.world.Edit(func(vms map[int]*standin.VM) {
			vms[id].Stop()
			vms[id].Start()
		})
	})
}

// stays checks that Proxmox was not told to start or stop a VM since a line of the journal.
func (o *onlyServerRun) stays(t *testing.T, id, since int) {
	t.Helper()
	plane.Rest(t.Context(), 2*moment)

	for _, line := range o.world.Journal()[since:] {
		if line == fmt.Sprintf("stop VM %d", id) || line == fmt.Sprintf("start VM %d", id) {
			t.Errorf("Proxmox was told: %s", line)
		}
	}

	o.safe(t)
}

// class: an edit that needs a restart waits for a person, who restarts the VM in Proxmox; the agent is restarted by us.
func (o *onlyServerRun) class(t *testing.T) {
	id, since := o.ids(t)["server-0"], len(o.world.Journal())

	agents := o.agentsOf(1)
	agents[0].(map[string]any)["class"] = "medium" //nolint:forcetypeassert // As the claim has it.

	changes := map[string]any{"servers.class": "large", "agents": agents}
	rehearsed := o.rehearses(t, changes)

	o.change(t, changes)
	must(t, o.tells(t.Context(), o.claim, isNot("RolledOut", "Blocked", fmt.Sprintf("`qm reboot %d`", id))))
	rehearsed.came(t, "waits")
	o.stays(t, id, since)

	o.restart(id)
	o.complete(t, "a person has restarted the only server")

	if why := cores(8, 8)(o.world.VM(id)); why != "" {
		t.Errorf("VM %d: %s", id, why)
	}

	o.stays(t, id, since)
}

// reboot: a word that asks for a restart of that server waits for a person, too.
func (o *onlyServerRun) reboot(t *testing.T) {
	id, since := o.ids(t)["server-0"], len(o.world.Journal())

	nodes, _, err := unstructured.NestedSlice(o.claim.Object, "spec", "nodes")
	must(t, err)

	nodes[0].(map[string]any)["lifecycle"] = map[string]any{"reboot": "2026-11-26"} //nolint:forcetypeassert // As the claim has it.

	changes := map[string]any{"nodes": nodes}
	rehearsed := o.rehearses(t, changes)

	o.change(t, changes)
	must(t, o.until(t.Context(), "server-0 says that a person has to restart it", func(ctx context.Context) (bool, string) {
		said := o.nodes(ctx)
		return strings.Contains(said, "RunsCrossplane"), said
	}))
	rehearsed.came(t, "waits")
	o.stays(t, id, since)

	o.restart(id)
	o.complete(t, "a person has restarted the only server again")
	o.stays(t, id, since)
}

// policy: the API server takes no spec of an edit. The rollout says so and stands, nothing happens to a VM, and the edit that takes it back ends that.
func (o *onlyServerRun) policy(t *testing.T) {
	rules := objects(t, "testdata/policy-of-a-team.yaml")
	must(t, o.apply(t.Context(), rules...))
	t.Cleanup(func() { o.forget(t, rules) })
	must(t, o.until(t.Context(), "the policy is in force", func(ctx context.Context) (bool, string) {
		large := edited(k3sNode("large", "agent", 219), map[string]any{"class": "large"})
		if o.nodeKind() == "XK3sNode" {
			large.SetKind("XK3sNode")
			large.SetNamespace("")
		}

		err := o.Client.Create(ctx, large, client.DryRunAll)

		return err != nil && strings.Contains(err.Error(), "agents are not large here"), fmt.Sprint(err)
	}))

	since := len(o.world.Journal())
	agents := o.agentsOf(1)
	agents[0].(map[string]any)["class"] = "large" //nolint:forcetypeassert // As the claim has it.

	o.change(t, map[string]any{"agents": agents})
	must(t, o.tells(t.Context(), o.claim, isNot("RolledOut", "Blocked", "The API server did not take the new spec of worker-0")))
	plane.Rest(t.Context(), 2*moment)

	if lines := o.world.Journal()[since:]; len(lines) > 0 {
		t.Errorf("Proxmox was told: %s", strings.Join(lines, ", "))
	}

	agents = o.agentsOf(1)
	agents[0].(map[string]any)["class"] = "medium" //nolint:forcetypeassert // As the claim has it.
	o.claim = edited(o.claim, map[string]any{"agents": agents})
	must(t, o.apply(t.Context(), o.claim))
	o.complete(t, "the edit is taken back")
}
