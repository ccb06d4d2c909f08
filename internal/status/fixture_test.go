package status

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	userData = "user-data-0123456789"
	metaData = "meta-data-0123456789"
	image    = "image-0123456789"
	hash     = "aaaaaaaaaa"
)

// dns01 is a NixOS machine with a DHCP interface and a guest agent, before anything of it was found.
func dns01() Input {
	m := &machine.Machine{
		Identity:       machine.Identity{Kind: "Machine", Name: "dns01", Namespace: "infra"},
		Hostname:       "dns01",
		Domain:         "home.arpa",
		Class:          "small",
		Cores:          2,
		MemoryMiB:      4096,
		Boot:           machine.Boot{Image: "nixos-25.05", Source: machine.SourceDownload, OS: machine.OSNixOS, DiskGiB: 30},
		NICs:           []machine.NIC{{Bridge: "vmbr0", IPv4: machine.Addressing{Method: machine.MethodDHCP}}},
		Power:          v1alpha1.PowerRunning,
		DeletionPolicy: v1alpha1.DeletionDelete,
		Placement: machine.Placement{
			Site: "home", Node: "pve", ImageDatastore: "local", SnippetDatastore: "local", DiskDatastore: "local-zfs",
		},
	}

	return Input{
		Machine:   m,
		Bootstrap: &bootstrap.Bootstrap{Mode: bootstrap.ModeRendered, Hash: hash},
		Plan: &lifecycle.Plan{Situation: lifecycle.Situation{Request: lifecycle.Request{
			Machine: m, Roles: lifecycle.Roles{Active: lifecycle.FirstVM}, VMID: lifecycle.VMID{VMID: 153},
		}}},
		Desired: proxmox.Desired{
			VMs: map[string]proxmox.VM{lifecycle.FirstVM: {Spec: proxmox.Spec[proxmox.VMParameters]{
				ForProvider: proxmox.VMParameters{Started: true, Agent: []proxmox.Agent{{Enabled: true}}},
			}}},
			Files:         map[string]proxmox.File{userData: {}, metaData: {}},
			DownloadFiles: map[string]proxmox.DownloadFile{image: {}},
		},
	}
}

// vm that is rendered for the machine, changed.
func (in *Input) vm(change func(*proxmox.VMParameters)) {
	vm := in.Desired.VMs[in.Plan.Roles.Active]
	change(&vm.Spec.ForProvider)
	in.Desired.VMs[in.Plan.Roles.Active] = vm
}

// wants says whether the machine's VM is rendered to run.
func (in *Input) wants(started bool) {
	in.vm(func(p *proxmox.VMParameters) { p.Started = started })
}

// agent says whether the machine's VM is rendered with a guest agent.
func (in *Input) agent(enabled bool) {
	in.vm(func(p *proxmox.VMParameters) { p.Agent = []proxmox.Agent{{Enabled: enabled}} })
}

// bootDisk is the size that the machine's VM is rendered with.
func (in *Input) bootDisk(sizeGiB int64) {
	in.vm(func(p *proxmox.VMParameters) { p.Disk = []proxmox.Disk{{Interface: "scsi0", Size: sizeGiB}} })
}

// running is dns01 when all is well and the function has never run for it.
func running(t *testing.T) Input {
	t.Helper()

	in := dns01()
	in.State = observed(t, vmRunning, snippetsThere, imageThere)

	return in
}

// settled is dns01 when all is well and the function has run for it.
func settled(t *testing.T) Input {
	t.Helper()

	in := running(t)
	in.Previous = after(Machine(in))

	return in
}

// after is the status of a composite that Crossplane has written an Output to.
func after(o Output) v1alpha1.Status {
	s := o.Status
	for _, c := range o.Conditions {
		s.Conditions = append(s.Conditions, metav1.Condition{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message})
	}

	return s
}

