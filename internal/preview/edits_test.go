package preview

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// git01Made is the spec from which the VM of cluster/claims/observed.yaml of example/day-two was made.
const git01Made = `
spec:
  class: small
  image: ubuntu-24.04
  role: git
  network: {ip: 192.168.4.61}
  disks: [{name: repos, size: 100Gi}]
  proxmox: {node: pve, vmId: 161}
`

// TestPlans previews edits of the claim of example/day-two.
func TestPlans(t *testing.T) {
	story := filepath.Join(repository, "example", "day-two")

	cases := map[string]struct {
		reason   string
		observed string
		from, to string
		has      []string // Lines of the output that do not belong to the plan.
		not      []string
		want     string
	}{
		"Nothing": {
			reason:   "A claim that did not change changes nothing.",
			observed: "cluster/claims/observed.yaml",
			not:      []string{"reason: VMCreated", "reason: BecameReady"},
			want:     "#   image-fdf157ff14: keep\n#   protects-claim: create\n#   vm: keep\n",
		},
		"Class": {
			reason:   "Cores and memory wait for a power cycle; the boot disk of a larger class grows at once.",
			observed: "cluster/claims/observed.yaml",
			from:     "class: small", to: "class: medium",
			has: []string{"reason: ChangesPending", "homelab.io/reboot-pending: '{\"spec.size.cores\":\"2\","},
			want: "#   image-fdf157ff14: keep\n#   protects-claim: create\n#   vm: change\n#     needs reboot: spec.size.cores: 2 to 4\n#     needs reboot: spec.size.memory: 4 GiB to 8 GiB\n" +
				"#     change in place: spec.size.disk: 30 GiB to 60 GiB\n",
		},
		"DiskGrows": {
			reason:   "A disk grows while the VM runs.",
			observed: "cluster/claims/observed.yaml",
			from:     "size: 100Gi", to: "size: 200Gi",
			want: "#   image-fdf157ff14: keep\n#   protects-claim: create\n#   vm: change\n#     change in place: spec.disks[repos].size: 100 GiB to 200 GiB\n",
		},
		"Image": {
			reason:   "A VM keeps the image that it was made from.",
			observed: "cluster/claims/observed.yaml",
			from:     "image: ubuntu-24.04", to: "image: debian-13",
			has: []string{"reason: ImmutableFieldChanged", "importFrom: local:import/ubuntu-24.04-20260926-f55d0db0.qcow2"},
			not: []string{"debian-13-20260831-2587"},
			want: "#   image-fdf157ff14: keep\n#   protects-claim: create\n#   vm: keep\n#     refused: spec.image: local:import/ubuntu-24.04-20260926-f55d0db0.qcow2 to " +
				"local:import/debian-13-20260831-e1d32832.qcow2\n",
		},
		"New": {
			reason: "A new machine is shown as it will be made once its number is known to be free.",
			has:    []string{"external-name: \"161\"", "  - Create\n"},
			want:   "#   image-595038f52d: create\n#   protects-claim: create\n#   vendor-data-a1bb443a53: create\n#   vm: check, then create, then start\n# A preview does not ask Proxmox: it assumes that the VMID is free.\n",
		},
		"NewWithoutNumber": {
			reason: "Where Proxmox chooses the number there is nothing to look at.",
			from:   ", vmId: 161", to: "",
			want: "#   image-595038f52d: create\n#   protects-claim: create\n#   vendor-data-a1bb443a53: create\n#   vm: wait, then create, then start\n",
		},
		"Adopt": {
			reason: "What taking a VM over would do is known when the provider has read it.",
			from:   "vmId: 161}", to: "}\n  adopt: {vmId: 108}",
			not:  []string{"AdoptionTargetMissing"},
			want: "#   protects-claim: create\n#   vm: check\n# A preview does not ask Proxmox: the next step depends on the result of the VMID check.\n",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := claimText("Machine", "git01") + strings.Replace(git01Made, tc.from, tc.to, 1)
			text = strings.Replace(text, "{name: git01}", "{name: git01, namespace: infra-machines}", 1)
			observed := NoFile

			if tc.observed != "" {
				observed = filepath.Join(story, filepath.FromSlash(tc.observed))
			}

			r := rendering{files: Files{Catalogue: filepath.Join(story, "catalogue.yaml"), Observed: observed}}
			text = r.text(t, filepath.Join(writeTree(t, map[string]string{"git01.yaml": text}), "git01.yaml"))

			rest, got, _ := strings.Cut(text, "# The plan:\n")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nthe plan: -want, +got:\n%s", tc.reason, diff)
			}

			for _, s := range tc.has {
				if !strings.Contains(rest, s) {
					t.Errorf("\n%s\nwant %q in\n%s", tc.reason, s, rest)
				}
			}

			for _, s := range append(tc.not, "kind: Result\nmessage: 'Pipeline step \"machine\": vm: ") {
				if strings.Contains(rest, s) {
					t.Errorf("\n%s\ndo not want %q in\n%s", tc.reason, s, rest)
				}
			}
		})
	}
}
