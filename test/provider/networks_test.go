package provider

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// aSite is the claim of a site with all that a claim can say.
const aSite = `{nodes: {pve: {bridges: [{name: vmbr1, ports: [enp3s0, enp2s0], vlanAware: true, mtu: 9000, address: 10.0.9.2/24, address6: "fd00:9::2/64", comment: "storage ${x}"}, ` +
	`{name: vmbr2}], vlans: [{interface: vmbr1, tag: 30, address: 10.0.30.2/24, mtu: 1400, comment: cameras}]}}, pools: [{name: k3s, comment: nodes}, {name: media}]}`

// withNetworks is a lab whose nodes have network configurations.
func withNetworks(t *testing.T) (*lab, *Networks) {
	t.Helper()

	l := newLab(t)

	n, err := l.ServeNetworks("pve", "pve2")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})

	return l, n
}

// site is a control of a ProxmoxSite.
func (l *lab) site(t *testing.T, name, spec string) *Control {
	t.Helper()

	c := l.machine(t, name, spec)
	c.Composite.SetKind("XProxmoxSite")

	in, err := Input(repository, APIClaims, "XProxmoxSite")
	if err != nil {
		t.Fatal(err)
	}

	c.Input = in
	if err := unstructured.SetNestedField(c.Composite.Object, "ProxmoxSite", "spec", "claimRef", "kind"); err != nil {
		t.Fatal(err)
	}

	// Interfaces and pools may go while their claim stays; what the policies keep stays in Proxmox.
	c.MayDrop = true

	return c
}

// atRest says that nothing writes to a network or to a pool: neither a poll nor a restart of the provider.
func (l *lab) atRest(t *testing.T, c *Control, n *Networks) {
	t.Helper()

	n.Writes()

	for _, forgetful := range []bool{false, true} {
		c.Forgetful = forgetful
		l.poll(t, c)
		l.settle(t, c)
	}

	c.Forgetful = false

	if w := n.Writes(); w != "" {
		t.Errorf("want nothing to be written at rest, got:\n%s", w)
	}
}

// writes says what was written since the last call: exactly these, where nothing is only nothing.
func writes(t *testing.T, n *Networks, what string, want ...string) {
	t.Helper()

	got := n.Writes()

	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s: want %q among what was written:\n%s", what, w, got)
		}
	}

	if len(want) == 0 && got != "" {
		t.Errorf("%s: want nothing to be written, got:\n%s", what, got)
	}
}

// allowedBy is the word that allows the interruptions of an interface.
func allowedBy(t *testing.T, c *Control, name string) string {
	t.Helper()

	all, _, _ := unstructured.NestedSlice(c.Composite.Object, "status", "interfaces")
	for _, i := range all {
		if m, _ := i.(map[string]any); m["name"] == name {
			w, _ := m["allow"].(string)
			return w
		}
	}

	return ""
}

// bridge is the claim's entry of vmbr1, with some fields in the place of others.
func bridge(fields string) string {
	return `{nodes: {pve: {bridges: [{name: vmbr1, ` + fields + `}, {name: vmbr2}]}}}`
}

const asCreated = `ports: [enp3s0, enp2s0], vlanAware: true, mtu: 9000, address: 10.0.9.2/24, address6: "fd00:9::2/64", comment: "storage ${x}"`

