package examples

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// frigate is a container that somebody made by hand, as provider-proxmox-bpg v1.18.0 reports it: with all that a report has (test/provider).
const frigate = `
id: "113"
clone: []
console: [{enabled: true, ttyCount: 0, type: shell}]
cpu: [{architecture: amd64, cores: 4, limit: 0, units: 200}]
description: "# Frigate ${x}\n"
devicePassthrough: [{denyWrite: false, gid: 0, mode: "0666", path: /dev/bus/usb/002/003, uid: 0}]
disk: [{acl: false, datastoreId: local-lvm, mountOptions: [], pathInDatastore: "local-lvm:vm-113-disk-0", quota: false, replicate: false, size: 20}]
environmentVariables: {timeoutHere: "1"}
features: [{fuse: true, keyctl: true, mknod: false, mount: [], nesting: true}]
hookScriptFileId: local:snippets/frigate.sh
idmap: [{containerId: 0, hostId: 100000, size: 65536, type: uid}]
initialization: [{dns: [], entrypoint: "", hostname: frigate, ipConfig: [{ipv4: [{address: dhcp, gateway: ""}], ipv6: []}], userAccount: []}]
ipv4: {eth0: 192.168.4.113, lo: 127.0.0.1}
ipv6: {}
memory: [{dedicated: 4096, swap: 512}]
mountPoint: [{acl: false, backup: false, mountOptions: [], path: /media/frigate, pathInDatastore: /mnt/recordings, quota: false, readOnly: false, replicate: true, shared: false, size: "", volume: /mnt/recordings}]
networkInterface: [{bridge: vmbr0, enabled: true, firewall: true, hostManaged: false, macAddress: "BC:24:11:AA:BB:CC", mtu: 0, name: eth0, rateLimit: 0, vlanId: 0}]
nodeName: fun-bedbug
operatingSystem: [{templateFileId: "", type: debian}]
protection: true
startOnBoot: true
started: true
startup: [{downDelay: -1, order: 2, upDelay: 30}]
tags: [coral, nvr]
template: false
timeoutClone: 1800
timeoutCreate: 1800
timeoutDelete: 60
timeoutStart: 300
timeoutUpdate: 1800
unprivileged: false
vmId: 113
waitForIp: []
`

// A containerWorld is the claim of a container with what exists of it.
type containerWorld struct {
	t         *testing.T
	set       crds.Set
	composite map[string]any
	catalogue map[string]any
	observed  map[string]map[string]any
}

// call the function, and check all that it renders against the provider's CRDs.
func (w *containerWorld) call() map[string]map[string]any {
	w.t.Helper()

	asStruct := func(o map[string]any) *structpb.Struct {
		s, err := structpb.NewStruct(o)
		if err != nil {
			w.t.Fatal(err)
		}

		return s
	}

	req := &fnv1.RunFunctionRequest{
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: asStruct(w.composite)}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{
			"machine-catalog": {Items: []*fnv1.Resource{{Resource: asStruct(w.catalogue)}}}, "vm-id": {}, "vm-id-containers": {},
		},
	}

	for name, o := range w.observed {
		req.Observed.Resources[name] = &fnv1.Resource{Resource: asStruct(o)}
	}

	rsp := compose.Answer(req)
	if rs := rsp.GetResults(); len(rs) > 0 && rs[0].GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
		w.t.Fatal(rs[0].GetMessage())
	}

	w.composite["status"] = rsp.GetDesired().GetComposite().GetResource().AsMap()["status"]

	out := map[string]map[string]any{}

	for name, r := range rsp.GetDesired().GetResources() {
		o := r.GetResource().AsMap()
		out[name] = o

		if o["kind"] == "Usage" || o["kind"] == "ClusterUsage" {
			continue
		}

		named := maps.Clone(o)
		meta := maps.Clone(world.Object(o["metadata"]))
		meta["name"] = "a-" + strings.ToLower(name)
		named["metadata"] = meta

		for _, err := range w.set.Check(named) {
			w.t.Errorf("%s: %v", name, err)
		}
	}

	return out
}

// with the status of a managed resource: Ready and Synced, and what the provider reports.
func with(o map[string]any, atProvider map[string]any) map[string]any {
	out := maps.Clone(o)
	out["status"] = map[string]any{"atProvider": atProvider, "conditions": []any{
		map[string]any{"type": "Ready", "status": "True"}, map[string]any{"type": "Synced", "status": "True"},
	}}

	return out
}

func without(o map[string]any) map[string]any {
	out := maps.Clone(o)
	out["status"] = map[string]any{"conditions": []any{
		map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "observe failed: external resource does not exist"},
	}}

	return out
}

