package provider

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/homelab-io/function-proxmox-machine/internal/privilege"
)

// Paths of access control of a token of a pool.
const (
	toPool    = "/pool/infra"
	toVMs     = "/vms"
	toDisks   = "/storage/local-lvm"
	toFiles   = "/storage/local"
	toNetwork = "/sdn/zones/localnetwork/vmbr0/30"
)

// ofPool are the privileges that docs/tenancy.md grants a token of a pool: those of VMs there are on the pool.
func ofPool() Grants {
	always := func(u privilege.Use) bool { return u == privilege.UseAlways }

	return Grants{
		toPool:    append(privilege.At(privilege.PlaceVMs, 9, always), "Pool.Audit"),
		toVMs:     {"VM.Audit"},
		toDisks:   {"Datastore.AllocateSpace", "Datastore.Audit"},
		toFiles:   {"Datastore.Allocate", "Datastore.Audit"},
		toNetwork: {"SDN.Use"},
	}
}

func (l *lab) serveACLs(t *testing.T, g Grants) *ACLs {
	t.Helper()

	a, err := l.ServeACLs(g)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})

	return a
}

// live through the life of a VM: created, edited, restarted, grown, destroyed.
func (l *lab) live(t *testing.T) {
	t.Helper()

	c := l.machine(t, "app01", aMachine)
	edit(t, c, `{deletionPolicy: Delete, deletionProtection: false, network: {vlan: 30}, proxmox: {pool: infra}}`)
	l.settle(t, c)
	want(t, c, "MachineReady", "True", "Running")

	for _, patch := range []string{`{tags: [core]}`, `{size: {memory: 8Gi}, lifecycle: {reboot: now}}`, `{size: {disk: 40Gi}}`} {
		edit(t, c, patch)
		l.settleHealing(t, c)
		want(t, c, "MachineReady", "True", "Running")
	}

	if err := c.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}

	if _, still := l.state(t).VMs["160"]; still {
		t.Error("the VM is still there")
	}
}

// TestTokenOfAPool: a token whose privileges are on a pool has all that a VM's life there takes, with the real plugin. Each privilege is needed, and the token
// changes nothing outside of its pool, its datastores and its VLAN.
func TestTokenOfAPool(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	a := l.serveACLs(t, ofPool())
	l.live(t)

	requests, refused := a.Requests()
	if len(refused) > 0 {
		t.Fatalf("want nothing to be refused, got:\n%s", strings.Join(refused, "\n"))
	}

	got := map[string]string{}

	for path, names := range ofPool() {
		for _, name := range names {
			got[name+" on "+path] = firstRefused(ofPool().Without(path, name), requests)
		}
	}

	const (
		create = "POST /nodes/pve/qemu"
		list   = "GET /nodes/pve/storage/local/content"
	)

	if diff := cmp.Diff(map[string]string{
		"VM.Allocate on " + toPool:              create,
		"VM.Audit on " + toPool:                 "", // Beside that on all VMs.
		"VM.Config.CDROM on " + toPool:          "", // Of an edit that writes the cloud-init drive anew, which this life has not.
		"VM.Config.CPU on " + toPool:            create,
		"VM.Config.Cloudinit on " + toPool:      create,
		"VM.Config.Disk on " + toPool:           create,
		"VM.Config.HWType on " + toPool:         create,
		"VM.Config.Memory on " + toPool:         create,
		"VM.Config.Network on " + toPool:        create,
		"VM.Config.Options on " + toPool:        create,
		"VM.GuestAgent.Audit on " + toPool:      "GET /nodes/pve/qemu/160/agent/network-get-interfaces",
		"VM.PowerMgmt on " + toPool:             "POST /nodes/pve/qemu/160/status/start",
		"Pool.Audit on " + toPool:               "GET /pools",
		"VM.Audit on " + toVMs:                  "GET /nodes/pve/qemu/160/status/current",
		"Datastore.AllocateSpace on " + toDisks: create,
		"Datastore.Audit on " + toDisks:         "GET /nodes/pve/storage/local-lvm/content/local-lvm:vm-160-disk-0",
		"Datastore.Allocate on " + toFiles:      list,
		"Datastore.Audit on " + toFiles:         list,
		"SDN.Use on " + toNetwork:               create,
	}, got); diff != "" {
		t.Errorf("what is refused without each privilege: -want, +got:\n%s", diff)
	}

	elsewhere(t, requests)
}

