package controlplane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// What people install for addresses of Cluster API: docs/day-two.md, Addresses of Cluster API. ipamName is the provider's, and its account's.
const (
	ipamRights = repository + "/install/ipam/ipam.yaml"
	ipamTools  = "tools/cluster-api-ipam"
	ipamModule = "sigs.k8s.io/cluster-api-ipam-provider-in-cluster"
	ipamName   = "cluster-api-ipam"
)

// TestAddressesOfClusterAPI is the life of a machine whose address the real cluster-api-ipam-provider-in-cluster gives, and whose name the real external-dns
// points to it: it waits for kinds and address, keeps address and name as long as its VM, and frees them. It has a plane of its own, since it installs kinds.
func TestAddressesOfClusterAPI(t *testing.T) {
	t.Parallel()

	for _, on := range []*installation{namespaced, claims} {
		t.Run(on.configuration, func(t *testing.T) {
			t.Parallel()

			r := ownRig(t, on, "ipam")
			run := &ipamRun{rig: r, first: named(claiming("ipam-first", 7301)), second: claiming("ipam-second", 7302)}

			must(t, r.apply(t.Context(), catalogueOfLab()))

			for _, step := range []nodesStep{
				{"NoKinds", run.noKinds},
				{"Birth", run.birth},
				{"Exhausted", run.exhausted},
				{"Replace", run.replace},
				{"Rename", run.rename},
				{"Orphan", run.orphan},
				{"Delete", run.goes},
			} {
				if !t.Run(step.name, step.do) {
					t.Fatal("the steps build on one another")
				}
			}
		})
	}
}

// An ipamRun is two machines of a pool with one address.
type ipamRun struct {
	*rig

	first, second *unstructured.Unstructured
	dns           externalDNS // Once it runs.
}

// claiming is a claim of a machine with an address of its site's pool.
func claiming(name string, id int64) *unstructured.Unstructured {
	return edited(machine(name, id), map[string]any{
		"network": map[string]any{"pool": true}, "deletionPolicy": "Delete", "deletionProtection": false,
	})
}

// catalogueOfLab has a site whose pool is one of Cluster API.
func catalogueOfLab() *unstructured.Unstructured {
	c := catalogueOfNodes("None")
	network := map[string]any{"gateway": "192.168.4.1", "pool": map[string]any{"kind": "InClusterIPPool", "name": "lab"}}

	if err := unstructured.SetNestedField(c.Object, network, "data", "sites", "home", "network"); err != nil {
		panic(err) // A mistake of the test.
	}

	return c
}

// noKinds: nothing wedges where Cluster API is not installed, and the claim says what is missing.
func (i *ipamRun) noKinds(t *testing.T) {
	must(t, i.apply(t.Context(), i.first))
	must(t, i.tells(t.Context(), i.first,
		word{conditionType: "Synced", status: "True"}, word{conditionType: "MachineReady", status: "False", reason: "AddressClaimsMissing"},
		word{conditionType: "DNSRecorded", status: "False", reason: "DNSEndpointsMissing"}))
}

// birth: with kinds, rights, provider and pool, the machine gets the only address. Its gateway is the pool's.
func (i *ipamRun) birth(t *testing.T) {
	must(t, i.apply(t.Context(), objects(t, ipamRights)...))
	i.installDNS(t)
	i.startIPAM(t)
	must(t, i.tells(t.Context(), i.first, word{conditionType: "MachineReady", status: "False", reason: "ClaimingAddress"}))

	must(t, i.apply(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "ipam.cluster.x-k8s.io/v1alpha2", "kind": "InClusterIPPool",
		"metadata": map[string]any{"name": "lab", "namespace": machines},
		"spec":     map[string]any{"addresses": []any{"192.168.4.60"}, "prefix": int64(24), "gateway": "192.168.4.254"},
	}}))
	must(t, i.ready(t.Context(), i.first))
	i.has(t, i.first, "192.168.4.60/24 192.168.4.254 "+dnsIPv6)
	i.isNamed(t)
}

