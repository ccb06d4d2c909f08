package provider

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// aContainer is the claim of a container with most of what a claim can say.
const aContainer = `{image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", class: micro, size: {swap: 512, disk: 8}, role: dns, tags: [core], ` +
	`network: {ip: 192.168.4.50/24, firewall: true, vlan: 20}, disks: [{path: /srv/data, size: 10, storage: local-lvm}, {path: /srv/cache, size: 2, backup: false}], ` +
	`features: {nesting: true}, notes: "the ${x} of all", startup: {order: 3}, proxmox: {node: pve, vmId: 150}}`

// withContainers is a lab whose nodes have containers, and a template.
func withContainers(t *testing.T) (*lab, *Containers) {
	t.Helper()

	l := newLab(t)

	if err := l.Simulator.AddVolume(t.Context(), fileVolume("local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst")); err != nil {
		t.Fatal(err)
	}

	c, err := l.ServeContainers()
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})

	return l, c
}

// container is a control of a Container.
func (l *lab) container(t *testing.T, name, spec string) *Control {
	t.Helper()

	c := l.machine(t, name, spec)
	c.Composite.SetKind("XContainer")

	in, err := Input(repository, APIClaims, "XContainer")
	if err != nil {
		t.Fatal(err)
	}

	c.Input = in
	if err := unstructured.SetNestedField(c.Composite.Object, "Container", "spec", "claimRef", "kind"); err != nil {
		t.Fatal(err)
	}

	return c
}

// still says that nothing writes to a container: neither a poll nor a restart of the provider.
func (l *lab) still(t *testing.T, c *Control, lxc *Containers) {
	t.Helper()

	lxc.Writes()

	for range 2 {
		l.poll(t, c)
		l.settle(t, c)
	}

	c.Forgetful = true
	l.poll(t, c)
	l.settle(t, c)
	c.Forgetful = false

	if w := lxc.Writes(); w != "" {
		t.Errorf("want nothing to be written at rest, got:\n%s", w)
	}
}

