package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/rehearse"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// unseen are the effects of which nothing that runs has anything before somebody does something.
var unseen = []string{powerCycle, refused, newOnly, waits} //nolint:gochecknoglobals // A constant.

// partly are rows of the tables whose edits take effect at once and not everywhere, or which end for another reason than their effect. Each has its reason.
var partly = map[string]string{ //nolint:gochecknoglobals // Test data.
	"`hostname`": "The guest keeps its name until the power cycle.",
	"`network.bridge`, `network.vlan` (or `proxmox.bridge`, `proxmox.vlan`), `network.mac`": "With another MAC address, the guest has no network.",
	"`nics[].bridge`, `nics[].vlan`, `nics[].mac`":                                          "As above.",
	"`disks[].filesystem`, `disks[].mountPath`":                                             "A person has to do it in the guest.",
	"`disks[]`, one added with a `filesystem`":                                              "As above.",
	"`network.dnsRecord`":                                                                   "The guest has not told its address.",
	"`ha`, added or removed":                                                                "The HA manager has to be told by a person.",
	"`ha.enabled`, `ha.maxRestart`, `ha.maxRelocate`":                                       "As above.",
	"`k3s.drain`, `lifecycle.drain`":                                                        "The node stays cordoned.",
	"`proxmox.node` with `proxmox.migrate: true`":                                           "The VM has devices.",
	"`power`":             "It is stopped.",
	"`lifecycle.reboot`":  "It is restarted.",
	"`lifecycle.replace`": "It is replaced.",
}

// TestRehearsals rehearses every edit of the tables in docs/day-two.md: the verdict says of each that reaches nothing which runs that it does not, and of any
// other that it is done, with nobody out of service.
func TestRehearsals(t *testing.T) {
	catalogue := strings.NewReplacer(
		"  images:\n", "  images:\n    debian-12-ct: {url: \"https://example.org/debian-12-standard_12.7-1_amd64.tar.zst\"}\n",
		"cidr: 24}}\n    garage", "cidr: 24, pool: 192.168.4.200-192.168.4.209}}\n    garage",
	).Replace(effectsCatalogue)

	configuration, err := preview.Load(preview.FlavourNamespaced)
	if err != nil {
		t.Fatal(err)
	}

	r := rehearsals{configuration: configuration, memory: world.NewMemory()}

	cases := map[string]struct {
		section, catalogue string
		edits              map[string][]edit
		claims             map[string]string
	}{
		"Machines":   {section: machineSection, catalogue: effectsCatalogue, edits: edits, claims: effectsClaims},
		"Containers": {section: containerSection, catalogue: catalogue, edits: containerEdits, claims: map[string]string{"": effectsContainer, dhcp: dhcpContainer}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for row, effects := range readEffects(t, tc.section) {
				reaches := !slices.ContainsFunc(effects, func(e string) bool { return slices.Contains(unseen, e) })

				for _, e := range tc.edits[row] {
					got := r.of(t, tc.claims[e.claim], tc.catalogue, e)
					says := got.Verdict.Outcome == rehearse.Waits || len(got.Verdict.Without) > 0
					smooth := got.Verdict.Outcome == rehearse.Done && !says && got.Sums.Restarts == 0 && got.Sums.LongestAway == 0

					if _, excepted := partly[row]; !reaches && !says || reaches && !excepted && !smooth {
						t.Errorf("%s is %v, and the rehearsal of %s: %v ends so: %+v, %+v", row, effects, e.path, e.value, got.Verdict, got.Sums)
					}
				}
			}
		})
	}
}

// rehearsals of edits of machines that are born for them.
type rehearsals struct {
	configuration preview.Configuration
	memory        *world.Memory
}

// of an edit of a claim.
func (r rehearsals) of(t *testing.T, claim, catalogue string, e edit) rehearse.Rehearsal {
	t.Helper()

	composite := world.FromYAML(t, claim)
	delete(world.Object(composite["metadata"]), "uid")

	was := r.scene(t, composite, catalogue)
	e.apply(t, composite)

	out, err := rehearse.Rehearse(context.Background(), rehearse.Input{
		Assumed: rehearse.Usual(), Memory: r.memory, Machines: []rehearse.Machine{{Name: "it", Was: &was, Is: r.scene(t, composite, catalogue)}},
	})
	if err != nil {
		t.Fatalf("%s: %s", e.path, err)
	}

	return out
}

// scene of a claim.
func (r rehearsals) scene(t *testing.T, claim map[string]any, catalogue string) preview.Scene {
	t.Helper()

	text, err := json.Marshal(claim)
	if err != nil {
		t.Fatal(err)
	}

	file := filepath.Join(t.TempDir(), "claim.json")
	for name, text := range map[string][]byte{file: text, filepath.Join(filepath.Dir(file), "catalogue.yaml"): []byte(catalogue)} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	claims, err := r.configuration.ReadClaims([]string{file}, nil)
	if err != nil {
		t.Fatal(err)
	}

	story, err := preview.World{}.Story(context.Background(), r.configuration, preview.Files{}, claims[0])
	if err != nil {
		t.Fatal(err)
	}

	scene, err := (preview.Renderer{Configuration: r.configuration}).Scene(story)
	if err != nil {
		t.Fatal(err)
	}

	return scene
}
