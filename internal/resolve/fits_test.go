package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestFitsImage: images that do not boot on a machine's CPU, and those that take nothing of what a claim has for the first boot.
func TestFitsImage(t *testing.T) {
	const document = `sites: {home: {nodes: {pve: {bridges: [vmbr0], datastores: {snippets: local}}}, network: {gateway: 192.168.4.1, cidr: 24}}}
defaults: {site: home, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6wjNxBzvIwvpG3cVKVUmQ4iYYZZKcVQyM8YLfJvWZl a"]}
classes: {small: {cores: 2, memory: 4Gi, disk: 30Gi}, new: {cores: 2, memory: 4Gi, disk: 30Gi, cpuType: x86-64-v3}}
images:
  rocky10: {url: "https://x.org/Rocky-10-GenericCloud-Base-10.0-20250609.1.x86_64.qcow2", os: linux}
  rocky9: {url: "https://x.org/Rocky-9-GenericCloud-Base-9.6-20250531.0.x86_64.qcow2", os: linux}
  talos: {volume: "local:import/talos-nocloud-amd64.qcow2", os: linux}
  flatcar: {url: "https://x.org/flatcar_production_proxmoxve_image.img", os: linux}
  fcos: {volume: "local:import/fedora-coreos-42.20250901.3.0-proxmoxve.x86_64.qcow2"}
  win11: {volume: "local:iso/Win11_24H2_English_x64.iso", os: windows, firmware: {type: UEFI, secureBoot: true, tpm: true, machine: pc-q35-9.2}}
  win11-plain: {volume: "local:iso/Win11_24H2_English_x64.iso"}
  server: {volume: "local:iso/26100.1742.240906-0331.ge_release_svc_refresh_SERVER_EVAL_x64FRE_en-us.iso", os: windows, firmware: {type: UEFI}}
  golden: {template: 9001, templateDisk: scsi0, os: windows}
  drivers: {volume: "local:iso/virtio-win-0.1.271.iso"}
  microos: {url: "https://x.org/openSUSE-MicroOS.x86_64-OpenStack-Cloud.qcow2", os: linux}
  nixos: {volume: "local:import/nixos.qcow2", os: nixos}
  alpine: {url: "https://x.org/nocloud_alpine-3.22.0-x86_64-bios-cloudinit-r0.qcow2", os: linux}
  alpine-uefi: {url: "https://x.org/nocloud_alpine-3.22.0-x86_64-uefi-cloudinit-r0.qcow2", os: linux}
  haos: {volume: "local:import/haos_ova-16.2.qcow2", cloudInit: false, firmware: {type: UEFI}}
  haos-plain: {volume: "local:import/haos_ova-16.2.qcow2", cloudInit: false}
  both: {volume: "local:import/own-bios-uefi.qcow2"}
  arch: {url: "https://x.org/Arch-Linux-x86_64-cloudimg-20260901.1.qcow2"}`

	const agent = ", network: {ip: 192.168.4.50}, k3s: {role: agent, version: v1.33.6+k3s1, token: {file: /t/oken}, server: \"https://192.168.4.210:6443\"}}"

	cases := map[string]struct {
		reason, kind, spec string
		existing           Existing
		want               []string // Warnings, from their beginning.
	}{
		"OldCPU":      {reason: "The type that Proxmox and the function take by themselves.", kind: kindMachine, spec: "{image: rocky10, network: {ip: 192.168.4.50}}", want: []string{"spec.size.cpuType: x86-64-v2-AES is less than x86-64-v3, for which image rocky10 is built: the VM does not boot"}},
		"OldCPUTyped": {reason: "The claim says it.", kind: kindMachine, spec: "{image: rocky10, size: {cpuType: IvyBridge}, network: {ip: 192.168.4.50}}", want: []string{"spec.size.cpuType: IvyBridge is less than x86-64-v3"}},
		"OldCPUClass": {reason: "The class has none.", kind: claim.KindK3sNode, spec: "{image: rocky10, class: small" + agent, want: []string{"spec.class: cpuType of small: x86-64-v2-AES is less than x86-64-v3"}},
		"NewCPUClass": {reason: "The class has one that fits.", kind: claim.KindK3sNode, spec: "{image: rocky10, class: new" + agent},
		"Host":        {reason: "Nobody knows the nodes' processors.", kind: kindMachine, spec: "{image: rocky10, size: {cpuType: host}, network: {ip: 192.168.4.50}}"},
		"OldImage":    {reason: "It needs v2.", kind: kindMachine, spec: "{image: rocky9, network: {ip: 192.168.4.50}}"},
		"Lives":       {reason: "It boots, or somebody knows already.", kind: kindMachine, spec: "{image: rocky10, network: {ip: 192.168.4.50}}", existing: Existing{Node: "pve"}},
		"Talos":       {reason: "It has a configuration of its own.", kind: claim.KindK3sNode, spec: "{image: talos" + agent, want: []string{"Image talos: Talos takes its own configuration, as a file of bootstrap.snippets.userData of a Machine, and no cloud-config, so that nothing comes of K3s."}},
		"Ignition":    {reason: "So it has.", kind: claim.KindK3sNode, spec: "{image: flatcar" + agent, want: []string{"Image flatcar: it takes Ignition"}},
		"TalosData":   {reason: "Nobody reads it.", kind: kindMachine, spec: "{image: talos, bootstrap: {userData: \"#cloud-config\"}, network: {ip: 192.168.4.50}}", want: []string{"Image talos: Talos takes its own configuration, as a file of bootstrap.snippets.userData of a Machine, and no cloud-config, so that nothing comes of bootstrap.userData."}},
		"TalosPlain":  {reason: "It waits for its configuration, at the address of the drive: siderolabs/talos issue 10541.", kind: kindMachine, spec: "{image: talos, network: {ip: 192.168.4.50}}"},
		"CoreOS":      {reason: "Its keys are those of core.", kind: kindMachine, spec: "{image: fcos, bootstrap: {adminUser: ops}, network: {ip: 192.168.4.50}}", want: []string{"Image fcos: it takes Ignition, as a file of bootstrap.snippets.userData of a Machine, and runs no commands of a cloud-config, so that nothing comes of bootstrap.adminUser."}},
		"FlatcarData": {reason: "It does a part of it.", kind: kindMachine, spec: "{image: flatcar, bootstrap: {userData: \"#cloud-config\"}, network: {ip: 192.168.4.50}}"},
		"Windows":     {reason: "All is said but the drivers.", kind: kindMachine, spec: "{image: win11}", want: []string{"Image win11: the setup of Windows has no driver for the disk and the network interface (VirtIO)"}},
		"WindowsBare": {
			reason: "Its name says what it needs.", kind: kindMachine, spec: "{image: win11-plain}",
			want: []string{
				"Image win11-plain: its file has a name of Windows, and the VM is made for another system.", "spec.firmware: the setup of Windows 11 ends without UEFI and a TPM",
				"Image win11-plain: the setup of Windows has no driver",
			},
		},
		"WindowsServer": {
			reason: "It needs no TPM; Proxmox pins it all the same.", kind: kindMachine, spec: "{image: server}",
			want: []string{"spec.firmware.machine: Proxmox pins a new VM with Windows to today's version of its chipset", "Image server: the setup of Windows has no driver"},
		},
		"WindowsClone": {reason: "The template has all that it needs.", kind: kindMachine, spec: "{image: golden}"},
		"WindowsLives": {reason: "It is installed.", kind: kindMachine, spec: "{image: win11-plain}", existing: Existing{Node: "pve"}},
		"Drivers":      {reason: "They are for Windows, and it is not.", kind: kindMachine, spec: "{image: drivers}"},
		"ReadOnly":     {reason: "Nobody writes programs there.", kind: claim.KindK3sNode, spec: "{image: microos" + agent, want: []string{"Image microos: its root is read-only, and changes with transactional-update and a restart alone"}},
		"ReadOnlyVM":   {reason: "What it runs is somebody's own.", kind: kindMachine, spec: "{image: microos, network: {ip: 192.168.4.50}}"},
		"OpenRC":       {reason: "Units are for systemd.", kind: claim.KindK3sNode, spec: "{image: alpine" + agent, want: []string{"Image alpine: Alpine has OpenRC, and no systemd, so that nothing comes of K3s."}},
		"OpenRCDisk":   {reason: "A unit mounts the disk.", kind: kindMachine, spec: "{image: alpine, disks: [{name: a, size: 1Gi, filesystem: ext4, mountPath: /srv/a}], network: {ip: 192.168.4.50}}", want: []string{"Image alpine: Alpine has OpenRC, and no systemd, so that nothing comes of filesystem of disks."}},
		"OpenRCPlain":  {reason: "Its cloud-init does the rest.", kind: kindMachine, spec: "{image: alpine, bootstrap: {userData: \"#cloud-config\"}, network: {ip: 192.168.4.50}}"},
		"GPU":          {reason: "The driver is in another package.", kind: kindMachine, spec: "{image: ubuntu-24.04, devices: {pci: [{mapping: igpu}]}, network: {ip: 192.168.4.50}}", want: []string{"spec.devices: the guest may have no driver for what is passed through: images of Ubuntu for clouds are without linux-modules-extra"}},
		"GPUKernel":    {reason: "The document installs it.", kind: kindMachine, spec: "{image: ubuntu-24.04, devices: {pci: [{mapping: igpu}]}, bootstrap: {userData: \"#cloud-config\\npackages: [linux-generic]\"}, network: {ip: 192.168.4.50}}"},
		"GPUSnippet":   {reason: "A file that nobody reads here may.", kind: kindMachine, spec: "{image: ubuntu-24.04, devices: {pci: [{mapping: igpu}]}, bootstrap: {snippets: {vendorData: \"local:snippets/gpu.yaml\"}}, network: {ip: 192.168.4.50}}"},
		"SecureGPU":    {reason: "Nobody signs what is built in the guest.", kind: kindMachine, spec: "{image: debian-12, firmware: {type: UEFI, secureBoot: true}, devices: {pci: [{mapping: igpu}]}, network: {ip: 192.168.4.50}}", want: []string{"spec.devices: the guest may have no driver", "spec.firmware.secureBoot: with Secure Boot, the guest's kernel refuses drivers that are built in the guest"}},
		"Secure":       {reason: "Without a device there is nothing to build.", kind: kindMachine, spec: "{image: debian-12, firmware: {type: UEFI, secureBoot: true}, network: {ip: 192.168.4.50}}"},
		"Stick":        {reason: "Debian has a kernel of its own for clouds.", kind: kindMachine, spec: "{image: debian-13, devices: {usb: [{mapping: zigbee}]}, network: {ip: 192.168.4.50}}", want: []string{"spec.devices: the guest may have no driver for what is passed through: genericcloud images of Debian are without drivers for physical hardware. Take Debian's generic image in place of genericcloud."}},
		"StickOther":   {reason: "Nothing is known of the kernel.", kind: kindMachine, spec: "{image: rocky9, devices: {usb: [{mapping: zigbee}]}, network: {ip: 192.168.4.50}}"},
		"NixMemory":    {reason: "Nix is killed as it evaluates.", kind: kindMachine, spec: "{image: nixos, size: {memory: 1Gi}, nix: {flakeRef: \"github:me/infra\"}, network: {ip: 192.168.4.50}}", want: []string{"spec.size.memory: 1024Mi is less than the 2Gi that a NixOS machine needs to evaluate its flake"}},
		"NixEnough":    {reason: "The evaluation has room.", kind: kindMachine, spec: "{image: nixos, size: {memory: 2Gi}, nix: {flakeRef: \"github:me/infra\"}, network: {ip: 192.168.4.50}}"},
		"NixByHand":    {reason: "Somebody else builds it.", kind: kindMachine, spec: "{image: nixos, size: {memory: 1Gi}, network: {ip: 192.168.4.50}}"},
		"NixLives":     {reason: "It has converged, or somebody knows already.", kind: kindMachine, spec: "{image: nixos, size: {memory: 1Gi}, nix: {flakeRef: \"github:me/infra\"}, network: {ip: 192.168.4.50}}", existing: Existing{Node: "pve"}},
		"NixSigned":    {reason: "Nobody signs its boot loader.", kind: kindMachine, spec: "{image: nixos, firmware: {type: UEFI, secureBoot: true}, nix: {flakeRef: \"github:me/infra\"}, network: {ip: 192.168.4.50}}", want: []string{"spec.firmware.secureBoot: the boot loader of image nixos is signed by nobody whose keys Secure Boot has"}},
		"UEFIAlone":    {reason: "Proxmox and the function take BIOS by themselves.", kind: kindMachine, spec: "{image: alpine-uefi, network: {ip: 192.168.4.50}}", want: []string{"spec.firmware.type: image alpine-uefi is for UEFI by the name of its file, and with BIOS the VM finds nothing to start (\"No bootable device\"). Set {type: UEFI}, here or at the image, or take its image for BIOS."}},
		"UEFISaid":     {reason: "It is what the image is for.", kind: kindMachine, spec: "{image: alpine-uefi, firmware: {type: UEFI}, network: {ip: 192.168.4.50}}"},
		"BIOSAlone":    {reason: "The other way round.", kind: kindMachine, spec: "{image: alpine, firmware: {type: UEFI}, network: {ip: 192.168.4.50}}", want: []string{"spec.firmware.type: image alpine is for BIOS by the name of its file"}},
		"HomeAssist":   {reason: "Its name says it without the word.", kind: kindMachine, spec: "{image: haos-plain}", want: []string{"spec.firmware.type: image haos-plain is for UEFI"}},
		"HomeAssistOK": {reason: "The catalogue says it.", kind: kindMachine, spec: "{image: haos}"},
		"StartsBoth":   {reason: "It has both words.", kind: kindMachine, spec: "{image: both, network: {ip: 192.168.4.50}}"},
		"StartsLives":  {reason: "It starts, or somebody knows already.", kind: kindMachine, spec: "{image: alpine-uefi, network: {ip: 192.168.4.50}}", existing: Existing{Node: "pve"}},
		"Unsigned":     {reason: "Its GRUB is Alpine's own.", kind: kindMachine, spec: "{image: alpine-uefi, firmware: {type: UEFI, secureBoot: true}, network: {ip: 192.168.4.50}}", want: []string{"spec.firmware.secureBoot: the boot loader of image alpine-uefi is signed by nobody whose keys Secure Boot has, so that the VM does not boot (\"Access Denied\"): set secureBoot: false, unless the image's is signed."}},
		"UnsignedArch": {reason: "So is that of Arch.", kind: kindMachine, spec: "{image: arch, firmware: {type: UEFI, secureBoot: true}, network: {ip: 192.168.4.50}}", want: []string{"spec.firmware.secureBoot: the boot loader of image arch is signed by nobody"}},
		"UnsignedFree": {reason: "Nobody looks at a signature.", kind: kindMachine, spec: "{image: arch, firmware: {type: UEFI}, network: {ip: 192.168.4.50}}"},
		"Signed":       {reason: "Red Hat's family has a shim that Microsoft signed.", kind: kindMachine, spec: "{image: rocky9, firmware: {type: UEFI, secureBoot: true}, network: {ip: 192.168.4.50}}"},
		"OwnFile":      {reason: "As Talos has it.", kind: kindMachine, spec: "{image: talos, bootstrap: {snippets: {userData: \"local:snippets/talos.yaml\"}}, network: {ip: 192.168.4.50}}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, tc.kind, tc.spec), aCatalog(t, document), tc.existing)
			if len(errs) > 0 {
				t.Fatalf("%s\nClaim(...): %v", tc.reason, errs)
			}

			var said []string

			for i, w := range m.Warnings {
				if i < len(tc.want) && strings.HasPrefix(w, tc.want[i]) {
					w = tc.want[i]
				}

				said = append(said, w)
			}

			if diff := cmp.Diff(tc.want, said); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
