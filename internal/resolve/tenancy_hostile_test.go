package resolve

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// decoded is a claim in a namespace, whatever is wrong with it.
func decoded(t *testing.T, namespace, tenant, kind, spec string) claim.Claim {
	t.Helper()

	document := map[string]any{}
	if err := yaml.Unmarshal([]byte("{kind: "+kind+", metadata: {name: dns01, namespace: infra, uid: uid-1}, spec: "+spec+"}"), &document); err != nil {
		t.Fatal(err)
	}

	c := claim.Decode(document)
	c.Identity.Namespace, c.Identity.Tenant = namespace, tenant

	return c
}

// refusedFields are the fields of what is refused of a claim, in the order of the refusals.
func refusedFields(t *testing.T, c claim.Claim, tenancy string) (out []string) {
	t.Helper()

	for _, err := range refusals(c, divided(t, tenancy)) {
		out = append(out, err.Field)
	}

	return out
}

// TestTenancyHolds against what goes around a rule by another field, another kind or another spelling.
func TestTenancyHolds(t *testing.T) {
	const (
		pool = "proxmox: {pool: team-b}"
		none = `{tenants: {Team-A: {namespaces: [team-a]}}}`
		left = `{tenants: {team-b: {namespaces: [team-b], deletion: Required, classes: [small]}}}`
	)

	cases := map[string]struct {
		reason, tenancy, tenant, kind, spec string
		want                                []string
	}{
		"Swap":         {reason: "Swap of a container is the node's.", kind: "Container", spec: "{image: debian-ct, size: {swap: 900Gi}, proxmox: {vmId: 4200, pool: team-b}}", want: []string{"spec.size.swap"}},
		"LittleSwap":   {reason: "As much as its memory may be.", kind: "Container", spec: "{image: debian-ct, size: {swap: 16Gi}, proxmox: {vmId: 4200, pool: team-b}}"},
		"SwapOfAClass": {reason: "Where nothing limits sizes, a class does.", tenancy: left, kind: "Container", spec: "{image: debian-ct, class: small, size: {swap: 5Gi}, proxmox: {vmId: 4200}}", want: []string{"spec.size.swap"}},
		"NegativeDisk": {reason: "A disk takes nothing off a sum.", spec: "{" + pool + ", disks: [{name: d, size: -100Gi}], size: {disk: 250Gi}}", want: []string{"spec.disks[0].size", "spec.size.disk"}},
		"HugeDisks":    {reason: "A sum does not run over.", spec: "{" + pool + ", disks: [{name: d, size: 9223372036854775807Gi}, {name: e, size: 9007199254740991Gi}]}", want: []string{"spec.disks[0].size", "spec.disks[1].size"}},
		"Tags":         {reason: "No tag names another tenant, however it is written.", spec: "{" + pool + ", tags: [TENANT_team-a, tenant_team-c]}", want: []string{"spec.tags[0]", "spec.tags[1]"}},
		"RoleAsTag":    {reason: "Nor does a role.", spec: "{" + pool + ", role: tenant_team-a}", want: []string{"spec.role"}},
		"Capitals":     {reason: "A tenant with capitals has a tag without.", tenancy: none, tenant: "team-a", spec: "{}", want: []string{"metadata.labels[tenant-id]"}},
		"Orphan":       {reason: "A VM that stays is in no quota.", tenancy: left, spec: "{deletionPolicy: Orphan}", want: []string{"spec.deletionPolicy"}},
		"OrphanNode":   {reason: "A K3sNode leaves its VM unless it says otherwise.", tenancy: left, kind: claim.KindK3sNode, spec: "{k3s: {role: agent, cluster: home}}", want: []string{"spec.deletionPolicy"}},
		"OrphanCT":     {reason: "A container may stay as well.", tenancy: left, kind: "Container", spec: "{image: debian-ct, class: small, deletionPolicy: Orphan, proxmox: {vmId: 4200}}", want: []string{"spec.deletionPolicy"}},
		"NoSites":      {reason: "Rules without an entry allow nothing, as empty lists do.", tenancy: `{tenants: {team-b: {namespaces: [team-b], sites: {}}}}`, spec: "{}", want: []string{"spec.proxmox.site"}},
		"NoBridges":    {reason: "Of bridges.", tenancy: `{tenants: {team-b: {namespaces: [team-b], sites: {lab: {bridges: {}}}}}}`, spec: "{nics: [{bridge: vmbr1}]}", want: []string{"spec.network.bridge", "spec.nics[0].bridge"}},
		"NoClusters":   {reason: "Of clusters.", tenancy: `{tenants: {team-b: {namespaces: [team-b], clusters: {}}}}`, kind: claim.KindK3sNode, spec: "{k3s: {role: server, cluster: home}}", want: []string{"spec.k3s.cluster"}},
		"Deleted":      {reason: "A Machine goes with its claim.", tenancy: left, spec: "{}"},
		"TwoClusters":  {reason: "A name of the claim's own does not take a cluster of the catalogue out of the rules.", kind: claim.KindK3sNode, spec: "{" + pool + ", k3s: {role: server, cluster: work, clusterName: mine}}", want: []string{"spec.k3s.clusterName"}},
		"OnlyIPv4":     {reason: "No other spelling of an address of others.", spec: "{" + pool + ", network: {ip: '::ffff:10.7.0.81'}}", want: []string{"spec.network.ip"}},
		"SetSpelling":  {reason: "No spelling of a name makes it another one's: not of Proxmox's older one, of a guest or in capitals.", spec: "{" + pool + ", firewall: {allow: [{port: 22, from: +offices}, {port: 22, from: +guest/lan}, {port: 22, from: +dc/LAN}, {port: 22, from: '+lan,+offices'}]}}", want: []string{"spec.firewall.allow[1].from", "spec.firewall.allow[2].from", "spec.firewall.allow[3].from", "spec.firewall.allow[0].from"}},
		"BesideAGroup": {reason: "A group beside a port is no rule for the port.", spec: "{" + pool + ", firewall: {allow: [{group: admins, port: 22}]}}", want: []string{"spec.firewall.allow[0].group"}},
		"NodeRole":     {reason: "A node of another team's cluster is not its control plane by a label.", kind: claim.KindK3sNode, spec: "{" + pool + ", k3s: {role: agent, cluster: home, labels: {node-role.kubernetes.io/control-plane: 'true'}}}", want: []string{"spec.k3s.labels[node-role.kubernetes.io/control-plane]"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind, tenancy := tc.kind, tc.tenancy
			if kind == "" {
				kind = kindMachine
			}

			if tenancy == "" {
				tenancy = teamB
			}

			c := decoded(t, "team-b", tc.tenant, kind, tc.spec)

			if diff := cmp.Diff(tc.want, refusedFields(t, c, tenancy)); diff != "" {
				t.Errorf("%s\n%v\n-want, +got:\n%s", tc.reason, refusals(c, divided(t, tenancy)), diff)
			}
		})
	}
}

