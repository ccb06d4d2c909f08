package vm

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/test/boot/debian"
)

// What the download site is asked for by a node that is set up without trouble.
var downloads = []string{
	"200 /k3s-io/k3s/v1.33.6%2Bk3s1/install.sh",
	"200 /k3s-io/k3s/releases/download/k3s",
}

// never is long after any test.
const never = -1

// isNode checks what holds for every node that came up.
func isNode(g *guest, name, role, start string) {
	g.Helper()
	g.content()
	g.is("hostname", name)
	g.is("fqdn", name+".home.arpa")
	g.has("addresses", "eth0", "10.0.2.15/24")
	g.has("routes", "default via 10.0.2.2 dev eth0")
	g.is("starts", role+" "+start)
	g.has("installs", "role="+role+" arguments=1\nINSTALL_K3S_SKIP_DOWNLOAD=false\nINSTALL_K3S_SKIP_ENABLE=true\nINSTALL_K3S_SKIP_START=true\nINSTALL_K3S_VERSION=v1.33.6+k3s1")
	// Those of the installer's own variables that it would keep in K3s' unit.
	g.hasNot("installs", "\nK3S_", "CONTAINERD_", "proxy")
	g.has("unit", "ExecStart=/usr/local/bin/k3s "+role)
	g.has("modules", "br_netfilter", "overlay")
	g.has("sysctl", "net.ipv4.ip_forward = 1", "net.bridge.bridge-nf-call-iptables = 1", "fs.inotify.max_user_instances = 8192", "kernel.panic = 10")
	g.has("modes", "600 root:root /etc/rancher/k3s/config.yaml\n", "600 root:root /etc/rancher/k3s/token", "600 root:root /etc/k3s-bootstrap/env")
	g.has("sshd", "passwordauthentication no", "permitrootlogin no")
	g.has("bootstrap", "ActiveState=active", "NRestarts=0", "Result=success")
	g.is("agent", "loaded\nactive")
	g.reports("k3s-joined", "k3s-waiting", "k3s-installing")
	g.hasNot("journal", "only-for-a-test")

	if strings.Contains(g.Console, "only-for-a-test") {
		g.Errorf("the token is on the console:\n%s", g.Console)
	}
}

// hasVolumes: K3s found the data disk of claim joins mounted.
func hasVolumes(g *guest) {
	g.Helper()
	g.has("mounts", "/var/lib/volumes ext4")
	g.is("volumes", "lost+found")
	g.has("fstab", " /var/lib/volumes ext4 defaults,nofail,", "LABEL=root / ext4 defaults 0 1\n")
	g.has("data-disks", "ActiveState=active", "NRestarts=0", "Result=success")
}

// TestServerJoinsLate: the API comes two minutes after the machine. The server waits, joins, and cloud-init is content.
func TestServerJoinsLate(t *testing.T) {
	t.Parallel() // It waits for minutes, while TestAPINever boots.

	s := newSubject(t, "joins")
	site := &Site{APIAfter: 2 * time.Minute}
	g := s.boot(t, Options{Site: site})

	isNode(g, "joins", "server", "joined https://10.0.2.2:6443")
	g.has("routes", "proto dhcp")
	g.has("journal", "waits for https://10.0.2.2:6443", "done: joins runs K3s as server")
	g.has("finished", "server v1.33.6+k3s1")
	hasVolumes(g)
	g.has("data-disks-journal", "formats disk volumes (/dev/sd", "with ext4")

	requests := site.Requests()
	if i, j := index(requests, "no API /cacerts"), index(requests, "API /cacerts"); i < 0 || j < i {
		t.Errorf("the node asked for %q; want that it asked before the API was there and after", requests)
	}

	if i := index(requests, "200 "); i < index(requests, "API /cacerts") {
		t.Errorf("the node asked for %q; want that it fetches nothing before the API answers", requests)
	}
}

