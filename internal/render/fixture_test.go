package render

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// aMachine with a volume to import, one network interface with DHCP, and nothing that it need not have.
func aMachine(edits ...func(m *machine.Machine)) *machine.Machine {
	m := &machine.Machine{
		Identity: machine.Identity{Kind: "Machine", Name: "web", Namespace: "infra", Composite: "web-x", UID: "1"},
		Hostname: "web", Cores: 2, CPUType: "host", MemoryMiB: 4096, VGA: "std",
		Boot:           machine.Boot{Source: machine.SourceImport, Volume: "local:import/x.qcow2", OS: machine.OSDebian, DiskGiB: 20, Discard: new(true), SSD: new(true), CloudInit: true},
		NICs:           []machine.NIC{{Bridge: "vmbr0", Firewall: new(false), IPv4: machine.Addressing{Method: machine.MethodDHCP}}},
		Power:          v1alpha1.PowerRunning,
		DeletionPolicy: v1alpha1.DeletionDelete,
		Placement:      machine.Placement{ProviderConfig: "default", Node: "pve", ImageDatastore: "local", SnippetDatastore: "local", DiskDatastore: "local-zfs"},
		Access:         machine.Access{AdminUser: "ops"},
	}

	for _, e := range edits {
		e(m)
	}

	return m
}

// requestOf a machine of which so much is observed. An observed VM is the described one.
func requestOf(t *testing.T, m *machine.Machine, observed proxmox.State) *Request {
	t.Helper()

	b, errs := bootstrap.New(m, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	s := lifecycle.Assess(lifecycle.Request{
		Machine: m, Observed: observed, Intent: "intent",
		Roles: lifecycle.AssignRoles(observed.VMs, m.Identity, m.Lifecycle.Replace),
	})

	return &Request{Situation: s, Bootstrap: b, Flavour: proxmox.Cluster}
}

// describe a machine of which nothing is observed.
func describe(t *testing.T, m *machine.Machine) Description {
	t.Helper()

	d, err := Describe(requestOf(t, m, proxmox.State{}))
	if err != nil {
		t.Fatal(err)
	}

	return d
}

// aVM as the provider made it from a description, with VMID 100.
func aVM(p proxmox.VMParameters, edits ...func(o *proxmox.ObservedVM)) proxmox.ObservedVM {
	o := proxmox.ObservedVM{APIVersion: proxmox.Cluster.VMAPIVersion(), Kind: proxmox.VMKind}
	o.Metadata.Name, o.Metadata.Generation = "web-x-vm", 1
	o.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "100"}
	o.Metadata.Labels = map[string]string{proxmox.MachineLabel: "web", "crossplane.io/composite": "web-x"}
	o.Spec.ForProvider, o.Spec.ManagementPolicies = p, proxmox.Policies(proxmox.DeletionDestroys)
	o.Spec.ProviderConfigRef = proxmox.ProviderConfigRef{Name: "default"}
	o.Status.AtProvider.ID, o.Status.AtProvider.VMID, o.Status.AtProvider.NodeName, o.Status.AtProvider.Started = "100", 100, p.NodeName, p.Started
	o.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "True"}}

	for _, e := range edits {
		e(&o)
	}

	return o
}

// found is a file that the provider found.
func found[P any](r proxmox.Resource[P], external string) proxmox.Observed[P, proxmox.FileObservation] {
	o := proxmox.Observed[P, proxmox.FileObservation]{APIVersion: r.APIVersion, Kind: r.Kind, Spec: r.Spec}
	o.Metadata.Metadata = r.Metadata
	o.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: external}
	o.Status.AtProvider.ID = external
	o.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "True"}}

	return o
}
