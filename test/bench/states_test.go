package bench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// A state of a claim, as Crossplane calls the function in it. The fakes make the request, so that it is always what Crossplane would send now.
type state struct {
	what string
	// says has words of the answer: a reason of a condition, a phase of the status, or a message.
	says    string
	request func(tb testing.TB) *fnv1.RunFunctionRequest
}

// states in the order of the table. What is measured of a settled machine has its own table.
var states = []state{
	{what: "being created", says: "Creating", request: k3sServer(func(m *world.Machine) {
		for world.Reason(m.Call(), "MachineReady") != "Creating" {
			m.Turn()
		}
	})},
	{what: "current", says: "Current", request: k3sServer(func(m *world.Machine) { m.Settle() })},
	{what: "other bootstrap data than its VM was created with", says: "BootstrapChanged", request: changed("bootstrap: {userData: \"#cloud-config\\ntimezone: Europe/Berlin\\n\"}")},
	{what: "an edit that is refused", says: "spec.proxmox.node", request: changed("proxmox: {node: pve1}")},
	{what: "waiting for approval", says: "WaitingForApproval", request: changed("{tags: [new], size: {cores: 6}, lifecycle: {approval: OnRisk, reboot: a}}")},
	{what: "being replaced", says: "Replacing", request: machineOf("nixos/dns01", func(tb testing.TB, m *world.Machine) {
		world.Merge(m.Spec(), world.FromYAML(tb, "{proxmox: {vmId: null}, network: {ip: null, dns: null, dhcp: true}}"))
		m.Rest()
		world.Merge(m.Spec(), world.FromYAML(tb, "lifecycle: {replace: a}"))
		m.Turn()
		m.Turn()
	})},
	{what: "adopted", says: "Adopted", request: machineOf("nixos/dns01", func(tb testing.TB, m *world.Machine) {
		spec := world.FromYAML(tb, "{adopt: {vmId: 108}, proxmox: {site: home}, tags: [core]}")
		spec["claimRef"] = m.Spec()["claimRef"]
		m.Composite["spec"] = spec
		m.Proxmox.ByHand(108, fake.HandMade(tb))
		m.Rest()
		m.Approve()
		m.Rest()
	})},
	{what: "a container", says: "Running", request: func(tb testing.TB) *fnv1.RunFunctionRequest {
		tb.Helper()

		spec := world.FromYAML(tb, `{image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", size: {cores: 1, memory: 512, swap: 512, disk: 8}, tags: [core],
			network: {ip: 192.168.4.50/24, gateway: 192.168.4.1, firewall: true}, disks: [{path: /srv/data, size: 10, storage: tank}], features: {nesting: true},
			startup: {order: 3}, proxmox: {node: pve, vmId: 150, storage: local-lvm}}`)
		m := fake.NewCluster(tb, compose.Answer).Add(world.NewMachine(world.NewClaim("Container", "infra-machines", "other", spec), world.Installations[0]))
		m.Settle()

		return m.Request()
	}},
	{what: "a site", says: "AllPresent", request: site},
	{what: "a cluster of 5", says: "5/5", request: func(tb testing.TB) *fnv1.RunFunctionRequest { return cluster(tb, 5) }},
	{what: "a cluster of 50", says: "50/50", request: func(tb testing.TB) *fnv1.RunFunctionRequest { return cluster(tb, 50) }},
	{what: "an invalid claim", says: "SEVERITY_FATAL", request: changed("{size: {cores: 0}, class: smal}")},
}

// large is what a claim can have at most: 256 KiB of user-data, with 20,000 keys.
func large(tb testing.TB) *fnv1.RunFunctionRequest {
	tb.Helper()

	const keys, size = 20_000, 256 << 10

	text := strings.Builder{}
	text.WriteString("#cloud-config\nx:\n")

	for i := range keys {
		fmt.Fprintf(&text, " k%05d: a\n", i)
	}

	text.WriteString("z: " + strings.Repeat("z", size-text.Len()-len("z: \n")) + "\n")

	return k3sServer(func(m *world.Machine) {
		m.Settle()
		m.Spec()["bootstrap"] = map[string]any{"userData": text.String()}
	})(tb)
}

