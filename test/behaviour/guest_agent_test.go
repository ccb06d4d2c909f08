package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// native is a Debian machine whose user-data Proxmox generates.
const native = `{k3s: null, nix: null, image: debian-12, bootstrap: {userData: null, snippets: null}}`

// TestGuestAgent: a Debian machine whose user-data Proxmox generates gets the guest agent from vendor-data, where the site has a place for
// a snippet, or the claim asks for it.
func TestGuestAgent(t *testing.T) {
	cases := map[string]struct {
		reason  string
		example string
		edit    string
		want    bool
		says    string
	}{
		"Site": {
			reason: "The catalogue says where the node stores snippets.", example: "nixos/dns01", edit: native, want: true,
		},
		"ClaimSaysNo": {
			reason: "The claim does without.", example: "nixos/dns01", edit: `{k3s: null, nix: null, image: debian-12, bootstrap: {guestAgent: false, userData: null, snippets: null}}`,
		},
		"NoSite": {
			reason: "Without a catalogue nobody knows whether there is a place, or SSH.", example: "plain-debian/files01", edit: `{}`,
			says: "installs no guest agent: no catalogue names the datastore for snippets of node pve (datastores.snippets)",
		},
		"ClaimAsks": {
			reason: "The claim takes the default place.", example: "plain-debian/files01", edit: `{bootstrap: {guestAgent: true}}`, want: true,
		},
		"OwnVendorData": {
			reason: "A VM has one vendor-data.", example: "nixos/dns01", edit: `{k3s: null, nix: null, image: debian-12, bootstrap: {userData: null, snippets: {vendorData: "local:snippets/mine.yaml"}}}`,
			says: "installs no guest agent: your vendor-data snippet is in its place",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := example(t, tc.example)
			world.Merge(m.Spec(), world.FromYAML(t, tc.edit))
			settled := m.Settle()

			var snippet string

			for _, name := range world.Names(settled) {
				if strings.HasPrefix(name, "vendor-data-") {
					snippet = name
				}
			}

			p := world.ForProvider(settled, "vm")
			agent := world.Object(p["agent"].([]any)[0])
			drive := world.Object(p["initialization"].([]any)[0])

			if agent["enabled"] != tc.want || (snippet != "") != tc.want {
				t.Fatalf("%s\nthe agent is %v, the snippet is %q", tc.reason, agent, snippet)
			}

			said := world.Message(settled, "BootstrapCurrent")
			if !strings.Contains(said, tc.says) || tc.says == "" && strings.Contains(said, "guest agent") {
				t.Errorf("%s\nthe condition says %q, want %q", tc.reason, said, tc.says)
			}

			if !tc.want {
				return
			}

			file := world.Object(world.ForProvider(settled, snippet)["sourceRaw"].([]any)[0])
			want := "#cloud-config\npackage_update: true\npackage_upgrade: false\npackages:\n  - qemu-guest-agent\n" +
				"runcmd:\n  - [systemctl, start, --no-block, qemu-guest-agent.service]\n"

			if diff := cmp.Diff(want, file["data"]); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if id, _ := drive["vendorDataFileId"].(string); !strings.HasSuffix(id, ":snippets/"+file["fileName"].(string)) || drive["userDataFileId"] != nil {
				t.Errorf("%s\nthe drive has %v, the file is %v", tc.reason, drive, file["fileName"])
			}
		})
	}
}

