package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// containerAddresses are those that were written for containers, as the provider may create them; empty where there is none.
func containerAddresses(all []*machine) []string {
	out := make([]string, 0, len(all))

	for _, m := range all {
		out = append(out, m.containerAddress("container"))
	}

	return out
}

// containerAddress of one of the machine's containers.
func (m *machine) containerAddress(name string) string {
	o := m.Observed[name]
	if o == nil {
		return ""
	}

	inits := world.List(world.Object(world.Object(o["spec"])["forProvider"])["initialization"])
	config := world.Object(world.List(world.Object(inits[0])["ipConfig"])[0])

	return fmt.Sprint(world.Object(world.List(config["ipv4"])[0])["address"])
}

// pooledContainers are containers of one moment with an address each of their site's pool.
func pooledContainers(t *testing.T, in world.Installation, n int, pool any) []*machine {
	t.Helper()

	all := containersTogether(t, in, n, map[string]string{"pve1": "", "pve2": ""}, nil)
	for _, m := range all {
		m.withPool(pool)
		world.Merge(m.Spec(), world.FromYAML(t, "{network: {dhcp: null, pool: true}}"))
	}

	return all
}

// pooledMachine is a machine beside containers, in their catalogue.
func pooledMachine(ct *machine, in world.Installation) *machine {
	claim := world.NewClaim("Machine", "infra", "vm0", world.FromYAML(ct.t, `{size: {cores: 1, memory: 2Gi, disk: 8Gi}, image: debian-13, network: {pool: true}, proxmox: {site: home}}`))
	vm := &machine{Machine: ct.Cluster().AddOn(ct.Proxmox, world.NewMachine(claim, in)), t: ct.t}
	vm.Catalogue = ct.Catalogue

	return vm
}

// TestContainersOfAPool: containers and a machine of one moment get an address each of their site's pool, whoever is called first, and keep it.
func TestContainersOfAPool(t *testing.T) {
	t.Parallel()

	for name, order := range map[string]func(all []*machine){
		"ContainersFirst": func([]*machine) {}, "MachineFirst": slices.Reverse[[]*machine],
	} {
		for _, in := range withContainers() {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				t.Parallel()

				cts := pooledContainers(t, in, 3, []any{"192.168.4.50-192.168.4.51", "192.168.4.60-192.168.4.61"})
				vm := pooledMachine(cts[0], in)
				all := append(slices.Clone(cts), vm)
				order(all)
				inTurns(all)

				got := append(containerAddresses(cts), vm.address())
				made := slices.Clone(got)
				slices.Sort(got)

				want := []string{"192.168.4.50/24", "192.168.4.51/24", "192.168.4.60/24", "192.168.4.61/24"}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("addresses: -want, +got:\n%s\n%v", diff, vm.Proxmox.Done)
				}

				for _, ct := range cts {
					ct.withPool("192.168.4.200-192.168.4.210")
				}

				vm.Proxmox.Done = nil
				last := inTurns(cts)

				for i, ct := range cts {
					ct.says(last[i], map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired", "RebootPending": "NothingPending"})
				}

				if diff := cmp.Diff(made[:len(cts)], containerAddresses(cts)); diff != "" || len(vm.Proxmox.Done) > 0 {
					t.Errorf("another pool moved addresses: -want, +got:\n%s\n%v", diff, vm.Proxmox.Done)
				}
			})
		}
	}
}

// TestContainersAtOnce: answers of one moment, of which none knows of another's reservation.
func TestContainersAtOnce(t *testing.T) {
	t.Parallel()

	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			t.Parallel()

			cts := pooledContainers(t, in, 3, "192.168.4.50-192.168.4.53")
			all := append(slices.Clone(cts), pooledMachine(cts[0], in))
			given := map[string]int{}

			for range 20 {
				atOnce(all, all)

				for _, a := range append(containerAddresses(cts), all[3].address()) {
					given[a]++
				}

				now := slices.DeleteFunc(append(containerAddresses(cts), all[3].address()), func(a string) bool { return a == "" })
				if slices.Sort(now); len(slices.Compact(slices.Clone(now))) != len(now) {
					t.Fatalf("an address is given twice: %v", now)
				}
			}

			delete(given, "")

			if len(given) != len(all) {
				t.Errorf("want an address for each, and no other one: %v", given)
			}
		})
	}
}

// TestAPoolWithoutAnAddressForAContainer: it says so, creates nothing, and goes on when the pool is larger.
func TestAPoolWithoutAnAddressForAContainer(t *testing.T) {
	t.Parallel()

	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			t.Parallel()

			cts := pooledContainers(t, in, 2, "192.168.4.50")
			last := inTurns(cts)
			waiting := slices.Index(containerAddresses(cts), "")

			if waiting < 0 {
				t.Fatalf("both have an address: %v", containerAddresses(cts))
			}

			cts[waiting].says(last[waiting], map[string]string{"MachineReady": "AddressPoolExhausted"})

			if msg := world.Message(last[waiting], "MachineReady"); !strings.Contains(msg, "1 of 1 addresses are in use") {
				t.Errorf("it is told: %s", msg)
			}

			for _, ct := range cts {
				ct.withPool("192.168.4.50-192.168.4.51")
			}

			last = inTurns(cts)
			cts[waiting].says(last[waiting], map[string]string{"MachineReady": "Running"})

			if got := containerAddresses(cts); got[0] == got[1] {
				t.Errorf("both have one address: %v", got)
			}
		})
	}
}

