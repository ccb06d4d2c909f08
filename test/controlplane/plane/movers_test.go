package plane

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/ports"
)

// TestStoredInEtcd writes into a real etcd what an API server writes.
func TestStoredInEtcd(t *testing.T) {
	path, err := exec.LookPath("etcd")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}

	free, err := ports.Free(2)
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	process := newProcess(dir, etcd(path, filepath.Join(dir, "data"), free[0], free[1]))

	if err := process.Start(t.Context()); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(process.Stop)

	url := "http://" + loopback(free[0])
	mover := stored(url)

	if _, err := mover(t.Context()); err != nil {
		t.Fatal(err)
	}

	cases := []struct{ verb, key, want string }{
		{"put", "homelab.io/machines/a", "homelab.io/machines/a"},
		{"put", "homelab.io/machines/a", "homelab.io/machines/a"},
		{"put", "leases/kube-system/apiserver", "the number of objects"},
		{"put", "leases/kube-system/apiserver", ""},
		{"put", "events/infra-machines/a", "events/infra-machines/a"},
		{"put", "events/infra-machines/a", ""},
		{"deleterange", "homelab.io/machines/a", "the number of objects"},
		{"put", "leases/kube-system/apiserver", ""},
	}

	for i, tc := range cases {
		body, _ := json.Marshal(map[string]any{"key": []byte(firstKey + tc.key), "value": []byte("x")})
		if tc.verb == "deleterange" {
			body, _ = json.Marshal(map[string]any{"key": []byte(firstKey + tc.key)})
		}

		rsp, err := http.Post(url+"/v3/kv/"+tc.verb, "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}

		_ = rsp.Body.Close()

		got, err := mover(t.Context())
		if err != nil || got != tc.want {
			t.Errorf("%d: %s of %s: %q moved, error is %v; want %q", i, tc.verb, tc.key, got, err, tc.want)
		}
	}
}
