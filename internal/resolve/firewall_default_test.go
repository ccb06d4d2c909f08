package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// walledGuest is what is resolved of a claim that has to do with a default firewall.
type walledGuest struct {
	Rules  []string // Of a firewall: nil where there is none.
	Switch bool     // Of the firewall.
	Made   string   // What is remembered.
	Warns  []string // Of a firewall.
	Kept   []machine.Part
	Faults []string
}

// walled resolves a claim of any kind.
func walled(c claim.Claim, cat catalog.Catalog, e Existing) walledGuest {
	var (
		m    *machine.Machine
		errs field.ErrorList
		out  walledGuest
	)

	if c.Container != nil {
		var of *machine.Container
		if of, errs = Container(c.Identity, *c.Container, c.Faults, cat, e); of != nil {
			m = &of.Machine
		}
	} else {
		m, errs = Claim(c, cat, e)
	}

	for _, err := range errs {
		out.Faults = append(out.Faults, err.Error())
	}

	if m == nil {
		return out
	}

	out.Rules, out.Switch, out.Made = rulesOf(m.Firewall), m.Firewall != nil && m.Firewall.Enabled, m.FirewallDefault

	for _, w := range m.Warnings {
		if strings.Contains(w, "firewall") {
			out.Warns = append(out.Warns, w)
		}
	}

	for _, k := range m.Kept {
		out.Kept = append(out.Kept, k.Part)
	}

	return out
}