// observed reads managed resources: documents whose first line is the composed resource name, as a comment.
func observed(t *testing.T, documents ...string) proxmox.State {
	t.Helper()

	resources := map[string]*structpb.Struct{}

	for _, d := range documents {
		for doc := range strings.SplitSeq(d, "---\n") {
			first, rest, _ := strings.Cut(strings.TrimSpace(doc), "\n")

			name, ok := strings.CutPrefix(first, "# ")
			if !ok {
				t.Fatalf("a document does not start with the name of its composed resource: %q", first)
			}

			var content map[string]any
			if err := yaml.UnmarshalStrict([]byte(rest), &content); err != nil {
				t.Fatalf("%s: %v", name, err)
			}

			object, err := structpb.NewStruct(content)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}

			resources[name] = object
		}
	}

	s, err := proxmox.ReadState(resources)
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// vmRunning is a K3s-like guest: the interface of the VM is not the first, and is surrounded by others.
const vmRunning = `# vm
apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1
kind: EnvironmentVM
metadata: {annotations: {crossplane.io/external-name: "153", homelab.io/bootstrap-hash: aaaaaaaaaa}}
spec:
  forProvider:
    nodeName: pve
    vmId: 153
    name: dns01
    started: true
    agent: [{enabled: true}]
    networkDevice: [{bridge: vmbr0, model: virtio}]
status:
  atProvider:
    id: "153"
    vmId: 153
    nodeName: pve
    started: true
    networkDevice: [{macAddress: "BC:24:11:00:00:53"}]
    networkInterfaceNames: [lo, cni0, ens18, docker0]
    macAddresses: ["00:00:00:00:00:00", "5a:13:0b:22:90:01", "bc:24:11:00:00:53", "02:42:aa:bb:cc:dd"]
    ipv4Addresses: [["127.0.0.1"], ["10.42.0.1"], ["192.168.4.53"], ["172.17.0.1"]]
    ipv6Addresses: [["::1"], ["fe80::5813:bff:fe22:9001"], ["fe80::be24:11ff:fe00:53", "2001:db8::53"], null]
  conditions:
  - {type: AsyncOperation, status: "True", reason: Finished}
  - {type: LastAsyncOperation, status: "True", reason: Success}
  - {type: Ready, status: "True", reason: Available}
  - {type: Synced, status: "True", reason: ReconcileSuccess}
`

const snippetsThere = `# user-data-0123456789
apiVersion: virtualenvironmentfile.proxmoxbpg.crossplane.io/v1alpha1
kind: EnvironmentFile
metadata: {annotations: {crossplane.io/external-name: "local:snippets/dns01-0123456789.user-data.yaml"}}
status:
  atProvider: {id: "local:snippets/dns01-0123456789.user-data.yaml"}
  conditions: [{type: Ready, status: "True"}, {type: Synced, status: "True"}]
---
# meta-data-0123456789
apiVersion: virtualenvironmentfile.proxmoxbpg.crossplane.io/v1alpha1
kind: EnvironmentFile
metadata: {annotations: {crossplane.io/external-name: "local:snippets/dns01-0123456789.meta-data.yaml"}}
status:
  atProvider: {id: "local:snippets/dns01-0123456789.meta-data.yaml"}
  conditions: [{type: Ready, status: "True"}, {type: Synced, status: "True"}]
`

const imageThere = `# image-0123456789
apiVersion: virtualenvironmentdownloadfile.proxmoxbpg.crossplane.io/v1alpha1
kind: EnvironmentDownloadFile
metadata: {annotations: {crossplane.io/external-name: "local:import/nixos.qcow2"}}
status:
  atProvider: {id: "local:import/nixos.qcow2"}
  conditions: [{type: Ready, status: "True"}, {type: Synced, status: "True"}]
`

// edit changes the VM that was found.
func edit(in Input, change func(*proxmox.ObservedVM)) Input {
	vm := in.State.VMs[lifecycle.FirstVM]
	change(&vm)
	in.State.VMs[lifecycle.FirstVM] = vm

	return in
}

// set a condition of a managed resource.
func set(conditions []proxmox.Condition, c proxmox.Condition) []proxmox.Condition {
	var out []proxmox.Condition

	for _, o := range conditions {
		if o.Type != c.Type {
			out = append(out, o)
		}
	}

	return append(out, c)
}

// fails makes the VM that was found report an error the way the provider's reconciler does.
func fails(in Input, message string) Input {
	return edit(in, func(vm *proxmox.ObservedVM) {
		vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: message})
	})
}

// silent takes the guest agent away.
func silent(vm *proxmox.ObservedVM) {
	at := &vm.Status.AtProvider
	at.NetworkInterfaceNames, at.MACAddresses, at.IPv4Addresses, at.IPv6Addresses = nil, nil, nil, nil
}
