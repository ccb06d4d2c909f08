package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// losses are what can happen to a catalogue while machines live. Each returns false where the catalogue has nothing to lose.
func losses() map[string]func(data map[string]any) bool {
	drop := func(section string) func(map[string]any) bool {
		return func(data map[string]any) bool {
			_, had := data[section]
			delete(data, section)

			return had
		}
	}

	each := func(section string, edit func(entry map[string]any)) func(map[string]any) bool {
		return func(data map[string]any) bool {
			entries := world.Object(data[section])
			for name, e := range entries {
				entry := world.Object(e)
				edit(entry)
				entries[name] = entry
			}

			return len(entries) > 0
		}
	}

	unknownKey := func(entry map[string]any) { entry["colour"] = "red" }

	return map[string]func(map[string]any) bool{
		"Everything": func(data map[string]any) bool { clear(data); return true },
		"Defaults":   drop("defaults"), "Classes": drop("classes"), "Images": drop("images"), "Sites": drop("sites"), "Clusters": drop("clusters"),
		"UnknownVersion":   func(data map[string]any) bool { data["apiVersion"] = "catalogue.homelab.io/v2"; return true },
		"UnknownSection":   func(data map[string]any) bool { data["imagez"] = map[string]any{}; return true },
		"UnknownDefault":   func(data map[string]any) bool { return setKey(data, "defaults", "clas", "small") },
		"NoObject":         func(data map[string]any) bool { data["sites"] = []any{}; return true },
		"UnknownClassKey":  each("classes", unknownKey),
		"UnknownImageKey":  each("images", unknownKey),
		"UnknownSiteKey":   each("sites", unknownKey),
		"UnknownK3sKey":    each("clusters", unknownKey),
		"InvalidClass":     each("classes", func(e map[string]any) { e["memory"] = "-1" }),
		"InvalidImage":     each("images", func(e map[string]any) { e["os"] = "beos" }),
		"InvalidSite":      each("sites", func(e map[string]any) { e["providerConfig"] = "No Name" }),
		"InvalidNode":      each("sites", func(e map[string]any) { invalidNodes(e) }),
		"BridgeOfNoNode":   each("sites", func(e map[string]any) { ofNoNode(e, "bridges"); setKey(e, "network", "bridge", "vmbr99") }),
		"NoSubnet":         each("sites", func(e map[string]any) { delete(world.Object(e["network"]), "cidr") }),
		"StorageOfNoNode":  each("sites", func(e map[string]any) { ofNoNode(e, "datastores") }),
		"InvalidKeys":      func(data map[string]any) bool { return setKey(data, "defaults", "sshAuthorizedKeys", []any{"no key"}) },
		"ClusterNoVersion": each("clusters", func(e map[string]any) { delete(e, "version") }),
		"ClusterNoToken":   each("clusters", func(e map[string]any) { delete(e, "token") }),
	}
}

func setKey(data map[string]any, section, key string, value any) bool {
	s, ok := data[section].(map[string]any)
	if ok {
		s[key] = value
	}

	return ok
}

func invalidNodes(site map[string]any) {
	nodes := world.Object(site["nodes"])
	for name := range nodes {
		nodes[name] = map[string]any{"bridges": []any{"no bridge!"}}
	}
}

// ofNoNode lists other bridges, or other datastores, of each node of a site than machines can be on.
func ofNoNode(site map[string]any, key string) {
	lists := map[string]any{"bridges": []any{"vmbr98"}, "datastores": map[string]any{"disks": "lost1", "images": "lost2", "snippets": "lost3"}}

	nodes := world.Object(site["nodes"])
	for name, n := range nodes {
		node := world.Object(n)
		node[key] = lists[key]
		nodes[name] = node
	}
}

