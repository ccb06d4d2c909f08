package bootstrap

import (
	"bytes"
	"os"
	"testing"
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

	for _, file := range []string{"/etc/k3s-bootstrap/kubelet.conf", "/etc/update-motd.d/90-k3s-bootstrap"} {
		before, block, found := bytes.Cut(now, []byte("  - path: "+file+"\n"))
		_, after, more := bytes.Cut(block, []byte("  - path: "))

		if !found || !more || bytes.Contains(former[0], []byte(file)) {
			t.Fatalf("%s is to be in new documents only:\n%s", file, former[0])
		}

		now = bytes.Join([][]byte{before, after}, []byte("  - path: "))
	}

	for _, script := range []string{"../k3s/scripts/k3s-bootstrap.sh", "../k3s/scripts/former/k3s-bootstrap-v0.1.0.sh"} {
		text, err := os.ReadFile(script)
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