// TestSite follows a site from its creation through every edit to its end, with the real plugin.
func TestSite(t *testing.T) {
	t.Parallel()

	l, n := withNetworks(t)
	c := l.site(t, "home", aSite)
	c.Hasty = true
	l.settle(t, c)
	want(t, c, "SiteReady", "True", "AllPresent")
	want(t, c, "InterruptionPending", "False", "NothingPending")

	const mark = "[ProxmoxSite lab/home]"

	for name, fields := range map[string]Interface{
		"vmbr1": {
			"type": "bridge", "bridge_ports": "enp2s0 enp3s0", "bridge_vlan_aware": "1", "mtu": "9000", "cidr": "10.0.9.2/24", "cidr6": "fd00:9::2/64",
			"comments": "storage ${x} " + mark + "\n", "autostart": "1",
		},
		"vmbr2":    {"type": "bridge", "bridge_ports": "", "comments": mark + "\n"},
		"vmbr1.30": {"type": "vlan", "vlan-raw-device": "vmbr1", "vlan-id": "30", "cidr": "10.0.30.2/24", "mtu": "1400", "comments": "cameras " + mark + "\n"},
	} {
		has := n.Get("pve", name)
		for k, v := range fields {
			if has[k] != v {
				t.Errorf("%s: %s: want %q, got %q of %v", name, k, v, has[k], has)
			}
		}
	}

	for name, comment := range map[string]string{"k3s": "nodes " + mark, "media": mark} {
		if got, ok := n.Pool(name); !ok || got != comment {
			t.Errorf("pool %s: want %q, got %q", name, comment, got)
		}
	}

	l.atRest(t, c, n)

	// Comments are free.
	edit(t, c, bridge(strings.Replace(asCreated, "storage ${x}", "other", 1)))
	edit(t, c, `{pools: [{name: k3s, comment: other}, {name: media}]}`)
	l.settle(t, c)
	writes(t, n, "comments", "PUT /nodes/pve/network/vmbr1 ", "comments=other", "PUT /pools comment=other")
	edit(t, c, bridge(asCreated))
	l.settle(t, c)
	l.atRest(t, c, n)

	// All else waits for its word, and happens once with it. Each edit, and what it writes.
	for _, e := range []struct{ name, edit, writes string }{
		{"MTU", strings.Replace(asCreated, "mtu: 9000", "mtu: 1500", 1), "mtu=1500"},
		{"NoMTU", strings.Replace(asCreated, "mtu: 9000, ", "", 1), "delete=mtu"},
		{"Address", strings.Replace(asCreated, "10.0.9.2", "10.0.9.3", 1), "cidr=10.0.9.3"},
		{"NoAddress", strings.Replace(asCreated, "address: 10.0.9.2/24, ", "", 1), "delete=cidr"},
		{"NoAddress6", strings.Replace(asCreated, `address6: "fd00:9::2/64", `, "", 1), "delete=cidr6"},
		{"NotAware", strings.Replace(asCreated, "vlanAware: true, ", "", 1), "bridge_vlan_aware"},
		{"Ports", strings.Replace(asCreated, "enp3s0, ", "", 1), "bridge_ports=enp2s0&"},
	} {
		for _, fields := range []string{e.edit, asCreated} {
			edit(t, c, bridge(fields))
			l.settle(t, c)
			writes(t, n, e.name+" without its word")
			want(t, c, "InterruptionPending", "True", "WaitingForWord", "vmbr1")

			w := allowedBy(t, c, "pve/vmbr1")
			edit(t, c, bridge(fields+", allowInterruption: "+w))
			l.settle(t, c)
			want(t, c, "InterruptionPending", "False", "NothingPending")

			if fields == e.edit {
				writes(t, n, e.name, "PUT /nodes/pve/network/vmbr1 ", e.writes)
			} else {
				writes(t, n, e.name+" back", "PUT /nodes/pve/network/vmbr1 ")
			}
		}
	}

	l.atRest(t, c, n)

	// The word counts once: what somebody changes in Proxmox afterwards waits, also where it is the same change.
	last := allowedBy(t, c, "pve/vmbr1")
	n.Touch("pve", func(all map[string]Interface) { all["vmbr1"]["mtu"] = "1500" })
	l.poll(t, c)
	l.settle(t, c)
	want(t, c, "InterruptionPending", "True", "WaitingForWord", "1500 to 9000")
	writes(t, n, "drift")

	if w := allowedBy(t, c, "pve/vmbr1"); w == "" || w == last {
		t.Errorf("want another word, got %q", w)
	}

	n.Touch("pve", func(all map[string]Interface) { all["vmbr1"]["mtu"] = "9000" })
	l.poll(t, c)
	l.settle(t, c)

	// What the provider read before does not count: a comment that is new does not undo what somebody has changed since.
	n.Touch("pve", func(all map[string]Interface) { all["vmbr1"]["mtu"] = "1500" })
	edit(t, c, bridge(strings.Replace(asCreated, "storage ${x}", "third", 1)))
	l.settle(t, c)

	if has := n.Get("pve", "vmbr1"); has["mtu"] != "1500" || !strings.HasPrefix(has["comments"], "third") {
		t.Errorf("want the comment alone to change, got %v", has)
	}

	n.Touch("pve", func(all map[string]Interface) { all["vmbr1"]["mtu"] = "9000" })
	edit(t, c, bridge(asCreated))
	l.poll(t, c)
	l.settle(t, c)
	n.Writes()

	// The provider cannot remove the last port.
	edit(t, c, bridge(strings.Replace(asCreated, "ports: [enp3s0, enp2s0], ", "", 1)))
	l.settle(t, c)
	writes(t, n, "no ports")
	want(t, c, "ReplacementRequired", "True", "ImmutableFieldChanged", "bridges[vmbr1].ports")
	edit(t, c, bridge(asCreated))
	l.settle(t, c)

	// A port with an address of its own, also where the word is there.
	n.Touch("pve", func(all map[string]Interface) { all["eno9"] = Interface{"type": "eth", "cidr": "192.168.9.9/24"} })
	edit(t, c, bridge(strings.Replace(asCreated, "enp3s0", "eno9", 1)))
	l.settle(t, c)
	edit(t, c, bridge(strings.Replace(asCreated, "enp3s0", "eno9", 1)+", allowInterruption: "+allowedBy(t, c, "pve/vmbr1")))
	l.settle(t, c)
	writes(t, n, "a port with an address")
	want(t, c, "InterruptionPending", "True", "WaitingForWord", "has the address 192.168.9.9/24")
	edit(t, c, bridge(asCreated))
	l.settle(t, c)

	// What the claim no longer has stays in Proxmox.
	edit(t, c, `{nodes: {pve: {bridges: [{name: vmbr2}], vlans: null}}, pools: [{name: k3s, comment: nodes}]}`)
	l.settle(t, c)
	writes(t, n, "removed, with Orphan", "PUT /pools comment=nodes")

	if _, ok := n.Pool("media"); !ok || n.Get("pve", "vmbr1") == nil || n.Get("pve", "vmbr1.30") == nil {
		t.Error("what was removed from the claim is gone from Proxmox")
	}

	// Written once more, it is the claim's again, as it is.
	edit(t, c, bridge(asCreated))
	l.settle(t, c)
	writes(t, n, "taken again")
	want(t, c, "SiteReady", "True", "AllPresent")
	l.atRest(t, c, n)

	// With Delete, it goes once it is named, and nothing uses it.
	edit(t, c, `{deletionPolicy: Delete}`)
	l.settle(t, c)
	writes(t, n, "the policy")
	edit(t, c, `{nodes: {pve: {bridges: [{name: vmbr2}]}}}`)
	l.settle(t, c)
	writes(t, n, "removed, not named")
	want(t, c, "InterruptionPending", "True", "WaitingForWord", "spec.allowRemoval.interfaces does not name it")
	edit(t, c, `{allowRemoval: {interfaces: [pve/vmbr1]}}`)
	l.settle(t, c)
	writes(t, n, "removed and named", "DELETE /nodes/pve/network/vmbr1")

	// The end of the claim.
	n.SetPool("k3s", "nodes "+mark, false)

	if err := c.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}

	if _, ok := n.Pool("k3s"); ok || n.Get("pve", "vmbr2") != nil || n.Get("pve", "vmbr0") == nil {
		t.Errorf("want the claim's gone, and no other: %v", n.nodes["pve"].active)
	}
}