// TestContainer follows a container from its creation through every edit to its end, with the real plugin.
func TestContainer(t *testing.T) {
	t.Parallel()

	l, lxc := withContainers(t)
	c := l.container(t, "dns01", aContainer)
	c.Hasty = true
	l.settle(t, c)

	has := lxc.Get(150)
	if has == nil || !has.Running || has.Starts != 1 || has.Stops != 0 {
		t.Fatalf("want a container that was started once, got %+v", has)
	}

	want(t, c, "MachineReady", "True", "Running")

	for k, v := range map[string]string{
		"hostname": "dns01", "memory": "1024", "swap": "512", "cores": "1", "features": "nesting=1", "unprivileged": "1", "onboot": "1",
		"tags": "core;role_dns", "nameserver": "192.168.4.1", "searchdomain": "home.arpa", "startup": "order=3",
	} {
		if has.Config[k] != v {
			t.Errorf("%s: want %q, got %q", k, v, has.Config[k])
		}
	}

	if got := has.Config["description"]; !strings.Contains(got, "the ${x} of all") {
		t.Errorf("description: %q", got)
	}

	l.still(t, c, lxc)

	before := lxc.Get(150)

	// Each edit, what it writes at once, and whether it waits.
	for name, e := range map[string]struct{ edit, back, writes, waits string }{
		"Tags":    {`{tags: [core, new]}`, `{tags: [core]}`, "tags=core%3Bnew%3Brole_dns", ""},
		"Notes":   {`{notes: other}`, `{notes: "the ${x} of all"}`, "description=other", ""},
		"OnBoot":  {`{onBoot: false}`, `{onBoot: null}`, "onboot=0", ""},
		"Startup": {`{startup: null}`, `{startup: {order: 3}}`, "delete=startup", ""},
		"Cores":   {`{size: {cores: 3}}`, `{size: {cores: null}}`, "cores=3", ""},
		"Memory":  {`{size: {memory: 2Gi}}`, `{size: {memory: null}}`, "", "spec.size.memory"},
		"Swap":    {`{size: {swap: 0}}`, `{size: {swap: 512}}`, "", "spec.size.swap"},
		"Host":    {`{hostname: other}`, `{hostname: null}`, "", "spec.hostname"},
		"Nesting": {`{features: null}`, `{features: {nesting: true}}`, "", "spec.features.nesting"},
		"VLAN":    {`{network: {vlan: null}}`, `{network: {vlan: 20}}`, "", "spec.network.vlan"},
		"Address": {`{network: {ip: 192.168.4.51/24}}`, `{network: {ip: 192.168.4.50/24}}`, "", "spec.network.ip"},
	} {
		edit(t, c, e.edit)
		l.settle(t, c)

		w := lxc.Writes()
		if strings.Contains(w, "/status/") || e.writes == "" && w != "" || !strings.Contains(w, e.writes) {
			t.Errorf("%s: want %q and no restart, got:\n%s", name, e.writes, w)
		}

		if e.waits != "" {
			want(t, c, "RebootPending", "True", "ChangesPending", e.waits)
		}

		l.still(t, c, lxc)

		edit(t, c, e.back)
		l.settle(t, c)
		want(t, c, "RebootPending", "False", "NothingPending")
		l.still(t, c, lxc)

		if now := lxc.Get(150); now.Stops != 0 || now.Starts != 1 {
			t.Fatalf("%s: the container was restarted: %+v", name, now)
		}
	}

	// The plugin removes a limit of 0, which is none.
	delete(before.Config, "cpulimit")

	if now := lxc.Get(150); !maps.Equal(now.Config, before.Config) {
		t.Errorf("after all edits were taken back: want\n%v, got\n%v", before.Config, now.Config)
	}

	// What no edit may do.
	for name, e := range map[string]struct{ edit, back, field string }{
		"Template":   {`{image: "local:vztmpl/debian-13-standard_13.0-1_amd64.tar.zst"}`, `{image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst"}`, "spec.image"},
		"AddDisk":    {`{disks: [{path: /srv/data, size: 10, storage: local-lvm}, {path: /srv/cache, size: 2, backup: false}, {path: /srv/new, size: 1}]}`, ``, "spec.disks"},
		"RemoveDisk": {`{disks: []}`, ``, "spec.disks"},
		"GrowDisk":   {`{disks: [{path: /srv/data, size: 20, storage: local-lvm}, {path: /srv/cache, size: 2, backup: false}]}`, ``, "spec.disks"},
		"Privileged": {`{unprivileged: false, features: null}`, `{unprivileged: null, features: {nesting: true}}`, "spec.unprivileged"},
		"Node":       {`{proxmox: {node: pve2}}`, `{proxmox: {node: pve}}`, "spec.proxmox.node"},
		"VMID":       {`{proxmox: {vmId: 151}}`, `{proxmox: {vmId: 150}}`, "spec.proxmox.vmId"},
		"Storage":    {`{proxmox: {storage: tank}}`, `{proxmox: {storage: null}}`, "spec.proxmox.storage"},
		"Pool":       {`{proxmox: {pool: infra}}`, `{proxmox: {pool: null}}`, "spec.proxmox.pool"},
		"Shrink":     {`{size: {disk: 4}}`, `{size: {disk: 8}}`, "spec.size.disk"},
		"Keys":       {`{bootstrap: {sshAuthorizedKeys: []}}`, `{bootstrap: null}`, "spec.bootstrap.sshAuthorizedKeys"},
	} {
		edit(t, c, e.edit)
		l.settle(t, c)
		want(t, c, "ReplacementRequired", "True", "ImmutableFieldChanged", e.field)

		if w := lxc.Writes(); w != "" {
			t.Errorf("%s: want nothing to be written, got:\n%s", name, w)
		}

		if e.back == "" {
			e.back = `{disks: [{path: /srv/data, size: 10, storage: local-lvm}, {path: /srv/cache, size: 2, backup: false}]}`
		}

		edit(t, c, e.back)
		l.settle(t, c)
		want(t, c, "ReplacementRequired", "False", "NotRequired")
	}

	l.still(t, c, lxc)

	// A larger root file system grows at once.
	edit(t, c, `{size: {disk: 12}}`)
	l.settle(t, c)

	if w := lxc.Writes(); !strings.Contains(w, "/resize disk=rootfs&size=12G") || strings.Contains(w, "/status/") {
		t.Errorf("want it to grow, got:\n%s", w)
	}

	l.still(t, c, lxc)
}

