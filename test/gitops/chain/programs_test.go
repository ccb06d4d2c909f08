package chain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// A program as people have them in programs/. No kubelet runs it, and nothing pulls its image: the test says what becomes of it.
const (
	programFile = "programs/web.yaml"
	program     = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: infra-machines}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, version: first}}
    spec: {containers: [{name: web, image: web:1}]}
`
)

// layersOfPrograms are those of example/flux that have machines, with their health checks.
const layersOfPrograms = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [machines-1.yaml, machines-2.yaml, machines-3.yaml, machines-4.yaml]
patches:
  - path: machines-health.yaml
    target: {kind: Kustomization, labelSelector: layer=machines}
`

// TestPrograms holds the real Flux to example/workload/flux/programs.yaml, behind the waves of example/flux: programs are applied when the machines of the last wave
// are ready, which is when they have joined, and not before; they are ready when they run; the next commit waits for the machines again, and what leaves Git goes.
func TestPrograms(t *testing.T) {
	r := newRigOfWorkload(t, "programs", "K3sNode")
	revision := r.commitPrograms()

	for _, server := range []string{"server-1", "server-2", "server-3"} {
		r.until(server+" is applied", r.claimed(server))
		r.awaitsMachines("")
		r.tells("K3sNode", server, [3]string{"Ready", "True", "Available"})
	}

	r.until("the agent is applied", r.claimed("agent-1"))

	for _, says := range [][3]string{{"NodeJoined", "Unknown", "NotReported"}, {"NodeJoined", "False", "Failed"}} {
		r.tells("K3sNode", "agent-1", [3]string{"Ready", "False", "Creating"}, says)
		plane.Rest(t.Context(), 8*time.Second) // Longer than a health check's poll.
		r.awaitsMachines("")
	}

	joined := [][3]string{{"Ready", "True", "Available"}, {"NodeJoined", "True", "Joined"}}
	r.tells("K3sNode", "agent-1", joined...)
	r.until("the program is applied", r.hasProgram("first"))

	if ready := conditionOf(r.layer("programs"), "Ready"); ready.Status == "True" {
		t.Errorf("programs are ready before the program runs: %s", ready)
	}

	r.programRuns()
	r.until("programs are ready", r.readyAt(revision, "machines-4", "programs"))

	r.tells("K3sNode", "agent-1", [3]string{"Ready", "False", "Creating"}, [3]string{"NodeJoined", "False", "NotYet"})
	r.fleet.edit(programFile, "version: first", "version: second")
	revision = r.commit("The program's next commit")
	r.until("the last wave has the commit", func() (bool, string) {
		wave := r.layer("machines-4")

		return text(wave, "status", "lastAttemptedRevision") == revision, conditionOf(wave, "Ready").String()
	})
	r.awaitsMachines("first")

	r.tells("K3sNode", "agent-1", joined...)
	r.until("the program has its next commit", r.hasProgram("second"))
	r.programRuns()
	r.until("programs are ready again", r.readyAt(revision, "machines-4", "programs"))

	r.fleet.remove(programFile)
	r.fleet.write("programs/other.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: infra-machines}\n")
	revision = r.commit("Another program")
	r.until("the program is gone", r.hasProgram(""))
	r.until("programs have the commit", r.readyAt(revision, "programs"))
}

// commitPrograms commits the example behind the waves of example/flux, whose agent is ready when it has joined, as the example's README has it.
func (r *rig) commitPrograms() (revision string) {
	r.t.Helper()

	const folder, agentFile = "clusters/programs/", "machines/agents/agent-1.yaml"

	examples := map[string]string{
		folder + "programs.yaml":               "workload/flux/programs.yaml",
		folder + "team.yaml":                   "flux/infrastructure/base/team.yaml",
		folder + "layers/machines-health.yaml": "flux/layers/machines-health.yaml",
	}

	for _, wave := range []string{"machines-1", "machines-2", "machines-3", "machines-4"} {
		examples[folder+"layers/"+wave+".yaml"] = "flux/layers/" + wave + ".yaml"
	}

	all := "resources: [layers, programs.yaml, team.yaml, provider-config.yaml, packages.yaml, catalogue.yaml, secrets.yaml]\n"
	files := map[string]string{folder + "kustomization.yaml": all, folder + "layers/kustomization.yaml": layersOfPrograms, programFile: program}

	for folder, file := range map[string]string{
		"first-server": "server-1.yaml", "second-server": "server-2.yaml", "third-server": "server-3.yaml", "agents": "agent-1.yaml",
	} {
		examples["machines/"+folder+"/"+file] = "flux/machines/" + folder + "/" + file
		files["machines/"+folder+"/kustomization.yaml"] = "resources: [" + file + "]\n"
	}

	agent, err := os.ReadFile(filepath.Join(repository, "example", examples[agentFile]))
	must(r.t, err)
	delete(examples, agentFile)

	files[agentFile] = strings.Replace(string(agent), "role: agent}", "role: agent, readyWhen: Joined}", 1)
	if files[agentFile] == string(agent) {
		r.t.Fatal("the agent of example/flux has another spec.k3s")
	}

	return r.commitWorkload(examples, files)
}

func (r *rig) claimed(name string) func() (bool, string) {
	return func() (bool, string) { return r.claim(name) != nil, "there is none" }
}

// hasProgram of a version; empty for none.
func (r *rig) hasProgram(version string) func() (bool, string) {
	return func() (bool, string) {
		got := text(r.get("Deployment", machines, "web"), "spec", "template", "metadata", "labels", "version")

		return got == version, "version " + got
	}
}

// awaitsMachines: programs wait for the last wave, and the program is of a version; empty for none.
func (r *rig) awaitsMachines(version string) {
	r.t.Helper()

	r.until("programs wait for machines", func() (bool, string) {
		c := conditionOf(r.layer("programs"), "Ready")

		return c.Status == "False" && c.Reason == "DependencyNotReady", c.String()
	})

	if ok, got := r.hasProgram(version)(); !ok {
		r.t.Errorf("the program is of %s, want %q", got, version)
	}
}

// programRuns is what the cluster's kubelets and the controller of Deployments say of the program.
func (r *rig) programRuns() {
	r.t.Helper()

	o := r.get("Deployment", machines, "web")
	r.writesStatus(o, map[string]any{
		"observedGeneration": o.GetGeneration(), "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
		"conditions": []any{
			map[string]any{"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
			map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
		},
	})
}