// TestSiteTaken holds that what somebody else made is neither changed nor deleted.
func TestSiteTaken(t *testing.T) {
	t.Parallel()

	l, n := withNetworks(t)
	n.SetPool("infra", "made by hand", false)

	c := l.site(t, "home", `{nodes: {pve: {bridges: [{name: vmbr0, comment: mine}], vlans: [{interface: eno1, tag: 7}]}}, pools: [{name: infra}], deletionPolicy: Delete}`)
	c.Hasty = true
	n.Touch("pve", func(all map[string]Interface) {
		all["eno1.7"] = Interface{"type": "vlan", "vlan-raw-device": "eno1", "vlan-id": "7"}
	})

	for range 6 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	want(t, c, "SiteReady", "False", "NameTaken", "interface vmbr0", "interface eno1.7", "a pool infra")
	writes(t, n, "taken")

	if err := c.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}

	writes(t, n, "deleted")
}

// TestSitePorts holds which ports a new bridge may have.
func TestSitePorts(t *testing.T) {
	t.Parallel()

	l, n := withNetworks(t)
	n.Touch("pve", func(all map[string]Interface) { all["eno9"] = Interface{"type": "eth", "cidr": "192.168.9.9/24"} })

	for name, tc := range map[string]struct{ spec, reason, text string }{
		"Address": {`{nodes: {pve: {bridges: [{name: vmbr1, ports: [eno9]}]}}}`, "InterfaceUnfit", "has the address 192.168.9.9/24"},
		"Missing": {`{nodes: {pve: {bridges: [{name: vmbr1, ports: [eno8]}]}}}`, "InterfaceUnfit", "has no interface eno8"},
		"NoRaw":   {`{nodes: {pve: {vlans: [{interface: eno8, tag: 9}]}}}`, "InterfaceUnfit", "has no interface eno8"},
		"Used":    {`{nodes: {pve: {bridges: [{name: vmbr1, ports: [eno1]}]}}}`, "ProviderError", ""},
	} {
		c := l.site(t, "home", tc.spec)
		c.Hasty = true

		n.Writes()

		for range 6 {
			if _, err := c.Round(t.Context()); err != nil {
				t.Fatal(err)
			}
		}

		want(t, c, "SiteReady", "False", tc.reason, tc.text)

		if n.Get("pve", "vmbr1") != nil || n.Get("pve", "vmbr0")["bridge_ports"] != "eno1" {
			t.Errorf("%s: %v", name, n.nodes["pve"])
		}

		if name == "Used" {
			want(t, c, "ProviderHealthy", "False", "ConfigurationError", "another interface of node pve uses it")
			continue
		}

		writes(t, n, name)
	}
}

// TestSiteTrouble holds what becomes of a creation whose reload fails, and of bridges that the token may not see.
func TestSiteTrouble(t *testing.T) {
	t.Parallel()

	l, n := withNetworks(t)
	c := l.site(t, "home", `{nodes: {pve: {bridges: [{name: vmbr1, ports: [enp2s0]}]}}}`)
	n.Fail("", "command 'ifreload -a' failed: exit code 1")

	for range 4 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	n.Fail("", "")

	for range 8 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	want(t, c, "SiteReady", "True", "AllPresent")

	if w := n.Writes(); strings.Count(w, "POST ") != 1 || strings.Contains(w, "DELETE ") {
		t.Errorf("want one creation, got:\n%s", w)
	}

	l.settle(t, c)
	l.atRest(t, c, n)

	// What is hidden is not made once more.
	n.Hide(true)

	for range 3 {
		_, _ = c.Poll(t.Context())
		_, _ = c.Round(t.Context())
	}

	n.Hide(false)

	if w := n.Writes(); strings.Contains(w, "DELETE ") || strings.Contains(w, "PUT ") || n.Get("pve", "vmbr1")["bridge_ports"] != "enp2s0" {
		t.Errorf("want no change, got:\n%s", w)
	}
}
