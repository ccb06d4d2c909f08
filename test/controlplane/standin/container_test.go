package standin

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

const aTemplate = "local:vztmpl/debian.tar.zst"

// askedContainer is a container as it is asked for, with some other fields; nil takes one out.
func askedContainer(other values) values {
	out := values{
		"nodeName": "pve", "vmId": int64(150), "started": true, "unprivileged": true, "tags": []any{"b", "a"}, "description": "ours",
		"operatingSystem":  []any{map[string]any{"templateFileId": aTemplate, "type": "debian"}},
		"cpu":              []any{map[string]any{"cores": int64(1)}},
		"memory":           []any{map[string]any{"dedicated": int64(512), "swap": int64(0)}},
		"disk":             []any{map[string]any{"datastoreId": "local-lvm", "size": int64(4), "replicate": true}},
		"mountPoint":       []any{map[string]any{"path": "/data", "volume": "tank", "size": "2G", "backup": true}},
		"networkInterface": []any{map[string]any{"name": "eth0", "bridge": "vmbr0"}},
		"initialization": []any{map[string]any{
			"hostname": "a", "ipConfig": []any{map[string]any{"ipv4": []any{map[string]any{"address": "192.168.4.50/24"}}}},
			"userAccount": []any{map[string]any{"keys": []any{"ssh-ed25519 AAAA"}}},
		}},
	}
	maps.Copy(out, other)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })

	return out
}

// withTemplate is a world whose node pve has a template.
func withTemplate() *World {
	w := NewWorld("pve", "pve2")
	w.AddVolume(Volume{Node: "pve", ID: aTemplate})

	return w
}