// TestDefaultFirewall: who gets the default of the catalogue, and what is made of it.
func TestDefaultFirewall(t *testing.T) {
	const (
		private = " 10.0.0.0/8,100.64.0.0/10,172.16.0.0/12,192.168.0.0/16"
		vm      = `{proxmox: {site: home, node: pve}, network: {ip: 192.168.4.53/24}}`
		ct      = `{image: "local:vztmpl/debian.tar.zst", os: debian, proxmox: {site: home, node: pve, vmId: 150}, network: {ip: 192.168.4.53/24}}`
		ssh     = `{"preset":"ssh","allow":[{"port":"9100"}]}`
	)

	node := func(role, cluster string) string {
		return `{proxmox: {site: home, node: pve}, network: {ip: 192.168.4.53/24}, k3s: {role: ` + role + `, cluster: ` + cluster + `, token: {file: /etc/rancher/k3s/token}}, ` +
			`bootstrap: {snippets: {vendorData: "local:snippets/token.yaml"}}}`
	}
	with := func(spec, firewall string) string {
		return strings.TrimSuffix(spec, "}") + ", firewall: " + firewall + "}"
	}
	lives := func(made string) Existing {
		return Existing{Node: "pve", Has: &Entries{}, BuiltIn: defaults(), FirewallDefault: made}
	}
	inside := func(rules ...string) []string { return append([]string{"Ping", "tcp 22 192.168.4.0/24"}, rules...) }

	cases := map[string]struct {
		reason, kind, spec, byDefault string
		existing                      Existing
		want                          walledGuest
	}{
		"None":      {reason: "There is no default.", kind: kindMachine, spec: vm},
		"Machine":   {reason: "It is made with the default.", kind: kindMachine, spec: vm, byDefault: ssh, want: walledGuest{Rules: inside("tcp 9100"), Switch: true, Made: ssh}},
		"Container": {reason: "It is made with the default.", kind: "Container", spec: ct, byDefault: ssh, want: walledGuest{Rules: inside("tcp 9100"), Switch: true, Made: ssh}},
		"Server": {
			reason: "A node has the preset of its role.", kind: kindNode, spec: node("server", "vxlan"), byDefault: ssh,
			want: walledGuest{Rules: inside("tcp 6443", "tcp 2379:2380"+private, "tcp 10250"+private, "udp 8472"+private, "tcp 9100"), Switch: true, Made: ssh},
		},
		"Agent": {
			reason: "Also where a rule alone would drop the rest.", kind: kindNode, spec: node("agent", "vxlan"), byDefault: `{"allow":[{"port":"9100"}]}`,
			want: walledGuest{Rules: inside("tcp 10250"+private, "udp 8472"+private, "tcp 9100"), Switch: true, Made: `{"allow":[{"port":"9100"}]}`},
		},
		"Open": {reason: "What drops nothing needs no preset.", kind: kindNode, spec: node("agent", "vxlan"), byDefault: `{"log":"info"}`, want: walledGuest{Switch: true, Made: `{"log":"info"}`}},
		"OtherPlugin": {
			reason: "Its pods would be cut off, and no claim shows why.", kind: kindNode, spec: node("agent", "cni"), byDefault: ssh,
			want: walledGuest{Warns: []string{"data.defaults.firewall: the VM is made without it: flannel-backend of its cluster is none, and nobody knows the ports of your network plugin. " +
				"Write spec.firewall, with these in allow."}},
		},
		"Claimed": {
			reason: "Nothing is merged.", kind: kindMachine, spec: with(vm, "{preset: none, allow: [{port: 443}]}"), byDefault: ssh, want: walledGuest{Rules: []string{"tcp 443"}, Switch: true},
		},
		"DefaultClosed": {
			reason: "Nobody would log in to any guest.", kind: kindMachine, spec: vm, byDefault: `{"allow":[{"port":"443"}]}`,
			want: walledGuest{
				Rules: []string{"tcp 443"}, Switch: true, Made: `{"allow":[{"port":"443"}]}`,
				Warns: []string{"defaults.firewall of the catalogue: drops everything but what allow has, SSH (TCP 22) with it: write preset: ssh beside allow, or preset: none where nobody is to log in."},
			},
		},
		"ClaimedNone": {reason: "A claim can have none.", kind: kindMachine, spec: with(vm, "{enabled: false}"), byDefault: ssh},
		"Adopted":     {reason: "Somebody set its firewall up.", kind: kindMachine, spec: vm, byDefault: ssh, existing: Existing{Adopting: true}},
		"OldProvider": {
			reason: "It is made all the same.", kind: kindMachine, spec: vm, byDefault: ssh, existing: Existing{WithoutFirewalls: "it is old"},
			want: walledGuest{Warns: []string{"data.defaults.firewall: the VM is made without it: it is old."}},
		},

		"Lives":          {reason: "It was made without one.", kind: kindMachine, spec: vm, byDefault: ssh, existing: lives("")},
		"LivesContainer": {reason: "Also while it is created.", kind: "Container", spec: ct, byDefault: ssh, existing: Existing{Container: true, BuiltIn: defaults()}},
		"Made": {
			reason: "What it was made with counts.", kind: kindMachine, spec: vm, byDefault: `{"preset":"none"}`, existing: lives(ssh),
			want: walledGuest{Rules: inside("tcp 9100"), Switch: true, Made: ssh},
		},
		"MadeGone": {reason: "Also without a default.", kind: kindMachine, spec: vm, existing: lives(ssh), want: walledGuest{Rules: inside("tcp 9100"), Switch: true, Made: ssh}},
		"MadeNode": {
			reason: "Also where nobody knows the ports any more.", kind: kindNode, spec: node("agent", "cni"), existing: lives(ssh),
			want: walledGuest{Rules: inside("tcp 10250"+private, "tcp 9100"), Switch: true, Made: ssh, Warns: []string{
				"defaults.firewall of the catalogue: flannel-backend of the cluster is none, so the preset of the node's role does not know the ports of your network plugin: " +
					"write spec.firewall, with these in allow.",
			}},
		},
		"MadeClaimed": {
			reason: "It is there again without the claim's.", kind: kindMachine, spec: with(vm, "{allow: [{port: 443}]}"), existing: lives(ssh),
			want: walledGuest{Rules: []string{"tcp 443"}, Switch: true, Made: ssh},
		},
		"MadeNamed": {
			reason: "Its site has lost the name since: all rules stay.", kind: kindMachine, spec: vm, existing: lives(`{"allow":[{"group":"gone"}]}`),
			want: walledGuest{Rules: []string{"gone"}, Switch: true, Made: `{"allow":[{"group":"gone"}]}`, Kept: []machine.Part{machine.PartFirewall}},
		},
		"MadeUnreadable": {
			reason: "Somebody edited it: nothing of the guest's is opened.", kind: kindMachine, spec: vm, existing: lives("{"),
			want: walledGuest{Switch: true, Made: "{", Kept: []machine.Part{machine.PartFirewall}},
		},
		"MadeOldProvider": {
			reason: "A release that cannot change rules without a gap leaves them.", kind: kindMachine, spec: vm,
			existing: Existing{Node: "pve", Has: &Entries{}, BuiltIn: defaults(), FirewallDefault: ssh, WithoutFirewalls: "it is old"},
			want:     walledGuest{Rules: inside("tcp 9100"), Switch: true, Made: ssh, Kept: []machine.Part{machine.PartFirewall}},
		},

		"Names": {
			reason: "As those of a claim, where they are written.", kind: kindMachine, spec: vm, byDefault: `{"allow":[{"group":"web"},{"port":22,"from":"+lna"}]}`,
			want: walledGuest{Faults: []string{
				`data.defaults.firewall.allow[1].from: Invalid value: "+lna": site 'home' has no IP set of this name. If Proxmox has it (Datacenter, Firewall), add it to data.sites.home.firewall.ipSets; did you mean lan?`,
			}},
		},
		"Faulty": {
			reason: "A guest is not made open because of a mistake.", kind: "Container", spec: ct, byDefault: `{"preset":"k3s-agent"}`,
			want: walledGuest{Faults: []string{
				`data.defaults.firewall.preset: Invalid value: "k3s-agent": opens what a node of one role needs, and the default is for all guests: write ssh, in whose place a K3s node gets the preset of its role`,
			}},
		},
		"FaultyClaimed": {reason: "Who says it needs no default.", kind: kindMachine, spec: with(vm, "{}"), byDefault: `{"preset":"k3s-agent"}`, want: walledGuest{Switch: true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			document := `sites: {home: {nodes: {pve: {}}, firewall: {groups: [web], ipSets: [lan]}}}, clusters: {
				vxlan: {server: "https://192.168.4.210:6443", version: v1.33.6+k3s1},
				cni: {server: "https://192.168.4.210:6443", version: v1.33.6+k3s1, config: {flannel-backend: none, disable-network-policy: true}}}`
			if tc.byDefault != "" {
				document += ", defaults: {firewall: " + tc.byDefault + "}"
			}

			if diff := cmp.Diff(tc.want, walled(aClaim(t, tc.kind, tc.spec), aCatalog(t, "{"+document+"}"), tc.existing)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestUnreadDefaultFirewall: a guest is not made open because nobody can read what it is to be made with; one that exists loses nothing by it.
func TestUnreadDefaultFirewall(t *testing.T) {
	const prefix = "data"

	c, faults := catalog.Decode([]byte(`{"defaults": {"firewall": {"presett": "ssh"}}}`), prefix)
	cat := catalog.Merge(catalog.BuiltIn(), c.WithFaults(faults, prefix))
	said := aClaim(t, kindMachine, `{proxmox: {node: pve}, network: {ip: 192.168.4.53/24}}`)

	if got := walled(said, cat, Existing{}).Faults; len(got) != 1 || !strings.Contains(got[0], "data.defaults.firewall.presett") {
		t.Errorf("a new machine: %q", got)
	}

	want := walledGuest{Rules: []string{"tcp 443"}, Switch: true, Made: `{"allow":[{"port":"443"}]}`}
	if diff := cmp.Diff(want, walled(said, cat, Existing{Node: "pve", Has: &Entries{}, BuiltIn: defaults(), FirewallDefault: want.Made})); diff != "" {
		t.Errorf("a machine that exists: -want, +got:\n%s", diff)
	}
}

// TestDefaultFirewallOfATenant meets a rule that there is one, and names what only the platform may name.
func TestDefaultFirewallOfATenant(t *testing.T) {
	const rules = `sites: {home: {nodes: {pve: {}}, firewall: {groups: [web]}}}, tenancy: {tenants: {team: {namespaces: [infra], firewall: Required}}}`

	said := aClaim(t, kindMachine, `{proxmox: {site: home}}`)

	for byDefault, want := range map[string]int{`{preset: ssh}`: 0, `{allow: [{group: web}]}`: 0, `{}`: 1, `{enabled: false, preset: ssh}`: 2} {
		if got := walled(said, aCatalog(t, "{"+rules+", defaults: {firewall: "+byDefault+"}}"), Existing{}).Faults; len(got) != want {
			t.Errorf("%s: %q, want %d", byDefault, got, want)
		}
	}
}
