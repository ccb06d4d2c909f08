package behaviour

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// grown is a machine of which somebody grew disks in Proxmox, and then edited the claim.
func grown(t *testing.T, undated bool, edits ...string) *machine {
	t.Helper()

	m := example(t, "nixos/dns01")
	delete(world.Object(m.Spec()["proxmox"]), "vmId")
	world.Merge(m.Spec(), world.FromYAML(t, "{size: {disk: 30Gi, cores: 2, memory: 2Gi}, disks: [{name: data, size: 100Gi}]}"))
	m.Provider.Undated = undated
	m.Rest()
	m.Proxmox.Done = nil

	for _, e := range edits {
		world.Merge(m.Spec(), world.FromYAML(t, e))
	}

	return m
}

// TestADiskThatSomebodyGrew in Proxmox stays as large as it is. The machine goes on: written smaller, the provider would fail at
// every update, and carry out nothing else of the claim.
func TestADiskThatSomebodyGrew(t *testing.T) {
	const refused = "The VM cannot make these changes and keeps its own values: "

	cases := map[string]struct {
		reason string
		grow   map[string]int // By interface, in GiB.
		edit   string         // Of the claim, afterwards.
		says   string         // Of condition ReplacementRequired; empty where it is NotRequired.
		did    []string
	}{
		"BootDisk": {
			reason: "The claim's smaller figure is refused.", grow: map[string]int{"virtio0": 50},
			says: refused + "spec.size.disk (the VM has `50Gi`, the claim has `30Gi`).",
		},
		"DataDisk": {
			reason: "The same for a data disk.", grow: map[string]int{"scsi1": 150},
			says: refused + "spec.disks[data].size (the VM has `150Gi`, the claim has `100Gi`).",
		},
		"Both": {
			reason: "Each disk has its own size.", grow: map[string]int{"virtio0": 50, "scsi1": 150},
			says: refused + "spec.size.disk (the VM has `50Gi`, the claim has `30Gi`), spec.disks[data].size (the VM has `150Gi`, the claim has `100Gi`).",
		},
		"ClaimFollows": {
			reason: "Who writes the VM's size into the claim has nothing left to mend.", grow: map[string]int{"virtio0": 50}, edit: "size: {disk: 50Gi}",
		},
		"ClaimGrowsFurther": {
			reason: "The claim grows the disk from the size that it has.", grow: map[string]int{"virtio0": 50}, edit: "size: {disk: 80Gi}",
			did: []string{"change disk of 100"},
		},
		"ClaimGrowsLess": {
			reason: "A claim between the two sizes is too small, too.", grow: map[string]int{"virtio0": 50}, edit: "size: {disk: 40Gi}",
			says: refused + "spec.size.disk (the VM has `50Gi`, the claim has `40Gi`).",
		},
		"OtherEdit": {
			reason: "Other changes of the claim arrive.", grow: map[string]int{"scsi1": 150}, edit: "power: Stopped",
			says: refused + "spec.disks[data].size (the VM has `150Gi`, the claim has `100Gi`).", did: []string{"stop 100"},
		},
	}

	for name, tc := range cases {
		for _, undated := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				m := grown(t, undated)
				for iface, size := range tc.grow {
					m.Proxmox.Grow(100, iface, size)
				}

				if tc.edit != "" {
					world.Merge(m.Spec(), world.FromYAML(t, tc.edit))
				}

				rsp := m.Rest()
				m.did(tc.did...)
				m.says(rsp, map[string]string{"ProviderHealthy": "NoError"})

				reason := "NotRequired"
				if tc.says != "" {
					reason = "ImmutableFieldChanged"
				}

				m.says(rsp, map[string]string{"ReplacementRequired": reason})

				if msg := world.Message(rsp, "ReplacementRequired"); tc.says != "" && !strings.HasPrefix(msg, tc.says) {
					t.Errorf("%s\nReplacementRequired: want %q, got %q", tc.reason, tc.says, msg)
				}
			})
		}
	}
}

// TestAGrownDiskOfAnAdoptedVM: the claim has no name for the second disk, and the VM keeps it as large as it is.
func TestAGrownDiskOfAnAdoptedVM(t *testing.T) {
	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, tags: [old], size: {disk: 64Gi}}", fake.HandMade(t))
	m.approved()
	m.Proxmox.Done = nil

	m.Proxmox.Grow(108, "scsi0", 80)
	m.Proxmox.Grow(108, "sata1", 600)

	rsp := m.Rest()
	m.says(rsp, map[string]string{"ProviderHealthy": "NoError", "ReplacementRequired": "ImmutableFieldChanged"})

	if msg, want := world.Message(rsp, "ReplacementRequired"), "spec.size.disk (the VM has `80Gi`, the claim has `64Gi`)."; !strings.Contains(msg, want) {
		t.Errorf("want %q, got %q", want, msg)
	}

	m.lifecycle("reboot", "1")
	m.Rest()
	m.did("stop 108", "start 108")
}