// elsewhere holds that a token of a pool may write nothing of another VM, and makes none elsewhere.
func elsewhere(t *testing.T, requests []Request) {
	t.Helper()

	a := Access{Grants: ofPool(), pools: map[int]string{}}

	for _, r := range requests {
		other := r
		other.Path = strings.NewReplacer("/qemu/160", "/qemu/170", "vm-160-", "vm-170-").Replace(r.Path)

		if r.Method != http.MethodGet && other.Path != r.Path && a.Refuses(other) == "" {
			t.Errorf("%s %s of another VM is not refused", other.Method, other.Path)
		}

		if r.Method != http.MethodPost || !createPath.MatchString(r.Path) {
			continue
		}

		for what, change := range map[string]func(url.Values){
			"no pool":           func(v url.Values) { v.Del("pool") },
			"another pool":      func(v url.Values) { v.Set("pool", "other") },
			"another VLAN":      func(v url.Values) { v.Set("net0", strings.ReplaceAll(v.Get("net0"), "tag=30", "tag=31")) },
			"no VLAN":           func(v url.Values) { v.Set("net0", strings.ReplaceAll(v.Get("net0"), ",tag=30", "")) },
			"another bridge":    func(v url.Values) { v.Set("net0", strings.ReplaceAll(v.Get("net0"), "vmbr0", "vmbr1")) },
			"another datastore": func(v url.Values) { v.Set("scsi0", strings.ReplaceAll(v.Get("scsi0"), "local-lvm", "tank")) },
			"another image":     func(v url.Values) { v.Set("scsi0", strings.ReplaceAll(v.Get("scsi0"), "=local:", "=vault:")) },
		} {
			other := r
			other.Params = maps.Clone(r.Params)
			change(other.Params)

			if a.Refuses(other) == "" {
				t.Errorf("a VM with %s is not refused: %v", what, other.Params)
			}
		}
	}

	move := Request{Method: http.MethodPut, Path: "/pools", Params: map[string][]string{"poolid": {"other"}, "vms": {"160"}}}
	if a.Refuses(move) == "" {
		t.Error("a move to another pool is not refused")
	}
}

// firstRefused is the first of some requests that a token with privileges is refused; empty where there is none.
func firstRefused(g Grants, requests []Request) string {
	a := Access{Grants: g, pools: map[int]string{}}

	for _, r := range requests {
		if a.Refuses(r) != "" {
			return r.Method + " " + r.Path
		}

		a.done(r)
	}

	return ""
}

