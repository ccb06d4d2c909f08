package container

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/adopt"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// siteCatalogue has a default for all that a claim can leave out: a claim that forgets something gets another value.
const siteCatalogue = `{"defaults": {"site": "home", "class": "large", "sshAuthorizedKeys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"]},
	"sites": {"home": {"nodes": {"pve": {"datastores": {"disks": "tank"}}}, "network": {"bridge": "vmbr9", "vlan": 9, "cidr": 24, "gateway": "10.0.0.1", "domain": "other.arpa", "dns": ["10.0.0.9"]}}}}`

// TestWrittenClaimsChangeNothing adopts random containers with the claims that package adopt writes of them: lint refuses none of them, and its plan
// is empty but for what a claim cannot say of tags.
func TestWrittenClaimsChangeNothing(t *testing.T) {
	said := map[string]int{}

	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 13)) //nolint:gosec // A test that can be repeated.
		config := configByHand(r)
		written, changes := adoptWritten(t, config, r.IntN(2) == 0)

		for _, c := range changes {
			if c.Field != "spec.tags" || !strings.Contains(config["tags"], "tenant_") {
				t.Fatalf("seed %d: %s would change: %v\n%v\n%s", seed, c.Field, c, config, written)
			}
		}

		for field := range strings.SplitSeq("network: nics: disks: startup: dns: ipv6: features: swap: vlan: searchDomains: power:", " ") {
			if strings.Contains(written, "\n  "+field) || strings.Contains(written, " "+field) {
				said[field]++
			}
		}
	}

	if len(said) != 11 {
		t.Errorf("want claims that say all fields, got %v", said)
	}
}

// TestWrittenClaimOf113 adopts the container that has what only root@pam can set.
func TestWrittenClaimOf113(t *testing.T) {
	written, changes := adoptWritten(t, map[string]string{
		"arch": "amd64", "cores": "4", "cpuunits": "200", "description": "# Frigate\n\nhttps://frigate.home.arpa ${x}\n", "features": "fuse=1,keyctl=1,nesting=1",
		"hostname": "frigate", "memory": "4096", "swap": "512", "onboot": "1", "ostype": "debian", "tags": "coral;nvr", "tty": "0", "cmode": "shell",
		"rootfs": "local-lvm:vm-113-disk-0,size=20G", "startup": "order=2,up=30",
		"mp0":  "/mnt/recordings,mp=/media/frigate,ro=0",
		"mp1":  "local-lvm:vm-113-disk-1,mp=/config,backup=1,size=8G",
		"net0": "name=eth0,bridge=vmbr0,firewall=1,hwaddr=BC:24:11:AA:BB:CC,ip=dhcp,type=veth",
		"net1": "name=eth1,bridge=vmbr1,hwaddr=BC:24:11:AA:BB:CD,type=veth",
		"dev0": "/dev/bus/usb/002/003,mode=0666", "dev1": "/dev/dri/renderD128,gid=104",
		"hookscript": "local:snippets/frigate.sh", "protection": "1",
	}, true)
	if len(changes) > 0 {
		t.Errorf("want no change, got %v", changes)
	}

	for _, want := range []string{
		"  # features: the container keeps fuse, keyctl, nesting, which only root@pam may set.\n",
		"  # disks: the container keeps all of its mount points; a claim cannot say mp0 (/media/frigate).\n  network:\n    dhcp: true\n",
		"  # notes: the container keeps its own as they are. Notes here would replace them.\n" +
			"  # The container keeps what no claim can say: cmode, cpuunits, dev0, dev1, hookscript, tty.\n" +
			"  proxmox: {node: pve, storage: local-lvm, protection: true}\n",
	} {
		if !strings.Contains(written, want) {
			t.Errorf("want %q in:\n%s", want, written)
		}
	}
}

