package behaviour

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// servers of one K3s cluster that run, three at most.
func servers(t *testing.T, n int, edits ...string) []*machine {
	t.Helper()

	return serversBorn(t, n, func(_ int, spec map[string]any) {
		for _, e := range edits {
			world.Merge(spec, world.FromYAML(t, e))
		}
	})
}

// serversBorn are servers whose claims were edited before they had VMs; i is 0 for the first one.
func serversBorn(t *testing.T, n int, edit func(i int, spec map[string]any)) []*machine {
	t.Helper()

	var out []*machine

	for i := range n {
		m := fake.ExampleNamed(t, fmt.Sprintf("k3s-cluster/server-%d", i+1)).Machine(world.Installations[0])
		edit(i, m.Spec())

		if m.Spec()["image"] != nil {
			m.SetSite("home", "vmIds", nil)
		}

		if i == 0 {
			out = append(out, alone(t, m))
		} else {
			out = append(out, out[0].beside(m))
		}
	}

	out[0].Rest()
	out[0].Proxmox.Done = nil

	return out
}

// replacedAmong servers is the last answer about one whose claim asks for a new VM, when all have had turns.
func replacedAmong(all []*machine, m *machine) *fnv1.RunFunctionResponse {
	m.Proxmox.Done = nil
	m.replace("a")

	for range 10 {
		for _, other := range all {
			other.Turn()
		}
	}

	return m.Rest()
}

// number of a machine's VM.
func (m *machine) number() int { return int(world.Status(m.Call())["vmId"].(float64)) }

// watch that a cluster keeps so many of its first servers running, after every turn of anybody.
func watch(t *testing.T, p *world.Proxmox, least int) func() {
	t.Helper()

	return func() {
		running := 0

		for _, g := range p.VMs {
			if g.Running != nil && g.Owner != "" {
				running++
			}
		}

		if running < least {
			t.Fatalf("%d servers run, which is no quorum; done: %v", running, p.Done)
		}
	}
}

// together lets all machines live a number of turns, in which all are called before any answer is applied, as one commit has it.
func together(all []*machine, turns int, check func()) {
	for range turns {
		apply := make([]func(), 0, len(all))

		for _, m := range all {
			rsp := m.Call()
			apply = append(apply, func() { m.Apply(rsp) })
		}

		for i, f := range apply {
			f()
			all[i].Provide()
			check()
		}
	}
}

// TestAServerThatItsClusterNeeds is not replaced, and nothing is done for it, until the cluster can do without.
func TestAServerThatItsClusterNeeds(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		count  int
		born   func(i int, spec map[string]any)
		before func(all []*machine)
		says   string
		mend   func(all []*machine)
	}{
		"TheOnlyOne": {reason: "Its state would be lost with it.", count: 1, says: "the only known server of K3s cluster home"},
		"TheOnlyOneWithEtcd": {
			reason: "Servers without etcd have nothing of its state, however many there are.", count: 3, says: "the only known server of K3s cluster home",
			born: func(i int, spec map[string]any) {
				if i > 0 {
					world.Merge(spec, world.FromYAML(t, "k3s: {config: {disable-etcd: true}}"))
				}
			},
		},
		"OneOfTwo": {reason: "An etcd of two stands still without one.", count: 2, says: "ready: 1; needed for etcd's quorum: 2"},
		"OneIsStopped": {
			reason: "Two of three are a quorum, one is none.", count: 3, says: "ready: 1; needed for etcd's quorum: 2",
			before: func(all []*machine) { all[2].Spec()["power"] = "Stopped" },
			mend:   func(all []*machine) { all[2].Spec()["power"] = "Running" },
		},
		"OneFails": {
			reason: "Nobody knows how it is with a server that the provider cannot read.", count: 3, says: "ready: 1; needed for etcd's quorum: 2",
			before: func(all []*machine) {
				all[2].Provider.Fails["vm"] = "observe failed: cannot run refresh: refresh failed: "
			},
			mend: func(all []*machine) { delete(all[2].Provider.Fails, "vm") },
		},
		"NoCluster": {
			reason: "Nobody can count the servers of a cluster without a name.", count: 3, says: "set spec.k3s.cluster",
			born: func(i int, spec map[string]any) {
				if k3s := world.Object(spec["k3s"]); i == 0 {
					delete(k3s, "cluster")
					k3s["server"], k3s["version"] = "https://k3s.home.arpa:6443", "v1.33.6+k3s1"
				}
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			edit := tc.born
			if edit == nil {
				edit = func(int, map[string]any) {}
			}

			all := serversBorn(t, tc.count, edit)
			m := all[0]

			if tc.before != nil {
				tc.before(all)
				m.Rest()
				m.Proxmox.Done = nil
			}

			settled := m.Turn()
			m.replace("a")

			blocked := m.Rest()
			m.only(settled, blocked, nil)
			m.did()
			m.says(blocked, map[string]string{"ReplacementRequired": "ReplacementBlocked", "MachineReady": "Running", "SpecValid": "Valid"})

			if msg := world.Message(blocked, "ReplacementRequired"); !strings.Contains(msg, tc.says) {
				t.Errorf("%s\nthe message does not say %q: %s", tc.reason, tc.says, msg)
			}

			if tc.mend == nil {
				return
			}

			tc.mend(all)
			m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
		})
	}
}

