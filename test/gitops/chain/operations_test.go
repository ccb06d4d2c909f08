package chain

import (
	"strings"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// flux runs Flux's command line.
func (r *rig) flux(args ...string) string {
	r.t.Helper()
	return run(r.t, r.fleet.dir, []string{"KUBECONFIG=" + r.Kubeconfig}, r.tool("flux"), args...)
}

// drift is what somebody does with kubectl. Git's word comes back.
func (r *rig) drift() {
	size := func(cores any) {
		r.patch("K3sNode", machines, "server-3", map[string]any{"spec": map[string]any{"class": cores}})
	}

	size("smal")
	r.until("the claim says what is wrong with it", r.says("server-3", "SpecValid", "False", "ValidationFailed"))
	r.annotate("Kustomization", fluxNamespace, "machines-3", "reconcile.fluxcd.io/requestedAt", time.Now().Format(time.RFC3339Nano))
	r.until("Git's word is back", r.says("server-3", "SpecValid", "True", "Valid"))
	r.good(r.commit("Nothing"))
}

// suspend a layer: neither commits nor drift reach its machines.
func (r *rig) suspend() {
	r.flux("suspend", "kustomization", "machines-2")
	r.fleet.edit(server2, "80Gi", "90Gi")
	revision := r.commit("While the layer is suspended")
	r.until("the wave before has it", r.readyAt(revision, "machines-1"))
	plane.Rest(r.t.Context(), 3*time.Second)

	if got := text(r.claim("server-2"), "status", "size", "diskGiB"); got != "80" {
		r.t.Errorf("the layer is suspended, and the disk has %s GiB", got)
	}

	r.flux("resume", "kustomization", "machines-2", "--wait=false")
	r.good(revision)
}

// upgrade to a version that is not there, and to one that is. Machines take no notice.
func (r *rig) upgrade() {
	journal := len(r.world.Journal())
	configuration := "packages/" + r.cluster + "/configuration.yaml"

	r.fleet.edit(configuration, version, "v9.9.9")
	revision := r.commit("A version that does not exist")
	r.until("the layer waits", func() (bool, string) {
		ready := conditionOf(r.layer("packages"), "Ready")
		return ready.Status != "True" && text(r.layer("packages"), "status", "lastAttemptedRevision") == revision, ready.String()
	})
	plane.Rest(r.t.Context(), 8*time.Second) // Longer than a health check's poll: it must not become ready.

	r.recordPackage("missing-version")

	if ready, _ := r.readyAt(revision, "packages")(); ready {
		r.t.Error("packages says that it is ready, with a version that does not exist")
	}

	if got := conditionOf(r.claim("server-2"), "Ready"); got.Status != "True" {
		r.t.Errorf("machines go on meanwhile: %s", got)
	}

	r.pushPackages(nextVersion)
	r.fleet.edit(configuration, "v9.9.9", nextVersion)
	r.fleet.edit("packages/base/function.yaml", version, nextVersion)
	r.good(r.commit("Upgrade Function and Configuration"))

	if got := text(r.get("Configuration", "", "homelab-io-configuration-proxmox-machine"), "status", "currentIdentifier"); !strings.HasSuffix(got, nextVersion) {
		r.t.Errorf("packages says that it is ready, and the Configuration is %s", got)
	}

	if got := r.world.Journal()[journal:]; len(got) > 0 {
		r.t.Errorf("the upgrade changed something in Proxmox: %v", got)
	}
}

// artifact: the same folders as an OCI artifact, as a pipeline would push them.
func (r *rig) artifact() {
	url := "oci://" + r.Registry.Host + "/fleet"
	r.fleet.write("machines/extra/kustomization.yaml", "resources: [agent-2.yaml]\n")
	r.fleet.write("machines/extra/agent-2.yaml", strings.NewReplacer("agent-1", "agent-2", "pve1", "pve2").Replace(r.fleet.read("machines/agents/agent-1.yaml")))
	r.flux("push", "artifact", url+":latest", "--path=.", "--source=test", "--revision=main@sha1:"+r.fleet.git("rev-parse", "HEAD"), "--insecure-registry")

	r.create("source.toolkit.fluxcd.io/v1", "OCIRepository", fluxNamespace, "fleet", map[string]any{"spec": map[string]any{
		"interval": "1m", "url": url, "ref": map[string]any{"tag": "latest"}, "insecure": true,
	}})

	spec := r.layer("machines-4").Object["spec"].(map[string]any)
	spec["path"], spec["sourceRef"] = "./machines/extra", map[string]any{"kind": "OCIRepository", "name": "fleet"}
	delete(spec, "dependsOn")
	r.create("kustomize.toolkit.fluxcd.io/v1", "Kustomization", fluxNamespace, "machines-extra", map[string]any{"spec": spec})

	r.until("the machine of the artifact is ready", func() (bool, string) {
		c := conditionOf(r.layer("machines-extra"), "Ready")
		return c.Status == "True", c.String()
	})

	if got := conditionOf(r.claim("agent-2"), "Ready"); got.Status != "True" {
		r.t.Errorf("the layer says that it is ready, and its machine %s", got)
	}
}

// move a claim from one wave to another, in one commit. The wave that loses it comes first.
func (r *rig) move() {
	const file = "server-3.yaml"

	before := r.claim("server-3").GetUID()

	r.fleet.write("machines/agents/"+file, r.fleet.read("machines/third-server/"+file))
	r.fleet.remove("machines/third-server/" + file)
	// kustomize refuses a kustomization with nothing at all in it.
	r.fleet.edit("machines/third-server/kustomization.yaml", "resources:\n  - "+file+"\n", "namespace: infra-machines\nresources: []\n")
	r.fleet.edit("machines/agents/kustomization.yaml", "resources:\n", "resources:\n  - "+file+"\n")
	r.good(r.commit("server-3 goes with the last wave"))

	if after := r.claim("server-3").GetUID(); after != before {
		r.t.Error("the claim was deleted and made again")
	}
}

// prune takes two commits: one that says that the machine may go, and one without it.
func (r *rig) prune() {
	const file = "machines/agents/agent-1.yaml"

	protection := "    kustomize.toolkit.fluxcd.io/prune: disabled\n"

	kept := r.fleet.read(file)
	r.fleet.remove(file)
	r.fleet.edit("machines/agents/kustomization.yaml", "  - agent-1.yaml\n", "")
	r.good(r.commit("Without a word first"))

	if r.claim("agent-1") == nil {
		r.t.Fatal("one commit deleted a machine")
	}

	r.fleet.write(file, strings.ReplaceAll(kept, protection, "    example.org/going: \"yes\"\n"))
	r.fleet.edit("machines/agents/kustomization.yaml", "resources:\n", "resources:\n  - agent-1.yaml\n")
	r.good(r.commit("It may go"))

	r.fleet.remove(file)
	r.fleet.edit("machines/agents/kustomization.yaml", "  - agent-1.yaml\n", "")
	r.commit("It goes")
	r.until("the machine is gone", func() (bool, string) { return r.claim("agent-1") == nil, "" })
	r.until("its VM is gone", func() (bool, string) {
		journal := strings.Join(r.world.Journal(), "\n")
		return strings.Contains(journal, "destroy VM") && strings.Count(journal, "remove ") >= 2, "its VM or a snippet is there"
	})
}

// removeLayers takes one file after the other out of the repository, the worst first, and at last all.
func (r *rig) removeLayers() {
	journal, before := len(r.world.Journal()), r.owned()
	list := "layers/kustomization.yaml"

	for _, layer := range []string{"packages", "provider", "provider-config", "catalogue", "infrastructure", "secrets", "signatures", "machines-1"} {
		r.fleet.edit(list, "  - "+layer+".yaml\n", "")
		r.fleet.remove("layers/" + layer + ".yaml")

		// What is patched has to be there.
		overlay := "clusters/" + r.cluster + "/layers/kustomization.yaml"
		if strings.Contains(r.fleet.read(overlay), "patches:") {
			r.fleet.write(overlay, "resources: [../../../layers]\n")
		}

		r.commit("Without " + layer)
		r.until("the layer "+layer+" is gone", func() (bool, string) { return r.layer(layer) == nil, "it is there" })
	}

	r.fleet.edit(list, "  - machines-2.yaml\n", "", "  - machines-3.yaml\n", "", "  - machines-4.yaml\n", "", "resources:\n", "resources: []\n")
	r.commit("Without all")
	r.until("all layers are gone", func() (bool, string) {
		return r.layer("machines-2") == nil && r.layer("machines-3") == nil && r.layer("machines-4") == nil, "they are there"
	})
	plane.Rest(r.t.Context(), 5*time.Second) // What a deletion sets off is quick: it took less in a test without the protection.

	if after := r.owned(); strings.Join(after, " ") != strings.Join(before, " ") {
		r.t.Errorf("claims before: %v, after: %v", before, after)
	}

	if got := r.world.Journal()[journal:]; len(got) > 0 {
		r.t.Errorf("it changed something in Proxmox: %v", got)
	}

	if r.get("Configuration", "", "homelab-io-configuration-proxmox-machine") == nil {
		r.t.Error("the Configuration is gone")
	}
}

// owned are the claims, with their UIDs.
func (r *rig) owned() []string {
	r.t.Helper()

	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(kinds["K3sNode"])
	must(r.t, r.Client.List(r.t.Context(), l, client.InNamespace(machines)))

	var out []string
	for _, c := range l.Items {
		out = append(out, c.GetName()+" "+string(c.GetUID())+" "+deletion(c.GetDeletionTimestamp()))
	}

	return out
}

func deletion(at *metav1.Time) string {
	if at == nil {
		return "stays"
	}

	return "goes"
}
