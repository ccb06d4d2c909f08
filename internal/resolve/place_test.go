package resolve

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

func TestSticky(t *testing.T) {
	const document = `
sites:
  home:
    nodes:
      pve1: {bridges: [vmbr0], datastores: {disks: zfs}}
      pve2: {bridges: [vmbr0], datastores: {disks: tank}}
    vmIds: {from: 1000, to: 1999}
`

	type want struct {
		Node, DiskDatastore string
		VMID                int64
	}

	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		want     want
	}{
		"Kept": {
			reason: "What a VM has wins over what would be chosen today.",
			spec:   `{proxmox: {site: home}}`, existing: Existing{Node: "pve2", DiskDatastore: "old"},
			want: want{"pve2", "old", 0},
		},
		"ClaimWins": {
			reason: "It never wins over what the claim says.",
			spec:   `{proxmox: {site: home, node: pve1, vmId: 777, storage: zfs}}`, existing: Existing{Node: "pve2", DiskDatastore: "old"},
			want: want{"pve1", "zfs", 777},
		},
		"NodeGone": {
			reason: "A VM whose node and bridge have left the catalogue is still resolved.",
			spec:   `{proxmox: {site: home, bridge: vmbr9}}`, existing: Existing{Node: "pve9", DiskDatastore: "zfs"},
			want: want{"pve9", "zfs", 0},
		},
		"NoSite": {
			reason: "A VM has a node, even where neither claim nor catalogue names one any more.",
			spec:   `{}`, existing: Existing{Node: "pve9"},
			want: want{"pve9", "local-lvm", 0},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := aMachine(t, kindMachine, tc.spec, document, tc.existing).Placement
			if diff := cmp.Diff(tc.want, want{p.Node, p.DiskDatastore, p.VMID}); diff != "" {
				t.Errorf("%s\nPlacement: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestChooseNode(t *testing.T) {
	const document = `
images: {template: {template: 9000, templateNode: c}}
sites:
  home:
    nodes:
      a: {bridges: [vmbr0], pci: [gpu]}
      b: {bridges: [vmbr0, vmbr1], pci: []}
      c: {bridges: [vmbr0, vmbr1], storages: {local-lvm: [images], local: [import]}}
`

	nodes := func(spec string) map[string]int {
		out := map[string]int{}

		for i := range 60 {
			c := aClaim(t, kindMachine, spec)
			c.Identity.Name = fmt.Sprintf("m-%d", i)

			m, errs := Claim(c, aCatalog(t, document), Existing{})
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}

			// A preview has no UID, and has to name the node that the machine will be on.
			c.Identity.UID = fmt.Sprintf("uid-%d", i)

			again, _ := Claim(c, aCatalog(t, document), Existing{})
			if again.Placement.Node != m.Placement.Node {
				t.Fatalf("the same machine went to %s and to %s", m.Placement.Node, again.Placement.Node)
			}

			out[m.Placement.Node]++
		}

		return out
	}

	if got := nodes(`{proxmox: {site: home}}`); len(got) != 3 {
		t.Errorf("Machines spread over all nodes that fit: %v", got)
	}

	if got := nodes(`{proxmox: {site: home, bridge: vmbr1}}`); got["a"] != 0 || len(got) != 2 {
		t.Errorf("Only nodes with the bridge are chosen: %v", got)
	}

	if got := nodes(`{proxmox: {site: home}, devices: {pci: [{mapping: gpu}]}}`); got["b"] != 0 || got["a"] == 0 {
		t.Errorf("A node with an empty list of mappings has none: %v", got)
	}

	if got := nodes(`{proxmox: {site: home}, image: template}`); got["c"] != 60 {
		t.Errorf("A clone is made on its template's node: %v", got)
	}

	if got := nodes(`{proxmox: {site: home}, bootstrap: {userData: "#cloud-config\n"}}`); got["c"] != 0 {
		t.Errorf("Snippets need a datastore that serves them: %v", got)
	}

	_, errs := Claim(aClaim(t, kindMachine, `{proxmox: {site: home, bridge: vmbr9}}`), aCatalog(t, document), Existing{})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "spec.proxmox.bridge: Invalid value: \"vmbr9\": network bridge 'vmbr9' does not exist on node 'a'; did you mean vmbr0?") ||
		!strings.HasSuffix(errs[0].Error(), "no node of site 'home' has everything the claim names") {
		t.Errorf("Where no node fits, one of them says why: %v", errs)
	}
}

func TestSiteAtFault(t *testing.T) {
	cases := map[string]struct {
		reason string
		site   string
		want   []string
	}{
		"Network": {
			reason: "What the site adds is checked like a claim.",
			site:   `{nodes: {pve: {}}, network: {bridge: "br 1", vlan: 5000, gateway: x, dns: [x], cidr: 40, domain: X}}`,
			want: []string{
				"data.sites.home.network.bridge", "data.sites.home.network.vlan", "data.sites.home.network.gateway",
				"data.sites.home.network.cidr", "data.sites.home.network.dns[0]", "data.sites.home.network.domain",
			},
		},
		"Range": {
			reason: "A range has an order.", site: `{nodes: {pve: {}}, vmIds: {from: 200, to: 100}}`,
			want: []string{"data.sites.home.vmIds.to"},
		},
		"Kind": {
			reason: "Two kinds of provider configurations.", site: `{nodes: {pve: {}}, providerConfigKind: Provider, providerConfig: "A B"}`,
			want: []string{"data.sites.home.providerConfig", "data.sites.home.providerConfigKind"},
		},
		"Report": {
			reason: "Two ways to report.", site: `{nodes: {pve: {}}, report: link}`, want: []string{"data.sites.home.report"},
		},
		"Node": {
			reason: "The node that is used is checked.",
			site:   `{nodes: {pve: {bridges: [vmbr0, "b r"], datastores: {disks: "a b"}, storages: {"a b": [images], local: [import, snippet]}, pci: ["0000:01"]}}}`,
			want: []string{
				"data.sites.home.nodes.pve.bridges[1]", "data.sites.home.nodes.pve.datastores.disks", "data.sites.home.nodes.pve.pci[0]",
				`data.sites.home.nodes.pve.storages."a b"`, "data.sites.home.nodes.pve.storages.local[1]",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Claim(aClaim(t, kindMachine, `{proxmox: {site: home, node: pve}}`), aCatalog(t, `sites: {home: `+tc.site+`}`), Existing{})

			got := map[string]bool{}
			for _, err := range errs {
				got[err.Field] = true
			}

			want := map[string]bool{}
			for _, f := range tc.want {
				want[f] = true
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDatastores(t *testing.T) {
	cases := map[string]struct {
		reason string
		node   string
		spec   string
		want   string // Of the only fault; empty: none.
	}{
		"Unknown":         {reason: "What is not listed is not checked.", node: `{}`, spec: `{proxmox: {site: home, storage: any}}`},
		"Role":            {reason: "A role's datastore is known.", node: `{datastores: {disks: zfs}}`, spec: `{proxmox: {site: home, storage: zfs}}`},
		"DefaultRole":     {reason: "So are the defaults of the other roles.", node: `{datastores: {disks: zfs}}`, spec: `{proxmox: {site: home, storage: local}}`},
		"OneRole":         {reason: "One role is no complete list.", node: `{datastores: {disks: zfs}}`, spec: `{proxmox: {site: home, storage: tank}}`},
		"NotARole":        {reason: "With all roles named, nothing else is known.", node: `{datastores: {disks: zfs, images: local, snippets: local}}`, spec: `{proxmox: {site: home, storage: tank}}`, want: "spec.proxmox.storage"},
		"Listed":          {reason: "A list is complete.", node: `{storages: {local-lvm: [images], local: [import], tank: [images]}}`, spec: `{proxmox: {site: home, storage: tank}}`},
		"DefaultUnlisted": {reason: "A default that is not in the list is not there.", node: `{storages: {tank: [images], local: [import]}}`, spec: `{proxmox: {site: home}}`, want: "data.sites.home.nodes.pve.datastores.disks"},
		"NoImport":        {reason: "An image is downloaded to where it can be imported from.", node: `{storages: {local-lvm: [images], local: [iso]}}`, spec: `{proxmox: {site: home}}`, want: "data.sites.home.nodes.pve.datastores.images"},
		"NoImportNeeded":  {reason: "A clone downloads nothing.", node: `{storages: {local-lvm: [images], local: [iso]}}`, spec: `{proxmox: {site: home}, image: 9000}`},
		"Installer":       {reason: "An installer is on a datastore for installers.", node: `{storages: {local-lvm: [images], local: [import]}}`, spec: `{proxmox: {site: home}, image: "local:iso/x.iso"}`, want: "spec.image"},
		"Volume":          {reason: "A volume's datastore is looked at.", node: `{storages: {local-lvm: [images], local: [import]}}`, spec: `{proxmox: {site: home}, image: "nfs:import/x.qcow2"}`, want: "spec.image"},
		"NoSnippets":      {reason: "User-data is a snippet.", node: `{storages: {local-lvm: [images], local: [import]}}`, spec: `{proxmox: {site: home}, bootstrap: {userData: "#cloud-config\n"}}`, want: "data.sites.home.nodes.pve.datastores.snippets"},
		"PlainMachine":    {reason: "A plain machine may do without a snippet.", node: `{storages: {local-lvm: [images], local: [import]}}`, spec: `{proxmox: {site: home}}`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, `{images: {mine: {template: 9000}}, sites: {home: {nodes: {pve: `+tc.node+`}}}}`), Existing{})

			var got string
			if len(errs) > 0 {
				got = errs[0].Field
			}

			if len(errs) > 1 || got != tc.want {
				t.Errorf("%s\nClaim(...): want a fault in %q, got %v", tc.reason, tc.want, errs)
			}
		})
	}
}

// TestReport: the claim's word counts, then the site's.
func TestReport(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		site   string
		silent bool
	}{
		"Unsaid":     {reason: "Guests report.", site: `{nodes: {pve: {}}}`},
		"Site":       {reason: "The site's machines do not.", site: `{nodes: {pve: {}}, report: None}`, silent: true},
		"SiteLink":   {reason: "Said as it is.", site: `{nodes: {pve: {}}, report: Link}`},
		"Claim":      {reason: "One machine does not.", spec: `bootstrap: {report: None}`, site: `{nodes: {pve: {}}}`, silent: true},
		"ClaimFirst": {reason: "One machine of the site does.", spec: `bootstrap: {report: Link}`, site: `{nodes: {pve: {}}, report: None}`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, kindMachine, `{proxmox: {site: home, node: pve}, `+tc.spec+`}`), aCatalog(t, `sites: {home: `+tc.site+`}`), Existing{})
			if len(errs) > 0 || m.Silent != tc.silent {
				t.Errorf("%s\nClaim(...): want silent %t, got %+v and %v", tc.reason, tc.silent, m, errs)
			}
		})
	}
}