// TestAPINever: cloud-init says error at once, and the unit goes on trying.
func TestAPINever(t *testing.T) {
	t.Parallel()

	s := newSubject(t, "joins")
	site := &Site{APIAfter: never}
	g := s.boot(t, Options{
		// The second run has got as far as the first.
		Site: site, Until: "test $(journalctl --unit=k3s-bootstrap --output=cat | grep --count waits.for) -ge 2",
		Bootstrap: quick(map[string]int{"JOIN_TIMEOUT": 20}),
	})

	errs, ended := g.Errors()
	if !ended || len(errs) != 1 || !strings.Contains(errs[0], "scripts-user") {
		t.Errorf("cloud-init ended: %t, with the errors %q; want one of scripts-user", ended, errs)
	}

	g.has("status", "status: error")
	g.has("at-the-end", "activating\nauto-restart")
	g.has("journal", "no answer from https://10.0.2.2:6443 yet: curl: (22) The requested URL returned error: 503", "FATAL: https://10.0.2.2:6443 did not answer within 20s")
	g.hasNot("bootstrap", "NRestarts=0")
	// The word of the first failure stays while the second run waits.
	g.reports("k3s-bad-endpoin", "k3s-waiting")
	g.has("starts", "No such file")
	g.has("finished", "No such file")

	if strings.Count(g.Fact("journal"), "waits for https://10.0.2.2:6443") < 2 {
		t.Errorf("the unit tried once only:\n%s", g.Fact("journal"))
	}

	if i := index(site.Requests(), "200 "); i >= 0 {
		t.Errorf("the node fetched something although there is no cluster to join: %q", site.Requests())
	}

	// What somebody sees who looks at the VM's console in Proxmox.
	if !strings.Contains(g.Console, "FATAL: https://10.0.2.2:6443 did not answer") {
		t.Error("the console does not say what is wrong")
	}
}

// TestFirstServer starts a cluster, since nothing answers at the cluster's address. At its second cold start the
// user-data is another: nothing is done again, and the machine keeps its SSH host keys.
func TestFirstServer(t *testing.T) {
	s := newSubject(t, "first")
	site := &Site{APIAfter: never}
	first := s.boot(t, Options{Site: site})

	isNode(first, "first", "server", "cluster-init")
	first.has("routes", "proto static")
	first.has("journal", "starts a new cluster")
	first.has("join-config", "No such file")

	// The last is the look before it starts a cluster: whoever has fetched K3s has a network.
	want := append(slices.Clone(downloads), "no API /cacerts")
	if i := max(0, len(site.Requests())-len(want)); !cmp.Equal(want, site.Requests()[i:]) {
		t.Errorf("requests: %q; want %q at the end", site.Requests(), want)
	}

	s.drive.UserData = strings.Replace(s.drive.UserData, "write_files:\n", "write_files:\n  - {path: /etc/added, content: added}\n", 1)
	site = &Site{APIAfter: never}
	second := s.boot(t, Options{Site: site, Until: "systemctl is-active --quiet k3s && systemctl is-active --quiet k3s-report"})

	second.content()
	second.has("added", "No such file")
	second.is("hostkeys", first.Fact("hostkeys"))
	second.is("hostname", "first")
	second.is("starts", "server cluster-init\nserver restarted")
	second.is("installs", first.Fact("installs"))
	second.has("bootstrap", "ConditionResult=no")
	// The first boot's link is gone, and the node has joined all the same.
	second.reports("k3s-joined")
	second.has("sysctl", "net.ipv4.ip_forward = 1")

	if len(site.Requests()) > 0 {
		t.Errorf("the second boot asked for %q", site.Requests())
	}
}

// TestFirstServerRebuilt: the disk is empty, and the cluster lives. A second cluster beside it would take its names.
func TestFirstServerRebuilt(t *testing.T) {
	g := newSubject(t, "first").boot(t, Options{Site: &Site{}})

	isNode(g, "first", "server", "joined https://10.0.2.2:6443")
	g.has("journal", "serves a cluster already: joins it instead of starting a second one")
	g.is("join-config", "cluster-init: false\nserver: \"https://10.0.2.2:6443\"")
	g.has("modes", "600 root:root /etc/rancher/k3s/config.yaml.d/50-join.yaml")
}

// TestPowerCut: the power goes while K3s is installed. cloud-init does not run its commands a second time; the node comes up
// all the same, and its token is still for root only.
func TestPowerCut(t *testing.T) {
	s := newSubject(t, "joins")
	s.boot(t, Options{Site: &Site{}, Cut: downloads[len(downloads)-1]})

	g := s.boot(t, Options{Site: &Site{}, Until: "test -s /var/lib/k3s-bootstrap/done && test -e /sys/class/net/k3s-joined"})

	g.is("hostname", "joins")
	g.is("starts", "server joined https://10.0.2.2:6443")
	g.has("finished", "server v1.33.6+k3s1")
	g.has("bootstrap", "ActiveState=active", "Result=success")
	g.reports("k3s-joined", "k3s-waiting", "k3s-installing")
	g.has("unit", "ExecStart=/usr/local/bin/k3s server")
	g.has("modes", "600 root:root /etc/rancher/k3s/config.yaml\n", "600 root:root /etc/rancher/k3s/token")
	g.is("failed", "")
	hasVolumes(g)
}

