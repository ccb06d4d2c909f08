package chain

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

const (
	server2 = "machines/second-server/server-2.yaml"
	network = "network: {ip: 192.168.4.212}"
	refused = "status: 'Failed'"
)

// did counts what was done to the VM of a machine.
func (r *rig) did(what, claim string) int {
	r.t.Helper()

	line := fmt.Sprintf("%s VM %s", what, text(r.claim(claim), "status", "vmId"))

	return len(slices.DeleteFunc(r.world.Journal(), func(l string) bool { return l != line && !strings.HasPrefix(l, line+" ") }))
}

// good waits until a commit is in every layer, and says how long that took beyond the last thing that was done in Proxmox.
func (r *rig) good(revision string) {
	r.t.Helper()

	took := r.until("the change is ready in all layers", r.readyAt(revision, layers...))
	if took > goodGoal {
		r.late(took, goodGoal)
	}

	for _, layer := range layers {
		r.honest(layer)
	}
}

// late is reported, and a failure only where the machine has nothing else to do: CI says so.
func (r *rig) late(took, goal time.Duration) {
	r.t.Helper()

	if os.Getenv("STRICT_TIMES") == "" {
		r.t.Logf("        late: %s, the goal is %s", took.Round(100*time.Millisecond), goal)

		return
	}

	r.t.Errorf("it took %s, the goal is %s", took.Round(100*time.Millisecond), goal)
}

// bad waits until a refused commit is told, on the claim and on its layer.
func (r *rig) bad(revision, claim, layer string, words ...string) {
	r.t.Helper()

	begin := time.Now()
	r.within(patience, "the reason is on the claim", r.says(claim, "SpecValid", "False", "ValidationFailed", words...))

	if took := time.Since(begin); took > claimGoal {
		r.late(took, claimGoal)
	}

	r.within(patience, "the layer has failed", r.failedAt(revision, layer, claim, refused))

	if took := time.Since(begin); took > goodGoal {
		r.late(took, goodGoal)
	}
}

// goodChange grows a disk of a machine that runs. The layer is not ready before the disk has grown.
func (r *rig) goodChange() {
	before := r.did("change", "server-2")

	r.fleet.edit(server2, network, network+"\n  size: {disk: 50Gi}")
	revision := r.commit("Grow the disk of server-2")
	r.until("the wave is ready", r.readyAt(revision, "machines-2"))

	if r.did("change", "server-2") == before {
		r.t.Error("the layer says that it is ready, and nothing was changed in Proxmox")
	}

	r.good(revision)
}

// refusedChange is one that the function refuses. On a claim, Ready and Synced do not show it.
func (r *rig) refusedChange() {
	journal := len(r.world.Journal())

	for i, edit := range []struct{ field, words string }{
		{"class: smal", `spec.class: "smal"`},
		{"class: server\n  image: nosuch", "spec.image"},
	} {
		r.fleet.edit(server2, "class: server", edit.field)
		revision := r.commit("A bad commit")
		r.bad(revision, "server-2", "machines-2", edit.words)

		if i == 0 {
			r.record("refused", "server-2")
			r.hidden()
		}

		if got := conditionOf(r.claim("server-3"), "Ready"); got.Status != "True" {
			r.t.Errorf("server-3 has nothing to do with it: %s", got)
		}

		r.fleet.edit(server2, edit.field, "class: server")
		r.good(r.commit("Take it back"))
	}

	if got := r.world.Journal()[journal:]; len(got) > 0 {
		r.t.Errorf("bad commits and their correction changed something in Proxmox: %v", got)
	}
}

// hidden shows what status.appliedSpec is for: on a claim nothing else than the function's words tells that the edit failed.
func (r *rig) hidden() {
	r.t.Helper()

	ready, synced := conditionOf(r.claim("server-2"), "Ready"), conditionOf(r.claim("server-2"), "Synced")
	if hides := ready.Status == "True" && synced.Status == "True"; hides != (r.cluster == "claims") {
		r.t.Errorf("%s: %s, %s", r.cluster, ready, synced)
	}
}

// racingCommits: nobody waits for anybody. What counts is what the last one says.
func (r *rig) racingCommits() {
	r.fleet.edit(server2, "class: server", "class: smal")
	r.commit("Bad")
	r.fleet.edit(server2, "50Gi", "60Gi")
	revision := r.commit("Bad still, and something good beside it")
	r.notArrived(revision)

	r.fleet.edit(server2, "class: smal", "class: server")
	r.commit("Good")
	r.fleet.edit(server2, "60Gi", "70Gi")
	r.commit("Better")
	r.fleet.edit(server2, "class: server", "class: smal")
	r.commit("Bad again")
	r.fleet.edit(server2, "class: smal", "class: server")
	r.good(r.commit("Good again"))

	if got := text(r.claim("server-2"), "status", "size", "diskGiB"); got != "70" {
		r.t.Errorf("the disk has %s GiB, want 70", got)
	}
}

