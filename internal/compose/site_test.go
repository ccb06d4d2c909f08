package compose

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// siteRequest is a call for a site of which there is nothing yet.
func siteRequest(t testing.TB) *fnv1.RunFunctionRequest {
	t.Helper()

	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: content(t, map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": "ProxmoxSite", "metadata": map[string]any{"name": "home", "namespace": "infra", "uid": "own"},
			"spec": map[string]any{
				"nodes": map[string]any{"pve1": map[string]any{
					"bridges": []any{map[string]any{"name": "vmbr1", "ports": []any{"enp3s0", "enp2s0"}, "vlanAware": true, "comment": "the ${HOME} of storage"}},
					"vlans":   []any{map[string]any{"interface": "vmbr1", "tag": 30.0, "address": "10.0.30.2/24"}},
				}},
				"pools": []any{map[string]any{"name": "k3s"}},
			},
		})}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{catalogRequirement: {}},
	}
}

// seen adds what the function desired as the provider reports it: names are free, and ports are there.
func seen(t testing.TB, req *fnv1.RunFunctionRequest) {
	t.Helper()

	for name, r := range Answer(req).GetDesired().GetResources() {
		object := r.GetResource().AsMap()
		text := "observe failed: external resource does not exist"

		if strings.HasPrefix(name, "look-bridge") {
			text = "observe failed: cannot run import: Error: Linux Bridge interface not found: import failed"
		}

		status := map[string]any{"conditions": []any{map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": text}}}

		if strings.HasPrefix(name, "look-port") {
			status = map[string]any{
				"atProvider": map[string]any{"id": "pve1:enp2s0"},
				"conditions": []any{map[string]any{"type": "Synced", "status": "True"}, map[string]any{"type": "Ready", "status": "True"}},
			}
		}

		object["status"] = status
		req.Observed.Resources[name] = &fnv1.Resource{Resource: content(t, object)}
	}
}

// TestSite compares whole answers with golden files (go test ./internal/compose -run TestSite -update).
func TestSite(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*fnv1.RunFunctionRequest)
	}{
		"Asks":    {"The function asks for the catalogue first.", func(r *fnv1.RunFunctionRequest) { r.RequiredResources = nil }},
		"Looks":   {"Then the provider looks for the names, and at the ports.", func(*fnv1.RunFunctionRequest) {}},
		"Creates": {"Names are free, and ports are there: all but the VLAN interface, which waits for its bridge.", func(r *fnv1.RunFunctionRequest) { seen(t, r) }},
		"Guests": {"Where something may be deleted, the function asks for all VMs and containers.", func(r *fnv1.RunFunctionRequest) {
			spec := r.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue()
			spec.Fields["deletionPolicy"] = content(t, map[string]any{"d": "Delete"}).GetFields()["d"]
		}},
		"NoContainers": {"Where nobody serves the kind of containers, there are none.", func(r *fnv1.RunFunctionRequest) {
			spec := r.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue()
			spec.Fields["deletionPolicy"] = content(t, map[string]any{"d": "Delete"}).GetFields()["d"]
			r.RequiredResources[guestVMs] = &fnv1.Resources{}
			r.RequiredResources[containerKindRequirement] = &fnv1.Resources{}
		}},
		"Containers": {"Where somebody does, the function asks for them.", func(r *fnv1.RunFunctionRequest) {
			spec := r.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue()
			spec.Fields["deletionPolicy"] = content(t, map[string]any{"d": "Delete"}).GetFields()["d"]
			name, version := proxmox.Namespaced.ContainerDefinition()
			r.RequiredResources[guestVMs] = &fnv1.Resources{}
			r.RequiredResources[containerKindRequirement] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
				"metadata": map[string]any{"name": name}, "spec": map[string]any{"versions": []any{map[string]any{"name": version, "served": true}}},
				"status": map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}},
			})}}}
		}},
		"Legacy": {"An old provider makes no sites.", func(r *fnv1.RunFunctionRequest) {
			r.Observed.Composite.Resource.Fields["kind"] = content(t, map[string]any{"k": "XProxmoxSite"}).GetFields()["k"]
			delete(r.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue().GetFields(), "namespace")
			r.Input = content(t, map[string]any{"apiVersion": "machine.fn.homelab.io/v1beta1", "kind": "Input", "providerAPI": "legacy"})
		}},
		"Faults": {"All faults at once, in the order of the fields.", func(r *fnv1.RunFunctionRequest) {
			r.Observed.Composite.Resource.Fields["spec"] = content(t, map[string]any{"s": map[string]any{
				"nodes": map[string]any{"pve1": map[string]any{
					"bridges": []any{
						map[string]any{"name": "vmbr1", "ports": []any{"enp2s0"}, "gateway": "10.0.9.1", "mtu": 100.0, "address": "10.0.9.2/24"},
						map[string]any{"name": "vmbr2", "ports": []any{"enp2s0", "vmbr1"}, "address": "10.0.9.2/24"},
						map[string]any{"name": "br", "ports": []any{"br.7"}},
					},
					"vlans": []any{map[string]any{"interface": "vmbr2", "tag": 30.0, "mtu": 9000.0}, map[string]any{"interface": "br", "tag": 7.0}},
				}},
				"allowRemoval": map[string]any{"interfaces": []any{"pve1/vmbr1"}},
			}}).GetFields()["s"]
		}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := siteRequest(t)
			tc.edit(req)

			goldenAnswer(t, tc.reason, filepath.Join("testdata", "site", name+".yaml"), Answer(req))
		})
	}
}