// machineOf an example in a state.
func machineOf(example string, arrange func(tb testing.TB, m *world.Machine)) func(tb testing.TB) *fnv1.RunFunctionRequest {
	return func(tb testing.TB) *fnv1.RunFunctionRequest {
		tb.Helper()

		m := fake.NewCluster(tb, compose.Answer).Add(fake.ExampleNamed(tb, example).Machine(world.Installations[0]))
		arrange(tb, m)

		return m.Request()
	}
}

// k3sServer is a K3s server whose image is on the node, as request has it.
func k3sServer(arrange func(m *world.Machine)) func(tb testing.TB) *fnv1.RunFunctionRequest {
	return machineOf("k3s-cluster/server-2", func(_ testing.TB, m *world.Machine) {
		m.Spec()["image"] = "local:import/noble.qcow2"
		arrange(m)
	})
}

// changed is a settled server with another claim.
func changed(edit string) func(tb testing.TB) *fnv1.RunFunctionRequest {
	return func(tb testing.TB) *fnv1.RunFunctionRequest {
		tb.Helper()

		return k3sServer(func(m *world.Machine) {
			m.Settle()
			world.Merge(m.Spec(), world.FromYAML(tb, edit))
		})(tb)
	}
}

// composite of a kind that the fakes of machines do not have.
func composite(tb testing.TB, folder, file string) (own map[string]any, catalogue *fnv1.Resource) {
	tb.Helper()

	parsed := func(file string) map[string]any {
		b, err := os.ReadFile(filepath.Join(fake.Root(tb), "example", folder, file))
		must(tb, err)

		return world.FromYAML(tb, string(b))
	}

	own = parsed(file)
	meta := world.Object(own["metadata"])
	meta["uid"] = "own"

	return own, &fnv1.Resource{Resource: world.Struct(tb, parsed("catalogue.yaml"))}
}

// settled calls the function until all that it asks for is there, as observe makes it.
func settled(tb testing.TB, own map[string]any, catalogue *fnv1.Resource, observe func(name string, o map[string]any)) *fnv1.RunFunctionRequest {
	tb.Helper()

	const turns = 60

	req := &fnv1.RunFunctionRequest{
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: world.Struct(tb, own)}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{world.CatalogueRequirement: {Items: []*fnv1.Resource{catalogue}}},
	}

	for range turns {
		before, rsp := proto.Clone(req), compose.Answer(req)
		if f := world.Fatal(rsp); f != "" {
			tb.Fatal(f)
		}

		for name := range rsp.GetRequirements().GetResources() {
			if _, has := req.GetRequiredResources()[name]; !has {
				req.RequiredResources[name] = &fnv1.Resources{}
			}
		}

		for name, r := range rsp.GetDesired().GetResources() {
			o := r.GetResource().AsMap()
			observe(name, o)
			req.Observed.Resources[name] = &fnv1.Resource{Resource: world.Struct(tb, o)}
		}

		maps.DeleteFunc(req.GetObserved().GetResources(), func(name string, _ *fnv1.Resource) bool { return rsp.GetDesired().GetResources()[name] == nil })

		if status := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"]; status != nil {
			req.Observed.Composite.Resource.Fields["status"] = status
		}

		if proto.Equal(before, req) {
			break
		}
	}

	// At rest it asks for less.
	asked := compose.Answer(req).GetRequirements().GetResources()
	maps.DeleteFunc(req.GetRequiredResources(), func(name string, _ *fnv1.Resources) bool { return asked[name] == nil })

	return req
}

func conditions(all ...[3]string) []any {
	var out []any
	for _, c := range all {
		out = append(out, map[string]any{"type": c[0], "status": "True", "reason": c[1], "message": c[2], "lastTransitionTime": "2026-11-23T00:00:00Z"})
	}

	return out
}

