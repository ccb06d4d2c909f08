package kubectl

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

func TestError(t *testing.T) {
	const refused = "The connection to the server localhost:8080 was refused - did you specify the right host or port?"

	cases := map[string]struct {
		reason     string
		kubeconfig string
		said       string
		want       string
	}{
		"NoKubeconfig": {
			reason: "Without a kubeconfig, kubectl asks a port that nobody has named.",
			said:   refused,
			want:   "no kubeconfig names a cluster: set KUBECONFIG, or name the file with --kubeconfig",
		},
		"ThatPort": {
			reason: "A kubeconfig may name that port.", kubeconfig: "forwarded.yaml",
			said: refused,
			want: refused,
		},
		"AnotherCluster": {
			reason: "What a cluster says stays as it is.",
			said:   "The connection to the server 192.168.4.60:6443 was refused - did you specify the right host or port?",
			want:   "The connection to the server 192.168.4.60:6443 was refused - did you specify the right host or port?",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "kubectl")
			if err := program.Write(file, []byte("#!/bin/sh\necho '"+tc.said+"' >&2\nexit 1\n"), 0o700); err != nil {
				t.Fatal(err)
			}

			_, err := Client{Program: file, Kubeconfig: tc.kubeconfig}.Print(t.Context(), "pods")

			var said *Error
			if !errors.As(err, &said) {
				t.Fatalf("%s: want an Error, got %v", tc.reason, err)
			}

			if diff := cmp.Diff(tc.want, said.Said); diff != "" {
				t.Errorf("%s\nPrint(...): -want, +got:\n%s", tc.reason, diff)
			}

			if got, want := HasNoCluster(err), tc.want != tc.said; got != want {
				t.Errorf("%s: HasNoCluster(%v): want %t", tc.reason, err, want)
			}
		})
	}
}
