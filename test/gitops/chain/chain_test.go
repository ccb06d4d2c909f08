package chain

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// Goals, from push to truth, beyond what the machine itself needs.
const (
	goodGoal  = 15 * time.Second
	claimGoal = 10 * time.Second
)

// layers of a cluster, in the order in which they become ready.
var layers = []string{
	"infrastructure", "provider", "provider-config", "signatures", "packages", "catalogue", "secrets", "machines-1", "machines-2", "machines-3", "machines-4",
}

// fleet is the machines of the example, by the layer that they are in.
var fleet = map[string][]string{"machines-1": {"server-1"}, "machines-2": {"server-2"}, "machines-3": {"server-3"}, "machines-4": {"agent-1"}}

// TestChain drives a cluster from its first commit to its last, in each variant.
func TestChain(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, variants[name])
			chapters := []struct {
				name string
				do   func(*rig)
			}{
				{"FromBootstrapToMachines", (*rig).install},
				{"SecretsAreDecryptedInTheCluster", (*rig).secrets},
				{"AGoodChange", (*rig).goodChange},
				{"ARefusedChange", (*rig).refusedChange},
				{"CommitsThatRace", (*rig).racingCommits},
				{"AFieldThatIsNone", (*rig).schemaError},
				{"AChangeThatTheVMCannotFollow", (*rig).heldChange},
				{"AChangeThatProxmoxRefuses", (*rig).providerError},
				{"ACatalogueChange", (*rig).catalogueChange},
				{"ABrokenCatalogue", (*rig).brokenCatalogue},
				{"Drift", (*rig).drift},
				{"SuspendAndResume", (*rig).suspend},
				{"PackageUpgrade", (*rig).upgrade},
				{"AnArtifactInsteadOfGit", (*rig).artifact},
				{"AMachineChangesItsWave", (*rig).move},
				{"Prune", (*rig).prune},
				{"LayersAreTakenAway", (*rig).removeLayers},
			}

			for _, c := range chapters {
				// One after the other, on one cluster: what follows a failure says nothing.
				if !t.Run(c.name, func(t *testing.T) { r.t = t; c.do(r) }) {
					t.Fatalf("logs are in %s", r.dir)
				}
			}

			r.t = t
			r.nothingWasDestroyed()
		})
	}
}

// nothingWasDestroyed but the one machine whose claim was deleted by two commits.
func (r *rig) nothingWasDestroyed() {
	r.t.Helper()

	var destroyed []string

	for _, line := range r.world.Journal() {
		if strings.HasPrefix(line, "destroy") {
			destroyed = append(destroyed, line)
		}
	}

	if len(destroyed) != 1 {
		r.t.Errorf("destroyed: %v; only agent-1 was deleted", destroyed)
	}
}

// install: the first commit, and one Secret with the key. The provider's stand-in starts when its kinds are there, as the
// provider's Pod does.
func (r *rig) install() {
	r.clone()
	revision := r.fleet.push("First commit")
	begin := time.Now()

	r.bootstrap()
	r.until("the provider's kinds are there", func() (bool, string) {
		for _, name := range r.kinds() {
			if c := conditionOf(r.get("CRD", "", name), "Established"); c.Status != "True" {
				return false, name + ": " + c.String()
			}
		}

		return true, ""
	})

	var err error
	r.provider, err = standin.StartServed(r.REST, r.world, standin.Quick)
	must(r.t, err)

	r.until("the first machine is being made", r.says("server-1", "MachineReady", "False", "Creating"))
	r.record("creating", "server-1")

	for _, layer := range layers {
		r.until(layer+" is ready", r.readyAt(revision, layer))
		r.honest(layer)
	}

	r.t.Logf("from the first apply to four machines: %s", time.Since(begin).Round(100*time.Millisecond))
	r.record("healthy", "server-2")
	r.recordPackage("healthy")

	if n := len(r.world.VMs()); n != 4 {
		r.t.Errorf("%d VMs, want 4", n)
	}

	if got := conditionOf(r.get("HelmRelease", "crossplane-system", "crossplane"), "Ready"); got.Status != "True" {
		r.t.Errorf("HelmRelease: %s", got)
	}
}

// kinds of the provider that the machines of the example have, as their CRDs are named. Those of the other scope are not active in all clusters.
func (r *rig) kinds() []string {
	group := ".proxmoxbpg.crossplane.io"
	if r.cluster == "namespaced" {
		group = ".proxmoxbpg.m.crossplane.io"
	}

	var out []string
	for _, kind := range []string{"vm", "file", "downloadfile"} {
		out = append(out, "environment"+kind+"s.virtualenvironment"+kind+group)
	}

	return out
}

// honest holds a layer that says it is ready to what it is made of.
func (r *rig) honest(layer string) {
	r.t.Helper()

	for _, name := range fleet[layer] {
		c := r.claim(name)
		if got := conditionOf(c, "Ready"); got.Status != "True" {
			r.t.Errorf("%s says that it is ready, and %s says %s", layer, name, got)
		}

		if phase := text(c, "status", "phase"); phase != "Running" {
			r.t.Errorf("%s says that it is ready, and %s is %s", layer, name, phase)
		}
	}

	if layer == "packages" {
		for _, crd := range []string{"machines.homelab.io", "k3snodes.homelab.io"} {
			if got := conditionOf(r.get("CRD", "", crd), "Established"); got.Status != "True" {
				r.t.Errorf("packages says that it is ready, and kind %s: %s", crd, got)
			}
		}
	}
}

func (r *rig) secrets() {
	if got := string(r.secret(machines, "k3s-join-token")["token"]); got != joinToken {
		r.t.Errorf("the token in the cluster is %q", got)
	}

	if got := string(r.secret("crossplane-system", "proxmox-credentials")["credentials"]); got != credentials {
		r.t.Errorf("the credentials in the cluster are %q", got)
	}

	r.notLogged(joinToken, "root@pam!made-up")
}
