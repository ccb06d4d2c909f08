package preview

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// roomForThree is a catalogue of two nodes with room for three machines of 4 GiB.
const roomForThree = `apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults: {site: home, image: debian-13}
  classes: {small: {cores: 2, memory: 4Gi, disk: 30Gi}}
  sites:
    home:
      nodes:
        pve1: {memory: 10Gi}
        pve2: {memory: 6Gi}
      %s
`

// TestPlaceTogether: claims of one folder do not take the last place twice, in a preview and in a plan.
func TestPlaceTogether(t *testing.T) {
	const machine = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: %s, namespace: default}\nspec: {class: small, network: {dhcp: true}, proxmox: %s}\n"

	cases := map[string]struct {
		reason string
		site   string
		pinned string // Of the last claim.
		want   []string
	}{
		"Numbered": {
			reason: "A machine finds those before it.", site: "vmIds: {from: 4000, to: 4999}", pinned: "{}",
			want: []string{
				"node: pve1 has most memory left: 4 GiB of 8 GiB are left with this machine.",
				"node: pve2 is as good as any of pve1, pve2; the machine's name decides between them: 0 GiB of 4 GiB are left with this machine.",
				"node: pve1 has room: 0 GiB of 8 GiB are left with this machine.",
				"spec.proxmox.node: the machine needs 4 GiB of memory (class small, EnvironmentConfig machine-catalog: data.classes.small), and no node of site 'home' has room for it: pve1 has 0 GiB left of 8 GiB, pve2 has 0 GiB left of 4 GiB",
			},
		},
		"Unnumbered": {
			reason: "Also where Proxmox chooses VMIDs.", pinned: "{}",
			want: []string{
				"node: pve1 has most memory left: 4 GiB of 8 GiB are left with this machine.",
				"node: pve2 is as good as any of pve1, pve2; the machine's name decides between them: 0 GiB of 4 GiB are left with this machine.",
				"node: pve1 has room: 0 GiB of 8 GiB are left with this machine.",
				"spec.proxmox.node: the machine needs 4 GiB of memory (class small, EnvironmentConfig machine-catalog: data.classes.small), and no node of site 'home' has room for it: pve1 has 0 GiB left of 8 GiB, pve2 has 0 GiB left of 4 GiB",
			},
		},
		"Pinned": {
			reason: "And those whose claims name their node.", pinned: "{node: pve2}",
			want: []string{
				"node: pve1 has room: 4 GiB of 8 GiB are left with this machine.",
				"node: pve1 has room: 0 GiB of 8 GiB are left with this machine.",
				"spec.proxmox.node: the machine needs 4 GiB of memory (class small, EnvironmentConfig machine-catalog: data.classes.small), and no node of site 'home' has room for it: pve1 has 0 GiB left of 8 GiB, pve2 has 0 GiB left of 4 GiB",
				"",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()

			files := map[string]string{"catalogue.yaml": fmt.Sprintf(roomForThree, tc.site)}
			for i := range 3 {
				files[fmt.Sprintf("m%d.yaml", i)] = fmt.Sprintf(machine, fmt.Sprintf("m%d", i), "{}")
			}

			files["m3.yaml"] = fmt.Sprintf(machine, "m3", tc.pinned)

			for file, text := range files {
				if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			t.Chdir(repository)

			configuration, err := Load(FlavourClaims)
			if err != nil {
				t.Fatal(err)
			}

			claims, err := configuration.ReadClaims([]string{folder}, nil)
			if err != nil {
				t.Fatal(err)
			}

			var stories []Story

			for _, c := range claims {
				s, err := Files{}.Story(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}

				stories = append(stories, s)
			}

			r := Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true}

			rendered := make([]string, 0, len(stories))
			for _, one := range r.RenderAll(t.Context(), stories, 2) {
				rendered = append(rendered, told(t, one))
			}

			if diff := cmp.Diff(tc.want, rendered); diff != "" {
				t.Errorf("%s\nrendered: -want, +got:\n%s", tc.reason, diff)
			}

			planned := make([]string, 0, len(stories))

			for _, m := range r.Plan(t.Context(), stories) {
				_, text, _ := strings.Cut(m.Fault, "\n  ")

				for _, s := range m.Steps {
					for _, note := range s.Notes {
						if strings.HasPrefix(note, "node: ") {
							text = note
						}
					}
				}

				planned = append(planned, text)
			}

			if diff := cmp.Diff(tc.want, planned); diff != "" {
				t.Errorf("%s\nplanned: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// told is why a machine is on its node, or why it is nowhere; empty for a machine whose claim names its node.
func told(t *testing.T, r Rendered) string {
	t.Helper()

	if r.Err != nil {
		_, text, _ := strings.Cut(r.Err.Error(), "\n  ")

		return text
	}

	text, err := r.Summary()
	if err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "  node: ") {
			return strings.TrimSpace(line)
		}
	}

	return ""
}
