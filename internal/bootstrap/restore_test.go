package bootstrap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRestore: the snapshot with which a first server begins is in its parameters alone, and a server without one has the bootstrap data that it had before there were any.
func TestRestore(t *testing.T) {
	made := func(snapshot string) *Bootstrap {
		t.Helper()

		m := plain()
		agent(m)
		m.K3s.Role, m.K3s.Init, m.K3s.TokenSecret, m.K3s.TokenFile, m.K3s.Restore = "server", true, nil, "/etc/rancher/k3s/token", snapshot

		b, errs := New(m, nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}

		return b
	}

	text := func(b *Bootstrap) string {
		t.Helper()

		data, err := b.UserData()
		if err != nil {
			t.Fatal(err)
		}

		return string(data)
	}

	const line = "RESTORE_SNAPSHOT=etcd-1"

	with, without := made("etcd-1"), made("")
	if got := strings.Count(text(with), line); got != 1 || strings.Contains(text(without), line) {
		t.Errorf("the user-data has %s %d times", line, got)
	}

	got := without.Differences(Made{UserData: text(with)})
	if diff := cmp.Diff([]Difference{inField("spec.k3s.restore")}, got); diff != "" {
		t.Errorf("Differences(): -want, +got:\n%s", diff)
	}
}
