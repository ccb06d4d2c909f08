package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// newStore makes the store of the current code: the calls of every example's first day in every installation, and
// the situations of day two, each in one of them.
func newStore(t *testing.T) *storeWriter {
	t.Helper()

	s := &storeWriter{files: map[string][]byte{}}

	for _, in := range installations {
		for _, e := range examples(t) {
			folder := in.name + "/" + strings.ReplaceAll(e.name, "/", "-") + "/"
			w := e.world(in)

			s.call(t, folder+"first.yaml", w, in)
			w.apply(w.run(t))
			w.provide()
			s.call(t, folder+"second.yaml", w, in)
			w.settle(t)
			s.call(t, folder+"running.yaml", w, in)
		}
	}

	for i, sit := range slices.Concat(situations, dayTwoSituations) {
		in := installations[i%len(installations)]
		w := sit.world(t, in)
		sit.arrange(t, w)
		s.call(t, in.name+"/situations/"+sit.name+".yaml", w, in)
	}

	return s
}

// call the function in a world, and store the call.
func (s *storeWriter) call(t *testing.T, path string, w *world, in installation) {
	t.Helper()

	req := w.request(t)
	asCrossplaneSends(t, req, in)

	rsp, err := newFunction().RunFunction(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}

	s.put(t, path, req, rsp)
}

// asCrossplaneSends adds to a request what a world leaves out, since the function is not to care.
func asCrossplaneSends(t *testing.T, req *fnv1.RunFunctionRequest, in installation) {
	t.Helper()

	// The legacy provider is that of Crossplane 1.20, which knows required resources by their old name alone.
	if in.api == v1beta1.ProviderAPILegacy {
		req.ExtraResources, req.RequiredResources = req.GetRequiredResources(), nil
	} else {
		req.Meta.Capabilities = []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
			fnv1.Capability_CAPABILITY_CREDENTIALS, fnv1.Capability_CAPABILITY_CONDITIONS, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
		}
	}

	composite := req.GetObserved().GetComposite().GetResource().AsMap()

	for name, r := range req.GetObserved().GetResources() {
		o := r.GetResource().AsMap()
		meta := object(o["metadata"])

		annotations, labels := object(meta["annotations"]), object(meta["labels"])
		annotations["crossplane.io/external-create-succeeded"] = "2026-01-01T00:00:00Z"
		annotations["upjet.crossplane.io/provider-meta"] = `{"schema_version":"0"}`
		labels["crossplane.io/composite"] = object(composite["metadata"])["name"]
		meta["annotations"], meta["labels"] = annotations, labels
		if ns, ok := object(composite["metadata"])["namespace"]; ok {
			meta["namespace"] = ns
		}

		meta["creationTimestamp"], meta["generation"] = "2026-01-01T00:00:00Z", 2
		meta["finalizers"] = []any{"finalizer.managedresource.crossplane.io"}

		if spec, ok := o["spec"].(map[string]any); ok {
			spec["initProvider"] = map[string]any{}
		}

		// The provider says which generation it speaks of where it is the reconciler that speaks.
		for _, c := range conditionsOf(o) {
			if c["type"] == "Ready" || c["type"] == "Synced" {
				c["observedGeneration"] = 2
			}
		}

		req.Observed.Resources[name] = &fnv1.Resource{Resource: toStruct(t, o)}
	}
}

// conditionsOf a managed resource, to be read and changed.
func conditionsOf(o map[string]any) []map[string]any {
	var out []map[string]any

	conditions, _ := object(o["status"])["conditions"].([]any)
	for _, c := range conditions {
		out = append(out, object(c))
	}

	return out
}

// A situation is a machine at one point of its life.
type situation struct {
	name    string
	example string // Of example/, or a spec.
	arrange func(t *testing.T, w *world)
}

// world of the situation, with nothing observed.
func (s situation) world(t *testing.T, in installation) *world {
	t.Helper()

	if strings.HasPrefix(s.example, "spec:") {
		claim := fromYAML(t, s.example)
		claim["apiVersion"], claim["kind"] = "homelab.io/v1alpha1", "Machine"
		claim["metadata"] = map[string]any{"name": "other", "namespace": "infra-machines", "labels": map[string]any{}}

		return newWorld(claim, in)
	}

	for _, e := range examples(t) {
		if e.name == s.example {
			return e.world(in)
		}
	}

	t.Fatalf("no example %s", s.example)

	return nil
}

// The machines that no example shows.
const (
	isoMachine     = "spec: {image: \"local:iso/debian-13.iso\", proxmox: {node: pve, vmId: 170}}"
	nativeMachine  = "spec: {image: debian-13, proxmox: {node: pve}, network: {dhcp: true}, bootstrap: {sshAuthorizedKeys: [" + someKey + "]}}"
	devicesMachine = "spec: {image: \"local:import/x.qcow2\", proxmox: {node: pve, vmId: 171, vlan: 20}, firmware: {type: uefi, secureBoot: true, tpm: true}, " +
		"devices: {pci: [{mapping: gpu0}], usb: [{mapping: coral}]}, disks: [{name: data, size: 50Gi}, {name: logs, size: 5Gi, backup: false}]}"
	someKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"
)

// settledWith settles a machine, and then edits its claim.
func settledWith(edit string) func(t *testing.T, w *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		w.settle(t)
		merge(specOf(w), fromYAML(t, edit))
	}
}

// settledAnd settles a machine, and then changes what is observed of its VM.
func settledAnd(change func(vm, atProvider map[string]any)) func(t *testing.T, w *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		w.settle(t)

		vm := w.observed["vm"]
		change(vm, object(object(vm["status"])["atProvider"]))
	}
}

// merge lays values over an object; null takes one away.
func merge(into, over map[string]any) {
	for k, v := range over {
		inner, ok := v.(map[string]any)

		switch {
		case v == nil:
			delete(into, k)
		case ok && len(object(into[k])) > 0:
			merge(object(into[k]), inner)
		default:
			into[k] = v
		}
	}
}

// reports of the provider: Ready, Synced and LastAsyncOperation, with the message of a failure.
func reports(vm map[string]any, ready, synced, last, message string) {
	for _, c := range conditionsOf(vm) {
		switch c["type"] {
		case "Ready":
			c["status"], c["reason"] = ready, map[string]string{"True": "Available", "False": "Creating"}[ready]
		case "Synced":
			c["status"], c["reason"], c["message"] = synced, map[string]string{"True": "ReconcileSuccess", "False": "ReconcileError"}[synced], message
		case "LastAsyncOperation":
			c["status"], c["reason"], c["message"] = last, map[string]string{"True": "Success", "False": "ApplyFailure"}[last], message
		}
	}
}

// dropFiles takes the snippets and the image out of what is observed.
func dropFiles(w *world) {
	for name, o := range w.observed {
		if o["kind"] != proxmox.VMKind {
			delete(w.observed, name)
		}
	}
}
