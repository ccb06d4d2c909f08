package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// withTenancy sets the tenancy of the machine's catalogue.
func (m *machine) withTenancy(tenancy any) {
	m.Catalogue = world.Object(world.Copy(m.Catalogue))
	world.Object(m.Catalogue["data"])["tenancy"] = tenancy
}

// try a turn: of a fatal result, Crossplane applies nothing.
func (m *machine) try() {
	rsp := m.Call()
	m.applyUnlessFatal(rsp)
	m.Provide()
}

func (m *machine) applyUnlessFatal(rsp *fnv1.RunFunctionResponse) {
	if r := rsp.GetResults(); len(r) == 1 && r[0].GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
		return
	}

	m.Apply(rsp)
}

// TestQuotaOfOneMachine: of two machines that are committed together, one gets a VM, and the other is told why not; once there is room, it gets one.
func TestQuotaOfOneMachine(t *testing.T) {
	orders := map[string]func(a, b *machine){
		"OneAfterTheOther": func(a, _ *machine) { a.restAlone() },
		"InTurns":          func(a, b *machine) { a.try(); b.try() },
		"AtOnce": func(a, b *machine) {
			for range 3 {
				ra, rb := a.Call(), b.Call()
				b.applyUnlessFatal(rb)
				a.applyUnlessFatal(ra)
				a.Provide()
				b.Provide()
			}
		},
	}

	for name, first := range orders {
		for _, in := range world.Installations {
			t.Run(name+in.Name, func(t *testing.T) {
				all := pooled(t, in, "192.168.4.50-192.168.4.59", "a", "b")
				tenancy := world.FromYAML(t, `{tenants: {ours: {namespaces: ["*"], quota: {machines: 1}, allow: [pin, startup, templates]}}}`)

				for _, m := range all {
					m.withTenancy(tenancy)
				}

				first(all[0], all[1])

				for range 12 {
					all[1].try()
					all[0].try()
				}

				var with, without []*machine

				for _, m := range all {
					if m.address() != "" {
						with = append(with, m)
					} else {
						without = append(without, m)
					}
				}

				if len(with) != 1 || len(without) != 1 {
					t.Fatalf("want one machine with a VM and one without, got %d and %d", len(with), len(without))
				}

				with[0].says(with[0].Turn(), map[string]string{"MachineReady": "Running"})

				without[0].refused(without[0].Call(), "tenant ours has no room for this: its other machines have 1 machine, this one has 1 machine, and all may have 1 machine")

				without[0].withTenancy(world.FromYAML(t, `{tenants: {ours: {namespaces: ["*"], quota: {machines: 2}, allow: [pin, startup, templates]}}}`))

				for range 12 {
					without[0].try()
				}

				if without[0].address() == "" {
					t.Error("with room for two, the other machine has no VM")
				}
			})
		}
	}
}

// TestRoomForOne: of two machines of one moment with addresses of a pool, for which a node has memory for one, one gets its VM.
func TestRoomForOne(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			all := pooled(t, in, "192.168.4.50-192.168.4.59", "a", "b")

			for _, m := range all {
				delete(world.Object(m.Spec()["proxmox"]), "node")
				world.Merge(m.Spec(), world.FromYAML(t, `{size: {memory: 4Gi}}`))
				m.SetSite("home", "nodes", world.FromYAML(t, `{pve: {memory: 8Gi, reserve: 2Gi}}`))
			}

			for range 3 {
				ra, rb := all[0].Call(), all[1].Call()
				all[1].applyUnlessFatal(rb)
				all[0].applyUnlessFatal(ra)
				all[0].Provide()
				all[1].Provide()
			}

			for range 12 {
				all[1].try()
				all[0].try()
			}

			if a, b := all[0].address(), all[1].address(); (a == "") == (b == "") {
				t.Errorf("want a VM of one of them, got addresses %q and %q", a, b)
			}
		})
	}
}

// TestRulesThatComeLater do nothing to a machine that lives: it goes on, and its edits within the rules are applied.
func TestRulesThatComeLater(t *testing.T) {
	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			m := alone(t, fake.ExampleNamed(t, "nixos/dns01").Machine(in))
			m.Settle()

			before := map[string]any{}
			for name, o := range m.Observed {
				before[name] = world.Copy(o)
			}

			m.withTenancy(world.FromYAML(t, `{default: Deny, tenants: {ours: {namespaces: ["*"], sites: {}, classes: [], images: [], limits: {cores: 1}, quota: {machines: 0}}}}`))
			m.says(m.Settle(), map[string]string{"SpecValid": "Valid", "MachineReady": "Running"})

			after := map[string]any{}
			for name, o := range m.Observed {
				after[name] = world.Copy(o)
			}

			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the rules changed what exists: -before, +after:\n%s", diff)
			}

			m.Spec()["power"] = "Stopped"
			m.says(m.Settle(), map[string]string{"SpecValid": "Valid", "MachineReady": "Stopped"})
		})
	}
}

// TestQuotaOfWhatIsNotMade: a VM that cannot be created goes on as it was written, and an edit makes it no larger than the quota has room for.
func TestQuotaOfWhatIsNotMade(t *testing.T) {
	tenancy := world.FromYAML(t, `{tenants: {ours: {namespaces: ["*"], quota: {cores: 8}, allow: [pin, startup, templates]}}}`)

	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			m := alone(t, fake.ExampleNamed(t, "nixos/dns01").Machine(in))
			m.withTenancy(tenancy)
			m.Spec()["size"] = map[string]any{"cores": int64(4)}
			m.Provider.FailsToCreate = "create failed: async create failed: timeout while waiting for VM 153"

			for range 6 {
				m.try()
			}

			m.Spec()["size"] = map[string]any{"cores": int64(64)}
			m.refused(m.Call(), "tenant ours has no room for this")

			m.Spec()["size"] = map[string]any{"cores": int64(8)}
			m.try() // It announces the growth,
			m.try() // and grows.

			m.withTenancy(world.FromYAML(t, `{tenants: {ours: {namespaces: ["*"], quota: {cores: 2}, allow: [pin, startup, templates]}}}`))
			m.Provider.FailsToCreate = ""

			for range 12 {
				m.try()
			}

			m.says(m.Settle(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
		})
	}
}