// TestSiteRetained: while Crossplane still fetches, everything that exists stays as it was written.
func TestSiteRetained(t *testing.T) {
	req := siteRequest(t)
	seen(t, req)
	checkRetained(t, req)
}

// TestSiteMoves: a claim that has interfaces in one Proxmox cluster makes none in another one.
func TestSiteMoves(t *testing.T) {
	req := siteRequest(t)
	seen(t, req)
	maps.Copy(req.GetObserved().GetResources(), Answer(req).GetDesired().GetResources())
	req.RequiredResources[catalogRequirement] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
		"data": map[string]any{"defaults": map[string]any{"site": "lab"}, "sites": map[string]any{"lab": map[string]any{"providerConfig": "lab"}}},
	})}}}

	if r := Answer(req).GetResults(); len(r) == 0 || r[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL || !strings.Contains(r[0].GetMessage(), "spec.proxmox.site: is fixed") {
		t.Errorf("want it refused: %v", r)
	}
}

// TestSiteOfTwoProxmoxes: VMs and containers of another Proxmox use no bridge of this one, although nodes and bridges there have the same names. Where the
// catalogue does not name both, they may be of this one.
func TestSiteOfTwoProxmoxes(t *testing.T) {
	cases := map[string]struct {
		reason, own, other string
		used               bool
	}{
		"Other":    {reason: "The catalogue says that they are two.", own: "dc1", other: "dc2"},
		"Same":     {reason: "It says that they are one.", own: "dc1", other: "dc1", used: true},
		"OneNamed": {reason: "Of the other one nobody knows.", own: "dc1", used: true},
		"NoNames":  {reason: "Of two nobody knows.", used: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := siteRequest(t)
			req.RequiredResources[catalogRequirement] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
				"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
				"data": map[string]any{"defaults": map[string]any{"site": "lab"}, "sites": map[string]any{
					"lab": map[string]any{"proxmox": tc.own, "providerConfig": "lab"}, "attic": map[string]any{"proxmox": tc.other, "providerConfig": "attic"},
				}},
			})}}}
			spec := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue()
			spec.Fields["deletionPolicy"] = content(t, map[string]any{"d": "Delete"}).GetFields()["d"]

			guest := func(kind, nics string) *fnv1.Resources {
				return &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
					"apiVersion": proxmox.Namespaced.ContainerAPIVersion(), "kind": kind,
					"metadata": map[string]any{"name": "dns01", "namespace": "other", "labels": map[string]any{proxmox.MachineLabel: "dns01", proxmox.NamespaceLabel: "other"}},
					"spec": map[string]any{"providerConfigRef": map[string]any{"kind": "ClusterProviderConfig", "name": "attic"}, "forProvider": map[string]any{
						"nodeName": "pve1", nics: []any{map[string]any{"bridge": "vmbr1"}},
					}},
				})}}}
			}

			crd, version := proxmox.Namespaced.ContainerDefinition()
			req.RequiredResources[guestVMs] = guest(proxmox.VMKind, "networkDevice")
			req.RequiredResources[guestContainers] = guest(proxmox.ContainerKind, "networkInterface")
			req.RequiredResources[containerKindRequirement] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
				"metadata": map[string]any{"name": crd}, "spec": map[string]any{"versions": []any{map[string]any{"name": version, "served": true}}},
				"status": map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}},
			})}}}

			made(t, req)
			made(t, req) // The VLAN interface waits for its bridge.

			spec.Fields["nodes"] = content(t, map[string]any{"n": map[string]any{}}).GetFields()["n"]
			spec.Fields["allowRemoval"] = content(t, map[string]any{"a": map[string]any{"interfaces": []any{"pve1/vmbr1", "pve1/vmbr1.30"}}}).GetFields()["a"]

			rsp := Answer(req)
			if is := strings.Contains(rsp.String(), "is not deleted, because it is in use: a VM of another claim, in another namespace, a container of another claim"); is != tc.used {
				t.Errorf("%s\nused: want %t, got %s", tc.reason, tc.used, rsp.GetDesired().GetComposite())
			}
		})
	}
}

