package properties

import (
	"fmt"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// words of fields of objects of a spec: as they were spelled, and as they are.
var words = map[[2]string]map[string]string{
	{"firmware", "type"}: {"bios": "BIOS", "uefi": "UEFI"},
	{"nix", "reboot"}:    {"never": "Never", "kernel": "Kernel", "always": "Always"},
}

// formerly is a spec with everything spelled as in earlier releases.
func formerly(spec map[string]any) map[string]any {
	out := world.Object(world.Copy(spec))
	rename(out, "deletionProtection", "protection")

	for at, former := range words {
		for was, is := range former {
			if o := world.Object(out[at[0]]); o[at[1]] == is {
				o[at[1]] = was
			}
		}
	}

	if network := world.Object(out["network"]); out["network"] != nil {
		for _, name := range []string{"bridge", "vlan"} {
			if v, ok := network[name]; ok {
				below(out, "proxmox")[name] = v
				delete(network, name)
			}
		}
	}

	for _, i := range interfaces(out) {
		if ip, prefix, ok := strings.Cut(fmt.Sprint(i["ip"]), "/"); ok {
			var bits float64
			fmt.Sscan(prefix, &bits) //nolint:errcheck // Digits.
			i["ip"], i["cidr"] = ip, bits
		}
	}

	return out
}

// today is a spec with everything spelled as it is today, and with addresses and the first interface in their short forms.
func today(spec map[string]any) map[string]any {
	out := formerly(spec)
	rename(out, "protection", "deletionProtection")

	for at, former := range words {
		if o := world.Object(out[at[0]]); o != nil {
			if is, ok := former[fmt.Sprint(o[at[1]])]; ok {
				o[at[1]] = is
			}
		}
	}

	if network, p := world.Object(out["network"]), world.Object(out["proxmox"]); out["network"] != nil {
		for _, name := range []string{"bridge", "vlan"} {
			if v, ok := p[name]; ok {
				network[name] = v
				delete(p, name)
			}
		}
	}

	for _, i := range interfaces(out) {
		if cidr, ok := i["cidr"]; ok {
			i["ip"] = fmt.Sprintf("%v/%v", i["ip"], cidr)
			delete(i, "cidr")
		}
	}

	return out
}

func rename(in map[string]any, from, to string) {
	if v, ok := in[from]; ok {
		in[to] = v
		delete(in, from)
	}
}

// below is an object of a spec, which appears if it is not there.
func below(spec map[string]any, name string) map[string]any {
	if spec[name] == nil {
		spec[name] = map[string]any{}
	}

	return world.Object(spec[name])
}

// interfaces of a spec, and their IPv6 addresses.
func interfaces(spec map[string]any) []map[string]any {
	all := append([]any{spec["network"]}, world.List(spec["nics"])...)

	var out []map[string]any

	for _, i := range all {
		for _, o := range []map[string]any{world.Object(i), world.Object(world.Object(i)["ipv6"])} {
			if o != nil {
				out = append(out, o)
			}
		}
	}

	return out
}

// respell writes a machine's spec anew. What is not the person's stays.
func respell(m *world.Machine, as func(map[string]any) map[string]any) {
	m.Composite["spec"] = as(m.Spec())
}

// TestSpellings writes random claims as they were written in earlier releases, and as they are written today: both render the very same,
// and a living machine that is spelled anew is not edited.
func TestSpellings(t *testing.T) {
	differ := 0

	for i := range uint64(120) {
		p := pairNumber(i)
		p.first = formerly(p.first)

		m := p.machine(t, compose.Answer)
		differ += spelledAnew(t, fmt.Sprintf("pair %d", i), m)
	}

	if differ < 60 {
		t.Errorf("only %d random claims have two spellings", differ)
	}
}

// TestSpellingsOfExamples does so with every example.
func TestSpellingsOfExamples(t *testing.T) {
	differ := 0

	for _, e := range fake.Examples(t) {
		for _, in := range world.Installations {
			m := fake.NewCluster(t, compose.Answer).Add(e.Machine(in))
			m.Proxmox.ByHand(100, fake.HandMade(t))
			respell(m, formerly)

			differ += spelledAnew(t, e.Name+", "+in.Name, m)
		}
	}

	if differ < 6 {
		t.Errorf("only %d examples have two spellings", differ)
	}
}

// spelledAnew has a machine that is spelled as formerly be spelled as today, before it has a VM and afterwards. It returns 1 if that
// makes a difference in the claim, else 0.
func spelledAnew(t *testing.T, name string, m *world.Machine) int {
	t.Helper()

	anew := m.Clone()
	respell(anew, today)

	if world.Compact(anew.Spec()) == world.Compact(m.Spec()) {
		return 0
	}

	same(t, name+", before it has a VM", m.Clone(), anew)

	m.Settle()

	anew = m.Clone()
	respell(anew, today)
	same(t, name+", living", m.Clone(), anew)

	return 1
}

// same compares what two machines are answered, but for the spelling of the applied spec and warnings.
func same(t *testing.T, name string, was, is *world.Machine) {
	t.Helper()

	a, b := was.Call(), is.Call()

	for _, d := range world.Differences("resources", values(world.Manifests(a)), values(world.Manifests(b))) {
		t.Errorf("%s: %s %s: from %.300s to %.300s\nspelled: %s", name, d.Path, d.What, d.From, d.To, world.Compact(is.Spec()))
	}

	statusOf := func(m *world.Machine, status map[string]any) map[string]any {
		// A machine that has its claim's spec has it as the claim spells it.
		if applied := world.Object(status["appliedSpec"]); applied != nil {
			spec := world.Object(world.Copy(m.Spec()))
			for _, f := range []string{"claimRef", "crossplane"} {
				delete(spec, f)
			}

			if world.Compact(applied) == world.Compact(spec) {
				applied = map[string]any{"as": "claimed"}
			}

			status["appliedSpec"] = formerly(applied)
		}

		// The plan of an adoption names each field as the person typed it.
		changes := world.List(world.Object(status["adoption"])["changes"])
		for i, c := range changes {
			changes[i] = strings.NewReplacer("spec.network.bridge:", "spec.proxmox.bridge:", "spec.network.vlan:", "spec.proxmox.vlan:").Replace(fmt.Sprint(c))
		}

		return status
	}

	before := statusOf(was, world.Object(world.Object(a.GetDesired().GetComposite().GetResource().AsMap())["status"]))
	after := statusOf(is, world.Object(world.Object(b.GetDesired().GetComposite().GetResource().AsMap())["status"]))

	for _, d := range world.Differences("status", before, after) {
		t.Errorf("%s: %s %s: from %.300s to %.300s", name, d.Path, d.What, d.From, d.To)
	}
}