// TestAReplacedContainerKeepsItsAddress of the pool, and one that had DHCP takes one of the pool with the new container.
func TestAReplacedContainerKeepsItsAddress(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ before, says, want string }{
		"OfThePool": {before: "{pool: true}", says: "NotRequired", want: "192.168.4.50/24"},
		"ByName":    {before: "{ip: 192.168.4.77/24}", says: "NotRequired", want: "192.168.4.77/24"},
		"DHCP":      {before: "{dhcp: true}", says: "ImmutableFieldChanged", want: "192.168.4.50/24"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m := ofKind(t, "Container", "web", "{class: own, image: own-ct, network: "+tc.before+", proxmox: {site: home, node: pve}}")
			m.SetSite("home", "vmIds", twoIDs())
			m.withPool("192.168.4.50-192.168.4.52")
			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
			m.Proxmox.Done = nil

			m.Spec()["network"] = map[string]any{"pool": true}
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": tc.says})

			if len(m.Proxmox.Done) > 0 {
				t.Fatalf("the edit did %v", m.Proxmox.Done)
			}

			w := watched(m)
			m.edit("lifecycle: {replace: a}")
			w.steps(24)

			name := slices.IndexFunc(world.Keys(m.Observed), func(n string) bool { return strings.HasPrefix(n, "container") })
			if got := m.containerAddress(world.Keys(m.Observed)[name]); got != tc.want {
				t.Errorf("want %s, got %s: %v", tc.want, got, m.Proxmox.Done)
			}
		})
	}
}

// reservedAddress is the address that an answer reserves for a container, with the managed resource that looks for a VM; empty where there is none.
func reservedAddress(rsp *fnv1.RunFunctionResponse) string {
	for _, name := range world.VMNames(rsp) {
		annotations := world.Object(world.Object(world.Desired(rsp, name)["metadata"])["annotations"])
		if a, ok := annotations["homelab.io/reserved-address"]; ok {
			return fmt.Sprint(a)
		}
	}

	return ""
}

// TestAReservationLastsUntilTheContainerIsSeen: Crossplane deletes what is not desired any more before it creates anything, so the answer that creates the
// container has the reservation as well. It goes when the container is seen, which has the address from then on.
func TestAReservationLastsUntilTheContainerIsSeen(t *testing.T) {
	t.Parallel()

	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			t.Parallel()

			m := pooledContainers(t, in, 1, "192.168.4.50-192.168.4.53")[0]
			creates := false

			for range 12 {
				rsp := m.Call()
				seen := m.Observed["container"] != nil

				if got := reservedAddress(rsp); (got == "192.168.4.50") == seen {
					t.Fatalf("the container is seen: %v; reserved is %q", seen, got)
				}

				if !seen && world.Desired(rsp, "container") != nil {
					creates = true
				}

				m.applyUnlessFatal(rsp)
				m.Provide()
			}

			if !creates || m.containerAddress("container") != "192.168.4.50/24" {
				t.Errorf("want an answer with the container and its reservation, got %v, %s", creates, m.containerAddress("container"))
			}
		})
	}
}

// TestAnAnswerThatComesLateForContainers: a container is created by an answer that knows nothing of another one's reservation, which counts as the earlier
// one. The other one waits for what becomes of the first one, and both get an address of their own.
func TestAnAnswerThatComesLateForContainers(t *testing.T) {
	t.Parallel()

	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			t.Parallel()

			all := pooledContainers(t, in, 2, "192.168.4.50-192.168.4.53")
			a, b := all[0], all[1]
			early := a.Call()

			creates := b.Call()
			for n := 0; world.Desired(creates, "container") == nil; n++ {
				if n > 8 {
					t.Fatal("b is never created")
				}

				b.applyUnlessFatal(creates)
				b.Provide()
				creates = b.Call()
			}

			a.Apply(early)

			for name, o := range a.Observed {
				if o["kind"] == world.VMKind {
					world.Object(a.Observed[name]["metadata"])["creationTimestamp"] = "2020-01-01T00:00:00Z"
				}
			}

			a.Provide()

			waits := a.Turn()
			a.says(waits, map[string]string{"MachineReady": "ReservingAddress"})

			if msg := world.Message(waits, "MachineReady"); !strings.Contains(msg, "Container `infra/ct1` reserved it at the same time") || world.Desired(waits, "container") != nil {
				t.Errorf("the message does not say for whom the container waits, or it does not wait: %s", msg)
			}

			b.applyUnlessFatal(creates)
			inTurns(all)

			if got := containerAddresses(all); !slices.Equal(got, []string{"192.168.4.51/24", "192.168.4.50/24"}) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// TestAReplacementWithoutAnAddress: the old container runs on while the pool has no address for the new one, and the condition says so.
func TestAReplacementWithoutAnAddress(t *testing.T) {
	t.Parallel()

	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			t.Parallel()

			all := pooledContainers(t, in, 2, "192.168.4.50")
			all[1].Spec()["network"] = map[string]any{"dhcp": true}
			inTurns(all)

			old := all[1]
			old.Proxmox.Done = nil
			world.Merge(old.Spec(), world.FromYAML(t, "{network: {dhcp: null, pool: true}, proxmox: {vmId: 180}, lifecycle: {replace: a}}"))
			last := inTurns(all)
			old.says(last[1], map[string]string{"MachineReady": "Running", "ReplacementRequired": "Replacing"})

			if msg := world.Message(last[1], "ReplacementRequired"); !strings.Contains(msg, "The site's address pool is exhausted: 1 of 1 addresses are in use.") || len(old.Proxmox.Done) > 0 {
				t.Errorf("want the lack of an address, and nothing done: %s\n%v", msg, old.Proxmox.Done)
			}

			for _, m := range all {
				m.withPool("192.168.4.50-192.168.4.51")
			}

			for range 2 {
				inTurns(all)
			}

			if old.Proxmox.Containers[171] != nil || old.Proxmox.Containers[180] == nil {
				t.Errorf("want the new container in the place of the old one: %v", old.Proxmox.Done)
			}
		})
	}
}