// TestContainerInterfaces holds that each interface has its own addresses, that a change of one waits for a restart that is asked for, and that an interface
// goes as it came.
func TestContainerInterfaces(t *testing.T) {
	t.Parallel()

	l, lxc := withContainers(t)
	c := l.container(t, "dns01", strings.TrimSuffix(aContainer, "}")+`, nics: [{bridge: vmbr1}, {bridge: vmbr1, vlan: 30, ip: 10.30.0.5/24, mtu: 1400}]}`)
	c.Hasty = true
	l.settle(t, c)

	// check the interfaces, and that the container was started so many times.
	check := func(what string, starts int, nets ...map[string]string) {
		t.Helper()
		l.still(t, c, lxc)

		now := lxc.Get(150)
		if now.Starts != starts || !now.Running {
			t.Fatalf("%s: want %d starts, got %+v", what, starts, now)
		}

		for i, want := range nets {
			key := fmt.Sprintf("net%d", i)

			for name, v := range want {
				if got := option(now.Config[key], name); got != v {
					t.Errorf("%s: %s of %s: want %q, got %q", what, name, now.Config[key], v, got)
				}
			}
		}

		if next := fmt.Sprintf("net%d", len(nets)); now.Config[next] != "" {
			t.Errorf("%s: want no %s, got %s", what, next, now.Config[next])
		}
	}

	first := map[string]string{"name": "eth0", "bridge": "vmbr0", "tag": "20", "ip": "192.168.4.50/24", "gw": "192.168.4.1", "hwaddr": "BC:24:11:00:00:96", "firewall": "1"}
	bare := map[string]string{"name": "eth1", "bridge": "vmbr1", "tag": "", "ip": "manual", "gw": "", "hwaddr": "BC:24:11:01:00:96"}
	third := map[string]string{"name": "eth2", "bridge": "vmbr1", "tag": "30", "ip": "10.30.0.5/24", "gw": "", "mtu": "1400", "hwaddr": "BC:24:11:02:00:96"}
	check("new", 1, first, bare, third)

	// An edit waits, and what does not wait writes nothing of the interfaces.
	edit(t, c, `{nics: [{bridge: vmbr1}, {bridge: vmbr1, vlan: 31, ip: 10.31.0.5/24, mtu: 1400}], tags: [core, new]}`)
	l.settle(t, c)

	if w := lxc.Writes(); strings.Contains(w, "net") || strings.Contains(w, "/status/") {
		t.Errorf("want the tags and nothing else, got:\n%s", w)
	}

	want(t, c, "RebootPending", "True", "ChangesPending", "spec.nics")
	check("waiting", 1, first, bare, third)

	edit(t, c, `{lifecycle: {reboot: a}}`)
	l.settle(t, c)

	third["tag"], third["ip"] = "31", "10.31.0.5/24"
	check("restarted", 2, first, bare, third)
	want(t, c, "RebootPending", "False", "NothingPending")

	// The first one changes beside them.
	edit(t, c, `{network: {ip: 192.168.4.51/24}, lifecycle: {reboot: b}}`)
	l.settle(t, c)

	first["ip"] = "192.168.4.51/24"
	check("first", 3, first, bare, third)

	edit(t, c, `{nics: [{bridge: vmbr1, ip: 10.30.0.6/24}], lifecycle: {reboot: c}}`)
	l.settle(t, c)

	bare["ip"] = "10.30.0.6/24"
	check("one fewer", 4, first, bare)

	edit(t, c, `{nics: null, lifecycle: {reboot: d}}`)
	l.settle(t, c)
	check("none", 5, first)

	// What somebody adds in Proxmox stays.
	lxc.Touch(150, func(l *LXC) { l.Config["net1"] = "name=lan0,bridge=vmbr1,hwaddr=BC:24:11:AA:BB:CD,type=veth" })
	l.poll(t, c)
	l.settle(t, c)
	edit(t, c, `{network: {vlan: 40}}`)
	l.settle(t, c)
	want(t, c, "ReplacementRequired", "True", "ImmutableFieldChanged", "spec.network.vlan")
	check("by hand", 5, first, map[string]string{"name": "lan0", "bridge": "vmbr1"})
}