// TestTenancyKeepsNoMore: what a machine had in one place before the rules it may not have in another place for that.
func TestTenancyKeepsNoMore(t *testing.T) {
	const rules = `{tenants: {team-b: {namespaces: [team-b], sites: {lab: {bridges: {vmbr0: [30], vmbr1: [30]}}}, clusters: {home: [agent], work: [agent]}, deletion: Required, limits: {memory: 4Gi}}}}`

	cases := map[string]struct {
		reason, kind, applied, spec string
		want                        []string
	}{
		"SameVLAN":    {reason: "It stays.", applied: "{network: {dhcp: true, bridge: vmbr0, vlan: 99}}", spec: "{notes: x, network: {dhcp: true, bridge: vmbr0, vlan: 99}}"},
		"OtherBridge": {reason: "The tag is another network on another bridge.", applied: "{network: {dhcp: true, bridge: vmbr0, vlan: 99}}", spec: "{network: {dhcp: true, bridge: vmbr1, vlan: 99}}", want: []string{"spec.network.vlan"}},
		"Stays":       {reason: "What was to stay stays.", applied: "{deletionPolicy: Orphan}", spec: "{notes: x, deletionPolicy: Orphan}"},
		"GroupMoves":  {reason: "What it had it keeps, wherever the rule stands in its list.", applied: "{firewall: {allow: [{group: web}]}}", spec: "{firewall: {allow: [{port: 22}, {group: web}]}}"},
		"GroupComes":  {reason: "Another one comes with no edit.", applied: "{firewall: {allow: [{group: web}]}}", spec: "{firewall: {allow: [{group: admins}]}}", want: []string{"spec.firewall.allow[0].group"}},
		"StaysNow":    {reason: "What was to go does not stay by an edit.", applied: "{deletionPolicy: Delete}", spec: "{deletionPolicy: Orphan}", want: []string{"spec.deletionPolicy"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			applied := decoded(t, "team-b", "", kindMachine, tc.applied)
			_, errs := Claim(decoded(t, "team-b", "", kindMachine, tc.spec), divided(t, rules), Existing{Node: "n2", Has: &Entries{}, Applied: &applied})

			var got []string
			for _, err := range errs {
				got = append(got, err.Field)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n%v\n-want, +got:\n%s", tc.reason, errs, diff)
			}
		})
	}
}

