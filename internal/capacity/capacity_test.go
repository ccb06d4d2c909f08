package capacity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

// claimsAPI and namespacedAPI are the groups of the provider's kinds in two installations.
const (
	claimsAPI     = "proxmoxbpg.crossplane.io"
	namespacedAPI = "proxmoxbpg.m.crossplane.io"
)

// vm of a composite, on a node.
func vm(api, composite, node string, memoryMiB int64, ref map[string]any, policies ...any) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "virtualenvironmentvm." + api + "/v1alpha1", "kind": "EnvironmentVM",
		"metadata": map[string]any{
			"name": composite + "-vm", "creationTimestamp": "2026-11-22T00:00:00Z", "labels": map[string]any{"crossplane.io/composite": composite},
			"annotations": map[string]any{"crossplane.io/composition-resource-name": "vm"},
		},
		"spec": map[string]any{
			"providerConfigRef": ref, "managementPolicies": policies,
			"forProvider": map[string]any{"nodeName": node, "memory": []any{map[string]any{"dedicated": memoryMiB}}},
		},
	}}
}

// container of a composite, on a node.
func container(composite, node string, memory []any, ref map[string]any, policies ...any) unstructured.Unstructured {
	p := map[string]any{"nodeName": node}
	if memory != nil {
		p["memory"] = memory
	}

	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "virtualenvironmentcontainer." + claimsAPI + "/v1alpha1", "kind": "EnvironmentContainer",
		"metadata": map[string]any{"name": composite + "-container", "labels": map[string]any{"crossplane.io/composite": composite}},
		"spec":     map[string]any{"providerConfigRef": ref, "managementPolicies": policies, "forProvider": p},
	}}
}

// image that the VM of a composite waits for.
func image(api, composite, node, reserves string, ref map[string]any) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "virtualenvironmentdownloadfile." + api + "/v1alpha1", "kind": "EnvironmentDownloadFile",
		"metadata": map[string]any{
			"name": composite + "-image", "creationTimestamp": "2026-11-22T00:00:00Z",
			"labels":      map[string]any{"crossplane.io/composite": composite, "homelab.io/awaits-vm": "true"},
			"annotations": map[string]any{"homelab.io/reserves": reserves},
		},
		"spec": map[string]any{"providerConfigRef": ref, "forProvider": map[string]any{"nodeName": node}},
	}}
}

