package upgrade

import (
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// newStore makes the store of the current code: the calls of every example's first day in every installation, and
// the situations of day two, each in one of them.
func newStore(t *testing.T) *storeWriter {
	t.Helper()

	s := &storeWriter{files: map[string][]byte{}}

	for _, in := range world.Installations {
		for _, e := range fake.Examples(t) {
			folder := in.Name + "/" + strings.ReplaceAll(e.Name, "/", "-") + "/"
			m := fake.NewCluster(t, compose.Answer).Add(e.Machine(in))

			s.call(t, folder+"first.yaml", m, in)
			m.Apply(m.Call())
			m.Provide()
			s.call(t, folder+"second.yaml", m, in)
			m.Settle()
			s.call(t, folder+"running.yaml", m, in)
		}
	}

	for i, sit := range slices.Concat(situations, dayTwoSituations, containerSituations) {
		in := world.Installations[i%len(world.Installations)]
		if strings.HasPrefix(sit.example, containerPrefix) && in.API == v1beta1.ProviderAPILegacy {
			in = world.Installations[0] // That provider has no containers.
		}

		m := fake.NewCluster(t, compose.Answer).Add(sit.machine(t, in))
		sit.arrange(t, m)
		s.call(t, in.Name+"/situations/"+sit.name+".yaml", m, in)
	}

	return s
}

// call the function for a machine, and store the call.
func (s *storeWriter) call(t *testing.T, path string, m *world.Machine, in world.Installation) {
	t.Helper()

	req := m.Request()
	asCrossplaneSends(t, req, in)

	rsp := callUntilAnswered(t, req)
	s.put(t, path, req, rsp)
}

// asCrossplaneSends adds to a request what the fake leaves out, since the function is not to care.
func asCrossplaneSends(t *testing.T, req *fnv1.RunFunctionRequest, in world.Installation) {
	t.Helper()

	// The legacy provider is that of Crossplane 1.20, which knows required resources by their old name alone.
	if in.API == v1beta1.ProviderAPILegacy {
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
		meta := world.Object(o["metadata"])

		annotations, labels := world.Object(meta["annotations"]), world.Object(meta["labels"])
		annotations["crossplane.io/external-create-succeeded"] = "2026-01-01T00:00:00Z"
		annotations["upjet.crossplane.io/provider-meta"] = `{"schema_version":"0"}`
		labels["crossplane.io/composite"] = world.Object(composite["metadata"])["name"]
		meta["annotations"], meta["labels"] = annotations, labels
		if ns, ok := world.Object(composite["metadata"])["namespace"]; ok {
			meta["namespace"] = ns
		}

		meta["creationTimestamp"], meta["generation"] = "2026-01-01T00:00:00Z", 2
		meta["finalizers"] = []any{"finalizer.managedresource.crossplane.io"}

		if spec, ok := o["spec"].(map[string]any); ok {
			spec["initProvider"] = map[string]any{}
		}

		// The provider says which generation it speaks of where it is the reconciler that speaks.
		for _, c := range world.Conditions(o) {
			if c["type"] == "Ready" || c["type"] == "Synced" {
				c["observedGeneration"] = 2
			}
		}

		req.Observed.Resources[name] = &fnv1.Resource{Resource: world.Struct(t, o)}
	}
}

// A situation is a machine at one point of its life.
type situation struct {
	name    string
	example string // Of example/, or a spec.
	arrange func(t *testing.T, m *world.Machine)
}

// machine of the situation, with nothing observed.
func (s situation) machine(t *testing.T, in world.Installation) *world.Machine {
	t.Helper()

	if spec, ok := strings.CutPrefix(s.example, containerPrefix); ok {
		return world.NewMachine(world.NewClaim("Container", "infra-machines", "other", world.FromYAML(t, spec)), in)
	}

	if strings.HasPrefix(s.example, "spec:") {
		return world.NewMachine(world.NewClaim("Machine", "infra-machines", "other", world.Object(world.FromYAML(t, s.example)["spec"])), in)
	}

	return fake.ExampleNamed(t, s.example).Machine(in)
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
func settledWith(edit string) func(t *testing.T, m *world.Machine) {
	return func(t *testing.T, m *world.Machine) {
		t.Helper()
		m.Settle()
		world.Merge(m.Spec(), world.FromYAML(t, edit))
	}
}

// settledAnd settles a machine, and then changes what is observed of its VM.
func settledAnd(change func(vm, atProvider map[string]any)) func(t *testing.T, m *world.Machine) {
	return func(t *testing.T, m *world.Machine) {
		t.Helper()
		m.Settle()

		vm := m.Observed["vm"]
		change(vm, world.Object(world.Object(vm["status"])["atProvider"]))
	}
}

// dropFiles takes the snippets and the image out of what is observed.
func dropFiles(m *world.Machine) {
	for name, o := range m.Observed {
		if o["kind"] != world.VMKind {
			delete(m.Observed, name)
		}
	}
}