// TestAGrownDiskOfAVMThatIsReplaced: the active VM is written as it was while it is replaced, and has to stop all the same.
func TestAGrownDiskOfAVMThatIsReplaced(t *testing.T) {
	m := grown(t, false)
	m.Proxmox.Grow(100, "scsi1", 150)
	m.replace("1")

	m.says(m.Rest(), map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired", "ProviderHealthy": "NoError"})

	if m.happened("stop 100") < 0 || m.happened("make 101") < m.happened("stop 100") || m.happened("destroy 100") < 0 {
		t.Errorf("done in Proxmox: %v", m.Proxmox.Done)
	}
}

// TestAGrownDiskWhileCrossplaneFetches: a call that knows too little to decide does not write the smaller size, either.
func TestAGrownDiskWhileCrossplaneFetches(t *testing.T) {
	m := grown(t, false)
	m.Proxmox.Grow(100, "virtio0", 50)
	m.Provide()

	req := m.Request()
	req.RequiredResources = nil

	if got := sizes(m.ask(req)); got[0] != 50.0 || got[1] != 100.0 {
		t.Errorf("disks of %v GiB", got)
	}
}

// TestAPauseOfAGrownDisk by an earlier release is taken off, also where the provider has not reported the size.
func TestAPauseOfAGrownDisk(t *testing.T) {
	for name, reported := range map[string]bool{"Reported": true, "NotReported": false} {
		t.Run(name, func(t *testing.T) {
			m := grown(t, false)

			// Any error that still pauses, for the hash of what was written; then its row is that of the earlier release.
			m.Provider.Fails["vm"] = invalid
			m.Turn()

			if by := pausedBy(m.Turn(), "vm"); by == "" {
				t.Fatal("not paused")
			}

			world.Object(world.Object(m.Observed["vm"]["metadata"])["annotations"])[proxmox.PausedByAnnotation] = "disk.shrink"
			clear(m.Provider.Fails)
			m.Proxmox.Grow(100, "virtio0", 50)

			if reported {
				world.Object(world.List(world.Object(world.Object(m.Observed["vm"]["status"])["atProvider"])["disk"])[0])["size"] = 50.0
			}

			if by := pausedBy(m.Call(), "vm"); by != "" {
				t.Errorf("paused by %q", by)
			}

			m.says(m.Rest(), map[string]string{"ProviderHealthy": "NoError", "ReplacementRequired": "ImmutableFieldChanged"})
		})
	}
}

// sizes of the VM's disks as an answer has them.
func sizes(rsp *fnv1.RunFunctionResponse) []any {
	var out []any
	for _, d := range world.List(world.ForProvider(rsp, "vm")["disk"]) {
		out = append(out, world.Object(d)["size"])
	}

	return out
}

// TestAnInstallerThatSomebodyTookOut of the CD drive stays out: where its file is gone from the datastore, Proxmox neither puts it in again nor starts the VM
// with it, and the provider would fail at every update.
func TestAnInstallerThatSomebodyTookOut(t *testing.T) {
	cases := map[string]struct {
		reason string
		stays  bool   // Nobody takes it out.
		lost   bool   // The catalogue, with the image.
		edit   string // Of the claim, afterwards.
		want   string // In the drive, as the function has it.
		says   string // Of condition ReplacementRequired; empty where it is NotRequired.
		did    []string
	}{
		"Nobody":     {reason: "The installer stays until somebody takes it out.", stays: true, edit: "tags: [later]", want: "local:iso/x.iso", did: []string{"change tags of 100"}},
		"TakenOut":   {reason: "It has done its work.", want: "none"},
		"OtherEdit":  {reason: "The rest of the claim arrives.", edit: "tags: [later]", want: "none", did: []string{"change tags of 100"}},
		"Stopped":    {reason: "So does what is written as the VM was made.", edit: "power: Stopped", want: "none", did: []string{"stop 100"}},
		"OtherMedia": {reason: "The disk has what somebody installed.", edit: "image: \"local:iso/y.iso\"", want: "none"},
		"OtherImage": {
			reason: "A disk is not made anew.", edit: "image: \"local:import/y.qcow2\"", want: "none",
			says: "spec.image (the VM has `an empty disk`, the claim has `local:import/y.qcow2`)",
		},
		"Lost": {reason: "The catalogue has lost the image, and the VM keeps what it has.", lost: true, want: "none"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := alone(t, world.NewMachine(world.NewClaim("Machine", "infra-machines", "nas", world.FromYAML(t, "{image: installer, proxmox: {node: pve}}")), world.Installations[0]))
			m.Catalogue = world.FromYAML(t, "{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog}, data: {images: {installer: {volume: \"local:iso/x.iso\"}}}}")
			m.Rest()
			m.Proxmox.Done = nil

			if !tc.stays {
				m.Proxmox.Eject(100)
			}

			if tc.edit != "" {
				world.Merge(m.Spec(), world.FromYAML(t, tc.edit))
			}

			if tc.lost {
				m.Catalogue = nil
			}

			rsp := m.Rest()
			m.did(tc.did...)
			m.says(rsp, map[string]string{"ProviderHealthy": "NoError"})

			drive := world.Object(world.List(m.Proxmox.VMs[100].Config["cdrom"])[0])
			msg := world.Message(rsp, "ReplacementRequired")

			if drive["fileId"] != tc.want || drive["interface"] != "ide2" || !strings.Contains(msg, tc.says) || tc.says == "" && msg != "No replacement needed." {
				t.Errorf("%s\nwant %q and %q, got %v and %q", tc.reason, tc.want, tc.says, drive, msg)
			}
		})
	}
}