// TestTokenSeesVMIDs: with VM.Audit on all VMs, a VMID of a VM outside of the pool is known to be in use before anything is written, and a range of
// VMIDs goes on to the next one. Without it the VMID looks free; the plugin then takes the VM for the one that it made, and is refused what it writes to
// it. The other VM is left alone, also when the claim goes.
func TestTokenSeesVMIDs(t *testing.T) {
	t.Parallel()

	blind := ofPool()
	delete(blind, toVMs)

	for name, tc := range map[string]struct {
		grants         Grants
		place          string
		inUse, because string
		refused        string // What is refused last; empty where nothing has to be.
		made           string // The VMID that the claim gets; empty for none.
	}{
		"Sees":   {grants: ofPool(), place: "vmId: 160", inUse: "True", because: "NumberTaken"},
		"Ranged": {grants: ofPool(), place: "site: ranged, vmId: null", inUse: "False", because: "NumberFree", made: "161"},
		"Blind":  {grants: blind, place: "vmId: 160", inUse: "False", because: "NumberFree", refused: "PUT /nodes/pve/qemu/160/resize: Permission check failed (/vms/160, VM.Config.Disk)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			l := newLab(t)
			l.foreign(t, 160, "pve", nil)
			before := l.vm(t, 160)

			a := l.serveACLs(t, tc.grants)
			c := l.machine(t, "app01", aMachine)
			edit(t, c, `{deletionPolicy: Delete, deletionProtection: false, network: {vlan: 30}, proxmox: {pool: infra, `+tc.place+`}}`)

			if _, err := c.Settle(t.Context()); (err != nil) != (tc.refused != "") {
				t.Errorf("want an error: %t, got %v", tc.refused != "", err)
			}

			want(t, c, "VMIDInUse", tc.inUse, tc.because)

			if _, made := l.state(t).VMs[tc.made]; made != (tc.made != "") {
				t.Errorf("VM %q: made: %t", tc.made, made)
			}

			err := c.Delete(t.Context())
			_, refused := a.Requests()

			if tc.refused == "" {
				if err != nil {
					t.Error(err)
				}
			} else if got := refused[len(refused)-1]; got != tc.refused {
				t.Errorf("want %q to be refused last, got:\n%s", tc.refused, strings.Join(refused, "\n"))
			}

			if diff := cmp.Diff(before, l.vm(t, 160)); diff != "" {
				t.Errorf("the other VM: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestTokenKeepsThePool: an edit that moves a VM to another pool is refused, and the VM runs on in its own; the way back is free. With Pool.Allocate on its pool the
// token takes the VM out first, and has no privilege on it any more: so the commands do not grant it. The VM runs on until somebody puts it back.
func TestTokenKeepsThePool(t *testing.T) {
	t.Parallel()

	more := ofPool()
	more[toPool] = append(more[toPool], "Pool.Allocate")

	for name, tc := range map[string]struct {
		grants  Grants
		refused string
		stuck   bool
	}{
		"Least": {grants: ofPool(), refused: "(/pool/infra, Pool.Allocate)"},
		"More":  {grants: more, refused: "(/pool/other, Pool.Allocate)", stuck: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			l := newLab(t)
			a := l.serveACLs(t, tc.grants)
			c := l.machine(t, "app01", aMachine)
			edit(t, c, `{network: {vlan: 30}, proxmox: {pool: infra}}`)
			l.settle(t, c)

			edit(t, c, `{proxmox: {pool: other}}`)

			if _, err := c.Settle(t.Context()); err == nil || !strings.Contains(err.Error(), "Permission check failed "+tc.refused) {
				t.Errorf("want %s to be refused, got %v", tc.refused, err)
			}

			edit(t, c, `{proxmox: {pool: infra}, tags: [core]}`)

			if _, err := c.Settle(t.Context()); (err != nil) != tc.stuck {
				t.Errorf("the way back: stuck: want %t, got %v", tc.stuck, err)
			}

			if vm := l.vm(t, 160); vm.Status != "running" {
				t.Errorf("want the VM to run on, got %+v", vm)
			}

			a.Put(160, "infra")
			l.settle(t, c)
			want(t, c, "MachineReady", "True", "Running")
		})
	}
}

// TestTokenCostsNoRequests: a token of a pool makes the requests that one makes which may do everything.
func TestTokenCostsNoRequests(t *testing.T) {
	t.Parallel()

	counted := func(g Grants) map[string]int {
		l := newLab(t)
		a := l.serveACLs(t, g)
		l.live(t)

		out := map[string]int{}

		requests, _ := a.Requests()
		for _, r := range requests {
			// How often a task is asked for depends on how long it takes.
			if !strings.Contains(r.Path, "/tasks/") {
				out[r.Method+" "+r.Path]++
			}
		}

		return out
	}

	everything := Grants{"/": slices.Concat(slices.Collect(maps.Values(ofPool()))...)}

	if diff := cmp.Diff(counted(everything), counted(ofPool())); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