// TestLargeClaims: what somebody writes to keep the function busy is refused, or answered, at once and in few words. The API server takes 1.5 MB.
func TestLargeClaims(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+",", i)
		}

		return strings.TrimSuffix(b.String(), ",")
	}

	cases := map[string]struct{ reason, spec, want string }{
		"Disks":     {"More disks than a VM has.", "{disks: [" + many(10_000, "{name: d%d, size: 1Gi}") + "]}", "spec.disks"},
		"Notes":     {"A text of 1 MiB.", `{notes: "` + strings.Repeat("x", 1<<20) + `"}`, "spec.notes"},
		"Tags":      {"A long list of words.", "{tags: [" + many(5_000, "t%d") + "]}", "spec.tags"},
		"NICs":      {"A long list of objects.", "{nics: [" + many(5_000, "{bridge: vmbr0, vlan: 30, ip: 10.7.0.%d}") + "]}", "spec.nics"},
		"Addresses": {"A long list of addresses.", "{network: {dhcp: true, dns: [" + many(5_000, "10.0.0.%d") + "]}}", "spec.network.dns"},
		"Devices":   {"A long list of names that are looked up on every node.", "{devices: {pci: [" + many(20_000, "{mapping: g%d}") + "]}}", "spec.devices.pci"},
		"Avoid":     {"A long list of nodes.", "{proxmox: {avoid: [" + many(5_000, "n%d") + "]}}", "spec.proxmox.avoid"},
		"Keys":      {"A long list of keys.", "{bootstrap: {sshAuthorizedKeys: [" + many(5_000, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6wjNxBzvIwvpG3cVKVUmQ4iYYZZKcVQyM8YLfJvWZl a%d") + "]}}", "spec.bootstrap.sshAuthorizedKeys"},
		"Rules":     {"A long list of rules.", "{firewall: {allow: [" + many(5_000, "{port: %d, protocol: TCP}") + "]}}", "spec.firewall.allow"},
		"Name":      {"A name of 1 MiB.", `{class: "` + strings.Repeat("a", 1<<20) + `"}`, "spec.class"},
		"Unknown":   {"Fields that no claim has, for each of which the one that was meant could be searched.", "{" + many(50_000, "xx%d: 1") + "}", "spec.xx0"},
		"Deep":      {"A cloud-config of many levels.", `{bootstrap: {userData: "#cloud-config\na: ` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + `\n"}}`, ""},
		"Anchors":   {"A cloud-config of a million words by references.", `{bootstrap: {userData: "#cloud-config\n` + anchors(8) + `"}}`, ""},
	}

	// A quiet machine takes less than a second for the slowest; where each word costs a search, it takes minutes.
	const limit = 20 * time.Second

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			c := decoded(t, "team-c", "", kindMachine, tc.spec)
			errs := refusals(c, divided(t, teamB))

			if took := time.Since(start); took > limit {
				t.Errorf("%s It took %s", tc.reason, took)
			}

			words, found := 0, tc.want == ""

			for _, err := range errs {
				words += len(err.Error())
				found = found || err.Field == tc.want
			}

			if !found || words > 32<<10 {
				t.Errorf("%s Want a refusal of %s in at most 32 KiB, got %d refusals in %d bytes", tc.reason, tc.want, len(errs), words)
			}
		})
	}
}