// TestUnlisted: who renames or removes the entry of a node with VMs hears what is no longer known of them.
func TestUnlisted(t *testing.T) {
	const document = `sites: {home: {providerConfig: home, nodes: {pve1: {}, pve2: {}}}, bare: {providerConfig: home}}`

	const said = "data.sites.home.nodes: node pve9, where the VM is, is not listed (there are: pve1, pve2). The VM stays there. Its memory counts for no node, its edits are not compared " +
		"with what the node has, and none that replaces it can go there. Unless it is to leave that node, write the entry of pve9 again."

	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		want     []string
	}{
		"Listed": {reason: "Nothing to say.", spec: "{proxmox: {site: home}}", existing: Existing{Node: "pve1", ProviderConfig: "home"}},
		"Gone":   {reason: "The claim names no node.", spec: "{proxmox: {site: home}}", existing: Existing{Node: "pve9", ProviderConfig: "home"}, want: []string{said}},
		"Pinned": {reason: "Nor does it help that the claim does.", spec: "{proxmox: {site: home, node: pve9}}", existing: Existing{Node: "pve9", ProviderConfig: "home"}, want: []string{said}},
		"Moves":  {reason: "It leaves the node.", spec: "{proxmox: {site: home, node: pve1, migrate: true}}", existing: Existing{Node: "pve9", ProviderConfig: "home"}},
		"Other":  {reason: "A VM of another Proxmox has no node here.", spec: "{proxmox: {site: home}}", existing: Existing{Node: "pve9", ProviderConfig: "work"}},
		"Bare":   {reason: "A site without nodes lists none.", spec: "{proxmox: {site: bare}}", existing: Existing{Node: "pve9", ProviderConfig: "home"}},
		"New":    {reason: "It is nowhere yet.", spec: "{proxmox: {site: home}}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := slices.DeleteFunc(aMachine(t, kindMachine, tc.spec, document, tc.existing).Warnings, func(w string) bool { return !strings.Contains(w, "where the VM is") })
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nWarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLacking: who takes out of a node's entry what a VM there has, hears what that means for it, and nothing is taken from it.
func TestLacking(t *testing.T) {
	const document = `sites: {home: {providerConfig: home, nodes: {pve1: {bridges: [vmbr1], datastores: {disks: fast}}, bare: {}}, network: {bridge: vmbr0}}}`

	has := func(bridge string) *Entries {
		return &Entries{Site: catalog.Site{Site: v1alpha1.Site{Network: v1alpha1.SiteNetwork{Bridge: bridge}}}}
	}
	applied := aClaim(t, kindMachine, `{proxmox: {site: home}, disks: [{name: data, size: 1Gi, storage: slow}]}`)

	const (
		bridge = "data.sites.home.network.bridge: network bridge 'vmbr0' does not exist on node 'pve1'; did you mean vmbr1? (pvesh get /nodes/pve1/network lists them). The VM has it, and keeps it. " +
			"If the node lacks it, the VM does not start there again, and no other one takes its place there. Else write it into the entry of pve1 again."
	)

	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		want     []string
	}{
		"Bridge":  {"The bridge of its network.", "{proxmox: {site: home}}", Existing{Node: "pve1", Has: has("vmbr0"), Applied: &applied}, []string{bridge}},
		"Disk":    {"Where its data disk is, the claim does not know: it may name another datastore than the one that the disk stays on.", "{proxmox: {site: home, bridge: vmbr1}, disks: [{name: data, size: 1Gi, storage: slow}]}", Existing{Node: "pve1", Has: has("vmbr1"), Applied: &applied}, nil},
		"Nothing": {"A node that lists nothing lacks nothing.", "{proxmox: {site: home}}", Existing{Node: "bare", Has: has("vmbr0"), Applied: &applied}, nil},
		"Moves":   {"It leaves the node.", "{proxmox: {site: home, node: bare, migrate: true}}", Existing{Node: "pve1", Has: has("vmbr0"), Applied: &applied}, nil},
		"Other":   {"A VM of another Proxmox has no node here.", "{proxmox: {site: home}}", Existing{Node: "pve1", Has: has("vmbr0"), Applied: &applied, ProviderConfig: "work"}, nil},
		"Another": {"What it does not have is no warning.", "{proxmox: {site: home}}", Existing{Node: "pve1", Has: has("vmbr1"), Applied: &applied}, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := slices.DeleteFunc(aMachine(t, kindMachine, tc.spec, document, tc.existing).Warnings, func(w string) bool { return !strings.Contains(w, "has it, and keeps it") })
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nWarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