// notArrived waits until a commit was refused in the same words as the one before. A claim does not tell the two apart, so Flux
// calls it not ready there, and not failed.
func (r *rig) notArrived(revision string) {
	r.t.Helper()

	if r.cluster == "namespaced" {
		r.until("the layer has failed", r.failedAt(revision, "machines-2", refused))

		return
	}

	r.until("the commit is applied", func() (bool, string) {
		return text(r.claim("server-2"), "spec", "size", "disk") == "60Gi", text(r.claim("server-2"), "spec")
	})
	plane.Rest(r.t.Context(), 8*time.Second) // Longer than a health check's poll: it must not become ready.

	if ready := conditionOf(r.layer("machines-2"), "Ready"); ready.Status == "True" {
		r.t.Errorf("the layer says that it is ready: %s", ready)
	}

	if said, why := r.says("server-2", "SpecValid", "False", "ValidationFailed")(); !said {
		r.t.Error(why)
	}
}

// schemaError is refused by the API server, for the whole layer.
func (r *rig) schemaError() {
	r.fleet.edit(server2, "class: server", "class: server\n  colour: red")
	revision := r.commit("A field that is none")
	r.until("the layer says so", r.failedAt(revision, "machines-2", "server-2", "colour"))
	r.fleet.edit(server2, "\n  colour: red", "")
	r.good(r.commit("Take it back"))
}

// heldChange is understood, and nothing that a VM can follow.
func (r *rig) heldChange() {
	r.fleet.edit(server2, "node: pve2", "node: pve3")
	revision := r.commit("Another node, without a word on how")
	r.until("the reason is on the claim", r.says("server-2", "ReplacementRequired", "True", "ImmutableFieldChanged", "spec.proxmox.node"))
	r.until("the layer has failed", r.failedAt(revision, "machines-2", "server-2", refused))
	r.record("held", "server-2")
	r.fleet.edit(server2, "node: pve3", "node: pve2")
	r.good(r.commit("Take it back"))
}

// providerError is accepted, and fails in Proxmox.
func (r *rig) providerError() {
	mend := r.world.Break("quota", nil)
	defer mend()

	r.fleet.edit(server2, "70Gi", "80Gi")
	revision := r.commit("Grow beyond what there is")
	r.until("the reason is on the claim", r.says("server-2", "ProviderHealthy", "False", "QuotaExceeded"))
	r.record("provider-error", "server-2")

	if ready, why := r.readyAt(revision, "machines-2")(); ready {
		r.t.Errorf("the layer says that it is ready: %s", why)
	}

	mend()
	r.until("room was made", r.readyAt(revision, layers...))
}

// catalogueChange reaches machines whose claims stay as they are.
func (r *rig) catalogueChange() {
	r.fleet.edit("catalogue/machine-catalog.yaml", "server: {cores: 2, memory: 4Gi", "server: {cores: 2, memory: 6Gi")
	revision := r.commit("More memory for servers")

	for _, name := range []string{"server-1", "server-2", "server-3"} {
		r.until(name+" waits for a reboot", r.says(name, "RebootPending", "True", "ChangesPending", "spec.size.memory"))
	}

	r.good(revision)
	r.record("reboot-pending", "server-2")
}

// brokenCatalogue: no claim was edited, and the one whose class is broken says so, with its layer. No other one minds.
func (r *rig) brokenCatalogue() {
	r.fleet.edit("catalogue/machine-catalog.yaml", "agent: {cores: 4", "agent: {cores: four")
	revision := r.commit("A broken catalogue")
	r.until("the reason is on the claim", r.says("agent-1", "SpecValid", "False", "CatalogueEntryMissing", "data.classes.agent.cores"))
	r.record("broken-catalogue", "agent-1")
	r.until("its layer has failed", r.failedAt(revision, "machines-4", "agent-1"))
	r.until("the others are ready", r.readyAt(revision, "machines-1", "machines-2", "machines-3"))
	r.fleet.edit("catalogue/machine-catalog.yaml", "cores: four", "cores: 4")
	r.good(r.commit("Mend the catalogue"))
}

// notLogged looks for secrets in the logs of all programs.
func (r *rig) notLogged(secrets ...string) {
	r.t.Helper()

	files, err := filepath.Glob(filepath.Join(r.dir, "*.log"))
	must(r.t, err)

	for _, f := range files {
		content, err := os.ReadFile(f)
		must(r.t, err)

		for _, s := range secrets {
			if strings.Contains(string(content), s) {
				r.t.Errorf("%s has a secret in it", f)
			}
		}
	}
}
