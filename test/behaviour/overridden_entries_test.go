package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// overriding is a machine or a container, with a catalogue whose class and images have the names of built-in ones.
func overriding(t *testing.T, kind string, in world.Installation, spec string) *machine {
	t.Helper()

	claim := world.NewClaim(kind, "infra", "files01", world.FromYAML(t, `{proxmox: {node: pve1}, network: {dhcp: true}}`))
	world.Merge(world.Object(claim["spec"]), world.FromYAML(t, spec))

	m := alone(t, world.NewMachine(claim, in))
	m.Catalogue = world.FromYAML(t, `{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog}, data: {
		classes: {small: {cores: 1, memory: 2Gi, disk: 10Gi}, own: {cores: 3, memory: 3Gi, disk: 20Gi}},
		images: {debian-13: {url: "https://images.example.invalid/house.qcow2", os: debian}}}}`)

	return m
}

// TestOverriddenEntries: a class or an image of the catalogue may have the name of a built-in one. When it is gone, the built-in one takes its place in no machine that
// lives: a disk that grew never becomes small again, and another image is another VM.
func TestOverriddenEntries(t *testing.T) {
	losses := map[string]func(m *machine){
		"Class":     func(m *machine) { delete(world.Object(world.Object(m.Catalogue["data"])["classes"]), "small") },
		"Image":     func(m *machine) { delete(world.Object(world.Object(m.Catalogue["data"])["images"]), "debian-13") },
		"Emptied":   func(m *machine) { m.Catalogue["data"] = map[string]any{} },
		"Gone":      func(m *machine) { m.Catalogue = nil },
		"Beginning": func(m *machine) { m.Catalogue["data"] = map[string]any{"defaults": map[string]any{"class": "small"}} },
	}

	specs := map[string]string{
		"Machine":   `{class: small, image: debian-13}`,
		"Container": `{class: small, image: "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst", proxmox: {vmId: 171}}`,
	}

	for _, in := range withContainers() {
		for kind, spec := range specs {
			for name, lose := range losses {
				if kind == "Container" && name == "Image" {
					continue // No template of containers is built in.
				}

				t.Run(fmt.Sprintf("%s/%s/%s", in.Name, kind, name), func(t *testing.T) {
					m := overriding(t, kind, in, spec)
					before := m.Rest()
					whole := m.Catalogue

					m.Catalogue = world.Object(world.Copy(m.Catalogue))
					lose(m)

					for range 3 {
						after := m.Turn()
						m.says(after, map[string]string{"SpecValid": "CatalogueEntryMissing"})

						if diff := cmp.Diff(world.Manifests(before), world.Manifests(after)); diff != "" {
							t.Fatalf("what lives changes: -before, +after:\n%s", diff)
						}
					}

					m.Catalogue = whole
					m.says(m.Rest(), map[string]string{"SpecValid": "Valid"})
				})
			}
		}
	}
}

// TestOverriddenEntryIsTold: whose the entry was, what the built-in one of its name is, and what there is to do.
func TestOverriddenEntryIsTold(t *testing.T) {
	m := overriding(t, "Machine", world.Installations[0], `{class: small, image: debian-13}`)
	m.Rest()

	m.Catalogue = world.Object(world.Copy(m.Catalogue))
	m.Catalogue["data"] = map[string]any{}

	lost := m.Turn()

	for _, want := range []string{
		`spec.class: "small": the catalogue's own classes.small is gone, with which the VM was made, and the built-in one of that name is another: 2 cores, 4Gi of memory, a disk of 30Gi.`,
		`spec.image: "debian-13": the catalogue's own images.debian-13 is gone`, "Put the entry back into the catalogue",
	} {
		if got := world.Message(lost, "SpecValid"); !strings.Contains(got, want) {
			t.Errorf("it does not say %q: %s", want, got)
		}
	}
}

// TestOverriddenEntryIsLeft: an edit that names another entry, or writes the size itself, is followed, also to a built-in one; what was never made with an entry of the
// catalogue takes the built-in one.
func TestOverriddenEntryIsLeft(t *testing.T) {
	cases := map[string]struct {
		reason string
		made   string
		edit   string
		cores  float64
		disk   float64
	}{
		"AnotherBuiltIn": {"It is named, and nothing else was made with it.", `{class: small}`, `{class: medium}`, 4, 60},
		"ItsOwnSize":     {"What the claim says does not come from a class.", `{class: small}`, `{size: {cores: 3, memory: 5Gi, disk: 20Gi}}`, 3, 20},
		"FromAnother":    {"The machine had another class: the catalogue's small is nothing that it loses.", `{class: own}`, `{class: small}`, 2, 30},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := overriding(t, "Machine", world.Installations[0], tc.made)
			m.lifecycle("approval", "Never")
			m.Rest()

			m.Catalogue = world.Object(world.Copy(m.Catalogue))
			m.Catalogue["data"] = map[string]any{}
			world.Merge(m.Spec(), world.FromYAML(t, tc.edit))

			last := m.Rest()
			m.says(last, map[string]string{"SpecValid": "Valid"})

			vm := world.ForProvider(last, "vm")
			if cores, disk := world.Object(world.List(vm["cpu"])[0])["cores"], world.Object(world.List(vm["disk"])[0])["size"]; cores != tc.cores || disk != tc.disk {
				t.Errorf("%s\n%v cores, a disk of %v", tc.reason, cores, disk)
			}
		})
	}
}

// TestOverriddenEntryIsTakenBack: who writes a class under the name of a built-in one, and takes it back, has the built-in one again where machines had it.
func TestOverriddenEntryIsTakenBack(t *testing.T) {
	for kind, spec := range map[string]string{
		"Machine":   `{class: small}`,
		"Container": `{class: small, image: "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst", proxmox: {vmId: 171}}`,
	} {
		t.Run(kind, func(t *testing.T) {
			m := overriding(t, kind, withContainers()[0], spec)
			m.lifecycle("approval", "Never")

			own := m.Catalogue
			without := world.Object(world.Copy(own))
			without["data"] = map[string]any{}

			m.Catalogue = without
			born := m.Rest()

			m.Catalogue = own
			if diff := cmp.Diff(world.Manifests(born), world.Manifests(m.Rest())); diff == "" {
				t.Fatal("the class changes nothing")
			}

			m.Catalogue = without
			m.says(m.Rest(), map[string]string{"SpecValid": "Valid"})

			name := map[string]string{"Machine": "vm", "Container": "container"}[kind]
			if diff := cmp.Diff(world.ForProvider(born, name)["cpu"], world.ForProvider(m.Rest(), name)["cpu"]); diff != "" {
				t.Errorf("-born, +back:\n%s", diff)
			}
		})
	}
}