// TestLargeClaimsOfOtherKinds is the same of what Machines do not have.
func TestLargeClaimsOfOtherKinds(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+",", i)
		}

		return strings.TrimSuffix(b.String(), ",")
	}

	cases := map[string]struct{ reason, kind, spec, want string }{
		"Nodes":        {"Nodes that the site does not have, each of which could be told the nearest one.", claim.KindProxmoxSite, "{nodes: {" + many(10_000, "x%d: {bridges: [{name: vmbr9}]}") + "}}", "spec.nodes"},
		"Bridges":      {"Bridges of one node.", claim.KindProxmoxSite, "{nodes: {n1: {bridges: [" + many(10_000, "{name: vmbr%d}") + "]}}}", "spec.nodes.n1.bridges"},
		"Ports":        {"Ports of one bridge.", claim.KindProxmoxSite, "{nodes: {n1: {bridges: [{name: vmbr9, ports: [" + many(20_000, "eno%d") + "]}]}}}", "spec.nodes.n1.bridges[0].ports"},
		"Pools":        {"Pools.", claim.KindProxmoxSite, "{pools: [" + many(20_000, "{name: p%d}") + "]}", "spec.pools"},
		"Removals":     {"Words for what may go.", claim.KindProxmoxSite, "{allowRemoval: {interfaces: [" + many(20_000, "p%d") + "]}}", "spec.allowRemoval.interfaces"},
		"MountPoints":  {"Volumes of a container.", claim.KindContainer, "{image: debian-ct, disks: [" + many(10_000, "{path: /d%d, size: 1Gi}") + "], proxmox: {}}", "spec.disks"},
		"ContainerNIC": {"Interfaces of a container.", claim.KindContainer, "{image: debian-ct, nics: [" + many(10_000, "{bridge: vmbr0, ip: 10.7.0.%d}") + "], proxmox: {}}", "spec.nics"},
		"TemplateName": {"A name of 1 MiB.", claim.KindContainer, "{image: 'local:vztmpl/" + strings.Repeat("a", 1<<20) + ".tar.zst', proxmox: {}}", "spec.image"},
		"Labels":       {"Labels of a Node.", claim.KindK3sNode, "{k3s: {role: agent, cluster: home, labels: {" + many(20_000, "l%d: x") + "}}}", "spec.k3s.labels"},
		"Taints":       {"Taints of a Node.", claim.KindK3sNode, "{k3s: {role: agent, cluster: home, taints: [" + many(20_000, "'l%d=x:NoSchedule'") + "]}}", "spec.k3s.taints"},
		"Names":        {"Names of the API server.", claim.KindK3sNode, "{k3s: {role: server, cluster: home, tlsSANs: [" + many(20_000, "'l%d.x'") + "]}}", "spec.k3s.tlsSANs"},
		"Secrets":      {"Files of Secrets.", kindMachine, "{bootstrap: {secrets: [" + many(10_000, "{path: /a%d, secretRef: {name: a, key: b}}") + "]}}", "spec.bootstrap.secrets"},
		"Stored":       {"Files of a secret store.", kindMachine, "{bootstrap: {secretStore: {address: 'https://v:8200', appRole: {roleID: x}, files: [" + many(10_000, "{path: /a%d, secret: a, field: b}") + "]}}}", "spec.bootstrap.secretStore.files"},
		"Record":       {"A DNS name of many labels.", kindMachine, "{network: {dhcp: true, dnsRecord: '" + strings.Repeat("*.", 1<<18) + "a'}}", "spec.network.dnsRecord"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			told := toldOfClaim(decoded(t, "team-c", "", tc.kind, tc.spec), divided(t, teamB), Existing{})

			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%s It took %s", tc.reason, took)
			}

			text := strings.Join(told, "\n")
			if !strings.Contains("\n"+text, "\n"+tc.want+": ") || len(text) > 32<<10 {
				t.Errorf("%s Want a refusal of %s in at most 32 KiB, got %d bytes: %.300s", tc.reason, tc.want, len(text), text)
			}
		})
	}
}

// anchors of a YAML document, each ten times the one before it.
func anchors(n int) string {
	var b strings.Builder

	b.WriteString(`a0: &a0 [` + strings.TrimSuffix(strings.Repeat("x,", 10), ",") + `]\n`)

	for i := range n {
		fmt.Fprintf(&b, `a%d: &a%d [%s]\n`, i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}

	return b.String()
}
