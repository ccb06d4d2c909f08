package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// clone is a repository with a go.mod at each tag.
func clone(t *testing.T, tags map[string]string) string {
	t.Helper()

	dir := t.TempDir()

	run := func(args ...string) {
		if _, err := git(dir, args...); err != nil {
			t.Fatal(err)
		}
	}

	run("init", "--quiet")

	for tag, mod := range tags {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600); err != nil {
			t.Fatal(err)
		}

		run("add", "go.mod")
		run("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "commit", "--quiet", "--allow-empty", "-m", tag)
		run("-c", "tag.gpgsign=false", "tag", tag)
	}

	return dir
}

func TestRead(t *testing.T) {
	mod := func(etcd string) string {
		return "module github.com/k3s-io/k3s\n\nreplace (\n\tgo.etcd.io/etcd/api/v3 => github.com/k3s-io/etcd/api/v3 v0.0.0\n" +
			"\tgo.etcd.io/etcd/server/v3 => github.com/k3s-io/etcd/server/v3 " + etcd + "\n)\n\nrequire go.etcd.io/etcd/server/v3 v3.0.0\n"
	}

	cases := map[string]struct {
		reason string
		tags   map[string]string
		want   string
		fails  string
	}{
		"Releases": {
			reason: "Sorted as releases, without candidates and without what is too old.",
			tags: map[string]string{
				"v1.33.10+k3s1": mod("v3.5.26-k3s1"), "v1.33.9+k3s1": mod("v3.5.26-k3s1"), "v1.33.7+k3s3": mod("v3.5.26-k3s1"), "v1.33.7+k3s1": mod("v3.5.25-k3s1"),
				"v1.34.2-rc1+k3s1": mod("v3.6.5-k3s1"), "v1.34.2+k3s1": mod("v3.6.5-k3s1"), "v1.27.1+k3s1": mod("v3.5.7-k3s1"), "v1.33.7": mod("v3.5.25-k3s1"),
			},
			want: header + "v1.33.7+k3s1\tv3.5.25-k3s1\nv1.33.7+k3s3\tv3.5.26-k3s1\nv1.33.9+k3s1\tv3.5.26-k3s1\nv1.33.10+k3s1\tv3.5.26-k3s1\nv1.34.2+k3s1\tv3.6.5-k3s1\n",
		},
		"NoTags": {reason: "A shallow clone has none.", tags: map[string]string{"v0.1.0": ""}, fails: "cannot find tags of K3s from v1.28 on"},
		"NoEtcd": {reason: "K3s may have its etcd from somewhere else one day.", tags: map[string]string{"v1.40.0+k3s1": "module k3s\n"}, fails: "cannot find the replacement"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := read(clone(t, tc.tags))
			if (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Fatalf("%s\nread(...): %v; want an error with %q", tc.reason, err, tc.fails)
			}

			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("%s\nread(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
