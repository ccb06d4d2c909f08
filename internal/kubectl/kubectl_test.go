package kubectl

import (
	"errors"
	"path/filepath"
	"strings"
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
		"Error": {
			reason: "That it is an error is known.",
			said:   `error: context "nope" does not exist`,
			want:   "the kubeconfig has no context nope: `kubectl config get-contexts` lists those that it has",
		},
		"Expired": {
			reason: "A login ends.",
			said:   "error: You must be logged in to the server (Unauthorized)",
			want: "the cluster does not take the kubeconfig's login: its token or certificate has expired, or is that of another cluster; log in again, or name another " +
				"file with --kubeconfig",
		},
		"WebPage": {
			reason: "A hotel answers.",
			said:   "error: invalid character '<' looking for beginning of value",
			want:   "a web page answers in place of the API server: the kubeconfig has another server's address, or a proxy on the way asks for a login",
		},
		"NoContext": {
			reason: "Its other words for the same.",
			said:   "Error in configuration: context was not found for specified context: nope",
			want:   "the kubeconfig has no context nope: `kubectl config get-contexts` lists those that it has",
		},
		"NoSuchFile": {
			reason: "A system call is no word for it.",
			said:   "error: stat absent: no such file or directory",
			want:   "there is no kubeconfig absent. Name another file with --kubeconfig",
		},
		"NotYAML": {
			reason: "Any file can be named.",
			said:   `error: error loading config file "notes": yaml: line 1: did not find expected node content`,
			want:   "notes is no kubeconfig: yaml: line 1: did not find expected node content. Name another file with --kubeconfig",
		},
		"OtherFile": {
			reason: "Any file has kinds.",
			said:   `error: error loading config file "hello.yaml": no kind "Machine" is registered for version "homelab.io/v1alpha1" in scheme "x"`,
			want:   "hello.yaml is no kubeconfig: it has kind Machine. Name another file with --kubeconfig",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "kubectl")
			if err := program.Write(file, []byte("#!/bin/sh\necho '"+strings.ReplaceAll(tc.said, "'", `'"'"'`)+"' >&2\nexit 1\n"), 0o700); err != nil {
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

			if got, want := HasNoCluster(err), tc.want == noCluster; got != want {
				t.Errorf("%s: HasNoCluster(%v): want %t", tc.reason, err, want)
			}
		})
	}
}