func newContainer(t *testing.T, example string, namespaced bool) *containerWorld {
	t.Helper()

	read := func(name string) map[string]any {
		b, err := os.ReadFile(filepath.Join(fake.Root(t), "example", "container", name))
		if err != nil {
			t.Fatal(err)
		}

		return world.FromYAML(t, string(b))
	}

	set := providerCRDs(t)
	maps.Copy(set, firewallCRDs(t))

	w := &containerWorld{t: t, set: set, composite: read(example), catalogue: read("catalogue.yaml"), observed: map[string]map[string]any{}}
	meta := world.Object(w.composite["metadata"])
	meta["uid"] = "own"

	if !namespaced {
		w.composite["kind"] = "XContainer"
		w.composite["spec"].(map[string]any)["claimRef"] = map[string]any{"name": meta["name"], "namespace": meta["namespace"]}
		delete(meta, "namespace")
	}

	return w
}

// TestContainers: what is rendered of a container is what the provider's CRDs know, at every step of its life, in both flavours that have containers.
func TestContainers(t *testing.T) {
	for name, namespaced := range map[string]bool{"Claims": false, "Namespaced": true} {
		t.Run("New"+name, func(t *testing.T) {
			w := newContainer(t, "dns01.yaml", namespaced)

			for name, o := range w.call() {
				if strings.HasPrefix(name, "vmid-") {
					w.observed[name] = without(o)
				} else {
					w.observed[name] = with(o, map[string]any{})
				}
			}

			created := w.call()["container"]
			if created == nil {
				t.Fatal("no container is created")
			}

			at := maps.Clone(world.Object(world.Object(created["spec"])["forProvider"]))
			at["id"] = "153"
			world.Object(world.Object(created["metadata"])["annotations"])["crossplane.io/external-create-pending"] = "2026-11-20T10:00:00Z"
			w.observed = map[string]map[string]any{"container": with(created, at)}

			living := w.call()["container"]
			if diff := cmp.Diff([]any{"Observe", "Create", "Update", "Delete"}, world.Object(living["spec"])["managementPolicies"]); diff != "" {
				t.Errorf("it is started: -want, +got:\n%s", diff)
			}
		})

		t.Run("Adopted"+name, func(t *testing.T) {
			w := newContainer(t, "frigate.yaml", namespaced)

			for name, o := range w.call() {
				w.observed[name] = with(o, world.FromYAML(t, frigate))
			}

			w.call()

			adoption := world.Object(world.Object(w.composite["status"])["adoption"])
			if diff := cmp.Diff([]any{"spec.tags: coral, nvr to coral, role_nvr"}, adoption["changes"]); diff != "" {
				t.Fatalf("changes: -want, +got:\n%s", diff)
			}

			w.composite["spec"].(map[string]any)["adopt"].(map[string]any)["approve"] = adoption["plan"]

			adopted := w.call()["container"]
			if adopted == nil {
				t.Fatal("it is not adopted")
			}

			// All of the report is written again, but for what the provider finds out by itself.
			want := world.FromYAML(t, `
console: [{enabled: true, ttyCount: 0, type: shell}]
cpu: [{architecture: amd64, cores: 4, limit: 0, units: 200}]
description: "# Frigate $${x}\n"
devicePassthrough: [{denyWrite: false, gid: 0, mode: "0666", path: /dev/bus/usb/002/003, uid: 0}]
disk: [{acl: false, datastoreId: local-lvm, quota: false, replicate: false, size: 20}]
environmentVariables: {timeoutHere: "1"}
features: [{fuse: true, keyctl: true, mknod: false, nesting: true}]
hookScriptFileId: local:snippets/frigate.sh
idmap: [{containerId: 0, hostId: 100000, size: 65536, type: uid}]
initialization: [{hostname: frigate, ipConfig: [{ipv4: [{address: dhcp}]}]}]
memory: [{dedicated: 4096, swap: 512}]
mountPoint: [{acl: false, backup: false, path: /media/frigate, quota: false, readOnly: false, replicate: true, shared: false, volume: /mnt/recordings}]
networkInterface: [{bridge: vmbr0, enabled: true, firewall: true, hostManaged: false, macAddress: "BC:24:11:AA:BB:CC", name: eth0, rateLimit: 0}]
nodeName: fun-bedbug
operatingSystem: [{templateFileId: "local:vztmpl/the-container-was-adopted.tar.zst", type: debian}]
protection: true
startOnBoot: true
started: true
startup: [{downDelay: -1, order: 2, upDelay: 30}]
tags: [coral, nvr]
template: false
unprivileged: false
vmId: 113
`)
			if diff := cmp.Diff(want, world.Object(world.Object(adopted["spec"])["forProvider"])); diff != "" {
				t.Errorf("adopted: -want, +got:\n%s", diff)
			}

			w.observed = map[string]map[string]any{"container": with(adopted, world.FromYAML(t, strings.Replace(frigate, `templateFileId: ""`,
				`templateFileId: "local:vztmpl/the-container-was-adopted.tar.zst"`, 1)))}

			followed := w.call()["container"]
			want["tags"] = []any{"coral", "role_nvr"}

			if diff := cmp.Diff(want, world.Object(world.Object(followed["spec"])["forProvider"])); diff != "" {
				t.Errorf("followed: -want, +got:\n%s", diff)
			}
		})
	}
}