// TestContainerPower holds that a container is restarted once where somebody asks for it, with all that waits, and never elsewhere.
func TestContainerPower(t *testing.T) {
	t.Parallel()

	l, lxc := withContainers(t)
	c := l.container(t, "dns01", aContainer)
	c.Hasty = true
	l.settle(t, c)
	lxc.Writes()

	edit(t, c, `{size: {memory: 2Gi}, hostname: other, network: {vlan: 30}}`)
	l.settle(t, c)
	l.still(t, c, lxc)

	edit(t, c, `{lifecycle: {reboot: a}}`)
	l.settle(t, c)

	now := lxc.Get(150)
	if now.Stops != 1 || now.Starts != 2 || !now.Running || now.Config["memory"] != "2048" || now.Config["hostname"] != "other" || option(now.Config["net0"], "tag") != "30" {
		t.Fatalf("want one restart with all changes, got %+v", now)
	}

	want(t, c, "RebootPending", "False", "NothingPending")
	l.still(t, c, lxc)

	// Who changes something in Proxmox is neither undone with a restart, nor restarted.
	lxc.Touch(150, func(l *LXC) { l.Config["memory"] = "4096" })
	l.poll(t, c)
	l.settle(t, c)
	want(t, c, "RebootPending", "True", "ChangesPending", "4 GiB to 2 GiB")
	l.still(t, c, lxc)

	// WhenNeeded restarts at once, and once.
	edit(t, c, `{lifecycle: {rebootPolicy: WhenNeeded}}`)
	l.settle(t, c)

	if now = lxc.Get(150); now.Stops != 2 || now.Starts != 3 || now.Config["memory"] != "2048" {
		t.Fatalf("want one more restart, got %+v", now)
	}

	l.still(t, c, lxc)

	// A container that is stopped takes all changes, and is not started by them.
	edit(t, c, `{power: Stopped}`)
	l.settle(t, c)
	edit(t, c, `{size: {memory: 1Gi}}`)
	l.settle(t, c)

	if now = lxc.Get(150); now.Stops != 3 || now.Starts != 3 || now.Running || now.Config["memory"] != "1024" {
		t.Fatalf("want it stopped, with the change, got %+v", now)
	}

	want(t, c, "MachineReady", "True", "Stopped")
	l.still(t, c, lxc)

	edit(t, c, `{power: Running}`)
	l.settle(t, c)

	if now = lxc.Get(150); now.Stops != 3 || now.Starts != 4 {
		t.Fatalf("want it started, got %+v", now)
	}

	// What somebody stopped is started, but not with Unmanaged.
	edit(t, c, `{power: Unmanaged}`)
	l.settle(t, c)
	lxc.Touch(150, func(l *LXC) { l.Running = false })
	l.poll(t, c)
	l.settle(t, c)
	l.still(t, c, lxc)

	if lxc.Get(150).Running {
		t.Error("with power Unmanaged, the provider started what somebody stopped")
	}

	lxc.Touch(150, func(l *LXC) { l.Running = true })
	l.poll(t, c)
	l.settle(t, c)
	l.still(t, c, lxc)

	if !lxc.Get(150).Running {
		t.Error("with power Unmanaged, the provider stopped what somebody started")
	}

	// The end of the claim is the container's.
	if err := c.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}

	if lxc.Get(150) != nil {
		t.Error("the container is still there")
	}
}

// frigate is a container that somebody made by hand: with devices, mount points that only root@pam can make, features, terminals, an interface without
// address, and settings of LXC itself.
func frigate() LXC {
	return LXC{Node: "pve", Running: true, Starts: 1, Config: map[string]string{
		"arch": "amd64", "cores": "4", "cpuunits": "200", "description": "# Frigate\n\nhttps://frigate.home.arpa ${x}\n", "features": "fuse=1,keyctl=1,nesting=1",
		"hostname": "frigate", "memory": "4096", "swap": "512", "onboot": "1", "ostype": "debian", "tags": "coral;nvr", "tty": "0", "cmode": "shell",
		"rootfs": "local-lvm:vm-113-disk-0,size=20G", "unprivileged": "0", "startup": "order=2,up=30",
		"mp0":  "/mnt/recordings,mp=/media/frigate,ro=0",
		"mp1":  "local-lvm:vm-113-disk-1,mp=/config,backup=1,size=8G",
		"net0": "name=eth0,bridge=vmbr0,firewall=1,hwaddr=BC:24:11:AA:BB:CC,ip=dhcp,type=veth",
		"net1": "name=eth1,bridge=vmbr1,hwaddr=BC:24:11:AA:BB:CD,type=veth",
		"dev0": "/dev/bus/usb/002/003,mode=0666", "dev1": "/dev/dri/renderD128,gid=104",
		"hookscript": "local:snippets/frigate.sh", "protection": "1",
	}}
}

