package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

const (
	oneKey   = `sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"]`
	userData = `userData: "#cloud-config\ntimezone: Europe/Berlin\n"`
)

// claimsWithoutCatalogue name all that they need, or take what is built in.
func claimsWithoutCatalogue() map[string]struct{ kind, spec string } {
	return map[string]struct{ kind, spec string }{
		"Defaults":         {"Machine", `{}`},
		"ProxmoxUserData":  {"Machine", `{bootstrap: {` + oneKey + `}}`},
		"RenderedUserData": {"Machine", `{bootstrap: {` + userData + `}}`},
		"OwnAccount":       {"Machine", `{bootstrap: {adminUser: ops, ` + userData + `}}`},
		"DataDisks":        {"Machine", `{disks: [{name: data, size: 50Gi}], bootstrap: {` + oneKey + `}}`},
		"Size":             {"Machine", `{size: {cores: 3, memory: 3Gi}}`},
		"NixOS":            {"Machine", `{image: "local:import/nixos.qcow2", nix: {flakeRef: "github:example/infra#files"}}`},
		"K3sServer":        {"K3sNode", `{k3s: {role: server, init: true, version: v1.33.6+k3s1}}`},
		"K3sAgent": {"K3sNode", `{k3s: {role: agent, server: "https://192.168.4.210:6443", version: v1.33.6+k3s1, ` +
			`token: {secretRef: {name: join, key: token}, allowPlaintext: true}}}`},
	}
}

// withoutCatalogue is a machine of one of these claims, and does not have a VM yet.
func withoutCatalogue(t *testing.T, name string, in world.Installation) *machine {
	t.Helper()

	c := claimsWithoutCatalogue()[name]
	claim := world.NewClaim(c.kind, "infra-machines", "files01", world.FromYAML(t,
		`{image: debian-12, proxmox: {node: pve}, network: {ip: 192.168.4.60, cidr: 24, gateway: 192.168.4.1}}`))
	world.Merge(world.Object(claim["spec"]), world.FromYAML(t, c.spec))

	m := alone(t, world.NewMachine(claim, in))
	m.Secrets = []map[string]any{{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "join", "namespace": "infra-machines"},
		"stringData": map[string]any{"token": "K10" + strings.Repeat("c0ffee00", 8) + "::server:nobody"},
	}}

	return m
}

// staysValid says whether a machine takes turns without a word of an entry that the catalogue lacks.
func (m *machine) staysValid() {
	m.t.Helper()

	for range 8 {
		m.says(m.Turn(), map[string]string{"SpecValid": "Valid"})
	}
}

// TestLivesWithoutCatalogue: whoever has no catalogue is told so, and no entry of it is missing, whatever is edited, while half of an edit
// has arrived, and when the next edit comes before the last one has arrived.
func TestLivesWithoutCatalogue(t *testing.T) {
	edits := []string{
		`{}`, `{class: medium}`, `{class: large, tags: [later]}`, `{class: small}`, `{size: {cores: 5}}`, `{size: {disk: 60Gi}}`,
		`{bootstrap: {adminUser: somebody}}`, `{network: {ip: 192.168.4.77}}`, `{network: {dns: [192.168.4.2]}}`, `{proxmox: {vlan: 7}}`,
		`{proxmox: {bridge: vmbr1}}`, `{power: Stopped}`, `{lifecycle: {reboot: now}}`, `{proxmox: {node: pve2}}`,
		`{proxmox: {node: pve2, migrate: true}}`, `{deletionPolicy: Orphan}`, `{disks: [{name: data, size: 60Gi}, {name: more, size: 10Gi}]}`,
	}

	for name := range claimsWithoutCatalogue() {
		for n, edit := range edits {
			t.Run(fmt.Sprintf("%s/%s", name, edit), func(t *testing.T) {
				m := withoutCatalogue(t, name, world.Installations[n%len(world.Installations)])
				m.staysValid()

				spec := world.Object(world.Copy(m.Spec()))

				world.Merge(m.Spec(), world.FromYAML(t, edit))
				m.says(m.Turn(), map[string]string{"SpecValid": "Valid"})

				// It is taken back before it has arrived, and comes again.
				m.Composite["spec"] = world.Copy(spec)
				m.says(m.Turn(), map[string]string{"SpecValid": "Valid"})

				world.Merge(m.Spec(), world.FromYAML(t, edit))
				m.staysValid()
			})
		}
	}
}

// TestUpgradedWithoutCatalogue: a VM of an earlier release, of which nothing is recorded, tells by what it has that it never had a
// catalogue; also in the middle of an edit.
func TestUpgradedWithoutCatalogue(t *testing.T) {
	for name := range claimsWithoutCatalogue() {
		for _, edit := range []string{`{}`, `{size: {cores: 5}}`, `{proxmox: {vlan: 7}}`, `{proxmox: {bridge: vmbr1}}`} {
			t.Run(fmt.Sprintf("%s/%s", name, edit), func(t *testing.T) {
				m := withoutCatalogue(t, name, world.Installations[0])
				m.staysValid()

				world.Merge(m.Spec(), world.FromYAML(t, edit))
				m.Turn()

				m.forgetsDefaults()
				m.staysValid()
			})
		}
	}
}

