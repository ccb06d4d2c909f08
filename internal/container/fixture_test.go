package container

import (
	"maps"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// aContainer is the container of a claim, changed by edit.
func aContainer(edit func(*machine.Container)) *machine.Container {
	c := &machine.Container{
		Machine: machine.Machine{
			Identity: machine.Identity{Kind: "Container", Name: "dns01", Namespace: "infra", Composite: "dns01-x7k2p", UID: "uid-1"},
			Hostname: "dns01", Domain: "home.arpa", DNS: []string{"192.168.4.1"}, Tags: []string{"core"}, Class: "micro", Cores: 1, MemoryMiB: 1024,
			Boot: machine.Boot{Image: "debian-12-ct", DiskGiB: 8}, Power: v1alpha1.PowerRunning, OnBoot: true, DeletionPolicy: v1alpha1.DeletionDelete,
			Lifecycle: v1alpha1.Lifecycle{RebootPolicy: v1alpha1.RebootOnRequest},
			Placement: machine.Placement{ProviderConfig: "home", ProviderConfigKind: "ClusterProviderConfig", Node: "pve", VMID: 150, DiskDatastore: "local-lvm", ImageDatastore: "local"},
			NICs: []machine.NIC{{
				Bridge: "vmbr0", VLAN: 20, Firewall: new(true),
				IPv4: machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.50", Prefix: 24, Gateway: "192.168.4.1"},
			}},
			Access: machine.Access{SSHAuthorizedKeys: []string{"ssh-ed25519 AAAA ops@home"}},
		},
		Template:    machine.ContainerTemplate{Volume: "local:vztmpl/debian-12-ct.tar.zst", Download: &machine.Download{URL: "https://example.org/debian-12-ct.tar.zst", FileName: "debian-12-ct.tar.zst"}},
		OS:          "debian",
		SwapMiB:     new(int64(512)),
		Nesting:     new(true),
		MountPoints: []machine.MountPoint{{Path: "/srv/data", SizeGiB: 10, Datastore: "tank", Backup: true}}, Unprivileged: new(true),
	}

	if edit != nil {
		edit(c)
	}

	return c
}

// conditions of a managed resource that the provider has found.
func found() proxmox.Conditions {
	return proxmox.Conditions{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "True"}}
}

// none is what the provider says of a VMID that nothing has.
func none() proxmox.Conditions {
	return proxmox.Conditions{{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "observe failed: external resource does not exist"}}
}

// living is a container as the provider reports it after it was created from a claim, changed by edit.
func living(m *machine.Container, edit func(*proxmox.ObservedContainer)) proxmox.ObservedContainer {
	p := Describe(m, replacement.First)
	p.Started = true
	p.Description += "\n"

	o := proxmox.ObservedContainer{APIVersion: "virtualenvironmentcontainer.proxmoxbpg.crossplane.io/v1alpha1", Kind: proxmox.ContainerKind}
	o.Metadata.Name = "dns01-x7k2p-abc"
	o.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "150"}
	o.Spec.ForProvider, o.Spec.ManagementPolicies = p, []string{"Observe", "Create", "Delete"}
	o.Spec.ProviderConfigRef.Name = "home"
	o.Status.Conditions = found()
	o.Status.AtProvider = proxmox.ContainerObservation{
		ID: "150", NodeName: "pve", Started: true, IPv4: map[string]string{"eth0": "192.168.4.50", "lo": "127.0.0.1"},
		Parameters: &proxmox.FoundContainer{ContainerParameters: clone(p), Rest: &structpb.Struct{}},
	}

	// As the provider reads a volume that exists.
	for i := range o.Status.AtProvider.Parameters.MountPoint {
		o.Status.AtProvider.Parameters.MountPoint[i].Volume += ":vm-150-disk-1"
	}

	if edit != nil {
		edit(&o)
	}

	return o
}

// request of a claim with what is observed.
func request(m *machine.Container, observed map[string]proxmox.ObservedContainer) Request {
	return Request{
		Container: m, Flavour: proxmox.Cluster, Observed: proxmox.State{Containers: observed, VMs: map[string]proxmox.ObservedVM{}, DownloadFiles: map[string]proxmox.ObservedDownloadFile{}},
		Owner: lifecycle.Owner{Composite: "dns01-x7k2p", Root: "dns01-x7k2p", Machine: "dns01", ClaimNamespace: "infra", ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}},
	}
}

// annotated sets annotations beside those that there are.
func annotated(o *proxmox.ObservedContainer, annotations map[string]string) {
	maps.Copy(o.Metadata.Annotations, annotations)
}

// conditionOf a report.
func conditionOf(t *testing.T, r Report, typ string) string {
	t.Helper()

	for _, c := range r.Conditions {
		if c.Type == typ {
			return string(c.Status) + " " + c.Reason
		}
	}

	t.Fatalf("no condition %s", typ)

	return ""
}

// rendered is the container of a claim; nil where there is none.
func rendered(r Rendering) *proxmox.Container {
	c, there := r.Containers[replacement.First]
	if !there {
		return nil
	}

	return &c
}

// isTemplate is the rest of what the provider reads of a template.
func isTemplate() *structpb.Struct {
	return &structpb.Struct{Fields: map[string]*structpb.Value{"template": structpb.NewBoolValue(true)}}
}