// has checks the address and the gateway of a machine's only VM in Proxmox.
func (i *ipamRun) has(t *testing.T, claim *unstructured.Unstructured, want string) {
	t.Helper()

	ids := i.vmsOf(claim)
	if len(ids) != 1 {
		t.Fatalf("%s has the VMs %v, want one", claim.GetName(), ids)
	}

	id := ids[0]
	vm := i.world.VM(id)

	for part := range strings.FieldsSeq(want) {
		if got := fmt.Sprint(vm.Config["initialization"]); !strings.Contains(got, part) {
			t.Errorf("VM %d has %s, want %s", id, got, part)
		}
	}
}

// vmsOf are the VMIDs of a machine's VMs in Proxmox. The managed resource of a replaced VM may outlive the VM by a moment.
func (i *ipamRun) vmsOf(claim *unstructured.Unstructured) []int {
	return slices.DeleteFunc(i.world.VMs(), func(id int) bool {
		vm := i.world.VM(id)

		return vm == nil || fmt.Sprint(vm.Config["name"]) != claim.GetName()
	})
}

// exhausted: no second machine gets the address.
func (i *ipamRun) exhausted(t *testing.T) {
	must(t, i.apply(t.Context(), i.second))
	must(t, i.tells(t.Context(), i.second, word{conditionType: "MachineReady", status: "False", reason: "ClaimingAddress"}))

	if vm := i.world.VM(7302); vm != nil {
		t.Errorf("the second machine has a VM: %v", vm.Config)
	}
}

// replace: the new VM has the address of the old one.
func (i *ipamRun) replace(t *testing.T) {
	i.first = edited(i.first, map[string]any{"lifecycle": map[string]any{"replace": "1"}, "proxmox": map[string]any{"node": "pve"}})
	must(t, i.apply(t.Context(), i.first))
	must(t, i.until(t.Context(), "the VM is replaced", func(ctx context.Context) (bool, string) {
		now, err := i.now(ctx, i.first)
		if err != nil {
			return false, err.Error()
		}

		return i.world.VM(7301) == nil && condition(now, "MachineReady").status == "True" && condition(now, "ReplacementRequired").reason == "NotRequired",
			conditions(now)
	}))

	i.has(t, i.first, "192.168.4.60/24 192.168.4.254")
	i.staysNamed(t)
}

// orphan: a machine whose VM would stay cannot be deleted.
func (i *ipamRun) orphan(t *testing.T) {
	deletion := func(ctx context.Context) error { return i.Client.Delete(ctx, i.first.DeepCopy(), client.DryRunAll) }

	stays := edited(i.first, map[string]any{"deletionPolicy": "Orphan"})
	must(t, i.apply(t.Context(), stays))
	must(t, i.until(t.Context(), "the machine is kept", func(ctx context.Context) (bool, string) {
		err := deletion(ctx)

		return err != nil && strings.Contains(err.Error(), "run on with address 192.168.4.60"), fmt.Sprint(err)
	}))

	must(t, i.apply(t.Context(), i.first))
	must(t, i.until(t.Context(), "the machine may go", func(ctx context.Context) (bool, string) {
		err := deletion(ctx)

		return err == nil, fmt.Sprint(err)
	}))
}