func TestHosts(t *testing.T) {
	ref := map[string]any{"name": "default"}
	kind := map[string]any{"name": "default", "kind": "ClusterProviderConfig"}
	one := catalog.Catalog{Sites: map[string]catalog.Site{"home": {Site: catalogue.Site{
		Nodes: map[string]catalogue.Node{
			"pve1": {Memory: "32Gi", Reserve: "4Gi"}, "pve2": {},
		},
	}}}}
	in := func(namespace string, o unstructured.Unstructured) unstructured.Unstructured {
		o.SetNamespace(namespace)
		return o
	}

	cases := map[string]struct {
		reason  string
		cat     catalog.Catalog
		objects []unstructured.Unstructured
		want    []Host
	}{
		"Nothing": {
			reason: "Without a VM, all but the reserve is left.",
			cat:    one,
			want: []Host{
				{Site: "home", Node: "pve1", MemoryMiB: new(int64(32768)), ReserveMiB: new(int64(4096)), LeftMiB: new(int64(28672)), Listed: true},
				{Site: "home", Node: "pve2", Listed: true},
			},
		},
		"Used": {
			reason: "VMs count where they are, stopped or not, and so does a VM that waits for its image. A snippet that no VM waits for is nothing.",
			cat:    one,
			objects: []unstructured.Unstructured{
				vm(claimsAPI, "a", "pve1", 8192, ref, "*"), vm(claimsAPI, "b", "pve2", 1024, ref, "*"), image(claimsAPI, "c", "pve1", "vm 4096", ref),
			},
			want: []Host{
				{Site: "home", Node: "pve1", MemoryMiB: new(int64(32768)), ReserveMiB: new(int64(4096)), UsedMiB: 12288, LeftMiB: new(int64(16384)), Listed: true},
				{Site: "home", Node: "pve2", UsedMiB: 1024, Listed: true},
			},
		},
		"Containers": {
			reason: "So do containers. One without a size has what Proxmox gives it, and a VMID that is checked has nothing.",
			cat:    one,
			objects: []unstructured.Unstructured{
				container("a", "pve1", []any{map[string]any{"dedicated": int64(1024), "swap": int64(512)}}, ref, "*"), container("b", "pve1", nil, ref, "*"),
				container("c", "pve1", nil, ref, "Observe"), container("d", "pve1", nil, map[string]any{"name": "garage"}, "*"),
			},
			want: []Host{
				{Site: "home", Node: "pve1", MemoryMiB: new(int64(32768)), ReserveMiB: new(int64(4096)), UsedMiB: 1536, LeftMiB: new(int64(27136)), Listed: true},
				{Site: "home", Node: "pve2", Listed: true},
			},
		},
		"TooMuch": {
			reason: "More than there is, which the function gives no VM, but a person or a smaller catalogue can.",
			cat:    one, objects: []unstructured.Unstructured{vm(claimsAPI, "a", "pve1", 30720, ref, "*")},
			want: []Host{
				{Site: "home", Node: "pve1", MemoryMiB: new(int64(32768)), ReserveMiB: new(int64(4096)), UsedMiB: 30720, LeftMiB: new(int64(-2048)), Listed: true},
				{Site: "home", Node: "pve2", Listed: true},
			},
		},
		"Unlisted": {
			reason: "A node that the catalogue does not have is shown: its VMs are there.",
			cat:    catalog.Catalog{Sites: map[string]catalog.Site{"home": {}}}, objects: []unstructured.Unstructured{vm(claimsAPI, "a", "pve9", 512, ref, "*")},
			want: []Host{{Site: "home", Node: "pve9", UsedMiB: 512}},
		},
		"OtherSite": {
			reason: "A VM is at the site whose provider configuration it has.",
			cat: catalog.Catalog{Sites: map[string]catalog.Site{
				"garage": {Site: catalogue.Site{ProviderConfig: "garage", Nodes: map[string]catalogue.Node{"pve1": {}}}}, "home": {Site: catalogue.Site{Nodes: map[string]catalogue.Node{"pve1": {}}}},
			}},
			objects: []unstructured.Unstructured{vm(claimsAPI, "a", "pve1", 512, map[string]any{"name": "garage"}, "*")},
			want:    []Host{{Site: "garage", Node: "pve1", UsedMiB: 512, Listed: true}, {Site: "home", Node: "pve1", Listed: true}},
		},
		"OneProxmox": {
			reason: "Sites of one Proxmox have the same nodes, and each VM on them counts for both, once.",
			cat: catalog.Catalog{Sites: map[string]catalog.Site{
				"blue": {Site: catalogue.Site{Proxmox: "dc1", ProviderConfig: "team", ProviderConfigKind: "ProviderConfig", Nodes: map[string]catalogue.Node{"pve1": {}}}},
				"home": {Site: catalogue.Site{Proxmox: "dc1", Nodes: map[string]catalogue.Node{"pve1": {}}}},
			}},
			objects: []unstructured.Unstructured{
				in("infra", vm(namespacedAPI, "b", "pve1", 2, kind, "*")),
				in("red", vm(namespacedAPI, "c", "pve1", 4, map[string]any{"name": "team", "kind": "ProviderConfig"}, "*")),
				in("blue", vm(namespacedAPI, "d", "pve1", 8, map[string]any{"name": "team", "kind": "ProviderConfig"}, "*")),
			},
			want: []Host{{Site: "blue", Node: "pve1", UsedMiB: 14, Listed: true}, {Site: "home", Node: "pve1", UsedMiB: 14, Listed: true}},
		},
		"BothInstallations": {
			reason: "While machines move to the namespaced installation, VMs of both count, and a provider configuration of a namespace is found in each.",
			cat: catalog.Catalog{Sites: map[string]catalog.Site{
				"home": {Site: catalogue.Site{Nodes: map[string]catalogue.Node{"pve1": {}}}}, "team": {Site: catalogue.Site{ProviderConfig: "team", ProviderConfigKind: "ProviderConfig", Nodes: map[string]catalogue.Node{"pve1": {}}}},
			}},
			objects: []unstructured.Unstructured{
				vm(claimsAPI, "a", "pve1", 1, ref, "*"), in("infra", vm(namespacedAPI, "b", "pve1", 2, kind, "*")),
				in("red", vm(namespacedAPI, "c", "pve1", 4, map[string]any{"name": "team", "kind": "ProviderConfig"}, "*")),
				in("blue", vm(namespacedAPI, "d", "pve1", 8, map[string]any{"name": "team", "kind": "ProviderConfig"}, "*")),
			},
			want: []Host{{Site: "home", Node: "pve1", UsedMiB: 3, Listed: true}, {Site: "team", Node: "pve1", UsedMiB: 12, Listed: true}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Hosts(tc.cat, tc.objects)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