// made adds what the function desired as the provider reports what it has created.
func made(t *testing.T, req *fnv1.RunFunctionRequest) {
	t.Helper()

	seen(t, req)

	for name, r := range Answer(req).GetDesired().GetResources() {
		object := r.GetResource().AsMap()
		if !strings.HasPrefix(name, "look-") {
			metadata, _ := object["metadata"].(map[string]any)
			annotations, _ := metadata["annotations"].(map[string]any)
			delete(annotations, proxmox.CreatingAnnotation)

			forProvider, _ := object["spec"].(map[string]any)["forProvider"].(map[string]any)
			at := maps.Clone(forProvider)
			at["id"] = annotations[proxmox.ExternalNameAnnotation]
			object["status"] = map[string]any{"atProvider": at, "conditions": []any{
				map[string]any{"type": "Synced", "status": "True"}, map[string]any{"type": "Ready", "status": "True"},
			}}
		}

		req.Observed.Resources[name] = &fnv1.Resource{Resource: content(t, object)}
	}
}

// TestSiteLosesEntry: without the entry of its site, or without the whole catalogue, a site answers with the same managed resources as with it. A new
// site is refused.
func TestSiteLosesEntry(t *testing.T) {
	catalogueOf := func(sites map[string]any) *fnv1.Resources {
		return &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(t, map[string]any{
			"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
			"data": map[string]any{"sites": sites},
		})}}}
	}

	req := siteRequest(t)
	spec := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue()
	spec.Fields["proxmox"] = content(t, map[string]any{"p": map[string]any{"site": "home"}}).GetFields()["p"]
	req.RequiredResources[catalogRequirement] = catalogueOf(map[string]any{"home": map[string]any{"providerConfig": "pve-home"}})

	made(t, req)

	before := Answer(req)
	if len(before.GetResults()) > 0 || before.GetDesired().GetResources()["bridge-pve1-vmbr1"] == nil {
		t.Fatalf("want a site with a bridge, got %v", before.GetResults())
	}

	// The VLAN interface does not exist yet, and is not created.
	delete(before.GetDesired().GetResources(), "vlan-pve1-vmbr1.30")

	for name, tc := range map[string]struct {
		reason    string
		catalogue *fnv1.Resources
	}{
		"Entry":     {"The catalogue has another site.", catalogueOf(map[string]any{"lab": map[string]any{"providerConfig": "lab"}})},
		"Catalogue": {"There is no catalogue.", &fnv1.Resources{}},
	} {
		t.Run(name, func(t *testing.T) {
			req.RequiredResources[catalogRequirement] = tc.catalogue

			answer := Answer(req)
			for name, want := range before.GetDesired().GetResources() {
				if diff := cmp.Diff(want, answer.GetDesired().GetResources()[name], protocmp.Transform()); diff != "" {
					t.Errorf("%s %s: -with the entry, +without:\n%s", tc.reason, name, diff)
				}
			}

			i := slices.IndexFunc(answer.GetConditions(), func(c *fnv1.Condition) bool { return c.GetType() == status.TypeSpecValid })
			if c := answer.GetConditions()[i]; c.GetReason() != status.ReasonCatalogueEntryMissing || !strings.Contains(c.GetMessage(), "spec.proxmox.site") {
				t.Errorf("%s\ncondition: %v", tc.reason, c)
			}

			fresh := siteRequest(t)
			fresh.Observed.Composite, fresh.RequiredResources[catalogRequirement] = req.GetObserved().GetComposite(), tc.catalogue

			if r := Answer(fresh).GetResults(); len(r) == 0 || r[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL {
				t.Errorf("%s\nwant a new site refused, got %v", tc.reason, r)
			}
		})
	}
}