// TestAgentInstallerFailsTwice on a q35 machine: the installer's address answers 503 twice.
func TestAgentInstallerFailsTwice(t *testing.T) {
	site := &Site{InstallerFails: 2}
	g := newSubject(t, "agent").boot(t, Options{Site: site})

	isNode(g, "worker-1", "agent", "joined https://10.0.2.2:6443")

	want := append([]string{"503 /k3s-io/k3s/v1.33.6%2Bk3s1/install.sh", "503 /k3s-io/k3s/v1.33.6%2Bk3s1/install.sh"}, downloads...)
	if i := index(site.Requests(), "503 "); i < 0 || !cmp.Equal(want, site.Requests()[i:i+len(want)]) {
		t.Errorf("requests: %q; want %q among them", site.Requests(), want)
	}
}

// TestAgentIsRefused: the Secret of the VM before it is in the cluster. K3s asks again and again and does not end; console and journal say
// after half a minute what to do.
func TestAgentIsRefused(t *testing.T) {
	const refusal = "Node password rejected, duplicate hostname or contents of '/etc/rancher/node/password' may not match server node-passwd entry, " +
		"try enabling a unique node name with the --with-node-id flag"

	site := &Site{RefusesAgents: refusal}
	g := newSubject(t, "agent").boot(t, Options{
		Site: site, Until: "test $(systemctl show -P NRestarts k3s-bootstrap) -ge 1", Bootstrap: quick(map[string]int{"READY_TIMEOUT": 45}),
	})

	advice := "k3s-bootstrap: the cluster knows a node worker-1 with another password"

	g.has("status", "status: error")
	g.has("journal", "k3s-agent.service is not ready after 30s; the end of its journal:", refusal, advice, "kubectl delete node worker-1", "FATAL: k3s-agent.service is not ready after 45s: the cluster knows")
	g.has("starts", "No such file")
	g.has("finished", "No such file")
	g.reports("k3s-bad-refused", "k3s-waiting", "k3s-installing")

	if !strings.Contains(g.Console, advice) {
		t.Error("the console does not say what to do")
	}
}

// TestReportIsLeftAlone: a machine whose systemd-networkd has settings for all interfaces. They do not apply to the link, and nobody waits for
// it, at a second cold start either: the file that says so is there from then on.
func TestReportIsLeftAlone(t *testing.T) {
	s := newSubject(t, "joins")
	s.drive.VendorData = "#cloud-config\nbootcmd:\n  - printf '[Match]\\nName=*\\n[Network]\\nDHCP=yes\\n' >/etc/systemd/network/50-all.network\n"

	for _, until := range []string{"test -e /sys/class/net/k3s-joined", "systemctl is-active --quiet k3s-report"} {
		g := s.boot(t, Options{Site: &Site{}, Until: until})

		g.content()
		g.has("addresses", "eth0", "10.0.2.15/24")
		g.reports("k3s-joined", "k3s-waiting", "k3s-installing")
	}
}

// TestReportBesideIfupdown: on a machine whose network ifupdown manages, the link is no interface of its configuration, at both starts.
func TestReportBesideIfupdown(t *testing.T) {
	cache, err := debian.Cache()
	if err != nil {
		t.Fatal(err)
	}

	other, err := NewImage(cache, Ifupdown)
	if err != nil {
		t.Fatal(err)
	}

	s := newSubjectOn(t, other, "joins")

	for _, until := range []string{"test -e /sys/class/net/k3s-joined", "systemctl is-active --quiet k3s-report"} {
		g := s.boot(t, Options{Site: &Site{}, Until: until})

		g.content()
		g.has("addresses", "eth0", "10.0.2.15/24")
		g.has("ifupdown", "eth0=eth0")
		g.hasNot("ifupdown", "k3s-")
		g.reports("k3s-joined", "k3s-waiting", "k3s-installing")
	}
}

// TestIDEDriveIsNotSeen is a control: the kernel of Debian's cloud images has no AHCI, so a drive on q35's IDE, where
// Proxmox puts it by default, leaves the machine as it was.
func TestIDEDriveIsNotSeen(t *testing.T) {
	s := newSubject(t, "agent")
	initialization, _ := s.VM["initialization"].([]any)
	settings, _ := initialization[0].(map[string]any)
	kept := settings["interface"]

	defer func() { settings["interface"] = kept }()

	settings["interface"] = "ide2"
	g := s.boot(t, Options{Site: &Site{}, Limit: 3 * time.Minute})

	if _, ended := g.Errors(); ended {
		t.Error("cloud-init ran from a drive that the kernel cannot see")
	}

	g.is("hostname", "localhost")
}

func index(requests []string, prefix string) int {
	for i, r := range requests {
		if strings.HasPrefix(r, prefix) {
			return i
		}
	}

	return -1
}
