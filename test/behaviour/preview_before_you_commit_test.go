package behaviour

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// switchedOff is how a plan says that no guest is asked to shut down.
const switchedOff = "as if its power failed, because it has no guest agent"

var hashOf = regexp.MustCompile(`-[0-9a-f]{10}\b`)

// explained is the plan of the next call, without the hashes of names.
func (m *machine) explained() []string {
	m.t.Helper()

	without := m.Call()
	m.Input["explain"] = true
	with := m.Call()
	delete(m.Input, "explain")

	// It tells what happens, and makes nothing happen.
	if !proto.Equal(without.GetDesired(), with.GetDesired()) {
		m.t.Error("explain changes what is desired")
	}

	out := []string{}

	for _, r := range with.GetResults() {
		if r.GetReason() == "Plan" {
			out = append(out, hashOf.ReplaceAllString(r.GetMessage(), ""))

			if r.GetSeverity() != fnv1.Severity_SEVERITY_NORMAL || r.GetTarget() != fnv1.Target_TARGET_COMPOSITE {
				m.t.Errorf("%v", r)
			}
		}
	}

	for _, r := range without.GetResults() {
		if r.GetReason() == "Plan" {
			m.t.Errorf("a plan that nobody asked for: %v", r)
		}
	}

	return out
}

// noCatalogue is the line of a plan without one.
const noCatalogue = "claim: warning: There is no catalogue: EnvironmentConfig machine-catalog was not found; the built-in classes and images apply."