// TestContainerAdopt holds that a container which somebody made is read first, and that its adoption changes nothing but what the claim says and
// somebody approved.
func TestContainerAdopt(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		reason, spec string
		changes      []string
		tags         string
	}{
		"AsItIs": {"A claim that says nothing keeps all but the tags.", `{adopt: {vmId: 113}, proxmox: {node: pve}, tags: [coral, nvr]}`, nil, "coral;nvr"},
		"Tags": {
			"Tags are the claim's.", `{adopt: {vmId: 113}, proxmox: {node: pve}, tags: [nvr, tier1], role: media}`,
			[]string{"spec.tags: coral, nvr to nvr, role_media, tier1"},
			"nvr;role_media;tier1",
		},
		"Stopped": {"A container that is stopped stays so until its claim is approved.", `{adopt: {vmId: 113}, proxmox: {node: pve}, power: Stopped, tags: [coral, nvr]}`, nil, "coral;nvr"},
	} {
		t.Run(name, func(t *testing.T) {
			l, lxc := withContainers(t)
			before := frigate()
			before.Running = name != "Stopped"
			lxc.Add(113, before)

			c := l.container(t, "frigate", tc.spec)
			c.Hasty = true
			l.settle(t, c)
			l.still(t, c, lxc)
			want(t, c, "MachineReady", "False", "WaitingForApproval")

			plan, _, _ := unstructured.NestedString(c.Composite.Object, "status", "adoption", "plan")
			changes, _, _ := unstructured.NestedStringSlice(c.Composite.Object, "status", "adoption", "changes")
			refused, _, _ := unstructured.NestedStringSlice(c.Composite.Object, "status", "adoption", "refused")

			if strings.Join(changes, "; ") != strings.Join(tc.changes, "; ") || len(refused) > 0 {
				t.Errorf("%s\nwant %q, got %q, and refused %q", tc.reason, tc.changes, changes, refused)
			}

			edit(t, c, `{adopt: {approve: "`+plan+`"}}`)
			l.settle(t, c)
			l.still(t, c, lxc)

			want(t, c, "VMIDInUse", "False", "NumberAdopted")

			after := lxc.Get(113)
			before.Config["tags"] = tc.tags

			if after.Stops != 0 || after.Starts != 1 || !maps.Equal(after.Config, before.Config) {
				t.Errorf("%s\nwant\n%+v, got\n%+v", tc.reason, before, after)
			}

			// What is beyond the provider is refused, and says so; nothing of it reaches Proxmox.
			edit(t, c, `{size: {disk: 30}, network: {ip: 192.168.4.13/24}, disks: [{path: /new, size: 1}], features: {nesting: false}}`)
			l.settle(t, c)
			want(t, c, "ReplacementRequired", "True", "ImmutableFieldChanged", "spec.size.disk", "spec.network.ip", "spec.disks", "spec.features.nesting")

			if w := lxc.Writes(); w != "" {
				t.Errorf("want nothing to be written, got:\n%s", w)
			}

			// A container that is gone is not made anew.
			edit(t, c, `{size: null, network: null, disks: null, features: null}`)
			l.settle(t, c)
			lxc.Remove(113)

			for range 3 {
				_, _ = c.Poll(t.Context())
				_, _ = c.Round(t.Context())
			}

			if lxc.Get(113) != nil {
				t.Error("the provider created another container in the place of the one that was adopted")
			}
		})
	}
}