// named are three servers of a cluster without an entry in the catalogue, that run. edit is made to the last one.
// compose is done to each composite; either may be nil.
func named(t *testing.T, edit func(e *fake.Example), compose func(m *world.Machine)) []*machine {
	t.Helper()

	var out []*machine

	for i := range 3 {
		e := fake.ExampleNamed(t, fmt.Sprintf("k3s-cluster/server-%d", i+1))
		e.Claim = world.Object(world.Copy(e.Claim))
		world.Merge(world.Object(e.Claim["spec"]), world.FromYAML(t, `
k3s:
  cluster: null
  clusterName: home
  server: https://k3s.home.arpa:6443
  version: v1.33.6+k3s1
  token: {secretRef: {name: k3s-join-token}, allowPlaintext: true, trustOnFirstUse: true}
`))

		if i == 2 && edit != nil {
			edit(&e)
		}

		m := e.Machine(world.Installations[0])
		if compose != nil {
			compose(m)
		}

		if i == 0 {
			// K3s makes the token of a new cluster.
			world.Merge(m.Spec(), map[string]any{"k3s": map[string]any{"token": nil}})
			out = append(out, alone(t, m))
		} else {
			out = append(out, out[0].beside(m))
		}
	}

	out[0].Rest()
	out[0].Proxmox.Done = nil

	return out
}

// composedBy makes a machine's composite one that the composite of a K3sCluster composes.
func composedBy(m *world.Machine, cluster, namespace string) {
	delete(m.Spec(), "claimRef")

	meta := world.Object(m.Composite["metadata"])
	meta["name"] = cluster + "-" + strings.TrimSuffix(m.Name(), "-x7f2k")
	meta["labels"] = map[string]any{
		"crossplane.io/composite": cluster, "crossplane.io/claim-name": "home", "crossplane.io/claim-namespace": namespace,
	}
	meta["ownerReferences"] = []any{map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sCluster", "name": cluster, "uid": "uid-of-" + cluster, "controller": true,
	}}
}

// TestServersOfANamedCluster find each other without an entry in the catalogue, and nobody else of that name.
func TestServersOfANamedCluster(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		third  func(e *fake.Example)
		parent func(m *world.Machine)
		says   string // Why no server of the cluster can go; empty where one can.
	}{
		"Three": {reason: "Two of three are a quorum."},
		"NodesOfACluster": {
			reason: "Crossplane gives all that a cluster composes one label, and what its nodes compose has it, too: servers are told apart by their composites.",
			parent: func(m *world.Machine) { composedBy(m, "home-x7f2k", "infra-machines") },
		},
		"OtherNamespace": {
			reason: "The same name in another namespace is another cluster.", says: "K3s cluster home has 2 servers, this one included",
			third: func(e *fake.Example) { world.Object(e.Claim["metadata"])["namespace"] = "lab" },
		},
		"Entry": {
			reason: "So is an entry of the catalogue.", says: "K3s cluster home has 2 servers, this one included",
			third: func(e *fake.Example) {
				world.Merge(world.Object(e.Claim["spec"]), map[string]any{"k3s": map[string]any{"clusterName": nil, "cluster": "home"}})
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all := named(t, tc.third, tc.parent)
			check := watch(t, all[0].Proxmox, 2)

			for _, m := range all[1:] {
				m.replace("a")
			}

			for range 12 {
				for _, m := range all {
					m.Turn()
					check()
				}
			}

			rsp := all[1].Rest()
			replaced := all[0].happened("make") >= 0

			if msg := world.Message(rsp, "ReplacementRequired"); tc.says == "" != replaced || !strings.Contains(msg, tc.says) {
				t.Errorf("%s\nreplaced: %v; the condition of server-2 says: %s", tc.reason, replaced, msg)
			}
		})
	}
}