// TestExplain holds what each call of a life says that it does.
func TestExplain(t *testing.T) {
	cases := map[string]struct {
		reason string
		run    func(t *testing.T) *machine
		want   []string
	}{
		"New": {
			reason: "Files are created, and the VMID is checked.",
			run:    func(t *testing.T) *machine { t.Helper(); return example(t, "plain-debian/files01") },
			want:   []string{noCatalogue, "image: create", "protects-composite: create", "vm: check"},
		},
		"Free": {
			reason: "The number is free.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m := example(t, "plain-debian/files01")
				m.Turn()
				m.Turn()
				return m
			},
			want: []string{noCatalogue, "image: keep", "protects-composite: keep", "vm: create"},
		},
		"Settled": {
			reason: "Nothing to do.", run: func(t *testing.T) *machine { t.Helper(); m, _ := living(t, "nixos/dns01"); return m },
			want: []string{"meta-data: keep", "user-data: keep", "vm: keep"},
		},
		"Edit": {
			reason: "Each change with what it does.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01")
				world.Merge(m.Spec(), world.FromYAML(t, "{tags: [new], size: {cores: 6, disk: 10Gi}, image: 9001}"))

				return m
			},
			want: []string{
				"meta-data: keep", "user-data: keep", "vm: change", "vm: change in place: spec.tags: core, role_dns to new, role_dns", "vm: needs reboot: spec.size.cores: 2 to 6",
				"vm: refused: spec.image: template 9000 to template 9001", "vm: refused: spec.size.disk: 30 GiB to 10 GiB",
			},
		},
		"AddressAndUserData": {
			reason: "A guest with user-data reads the drive once: no power cycle is asked for, since it would change nothing.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01")
				world.Merge(m.Spec(), world.FromYAML(t, "network: {dns: [9.9.9.9]}"))

				return m
			},
			want: []string{
				"meta-data: keep", "user-data: keep", "vm: change", "vm: the guest has user-data, and reads the cloud-init drive at its first boot only: make the change in the guest, too",
				"vm: change in place: spec.network.dns: 9.9.9.9, 1.1.1.1 to 9.9.9.9",
			},
		},
		"RenamedDisk": {
			reason: "Another name is another disk.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "plain-debian/files01")
				world.Object(m.Spec()["disks"].([]any)[0])["name"] = "other"

				return m
			},
			want: []string{
				noCatalogue, "image: keep", "protects-composite: keep", "vm: change", "vm: change in place: spec.disks[other].size: none to 2048 GiB",
				"vm: refused: spec.disks[data].size: 2048 GiB to none",
				"vm: the name identifies a disk: other is a new, empty disk, which cannot be removed again, and data keeps its data under its name",
			},
		},
		"Waiting": {
			reason: "What was written and waits for a reboot.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01")
				m.Spec()["size"] = map[string]any{"cores": 6}
				m.Rest()

				return m
			},
			want: []string{"meta-data: keep", "user-data: keep", "vm: keep", "vm: waits for a reboot: spec.size.cores: 2 to 6"},
		},
		"Reboot": {
			reason: "The first half of a power cycle.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01")
				m.lifecycle("reboot", "a")

				return m
			},
			want: []string{"meta-data: keep", "user-data: keep", "vm: power-cycle", "vm: the provider stops the VM and starts it again, as spec.lifecycle requests"},
		},
		"RebootAndEdit": {
			reason: "The second half of a power cycle, with what takes effect at it.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01")
				m.lifecycle("reboot", "a")
				m.Spec()["size"] = map[string]any{"cores": 6}
				m.Turn()

				return m
			},
			want: []string{
				"meta-data: keep", "user-data: keep", "vm: power-cycle", "vm: the provider stops the VM and starts it again, as spec.lifecycle requests",
			},
		},
		"Stopped": {
			reason: "Who asks for a stop gets one.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01")
				m.Spec()["power"] = "Stopped"

				return m
			},
			want: []string{"meta-data: keep", "user-data: keep", "vm: change", "vm: change in place: spec.power: Running to Stopped"},
		},
		"StoppedWithoutAgent": {
			reason: "The provider sends no ACPI event to a VM without guest agent.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "plain-debian/files01")
				m.Spec()["power"] = "Stopped"

				return m
			},
			want: []string{
				"image: keep", "protects-composite: keep", "vm: change", "vm: change in place: spec.power: Running to Stopped", "vm: the provider switches the VM off, " + switchedOff,
				noCatalogue,
			},
		},
		"RebootWithoutAgent": {
			reason: "Nor where it is to start again.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "plain-debian/files01")
				m.lifecycle("reboot", "a")

				return m
			},
			want: []string{
				"image: keep", "protects-composite: keep", "vm: power-cycle", "vm: the provider switches the VM off, " + switchedOff,
				"vm: the provider stops the VM and starts it again, as spec.lifecycle requests", noCatalogue,
			},
		},
		"ReplacementWithoutAgent": {
			reason: "Nor where another VM takes its place.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "plain-debian/files01")
				m.replace("a")

				return m
			},
			want: []string{
				"image: keep", "protects-composite: keep", "vm: replace", "vm: wait", noCatalogue,
				"vm: change in place: spec.onBoot: true to false", "vm: change in place: spec.power: Running to Stopped",
				"vm: replace VM 100 by a new VM (vm); VM 100 is switched off first, " + switchedOff + "; when the new VM is ready, VM 100 is destroyed with " +
					"its disks: boot disk (60 GiB), data (2048 GiB)",
			},
		},
		"WaitsForASecret": {
			reason: "Somebody has to apply it.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m := example(t, "k3s-cluster/agent-1")
				m.Secrets = nil

				return m
			},
			want: []string{"image: create", "protects-composite: create", "vm: check", "vm: waits for Secret k3s-join-token"},
		},
		"EditBeforeTheVM": {
			reason: "A snippet that was for nothing goes.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m := example(t, "k3s-cluster/agent-1")
				m.Turn()
				m.Spec()["bootstrap"] = map[string]any{"userData": "#cloud-config\ntimezone: Europe/Berlin\nruncmd: [[systemctl, disable, --now, multipathd]]\n"}

				return m
			},
			want: []string{"image: keep", "meta-data: keep", "protects-composite: keep", "user-data: create", "user-data: remove", "vm: check"},
		},
		"Replacement": {
			reason: "New snippets first.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01", dhcp)
				m.replace("a")

				return m
			},
			want: []string{
				"meta-data: create", "meta-data: keep", "user-data: create", "user-data: keep", "vm: replace", "vm: wait", "vm: waits for meta-data, user-data",
				"vm: replace VM 100 by a new VM (vm); when the new VM is ready, VM 100 is destroyed with its disks: boot disk (30 GiB)",
			},
		},
		"ReplacementOfAddressAndData": {
			reason: "The two cannot run side by side, and the old one has data, also what somebody attached by hand; a disk that was grown is as large as it is.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01", "disks: [{name: data, size: 500Gi}]")
				vm := m.Proxmox.VMs[100].Config
				vm["disk"] = append(world.List(vm["disk"]), map[string]any{"interface": "scsi7", "size": 4.0, "datastoreId": "local"})
				m.Proxmox.Grow(100, "scsi1", 600)
				m.Provide()
				m.replace("a")

				return m
			},
			want: []string{
				"meta-data: create", "meta-data: keep", "protects-composite: keep", "user-data: create", "user-data: keep", "vm: replace", "vm: wait",
				"vm: waits for meta-data, user-data",
				"vm: replace VM 100 by a new VM (vm); VM 100 is shut down first; when the new VM is ready, VM 100 is destroyed with its disks: boot disk (30 GiB), " +
					"data (600 GiB), scsi7 (4 GiB)",
			},
		},
		"ReplacementThatKeeps": {
			reason: "What stays is said, too.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01", dhcp, "deletionPolicy: Orphan")
				m.replace("a")

				return m
			},
			want: []string{
				"meta-data: create", "meta-data: keep", "user-data: create", "user-data: keep", "vm: replace", "vm: wait", "vm: waits for meta-data, user-data",
				"vm: replace VM 100 by a new VM (vm); when the new VM is ready, VM 100 stays in Proxmox, stopped",
			},
		},
		"ReplacementBlocked": {
			reason: "And why nothing happens.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01", dhcp)
				world.Object(m.Spec()["proxmox"])["vmId"] = 100.0
				m.replace("a")

				return m
			},
			want: []string{
				"meta-data: keep", "user-data: keep", "vm: keep",
				"vm: blocked: spec.lifecycle.replace requests a new VM, but the replacement is blocked. The old and the new VM exist at the same time, and " +
					"spec.proxmox.vmId is the old VM's VMID, 100: choose another VMID, or remove the field.",
			},
		},
		"Replaced": {
			reason: "The old VM goes, with its snippets.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01", dhcp)
				m.replace("a")

				for range 4 {
					m.Turn()
				}

				return m
			},
			want: []string{"meta-data: keep", "meta-data: remove", "user-data: keep", "user-data: remove", "vm: keep", "vm: remove", "vm: VM 100 is destroyed with its disks: boot disk (30 GiB)"},
		},
		"Adoption": {
			reason: "What taking the VM over would do.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, tags: [old], hostname: nas, size: {disk: 32Gi, cores: 8}}", fake.HandMade(t))
				m.Rest()

				return m
			},
			want: []string{
				"vm: check", "vm: change in place: description: none to Machine infra-machines/dns01 (homelab.io), managed by Crossplane. Change the claim in Git: changes made here are undone.",
				"vm: needs reboot: option numa: 0 or not set to 0", "vm: needs reboot: option sockets: 1 or not set to 1",
				"vm: needs reboot: spec.size.cores: 3 to 8", "vm: refused: spec.size.disk: 64 GiB to 32 GiB",
			},
		},
		"Paused": {
			reason: "An error pauses it.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01")
				m.Provider.Fails["vm"] = invalid
				m.Turn()

				return m
			},
			want: []string{"meta-data: keep", "user-data: keep", "vm: pause"},
		},
		"Protected": {
			reason: "The Usage is one more resource.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01")
				m.Spec()["deletionProtection"] = true

				return m
			},
			want: []string{"meta-data: keep", "protects-composite: create", "user-data: keep", "vm: keep"},
		},
		"Lifted": {
			reason: "And goes.",
			run: func(t *testing.T) *machine {
				t.Helper()
				m, _ := living(t, "nixos/dns01", "deletionProtection: true")
				m.Spec()["deletionProtection"] = false

				return m
			},
			want: []string{"meta-data: keep", "protects-composite: remove", "user-data: keep", "vm: keep"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := tc.run(t).explained()
			// Names that differ in their hashes alone come in any order.
			if diff := cmp.Diff(slices.Sorted(slices.Values(tc.want)), slices.Sorted(slices.Values(got))); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