func TestMakeContainer(t *testing.T) {
	cases := map[string]struct {
		reason  string
		fields  values
		hand    func(w *World)
		err     string // Part of the message; empty if there is none.
		ended   bool
		journal []string
	}{
		"Free": {
			reason: "A container is created from its template, and started.", fields: askedContainer(nil),
			journal: []string{"create container 150 on pve", "start container 150"},
		},
		"Stopped": {
			reason: "A container that is to be off is not started.", fields: askedContainer(values{"started": false}),
			journal: []string{"create container 150 on pve"},
		},
		"NoTemplate": {
			reason: "The template has to be on the node.", fields: askedContainer(values{"nodeName": "pve2"}),
			err: "unable to create CT 150 - volume 'local:vztmpl/debian.tar.zst' does not exist",
		},
		"NoNode": {reason: "Proxmox does not know every name.", fields: askedContainer(values{"nodeName": "pve9"}), err: "hostname lookup 'pve9' failed"},
		"TakenHere": {
			reason: "A container that has the VMID is taken over, and not written to.", fields: askedContainer(values{"started": false}),
			hand: func(w *World) { w.AddContainer(Container{ID: 150, Node: "pve", Config: values{}}) }, journal: []string{"take over container 150"},
		},
		"TakenElsewhere": {
			reason: "One on another node is waited for.", fields: askedContainer(nil), ended: true,
			hand: func(w *World) { w.AddContainer(Container{ID: 150, Node: "pve2", Config: values{}}) },
			err:  "timeout while waiting for container 150 configuration to become unlocked",
		},
		"TakenByVM": {
			reason: "So it is where a VM has the VMID.", fields: askedContainer(nil), ended: true,
			hand: func(w *World) { w.AddVM(VM{ID: 150, Node: "pve", Config: values{}}) },
			err:  "timeout while waiting for container 150 configuration to become unlocked",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := withTemplate()
			if tc.hand != nil {
				tc.hand(w)
			}

			r := request{world: w, uid: "uid", fields: tc.fields}

			var err error
			if r.id, err = (containers{}).begin(r); err == nil {
				err = containers{}.finish(r)
			}

			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) || isEnded(err) != tc.ended {
				t.Errorf("%s\nerror: got %v, want %q, ended %t", tc.reason, err, tc.err, tc.ended)
			}

			if diff := cmp.Diff(tc.journal, w.Journal()); diff != "" {
				t.Errorf("%s\njournal: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestVMOfContainer has a VM asked for with the VMID of a container.
func TestVMOfContainer(t *testing.T) {
	w := withTemplate()
	w.AddContainer(Container{ID: 100, Node: "pve", Config: values{}})

	_, err := vms{}.begin(request{world: w, fields: asked(nil)})
	if err == nil || !strings.Contains(err.Error(), "Configuration file 'nodes/pve/qemu-server/100.conf' does not exist") {
		t.Errorf("got %v", err)
	}

	if got := w.free(); got != 101 {
		t.Errorf("the lowest free VMID is %d, want 101", got)
	}
}

func TestChangeContainer(t *testing.T) {
	cases := map[string]struct {
		reason   string
		edit     func(c *Container) // By hand.
		fields   values
		current  bool
		replaced string
		journal  string
	}{
		"Same": {reason: "A container as asked for is left alone.", fields: askedContainer(nil), current: true},
		"AsRead": {
			reason: "Asked for as it was read, it is left alone, too.", current: true, fields: askedContainer(values{
				"tags": []any{"a", "b"}, "description": "ours\n", "cpu": []any{map[string]any{"architecture": "amd64", "cores": int64(1), "limit": int64(0)}},
				"mountPoint": []any{map[string]any{"path": "/data", "volume": "tank:vm-150-disk-1", "size": "2G", "backup": true}},
			}),
		},
		"Tags":   {reason: "Tags need no restart.", fields: askedContainer(values{"tags": []any{"c"}}), journal: "change container 150: tags"},
		"Memory": {reason: "Memory needs one.", fields: askedContainer(values{"memory": []any{map[string]any{"dedicated": int64(1024)}}}), journal: "change container 150: memory, restart container 150"},
		"MemoryStop": {
			reason: "A container that is to stop is not restarted.", journal: "change container 150: memory, stop container 150",
			fields: askedContainer(values{"started": false, "memory": []any{map[string]any{"dedicated": int64(1024)}}}),
		},
		"Drift": {
			reason: "What somebody changed is undone with a restart.", fields: askedContainer(nil), journal: "change container 150: memory, restart container 150",
			edit: func(c *Container) { block(c.Config["memory"])["dedicated"] = int64(4096) },
		},
		"Device": {
			reason: "A device that nobody asks for is taken away.", fields: askedContainer(nil), journal: "change container 150: devicePassthrough, restart container 150",
			edit: func(c *Container) { c.Config["devicePassthrough"] = []any{map[string]any{"path": "/dev/dri"}} },
		},
		"Folder": {
			reason: "A folder of the node stays where it is.", journal: "change container 150: tags",
			fields: askedContainer(values{"tags": []any{"c"}, "mountPoint": []any{map[string]any{"path": "/media", "volume": "/mnt/media"}}}),
			edit: func(c *Container) {
				c.Config["mountPoint"] = []any{map[string]any{
					"acl": false, "backup": false, "path": "/media", "pathInDatastore": "/mnt/media", "quota": false, "readOnly": false, "replicate": true,
					"shared": false, "size": "", "volume": "/mnt/media",
				}}
			},
		},
		"Off":     {reason: "A container that somebody stopped is started.", fields: askedContainer(nil), edit: func(c *Container) { c.Started = false }, journal: "start container 150"},
		"Grow":    {reason: "The root file system grows.", fields: askedContainer(values{"disk": []any{map[string]any{"datastoreId": "local-lvm", "size": int64(5), "replicate": true}}}), journal: "change container 150: disk"},
		"Shrink":  {reason: "It does not shrink.", fields: askedContainer(values{"disk": []any{map[string]any{"datastoreId": "local-lvm", "size": int64(3), "replicate": true}}}), replaced: "disk"},
		"Storage": {reason: "Nor does it move.", fields: askedContainer(values{"disk": []any{map[string]any{"datastoreId": "tank", "size": int64(4), "replicate": true}}}), replaced: "disk"},
		"VMID":    {reason: "A VMID is for ever.", fields: askedContainer(values{"vmId": int64(151)}), current: true, replaced: "vm_id"},
		"Volumes": {reason: "Mount points are for ever.", fields: askedContainer(values{"mountPoint": nil}), replaced: "mount_point"},
		"Resize":  {reason: "So are their sizes.", fields: askedContainer(values{"mountPoint": []any{map[string]any{"path": "/data", "volume": "tank", "size": "3G", "backup": true}}}), replaced: "mount_point"},
		"Template": {
			reason: "The template is remembered, though nobody reads it.", current: true, replaced: "operating_system.0.template_file_id",
			fields: askedContainer(values{"operatingSystem": []any{map[string]any{"templateFileId": "local:vztmpl/other.tar.zst", "type": "debian"}}}),
		},
		"Pool":       {reason: "So is the pool.", fields: askedContainer(values{"poolId": "infra"}), current: true, replaced: "pool_id"},
		"Privileged": {reason: "A container keeps its kind.", fields: askedContainer(values{"unprivileged": false}), replaced: "unprivileged"},
		"Moved":      {reason: "A container on another node is gone.", fields: askedContainer(nil), edit: func(c *Container) { c.Node = "pve2" }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := withTemplate()
			made := request{world: w, uid: "uid", fields: askedContainer(nil)}
			made.id, _ = containers{}.begin(made)
			_ = containers{}.finish(made)
			containers{}.look(made)

			before := len(w.Journal())

			if tc.edit != nil {
				tc.edit(w.containers[150])
			}

			r := request{world: w, uid: "uid", id: "150", fields: tc.fields}

			if got := (containers{}).current(r); got != tc.current {
				t.Errorf("%s\ncurrent(): got %t", tc.reason, got)
			}

			if got := (containers{}).replaced(r); got != tc.replaced {
				t.Errorf("%s\nreplaced(): got %q, want %q", tc.reason, got, tc.replaced)
			}

			if tc.replaced != "" {
				return
			}

			if err := (containers{}).change(r); err != nil {
				t.Fatal(err)
			}

			if got := strings.Join(w.Journal()[before:], ", "); got != tc.journal {
				t.Errorf("%s\njournal: got %q, want %q", tc.reason, got, tc.journal)
			}

			if tc.journal != "" && !(containers{}).current(r) {
				t.Errorf("%s\nis not as asked for after the change", tc.reason)
			}
		})
	}
}

// TestLookAtContainer has the provider look at a container that it may not write.
func TestLookAtContainer(t *testing.T) {
	cases := map[string]struct {
		reason, external string
		on               string // Node of the container; empty if there is none.
		want             []string
		id               string
	}{
		"Free": {
			reason: "A VMID that is free is none of a container.", external: "pve/150",
			want: []string{"Synced=False ReconcileError: observe failed: external resource does not exist", "Ready="},
		},
		"Here": {reason: "A container is found on its node.", external: "pve/150", on: "pve", want: []string{ready, synced}, id: "150"},
		"Elsewhere": {
			reason: "On another node it is not.", external: "pve/150", on: "pve2",
			want: []string{"Synced=False ReconcileError: observe failed: external resource does not exist", "Ready="},
		},
		"BareID": {
			reason: "Import wants a node.", external: "150", on: "pve",
			want: []string{"Synced=False ReconcileError: Error: unexpected format of ID (), expected node/id: import failed"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := withTemplate()
			if tc.on != "" {
				w.AddContainer(Container{ID: 150, Node: tc.on, Started: true, Config: values{
					"operatingSystem": []any{map[string]any{"type": "debian"}}, "networkInterface": []any{map[string]any{"name": "eth0"}},
				}})
			}

			b := newBench(t, w)
			ct := b.create("ct", tc.external, values{"nodeName": "pve", "vmId": int64(150), "unprivileged": false}, observed)
			b.settle(ct)
			b.shows(ct, tc.reason, tc.want...)
			b.told("Nothing is written.")

			seen := ct.(*clusterScoped[ctKind]).Status.AtProvider
			if text(seen["id"]) != tc.id {
				t.Errorf("%s\nstatus: got container %v, want %q", tc.reason, seen["id"], tc.id)
			}

			if seen["vmId"] != nil {
				t.Errorf("%s\nan import does not know vmId, and has %v", tc.reason, seen["vmId"])
			}
		})
	}
}

// TestContainerLife has a container created, changed as its policies allow, and deleted.
func TestContainerLife(t *testing.T) {
	policies := func(more ...xpv2.ManagementAction) []xpv2.ManagementAction {
		return append([]xpv2.ManagementAction{observed, xpv2.ManagementActionCreate}, more...)
	}

	b := newBench(t, withTemplate())
	ct := b.create("ct", "150", askedContainer(nil), policies(xpv2.ManagementActionDelete)...)
	b.settle(ct)
	b.shows(ct, "A container is created.", ready, synced)
	b.told("Once.", "create container 150 on pve", "start container 150")

	seen := ct.(*clusterScoped[ctKind]).Status.AtProvider
	if got := text(object(seen["ipv4"])["eth0"]); got != "192.168.4.50" {
		t.Errorf("address: got %q", got)
	}

	if got := text(block(seen["operatingSystem"])["templateFileId"]); got != aTemplate {
		t.Errorf("template: got %q", got)
	}

	other := askedContainer(values{"tags": []any{"c"}})

	b.edit(ct, func() { ct.(*clusterScoped[ctKind]).Spec.ForProvider = other })
	b.settle(ct)
	b.told("Without Update nothing is changed.")
	b.edit(ct, func() { ct.SetManagementPolicies(policies(xpv2.ManagementActionDelete, xpv2.ManagementActionUpdate)) })
	b.settle(ct)
	b.told("With it, it is.", "change container 150: tags")

	b.edit(ct, func() {
		ct.(*clusterScoped[ctKind]).Spec.ForProvider = askedContainer(values{"unprivileged": false})
	})
	b.settle(ct)
	b.shows(ct, "What would destroy it is refused.", "Synced=False ReconcileError: Instance cannot be destroyed")
	b.told("It is refused.")

	if err := b.client.Delete(t.Context(), ct); err != nil {
		t.Fatal(err)
	}

	b.settle(ct)
	b.told("It goes with its managed resource.", "stop container 150", "destroy container 150")
}
