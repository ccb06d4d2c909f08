package rehearse

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// nixosInWaves are NixOS machines in waves, of which the next one waits until the guest of the one before has converged.
func nixosInWaves(report string) string {
	var out []string

	for i, name := range []string{"dns01", "dns02", "docker01"} {
		out = append(out, fmt.Sprintf(`apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: %s, namespace: infra-machines}
spec:
  class: server
  image: nixos
  network: {ip: 192.168.4.%d}
  proxmox: {node: pve1, vmId: %d}
  nix: {flakeRef: "git+https://git.home.arpa/infra?ref=main#%s"}
  bootstrap: {report: %s}
  rollout: {group: names, wave: %d, revision: a}
  lifecycle: {rebootPolicy: WhenNeeded}
`, name, 53+i, 4900+i, name, report, i+1))
	}

	return strings.Join(out, "---\n")
}

// TestNixOSInWaves: a staged rollout over NixOS machines is rehearsed to its end, as docs/rehearse.md says: a guest converges, unless it was observed to have come to
// something else, and one that reports nothing is not waited for.
func TestNixOSInWaves(t *testing.T) {
	edit := []string{"class: server", "class: server-large", "revision: a", "revision: b"}
	catalogue := strings.Replace(aCatalogue, "  classes:\n", "  images: {nixos: {template: 9000, templateNode: pve1, os: nixos, convergeUnit: true, disk: 20Gi}}\n  classes:\n", 1)
	restart := func(id int, name string) []string {
		return []string{fmt.Sprintf("VM %d (%s, pve1) is stopped", id, name), fmt.Sprintf("VM %d (%s, pve1) is started", id, name)}
	}
	two := append(restart(4900, "dns01"), restart(4901, "dns02")...)
	all := slices.Concat(two, restart(4902, "docker01"))

	for name, tc := range map[string]struct {
		reason   string
		report   string // bootstrap.report of the claims.
		observed string // What the guest of dns02 was observed to report; empty where nothing was observed.
		want     []string
		waits    []string
	}{
		"Converge":   {reason: "Each converges when it has started.", report: "Link", want: all},
		"Silent":     {reason: "A guest that is told not to report is not waited for.", report: "None", want: all},
		"Applied":    {reason: "It was observed to have converged.", report: "Link", observed: "nix-ok-3f9a0c", want: all},
		"RolledBack": {reason: "It stays at its former system until its flake has another revision.", report: "Link", observed: "nix-back-3f9a0c", want: two, waits: []string{"docker01 RolloutFinished WaitingForWave"}},
		"Failed":     {reason: "It could not read its flake.", report: "Link", observed: "nix-bad", want: two, waits: []string{"docker01 RolloutFinished WaitingForWave"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			claims := nixosInWaves(tc.report)
			edited := strings.NewReplacer(edit...).Replace(claims)
			was, is := sceneWith(t, claims, catalogue, preview.World{}), sceneWith(t, edited, catalogue, preview.World{})
			in := Input{Assumed: Usual(), Memory: memory}

			for _, name := range world.Keys(is) {
				before := was[name]
				in.Machines = append(in.Machines, Machine{Name: name, Was: &before, Is: is[name]})
			}

			if tc.observed != "" {
				is := sceneWith(t, edited, catalogue, preview.WorldWith(observedOf(reporting(t, in, tc.observed))))
				asObserved(in, is)
			}

			r := rehearsed(t, in)

			var got []string

			for _, s := range r.Steps {
				got = append(got, slices.DeleteFunc(slices.Clone(s.Done), func(d string) bool { return strings.Contains(d, "changed") })...)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			var waits []string
			for _, w := range r.Verdict.Waits {
				waits = append(waits, strings.Join([]string{w.Machine, w.Condition, w.Reason}, " "))
			}

			slices.Sort(waits)

			if diff := cmp.Diff(tc.waits, waits); diff != "" {
				t.Errorf("%s waits: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// reporting is the world before the edit, in which the guest of dns02 reports something.
func reporting(t *testing.T, in Input, says string) *play {
	t.Helper()

	p, err := begin(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}

	p.settle()
	p.cluster.Machines[0].Proxmox.VMs[4901].Report = says
	p.settle()

	return p
}