// TestContainerVMID holds that nothing is created where a VM or a container has the VMID, and that it is never written to.
func TestContainerVMID(t *testing.T) {
	t.Parallel()

	l, lxc := withContainers(t)
	lxc.Add(150, frigate())
	l.foreign(t, 151, "pve2", nil)

	elsewhere := frigate()
	elsewhere.Node = "pve2"
	lxc.Add(152, elsewhere)

	for spec, reason := range map[string]string{
		aContainer: "a container, 'frigate', on node pve",
		strings.Replace(aContainer, "vmId: 150", "vmId: 151", 1): "a VM",
		strings.Replace(aContainer, "vmId: 150", "vmId: 152", 1): "a container, 'frigate', on node pve2",
	} {
		c := l.container(t, "dns01", spec)
		c.Hasty = true
		l.settle(t, c)
		l.still(t, c, lxc)
		want(t, c, "VMIDInUse", "True", "NumberTaken", reason)
	}

	if got := lxc.Get(150); !maps.Equal(got.Config, frigate().Config) || !got.Running {
		t.Errorf("the container of somebody else was changed: %+v", got)
	}

	// Of two claims with one VMID, one gets it.
	a, b := l.container(t, "a", strings.Replace(aContainer, "vmId: 150", "vmId: 160", 1)), l.container(t, "b", strings.Replace(aContainer, "vmId: 150", "vmId: 160", 1))
	a.Neighbours, b.Neighbours = []*Control{b}, []*Control{a}

	for range 12 {
		for _, c := range []*Control{a, b} {
			if _, err := c.Round(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}

	want(t, a, "MachineReady", "True", "Running")
	want(t, b, "VMIDInUse", "True", "NumberClaimed", "lab/a")
}

// TestMachineBesideContainer: a machine whose VMID a container without a claim has, on its node or on another one, gets no VM; nothing of the container
// changes, and the machine says what has the VMID.
func TestMachineBesideContainer(t *testing.T) {
	t.Parallel()

	for _, node := range []string{"pve", "pve2"} {
		t.Run(node, func(t *testing.T) {
			l, lxc := withContainers(t)
			found := frigate()
			found.Node = node
			lxc.Add(160, found)

			c := l.machine(t, "app01", `{proxmox: {node: pve, vmId: 160, storage: local-lvm}, network: {dhcp: true}, bootstrap: {userData: "#cloud-config\nruncmd: [date]\n"}}`)
			c.Hasty = true

			for range 5 {
				if _, err := c.Round(t.Context()); err != nil {
					t.Fatal(err)
				}
			}

			want(t, c, "ProviderHealthy", "False", "ConfigurationError", "A container has VMID 160 in Proxmox")

			if w := lxc.Writes(); w != "" {
				t.Errorf("the provider writes to the container:\n%s", w)
			}

			if got := lxc.Get(160); got == nil || !maps.Equal(got.Config, found.Config) || !got.Running {
				t.Errorf("the container was changed: %+v", got)
			}
		})
	}
}

// TestContainerFirewall holds that the firewall of a container is written as meant, in an order in which nobody is locked out, that other rules restart nothing,
// and that nothing is left of it when the claim has none.
func TestContainerFirewall(t *testing.T) {
	t.Parallel()

	l, lxc := withContainers(t)
	c := l.container(t, "dns01", strings.TrimSuffix(aContainer, "}")+`, firewall: {preset: ssh, log: info, allow: [{port: 53, protocol: udp}]}}`)
	c.Hasty = true
	l.settle(t, c)

	check := func(what, rules, filter string) {
		t.Helper()

		if got := l.rules(150); got != rules {
			t.Errorf("%s: want rules\n%s, got\n%s", what, rules, got)
		}

		if got := l.filter(150); got != filter {
			t.Errorf("%s: want %q, got %q", what, filter, got)
		}

		l.neverLockedOut(t, 150, what)
		l.still(t, c, lxc)

		if now := lxc.Get(150); now.Starts != 1 || now.Stops != 0 || option(now.Config["net0"], "firewall") != "1" {
			t.Errorf("%s: the container is %+v", what, now)
		}
	}

	check("new", "Ping   ping; tcp 22 192.168.4.0/24 SSH; udp 53", "1 DROP ACCEPT info")
	want(t, c, "FirewallApplied", "True", "Filtering", "Datacenter, Firewall, Options")

	edit(t, c, `{firewall: {allow: [{port: 443}]}}`)
	l.settle(t, c)
	check("edited", "Ping   ping; tcp 22 192.168.4.0/24 SSH; tcp 443", "1 DROP ACCEPT info")

	edit(t, c, `{firewall: null}`)
	l.settleDropping(t, c)
	check("gone", "", "0 DROP ACCEPT info")
}