// goes: while Proxmox cannot be reached, and the VM runs, its address is held; afterwards the second machine gets it.
func (i *ipamRun) goes(t *testing.T) {
	mend := i.world.Break("network", belongsTo(i.first))
	t.Cleanup(mend)

	must(t, i.Client.Delete(t.Context(), i.first.DeepCopy()))
	must(t, i.until(t.Context(), "the VM is deleted", func(ctx context.Context) (bool, string) {
		vm := i.vm(ctx, i.first)

		return vm != nil && vm.GetDeletionTimestamp() != nil, fmt.Sprint(vm)
	}))

	// Long enough for Kubernetes' garbage collector, and for the provider of the pool.
	for range 10 {
		plane.Rest(t.Context(), time.Second)

		// The address first: it may be given away only after the VM is gone.
		given, second, first := i.addresses(t), i.vmsOf(i.second), i.vmsOf(i.first)
		if len(first) != 1 {
			t.Fatalf("the VM that nobody can reach is gone: %v", first)
		}

		if len(given) != 1 || !strings.Contains(given[0], "/ipam-first-") || len(second) != 0 {
			t.Fatalf("VM %d runs with the address, addresses are %v, and VMs of the second machine %v", first[0], given, second)
		}
	}

	mend()
	i.isNamedNoMore(t)
	must(t, i.ready(t.Context(), i.second))
	i.has(t, i.second, "192.168.4.60/24 192.168.4.254")
	must(t, i.remove(t.Context(), i.second))
	must(t, i.until(t.Context(), "the address is free", func(context.Context) (bool, string) {
		a := i.addresses(t)

		return len(a) == 0, fmt.Sprint(a)
	}))
}

// addresses that the pool has given.
func (i *ipamRun) addresses(t *testing.T) []string {
	t.Helper()

	l := &unstructured.UnstructuredList{}
	l.SetAPIVersion("ipam.cluster.x-k8s.io/v1beta1")
	l.SetKind("IPAddressList")
	must(t, i.Client.List(t.Context(), l))

	var out []string

	for _, o := range l.Items {
		address, _, _ := unstructured.NestedString(o.Object, "spec", "address")
		out = append(out, o.GetNamespace()+"/"+o.GetName()+" "+address)
	}

	return out
}

// account for a program, with the rights of a ClusterRole. It returns the path of the program's configuration.
func account(t *testing.T, on *plane.Plane, name, role string) string {
	t.Helper()

	must(t, on.Client.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: plane.Namespace}}))
	must(t, on.Client.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: plane.Namespace, Name: name}},
	}))

	kubeconfig, err := on.AccountKubeconfig(t.Context(), name)
	must(t, err)

	return kubeconfig
}

// startIPAM installs Cluster API's kinds and runs the real provider, with webhooks that nobody calls.
func (i *ipamRun) startIPAM(t *testing.T) {
	t.Helper()

	provider, err := release{pinned: ipamTools, module: ipamModule}.source(t.Context())
	must(t, err)

	core, err := release{pinned: ipamTools, module: "sigs.k8s.io/cluster-api"}.source(t.Context())
	must(t, err)

	i.applyKinds(t,
		core+"/config/crd/bases/ipam.cluster.x-k8s.io_ipaddressclaims.yaml", core+"/config/crd/bases/ipam.cluster.x-k8s.io_ipaddresses.yaml",
		core+"/config/crd/bases/cluster.x-k8s.io_clusters.yaml", // The provider watches Clusters, too.
		provider+"/config/crd/bases/ipam.cluster.x-k8s.io_inclusterippools.yaml",
		provider+"/config/crd/bases/ipam.cluster.x-k8s.io_globalinclusterippools.yaml",
	)

	kubeconfig := account(t, i.Plane, ipamName, "cluster-admin")

	// The provider's webhooks have the port that those of provider-kubernetes have, and their certificates in the folder for temporary files.
	i.holdWebhookPort(t)

	temporary, err := filepath.Abs(filepath.Join(logs, i.logs, i.configuration, ipamName))
	must(t, err)
	must(t, copyFS(filepath.Join(temporary, "k8s-webhook-server", "serving-certs"), os.DirFS(i.Functions.Certificates())))

	tool, err := filepath.Abs(filepath.Join(toolsBin, ipamName))
	must(t, err)

	// It runs as long as the plane, and not as long as the step that starts it.
	_, err = i.Run(context.WithoutCancel(t.Context()), plane.Program{
		Name: ipamName, Path: tool, Args: []string{"--metrics-bind-address=0", "--health-probe-bind-address=0"},
		Env: []string{"KUBECONFIG=" + kubeconfig, "TMPDIR=" + temporary},
	})
	must(t, err)
}