// TestAServerOfThree is replaced: stopped first, since the new one takes its name and its address.
func TestAServerOfThree(t *testing.T) {
	for policy, goes := range map[string]string{"Delete": "destroy", "Orphan": "let go of"} {
		t.Run(policy, func(t *testing.T) {
			all := servers(t, 3, "deletionPolicy: "+policy)
			m := all[1]
			old := m.number()
			m.replace("a")

			check := watch(t, m.Proxmox, 2)
			for range 10 {
				for _, other := range all {
					other.Turn()
					check()
				}
			}

			next := m.number()
			m.did(fmt.Sprintf("change onBoot of %d", old), fmt.Sprintf("stop %d", old), fmt.Sprintf("make %d", next), fmt.Sprintf("%s %d", goes, old))
			m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
		})
	}
}

// TestServersInOneCommit: all claims get the same trigger at once. However their calls fall, no two servers are ever gone at
// the same time.
func TestServersInOneCommit(t *testing.T) {
	t.Parallel()

	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			edits := []string{"deletionPolicy: Delete"}
			if seed%2 == 1 {
				// Nothing has to be got ready, so that a server could be stopped by the first call.
				edits = append(edits, "bootstrap: {snippets: {userData: 'local:snippets/x.yaml'}}", "image: 'local:import/x.qcow2'")
			}

			all := servers(t, 3, edits...)
			random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // A shuffle that can be repeated.

			for _, m := range all {
				m.replace("a")
			}

			check := watch(t, all[0].Proxmox, 2)

			for range 15 {
				random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })

				// Some are called before others are applied, and the provider works when it likes.
				switch random.IntN(3) {
				case 0:
					var after []func()

					for _, m := range all {
						rsp := m.Call()
						after = append(after, func() { m.Apply(rsp); check() })
					}

					for _, f := range after {
						f()
					}
				case 1:
					for _, m := range all[:2] {
						m.Turn()
						check()
					}
				default:
					for _, m := range all {
						m.Apply(m.Call())
						check()
					}
				}

				for _, m := range all {
					if random.IntN(2) == 0 {
						m.Provide()
						check()
					}
				}
			}

			all[0].Rest()
			check()

			// At least one of them got its new VM; the others say what they wait for.
			if all[0].happened("make") < 0 || all[0].happened("destroy") < 0 {
				t.Errorf("none was replaced; done: %v", all[0].Proxmox.Done)
			}
		})
	}
}

// TestOneAfterAnother: each server gets a trigger of its own when the one before it has joined, and all are new in the end.
func TestOneAfterAnother(t *testing.T) {
	all := servers(t, 3, "deletionPolicy: Delete")
	check := watch(t, all[0].Proxmox, 2)

	for i, m := range all {
		m.replace(fmt.Sprintf("word-%d", i))

		for range 10 {
			for _, other := range all {
				other.Turn()
				check()
			}
		}

		last := m.Rest()
		m.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})

		if msg := world.Message(last, "ReplacementRequired"); !strings.Contains(msg, fmt.Sprintf("set spec.lifecycle.joined to `word-%d`", i)) {
			t.Errorf("nobody is told to confirm that %d has joined: %s", i, msg)
		}

		// Nothing further is replaced before somebody has said that this one has joined, of this very VM.
		next := all[(i+1)%len(all)]
		settled := next.Turn()
		next.replace(fmt.Sprintf("word-%d", i+1))

		for _, word := range []string{"", "word", fmt.Sprintf("word-%d", i+1)} {
			m.lifecycle("joined", word)

			waits := next.Rest()
			next.only(settled, waits, nil)
			next.says(waits, map[string]string{"ReplacementRequired": "ReplacementBlocked"})

			if msg := world.Message(waits, "ReplacementRequired"); !strings.Contains(msg, fmt.Sprintf("its spec.lifecycle.joined does not say `word-%d` yet", i)) {
				t.Errorf("the message does not name who has to join: %s", msg)
			}
		}

		next.replace("")
		m.lifecycle("joined", fmt.Sprintf("word-%d", i))
		m.Rest()
	}

	makes := slices.DeleteFunc(slices.Clone(all[0].Proxmox.Done), func(d string) bool { return !strings.HasPrefix(d, "make") })
	if len(makes) != 3 {
		t.Errorf("done: %v", all[0].Proxmox.Done)
	}
}