func site(tb testing.TB) *fnv1.RunFunctionRequest {
	tb.Helper()

	own, catalogue := composite(tb, "site-parts", "home.yaml")
	meta := world.Object(own["metadata"])
	own["kind"] = "XProxmoxSite"
	world.Object(own["spec"])["claimRef"] = map[string]any{"kind": "ProxmoxSite", "name": meta["name"], "namespace": meta["namespace"]}
	delete(meta, "namespace")

	return settled(tb, own, catalogue, func(name string, o map[string]any) {
		// Nothing has the name yet.
		if strings.HasPrefix(name, "look-") && !strings.HasPrefix(name, "look-port-") {
			world.SetConditions(o, world.Condition("Synced", "False", "ReconcileError", "observe failed: external resource does not exist", nil))

			return
		}

		at := maps.Clone(world.Object(world.Object(o["spec"])["forProvider"]))
		annotations := world.Object(world.Object(o["metadata"])["annotations"])
		at["id"] = annotations["crossplane.io/external-name"]

		if annotations["homelab.io/creating"] != nil {
			annotations["crossplane.io/external-create-pending"] = "2026-11-20T10:00:00Z"
		}

		o["status"] = map[string]any{
			"atProvider": at, "conditions": conditions([3]string{"Synced", "ReconcileSuccess", ""}, [3]string{"Ready", "Available", ""}),
		}
	})
}

// cluster at rest: three servers and agents.
func cluster(tb testing.TB, nodes int) *fnv1.RunFunctionRequest {
	tb.Helper()

	own, catalogue := composite(tb, "cluster", "home.yaml")
	world.Object(own["spec"])["agents"] = []any{map[string]any{"name": "worker", "count": float64(nodes - 3), "class": "agent"}}

	numbers := map[string]int{}

	return settled(tb, own, catalogue, func(name string, o map[string]any) {
		i, known := numbers[name]
		if !known {
			i = len(numbers)
			numbers[name] = i
		}

		meta := world.Object(o["metadata"])
		meta["uid"], meta["resourceVersion"], meta["creationTimestamp"] = fmt.Sprint("uid-", i), "4711", "2026-11-23T00:00:00Z"
		meta["ownerReferences"] = []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": claim.KindK3sCluster, "name": "home", "uid": "own", "controller": true}}
		address := fmt.Sprintf("192.168.4.%d", i)

		o["status"] = map[string]any{
			"conditions": conditions([][3]string{
				{"Synced", "ReconcileSuccess", ""},
				{"Ready", "Available", ""},
				{"SpecValid", "Valid", "The claim is valid."},
				{"MachineReady", "Running", "The machine runs."},
				{"BootstrapCurrent", "Current", ""},
				{"ProviderHealthy", "NoError", ""},
				{"NodeJoined", "Joined", "The Node is this VM."},
				{"NodeReady", "KubeletReady", ""},
				{"SpecObserved", "Observed", claim.Intent(o)},
			}...),
			"appliedSpec": claim.Written(o), "vmId": float64(4000 + i), "node": "pve1", "primaryAddress": address, "addresses": []any{address},
			"k3sVersion": "v1.33.6+k3s1", "phase": "Running", "class": "medium",
			"kubernetes": map[string]any{"name": meta["name"], "version": "v1.33.6+k3s1", "ready": true, "joined": true},
		}
	})
}

// TestStates: what is measured is what its row says.
func TestStates(t *testing.T) {
	for _, s := range states {
		t.Run(s.what, func(t *testing.T) {
			if rsp := compose.Answer(s.request(t)); !strings.Contains(rsp.String(), s.says) {
				t.Errorf("the answer does not say %q:\n%v\n%v", s.says, rsp.GetConditions(), rsp.GetResults())
			}
		})
	}

	if rsp := compose.Answer(large(t)); world.Reason(rsp, "BootstrapCurrent") != "BootstrapChanged" {
		t.Errorf("the large user-data: %v\n%v", rsp.GetConditions(), rsp.GetResults())
	}
}

// BenchmarkStates is the function alone in each state, without gRPC; for profiles.
func BenchmarkStates(b *testing.B) {
	for _, s := range append(states, state{what: "large", request: large}) {
		b.Run(s.what, func(b *testing.B) {
			req := s.request(b)

			b.ReportAllocs()

			for b.Loop() {
				compose.Answer(req)
			}
		})
	}
}