// forgetsDefaults leaves the VMs as an earlier release wrote them.
func (m *machine) forgetsDefaults() {
	for _, o := range m.Observed {
		delete(world.Object(world.Object(o["metadata"])["annotations"]), proxmox.BuiltInAnnotation)
	}
}

// TestCatalogueWithoutDefaults: a catalogue that has no defaults takes none away from machines that were made with it.
func TestCatalogueWithoutDefaults(t *testing.T) {
	m := withoutCatalogue(t, "RenderedUserData", world.Installations[0])
	m.Catalogue = world.FromYAML(t, `{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog},
		data: {images: {house: {url: "https://images.example.invalid/house.qcow2"}}}}`)
	m.staysValid()

	world.Merge(m.Spec(), world.FromYAML(t, `{size: {cores: 5}, proxmox: {vlan: 7}}`))
	m.staysValid()
}

// TestAccountIsLostWithCatalogue: rendered user-data hides whose account a VM has. What is recorded tells that it was the catalogue's, so
// that nobody is told to replace the VM.
func TestAccountIsLostWithCatalogue(t *testing.T) {
	m := withoutCatalogue(t, "RenderedUserData", world.Installations[0])
	world.Merge(m.Spec(), world.FromYAML(t, `{class: medium}`))
	m.Catalogue = world.FromYAML(t, `{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog},
		data: {defaults: {adminUser: ops, `+oneKey+`}}}`)
	m.staysValid()

	m.Catalogue = nil
	lost := m.Rest()
	m.says(lost, map[string]string{"SpecValid": "CatalogueEntryMissing", "BootstrapCurrent": "CatalogueEntryMissing"})

	if msg := world.Message(lost, "SpecValid"); !strings.Contains(msg, "its own account and SSH keys") || strings.Contains(msg, "size") || strings.Contains(msg, "node") {
		t.Errorf("only the account comes from the catalogue: %s", msg)
	}
}

// TestEditsWithoutCatalogue removes from the claim of a machine that lives without a catalogue what nothing else says: that is a fault of
// the claim, and nothing that the VM keeps of a catalogue.
func TestEditsWithoutCatalogue(t *testing.T) {
	m := example(t, "plain-debian/files01")
	world.Merge(m.Spec(), world.FromYAML(t, `{network: {dhcp: null, ip: 192.168.4.21, cidr: 24, gateway: 192.168.4.1}}`))
	m.Settle()

	world.Merge(m.Spec(), world.FromYAML(t, `{network: {cidr: null}}`))
	m.refused(m.Call(), "spec.network.cidr", "neither claim nor site has one")
}

// refused compares an answer with a fatal result that names a field and says what would be right.
func (m *machine) refused(rsp *fnv1.RunFunctionResponse, want ...string) {
	m.t.Helper()

	results := rsp.GetResults()
	if len(results) != 1 || results[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL {
		m.t.Fatalf("results are %v, want one fatal", results)
	}

	for _, w := range want {
		if !strings.Contains(results[0].GetMessage(), w) {
			m.t.Errorf("the message lacks %q: %s", w, results[0].GetMessage())
		}
	}
}

// TestSitesAreAdded: a claim without a site is clear as long as there is one. A VM that lives goes on to follow its claim when there are
// several, and a warning says what a new VM needs.
func TestSitesAreAdded(t *testing.T) {
	for name := range claimsWithoutCatalogue() {
		t.Run(name, func(t *testing.T) {
			m := withoutCatalogue(t, name, world.Installations[0])
			before := m.Rest()

			m.Catalogue = world.FromYAML(t, `{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog},
				data: {sites: {home: {network: {bridge: vmbr9}, nodes: {pve: {}}}, away: {providerConfig: away, nodes: {far: {}}}}}}`)
			after := m.Rest()
			m.says(after, map[string]string{"SpecValid": "Valid", "ReplacementRequired": "NotRequired", "RebootPending": "NothingPending"})

			if diff := cmp.Diff(world.ForProvider(before, "vm"), world.ForProvider(after, "vm")); diff != "" {
				t.Errorf("the VM changes: -before, +after:\n%s", diff)
			}

			const want = "spec.proxmox.site: the claim names no site, and the catalogue has several and no defaults.site."
			if msg := world.Message(after, "SpecValid"); !strings.Contains(msg, want) {
				t.Errorf("the condition does not say %q: %s", want, msg)
			}

			m.Spec()["power"] = "Stopped"
			if got := world.ForProvider(m.Rest(), "vm")["started"]; got != false {
				t.Errorf("the claim says Stopped, and started is %v", got)
			}
		})
	}
}