// TestGuestAgentOfALivingVM: what its first boot has left stays, whatever claim and catalogue say later, and an upgrade of the function
// changes nothing on a VM that was made without.
func TestGuestAgentOfALivingVM(t *testing.T) {
	const (
		no  = `{k3s: null, nix: null, image: debian-12, bootstrap: {guestAgent: false, userData: null, snippets: null}}`
		yes = `{bootstrap: {guestAgent: true}}`
	)

	for name, tc := range map[string]struct{ reason, before, after string }{
		"MadeWithout":     {"As an earlier release made it.", no, `{bootstrap: {guestAgent: null}}`},
		"AskedForLater":   {"It takes a new VM.", no, yes},
		"NotWantedLater":  {"It has the agent.", native, `{bootstrap: {guestAgent: false}}`},
		"OwnSnippetLater": {"It has the agent.", native, `{bootstrap: {snippets: {vendorData: "local:snippets/mine.yaml"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			m := example(t, "nixos/dns01")
			world.Merge(m.Spec(), world.FromYAML(t, tc.before))
			before := m.Settle()

			world.Merge(m.Spec(), world.FromYAML(t, tc.after))
			after := m.Settle()

			if diff := cmp.Diff(world.Names(before), world.Names(after)); diff != "" {
				t.Errorf("%s\ncomposed resources: -before, +after:\n%s", tc.reason, diff)
			}

			for _, name := range world.Names(before) {
				if diff := cmp.Diff(world.ForProvider(before, name), world.ForProvider(after, name)); diff != "" {
					t.Errorf("%s\n%s: -before, +after:\n%s", tc.reason, name, diff)
				}
			}
		})
	}
}

// TestGuestAgentSnippetIsLost: Proxmox does not start a VM without it, so it is written again.
func TestGuestAgentSnippetIsLost(t *testing.T) {
	m := example(t, "nixos/dns01")
	world.Merge(m.Spec(), world.FromYAML(t, native))
	before := m.Settle()

	for _, name := range world.Names(before) {
		if strings.HasPrefix(name, "vendor-data-") {
			delete(m.Observed, name)

			if diff := cmp.Diff(world.ForProvider(before, name), world.ForProvider(m.Call(), name)); diff != "" {
				t.Errorf("%s: -before, +after:\n%s", name, diff)
			}
		}
	}
}

// TestPendingWithoutGuestAgent: who asks for the power cycle knows that nobody asks the guest, and how to ask it.
func TestPendingWithoutGuestAgent(t *testing.T) {
	m, _ := living(t, "plain-debian/files01")
	m.Spec()["size"] = map[string]any{"cores": 6}

	const want = "For that the provider switches the VM off, as if its power failed, because the VM has no guest agent. To shut the guest down cleanly " +
		"instead, run `qm reboot 100` on its node."
	if msg := world.Message(m.Rest(), "RebootPending"); !strings.Contains(msg, want) {
		t.Errorf("the condition does not say %q: %s", want, msg)
	}
}

// TestAgentThatSomebodyInstalled in a guest without cloud-init: the catalogue says so afterwards, and the VM has the agent from its next power cycle on. Without
// it, an appliance would be switched off, as by a power cut, for good.
func TestAgentThatSomebodyInstalled(t *testing.T) {
	cases := map[string]struct {
		reason, image, after string
		want                 bool
		pending              string
	}{
		"Installer": {
			reason: "It is in the disk by now.", image: `{volume: "local:iso/x.iso"}`, after: `{volume: "local:iso/x.iso", guestAgent: true}`, want: true, pending: "guest agent: off to on",
		},
		"Appliance": {
			reason: "An update has brought it.", image: `{volume: "local:import/x.qcow2", cloudInit: false}`, after: `{volume: "local:import/x.qcow2", cloudInit: false, guestAgent: true}`,
			want: true, pending: "guest agent: off to on",
		},
		"OtherFile":   {reason: "It is about another disk.", image: `{volume: "local:iso/x.iso"}`, after: `{volume: "local:iso/y.iso", guestAgent: true}`},
		"OtherDrive":  {reason: "It is about guests that cloud-init sets up.", image: `{volume: "local:import/x.qcow2", cloudInit: false}`, after: `{volume: "local:import/x.qcow2", guestAgent: true}`},
		"NothingSaid": {reason: "Nobody installed it.", image: `{volume: "local:iso/x.iso"}`, after: `{volume: "local:iso/x.iso", os: linux}`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			catalogue := func(image string) map[string]any {
				return map[string]any{
					"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
					"data": map[string]any{"images": map[string]any{"appliance": world.FromYAML(t, image)}},
				}
			}

			m := alone(t, world.NewMachine(world.NewClaim("Machine", "infra-machines", "nas", world.FromYAML(t, "{image: appliance, proxmox: {node: pve}}")), world.Installations[0]))
			m.Catalogue = catalogue(tc.image)
			m.Rest()

			m.Catalogue = catalogue(tc.after)
			rsp := m.Rest()

			agent := world.Object(world.ForProvider(rsp, "vm")["agent"].([]any)[0])
			pending := strings.Contains(world.Message(rsp, "RebootPending"), "guest agent")

			if agent["enabled"] != tc.want || pending != (tc.pending != "") || m.Proxmox.VMs[100].Starts != 1 {
				t.Errorf("%s\nwant %t, %q, one start; got %v, %q, %d", tc.reason, tc.want, tc.pending, agent, world.Message(rsp, "RebootPending"), m.Proxmox.VMs[100].Starts)
			}
		})
	}
}
