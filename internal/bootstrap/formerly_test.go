package bootstrap

import (
	"bytes"
	"os"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestFormerly: the user-data of a node as every earlier release wrote it: with its script, without the files of later releases,
// and nothing else of it changed. A machine without K3s has no script, so that there is one way only to write it down.
// test/upgrade holds the bytes against those that v0.1.0 wrote (situation files-gone).
func TestFormerly(t *testing.T) {
	token := full
	m := plain()
	agent(m)

	b, errs := New(m, &token)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	now, err := b.UserData()
	if err != nil {
		t.Fatal(err)
	}

	former, err := b.Formerly()
	if err != nil || len(former) != 1 {
		t.Fatalf("want the script of one earlier release, got %d (%v)", len(former), err)
	}

	for _, file := range []string{
		"/etc/k3s-bootstrap/kubelet.conf", "/etc/update-motd.d/90-k3s-bootstrap",
		"/usr/local/sbin/guest-report", "/etc/systemd/network/05-k3s-report.network", "/etc/systemd/system/k3s-report.service",
	} {
		before, block, found := bytes.Cut(now, []byte("  - path: "+file+"\n"))
		_, after, more := bytes.Cut(block, []byte("  - path: "))

		if !found || !more || bytes.Contains(former[0], []byte(file)) {
			t.Fatalf("%s is to be in new documents only:\n%s", file, former[0])
		}

		now = bytes.Join([][]byte{before, after}, []byte("  - path: "))
	}

	for _, script := range []string{
		"k3s-bootstrap.sh", "former/k3s-bootstrap-v0.1.0.sh", "k3s-bootstrap.service", "former/k3s-bootstrap-v0.1.0.service",
	} {
		text, err := os.ReadFile("../k3s/scripts/" + script)
		if err != nil {
			t.Fatal(err)
		}

		text = bytes.ReplaceAll(bytes.TrimSpace(text), []byte("\n"), []byte("\n      "))
		text = bytes.ReplaceAll(text, []byte("\n      \n"), []byte("\n\n"))
		now, former[0] = bytes.ReplaceAll(now, text, nil), bytes.ReplaceAll(former[0], text, nil)
	}

	if !bytes.Equal(now, former[0]) || bytes.Contains(now, []byte("retry()")) {
		t.Errorf("more than the script is another one:\n%s", former[0])
	}

	if again, err := b.UserData(); err != nil || !bytes.Contains(again, []byte("confirm_new_cluster")) {
		t.Errorf("the document is no longer the present one: %v", err)
	}

	other := plain()
	other.UserData = "#cloud-config\n{}\n"

	if b, errs = New(other, nil); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	if former, err = b.Formerly(); err != nil || len(former) > 0 {
		t.Errorf("a machine without K3s was written down in %d other ways (%v)", len(former), err)
	}

	other.UserData = "#cloud-config\nssh_authorized_keys: [ssh-ed25519 BBBB ann@home]\n"

	if b, errs = New(other, nil); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	if former, err = b.Formerly(); err != nil || len(former) != 1 || !bytes.Contains(former[0], []byte("\nssh_authorized_keys:\n  - ssh-ed25519 BBBB ann@home\n")) {
		t.Errorf("the first release left the keys of user-data to the image's user: %q (%v)", former, err)
	}
}

// TestFormerlyDualStack: the first release told K3s the IPv4 address alone. A node of that release is current, and its lost user-data is
// written as it was. A node of this release is not, if its IPv6 address is another one.
func TestFormerlyDualStack(t *testing.T) {
	token := full

	of := func(pods any, ipv6 machine.Addressing) *Bootstrap {
		m := plain()
		agent(m)
		m.K3s.PodNetwork = pods
		m.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.9", Prefix: 24}
		m.NICs[0].IPv6 = ipv6

		b, errs := New(m, &token)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}

		return b
	}

	const pods = "10.42.0.0/16,fd00:42::/56"

	static := machine.Addressing{Method: machine.MethodStatic, Address: "fd00::9", Prefix: 64}
	other := machine.Addressing{Method: machine.MethodStatic, Address: "fd00::10", Prefix: 64}
	first := of(nil, static) // As the first release took no notice of the pod network.

	for name, now := range map[string]*Bootstrap{"Static": of(pods, static), "Advertised": of(pods, machine.Addressing{Method: machine.MethodAuto})} {
		if now.Hash == first.Hash || !now.Describes(first.Hash) {
			t.Errorf("%s: hash %s, formerly %s, does not describe a node of the first release, %s", name, now.Hash, now.FormerHash(), first.Hash)
		}

		want, err := first.Formerly()
		if err != nil {
			t.Fatal(err)
		}

		got, err := now.Formerly()
		if err != nil || len(got) == 0 || !bytes.Equal(got[0], want[0]) {
			t.Errorf("%s: the lost user-data of the first release is written otherwise (%v)", name, err)
		}
	}

	if of(pods, static).Describes(of(pods, other).Hash) {
		t.Error("another IPv6 address makes no difference to a node of this release")
	}

	if first.FormerHash() != first.Hash {
		t.Error("a cluster with IPv4 alone has another hash than before")
	}
}