// TestCatalogueLost: whatever the catalogue loses, a machine that lives stays the VM that it is, and what does not depend on the
// loss takes effect: power, and above all that its VM outlives the claim.
func TestCatalogueLost(t *testing.T) {
	for _, e := range fake.Examples(t) {
		for name, lose := range losses() {
			t.Run(strings.ReplaceAll(e.Name, "/", "-")+"/"+name, func(t *testing.T) {
				m := alone(t, e.Machine(world.Installations[0]))
				if m.Catalogue == nil {
					t.Skip("it has no catalogue to lose")
				}

				before := m.Rest()

				m.Catalogue = world.Object(world.Copy(m.Catalogue))
				if !lose(world.Object(m.Catalogue["data"])) {
					t.Skip("its catalogue has none")
				}

				after := m.Call()
				if msg := world.Fatal(after); msg != "" {
					t.Fatalf("a machine that lives is frozen: %s", msg)
				}

				for _, vm := range world.VMNames(before) {
					if diff := cmp.Diff(world.Desired(before, vm), world.Desired(after, vm)); diff != "" {
						t.Errorf("the VM changes: -before, +after:\n%s", diff)
					}
				}

				if diff := cmp.Diff(world.Stems(before), world.Stems(after)); diff != "" {
					t.Errorf("managed resources come or go: -before, +after:\n%s", diff)
				}

				m.Spec()["deletionPolicy"], m.Spec()["power"] = "Orphan", "Stopped"
				m.lifecycle("approval", "Never") // A stop that somebody has to approve is not what this is about.
				m.Rest()

				for _, vm := range world.VMNames(before) {
					if got := world.Policies(m.Observed[vm]); strings.Contains(got, "Delete") {
						t.Errorf("the claim says Orphan, and the VM would be destroyed with it: %s", got)
					}

					if got := world.Object(world.Object(m.Observed[vm]["spec"])["forProvider"])["started"]; got != false {
						t.Errorf("the claim says Stopped, and started is %v", got)
					}
				}
			})
		}
	}
}

// TestCatalogueLostSays: the claim names what is missing, and which part of the VM stays for that reason.
func TestCatalogueLostSays(t *testing.T) {
	cases := map[string]struct {
		reason string
		lose   func(m *machine)
		want   []string
	}{
		"Class": {
			reason: "An entry that is gone is named like one that never was.",
			lose:   func(m *machine) { delete(world.Object(world.Object(m.Catalogue["data"])["classes"]), "server") },
			want:   []string{"keeps its own size and CPU type,", `spec.class: "server": there is no class of that name`},
		},
		"UnknownKey": {
			reason: "An entry with a typing error is named by its place.",
			lose: func(m *machine) {
				world.Object(world.Object(world.Object(m.Catalogue["data"])["clusters"])["home"])["versiom"] = "v1"
			},
			want: []string{"K3s settings", "EnvironmentConfig machine-catalog: data.clusters.home.versiom: unknown field; did you mean data.clusters.home.version?"},
		},
		"UnknownVersion": {
			reason: "Nothing of a catalogue of another version is used.",
			lose:   func(m *machine) { world.Object(m.Catalogue["data"])["apiVersion"] = "catalogue.homelab.io/v2" },
			want: []string{
				"size and CPU type", "node, network and datastores", "K3s settings",
				`EnvironmentConfig machine-catalog: data.apiVersion: "catalogue.homelab.io/v2": must be catalogue.homelab.io/v1alpha1`,
			},
		},
		"Gone": {
			reason: "A catalogue that is not there is named.",
			lose:   func(m *machine) { m.Catalogue = nil },
			want:   []string{"size and CPU type", "node, network and datastores", "K3s settings", "EnvironmentConfig machine-catalog was not found"},
		},
		"NoData": {
			reason: "So is one whose content is under another key.",
			lose: func(m *machine) {
				m.Catalogue["spec"] = m.Catalogue["data"]
				delete(m.Catalogue, "data")
			},
			want: []string{"EnvironmentConfig machine-catalog has no data: the catalogue belongs under the key data"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := example(t, "k3s-cluster/server-2")
			m.Rest()

			m.Catalogue = world.Object(world.Copy(m.Catalogue))
			tc.lose(m)

			rsp := m.Call()
			if got := world.Reason(rsp, "SpecValid"); got != "CatalogueEntryMissing" {
				t.Errorf("%s\nSpecValid: want reason CatalogueEntryMissing, got %s: %s", tc.reason, got, world.Message(rsp, "SpecValid")+world.Fatal(rsp))
			}

			for _, want := range tc.want {
				if got := world.Message(rsp, "SpecValid"); !strings.Contains(got, want) {
					t.Errorf("%s\nthe message does not say %q: %s", tc.reason, want, got)
				}
			}
		})
	}
}