// TestQuorumIsLostMeanwhile: another server goes down after the replacement was asked for and before the old VM is stopped.
func TestQuorumIsLostMeanwhile(t *testing.T) {
	t.Parallel()

	for turns := range 6 {
		t.Run(fmt.Sprint(turns), func(t *testing.T) {
			all := servers(t, 3)
			m, old := all[1], all[1].number()
			m.replace("a")

			for range turns {
				m.Turn()
			}

			begun := m.happened("make") >= 0
			stopped := m.happened(fmt.Sprintf("stop %d", old)) >= 0

			// Somebody shuts the third one down, and knows better.
			all[2].Spec()["power"] = "Stopped"
			all[2].lifecycle("force", "now")
			all[2].Turn()
			all[2].Turn()

			last := m.Rest()
			if begun {
				// The new one is on its way already; it comes.
				m.says(last, map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
				return
			}

			// An old one that was stopped for it starts again.
			m.says(last, map[string]string{"ReplacementRequired": "ReplacementBlocked", "MachineReady": "Running"})

			if was := m.happened(fmt.Sprintf("stop %d", old)) >= 0; was != stopped || m.Proxmox.VMs[old].Running == nil {
				t.Errorf("the last server but one is stopped, or was: %v", m.Proxmox.Done)
			}

			if m.happened("make") >= 0 {
				t.Errorf("a VM was made for nothing: %v", m.Proxmox.Done)
			}
		})
	}
}

// TestALostServerDoesNotCount from a person's word on, although its managed resource is as the provider read it before its Proxmox node died.
func TestALostServerDoesNotCount(t *testing.T) {
	t.Parallel()

	all := servers(t, 3)
	all[2].lifecycle("lost", all[2].host())
	all[2].Turn()

	m := all[0]
	m.lifecycle("reboot", "now")
	waits := m.Rest()
	m.says(waits, map[string]string{"RebootPending": "WaitingForQuorum"})

	if want := "its Proxmox node does not come back, as its spec.lifecycle.lost says"; !strings.Contains(world.Message(waits, "RebootPending"), want) {
		t.Errorf("%q is not in %s", want, world.Message(waits, "RebootPending"))
	}

	all[2].lifecycle("lost", "")
	all[2].Turn()
	m.says(m.Rest(), map[string]string{"RebootPending": "NothingPending"})

	if m.happened(fmt.Sprintf("stop %d", m.number())) < 0 {
		t.Errorf("it did not restart after the word was taken back: %v", m.Proxmox.Done)
	}
}

// TestAnAgentIsNoServer: nobody has to ask for quorum.
func TestAnAgentIsNoServer(t *testing.T) {
	m, _ := living(t, "k3s-cluster/agent-1")
	m.replace("a")

	if asked := m.Call().GetRequirements().GetResources(); asked[world.ServersRequirement] != nil {
		t.Errorf("an agent asks for %v", asked[world.ServersRequirement])
	}

	m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired", "MachineReady": "Running"})
}

// TestDualStackNodeOfTheFirstRelease: an upgrade of the function asks nobody to replace a node that runs.
func TestDualStackNodeOfTheFirstRelease(t *testing.T) {
	m := example(t, "k3s-cluster/agent-1")
	world.Merge(m.Spec(), world.FromYAML(t, `{network: {dhcp: null, ip: 192.168.4.221, cidr: 24, ipv6: {ip: "fd00::9", cidr: 64}}}`))
	before := m.Rest()

	// The first release took no notice of the pod network: this is what it rendered.
	m.Catalogue = world.Object(world.Copy(m.Catalogue))
	cluster := world.Object(world.Object(world.Object(m.Catalogue["data"])["clusters"])["home"])
	cluster["config"] = map[string]any{"cluster-cidr": "10.42.0.0/16,fd00:42::/56", "service-cidr": "10.43.0.0/16,fd00:43::/112"}
	world.Object(world.Object(m.Catalogue["data"])["clusters"])["home"] = cluster

	after := m.Rest()
	m.says(after, map[string]string{"BootstrapCurrent": "Current"})

	if diff := cmp.Diff(world.Status(before)["bootstrap"], world.Status(after)["bootstrap"]); diff != "" {
		t.Errorf("status.bootstrap: -before, +after:\n%s", diff)
	}
}

// TestAClusterNameIsMended where nobody else has the old one, and refused where others count the server by it.
func TestAClusterNameIsMended(t *testing.T) {
	t.Parallel()

	all := named(t, func(e *fake.Example) {
		world.Merge(world.Object(e.Claim["spec"]), world.FromYAML(t, "k3s: {clusterName: hmoe}"))
	}, nil)
	all[0].Rest()

	mistyped := all[2]
	world.Merge(mistyped.Spec(), world.FromYAML(t, "k3s: {clusterName: home}"))
	mistyped.Rest()

	if a, b := label(mistyped), label(all[0]); a != b {
		t.Errorf("the server is labelled %s, and the others %s", a, b)
	}

	world.Merge(all[1].Spec(), world.FromYAML(t, "k3s: {clusterName: lab}"))

	if rsp := all[1].Call(); len(rsp.GetResults()) == 0 || !strings.Contains(rsp.GetResults()[0].GetMessage(), "other servers have the name that this node was made with") {
		t.Errorf("a server leaves the others that count it: %v", rsp.GetResults())
	}
}

func label(m *machine) string {
	return fmt.Sprint(world.Object(world.Object(m.Observed["vm"]["metadata"])["labels"])["homelab.io/k3s-cluster"])
}