// adoptWritten has the claim written of a container with a configuration, and returns it with what the first call of the function announces.
func adoptWritten(t *testing.T, config map[string]string, runs bool) (string, []change.Change) {
	t.Helper()

	answered, err := json.Marshal(map[string]any{"path": "/nodes/pve/lxc/150/config", "answer": config})
	if err != nil {
		t.Fatal(err)
	}

	state := adopt.StateStopped
	if runs {
		state = adopt.StateRunning
	}

	read, err := adopt.Read(strings.NewReader(fmt.Sprintf(`{"path":"/cluster/resources","answer":[{"vmid":150,"status":%q}]}%s`, state, answered)), adopt.Alone{})
	if err != nil {
		t.Fatal(err)
	}

	written, err := read.All[0].Claim(adopt.Options{Namespace: "infra"})
	if err != nil {
		t.Fatal(err)
	}

	if report := lint.Check([]manifest.Raw{{File: "claim", Documents: manifest.RawDocuments(written)}}, nil, lint.Options{}); report.Refused() > 0 {
		t.Fatalf("lint says %v of:\n%s", report.Faults, written)
	}

	composite := map[string]any{}
	if err := yaml.Unmarshal(written, &composite); err != nil {
		t.Fatal(err)
	}

	c := claim.Decode(composite)

	catalogue, faults := catalog.Decode([]byte(siteCatalogue), "data")
	if len(faults) > 0 {
		t.Fatal(faults.ToAggregate())
	}

	m, faults := resolve.Container(c.Identity, *c.Container, c.Faults, catalog.Merge(catalog.BuiltIn(), catalogue), resolve.Existing{Adopting: true})
	if len(faults) > 0 {
		t.Fatalf("%v of:\n%s", faults.ToAggregate(), written)
	}

	at := checks(request(m, nil), found(), nil)
	for name, o := range at.Observed.Containers {
		has := asRead(config)
		has.Started = runs
		o.Status.AtProvider = proxmox.ContainerObservation{
			ID: "150", NodeName: "pve", Started: runs, Parameters: &proxmox.FoundContainer{ContainerParameters: has, Rest: &structpb.Struct{}},
		}
		at.Observed.Containers[name] = o
	}

	a := Decide(at).Adoption
	if a == nil || a.Plan == "" {
		t.Fatalf("want a plan, got %+v", a)
	}

	return string(written), a.Changes
}

// configByHand is a random configuration of a container, as pvesh prints it.
func configByHand(r *rand.Rand) map[string]string {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	out := map[string]string{"ostype": "debian", "arch": "amd64", "rootfs": "local-zfs:subvol-150-disk-0," + one("size=8G", "size=1T", "size=1500M", "replicate=0,size=20G")}

	options := map[string][]string{
		"hostname": {"web", "dns.home.arpa", "Old-Name", "3d", "a_b"}, "cores": {"1", "4", "200"}, "memory": {"512", "4096", "1000", "64"}, "swap": {"0", "512"},
		"onboot": {"0", "1"}, "startup": {"order=2", "3", "order=1,up=30", "up=5,down=60", "order=x"}, "tags": {"a", "nvr;coral", "x;tenant_a", "b,c"},
		"unprivileged": {"1", "1", "0"}, "features": {"nesting=1", "keyctl=1,nesting=1", "nesting=0", "mount=nfs;cifs"}, "protection": {"1", "0"},
		"description": {"by hand\n", "Container infra/web (homelab.io), managed by Crossplane"}, "nameserver": {"192.168.4.1", "1.1.1.1 9.9.9.9", "1.1.1.1,9.9.9.9"},
		"searchdomain": {"home.arpa", "home.arpa lan", "Home.arpa"}, "lock": {"backup"}, "hookscript": {"local:snippets/x.sh"},
	}

	// In one order, so that a seed is one configuration.
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if r.IntN(2) == 0 {
			out[name] = one(options[name]...)
		}
	}

	for i := range r.IntN(4) {
		out[fmt.Sprintf("mp%d", i)] = one("tank:subvol-150-disk-%d,", "local-zfs:vm-150-disk-%d,backup=1,", "local:150/vm-150-disk-%d.raw,backup=0,acl=1,") +
			"mp=/srv/" + strconv.Itoa(i) + one("", "/deep", "/deep/er", "/a b") + "," + one("size=8G", "size=8G", "size=8G", "size=1T", "size=512M")
		if r.IntN(8) == 0 {
			out[fmt.Sprintf("mp%d", i)] = "/mnt/host,mp=/media"
		}
	}

	for i := range r.IntN(4) {
		out[fmt.Sprintf("net%d", i+r.IntN(2)*r.IntN(2))] = fmt.Sprintf("name=eth%d,bridge=vmbr%d,hwaddr=bc:24:11:00:00:%02x%s%s%s,type=veth", i, i, i,
			one("", fmt.Sprintf(",ip=10.0.%d.5/24", i), fmt.Sprintf(",gw=10.0.%d.1,ip=10.0.%d.5/24", i, i), ",ip=dhcp", ",ip=dhcp", ",ip=manual"),
			one("", "", ",ip6=auto", ",ip6=dhcp", fmt.Sprintf(",gw6=fe80::1,ip6=2001:db8:%d::5/64", i), ",ip6=2001:DB8::5/64"), one("", ",tag=20", ",firewall=1,mtu=1400", ",rate=10"))
	}

	return out
}

// asRead is a configuration as the provider reports it (containerRead of bpg/terraform-provider-proxmox v0.111.1): without what has no value, and
// addresses without the interfaces that have none.
func asRead(config map[string]string) proxmox.ContainerParameters {
	number := func(text string) int64 { n, _ := strconv.ParseInt(text, 10, 64); return n } //nolint:errcheck // 0 for none.
	fields := func(text string) map[string]string {
		out := map[string]string{}
		for f := range strings.SplitSeq(text, ",") {
			name, value, _ := strings.Cut(f, "=")
			out[name] = value
		}

		return out
	}

	p := proxmox.ContainerParameters{
		NodeName: "pve", VMID: new(int64(150)), Description: config["description"], Tags: strings.FieldsFunc(config["tags"], func(r rune) bool { return r == ';' || r == ',' }),
		StartOnBoot: config["onboot"] == "1", Unprivileged: config["unprivileged"] == "1", OperatingSystem: []proxmox.ContainerOS{{Type: config["ostype"]}},
		CPU:            []proxmox.ContainerCPU{{Cores: number(config["cores"])}},
		Memory:         []proxmox.ContainerMemory{{Dedicated: number(cmp.Or(config["memory"], "512")), Swap: number(config["swap"])}},
		Disk:           []proxmox.RootFS{{DatastoreID: "local-zfs", Size: map[string]int64{"8G": 8, "1T": 1024, "1500M": 1, "20G": 20}[fields(config["rootfs"])["size"]]}},
		Initialization: []proxmox.ContainerInit{{Hostname: config["hostname"]}},
	}

	if s := config["startup"]; s != "" {
		f, place := fields(s), proxmox.Startup{Order: -1, UpDelay: -1, DownDelay: -1}
		if f["order"] == "" && !strings.Contains(s, "=") {
			f["order"] = s
		}

		for option, to := range map[string]*int64{"order": &place.Order, "up": &place.UpDelay, "down": &place.DownDelay} {
			if f[option] != "" {
				*to = number(f[option])
			}
		}

		p.Startup = []proxmox.Startup{place}
	}

	if config["protection"] == "1" {
		p.Protection = new(true)
	}

	if f := config["features"]; f != "" {
		p.Features = []proxmox.ContainerFeature{{Nesting: fields(f)["nesting"] == "1"}}
	}

	if servers, domain := config["nameserver"], config["searchdomain"]; servers != "" || domain != "" {
		p.Initialization[0].DNS = []proxmox.DNS{{Domain: domain, Servers: strings.Fields(servers)}}
	}

	for i := range 8 {
		if text := config[fmt.Sprintf("mp%d", i)]; text != "" {
			f := fields(text)
			volume, _, _ := strings.Cut(text, ",")
			p.MountPoint = append(p.MountPoint, proxmox.MountPoint{Path: f["mp"], Volume: volume, Size: f["size"], Backup: f["backup"] == "1"})
		}

		text := config[fmt.Sprintf("net%d", i)]
		if text == "" {
			continue
		}

		f := fields(text)
		p.NetworkInterface = append(p.NetworkInterface, proxmox.ContainerNIC{
			Name: f["name"], Bridge: f["bridge"], VLANID: number(f["tag"]), MACAddress: f["hwaddr"], Firewall: f["firewall"] == "1", MTU: number(f["mtu"]),
		})

		address := proxmox.IPConfig{}
		if f["ip"] != "" {
			address.IPv4 = []proxmox.IPAddress{{Address: f["ip"], Gateway: f["gw"]}}
		}

		if f["ip6"] != "" {
			address.IPv6 = []proxmox.IPAddress{{Address: f["ip6"], Gateway: f["gw6"]}}
		}

		if f["ip"] != "" || f["ip6"] != "" {
			p.Initialization[0].IPConfig = append(p.Initialization[0].IPConfig, address)
		}
	}

	return p
}
