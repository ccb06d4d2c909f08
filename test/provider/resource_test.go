package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReadResources(t *testing.T) {
	type want struct {
		names []string
		err   error
	}

	cases := map[string]struct {
		reason string
		yaml   string
		want   want
	}{
		"FilesFirst": {
			reason: "A VM comes after the image and the snippets that it is made from, and other documents are left out.",
			yaml: `
apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1
kind: EnvironmentVM
metadata: {name: vm}
---
apiVersion: homelab.io/v1alpha1
kind: XMachine
metadata: {name: composite}
---
apiVersion: virtualenvironmentdownloadfile.proxmoxbpg.m.crossplane.io/v1alpha1
kind: EnvironmentDownloadFile
metadata: {name: image}
---
apiVersion: virtualenvironmentfile.crossplane.io/v1alpha1
kind: EnvironmentFile
metadata: {name: snippet-b}
---
apiVersion: virtualenvironmentfile.crossplane.io/v1alpha1
kind: EnvironmentFile
metadata: {name: snippet-a}
`,
			want: want{names: []string{"snippet-a", "snippet-b", "image", "vm"}},
		},
		"ForeignGroup": {
			reason: "A kind of ours in a group of nobody's is a fault of the renderer.",
			yaml:   "apiVersion: virtualenvironmentvm.example.org/v1alpha1\nkind: EnvironmentVM\n",
			want:   want{err: cmpopts.AnyError},
		},
		"GroupOfAnotherKind": {
			reason: "So is the group of another kind.",
			yaml:   "apiVersion: virtualenvironmentfile.crossplane.io/v1alpha1\nkind: EnvironmentVM\n",
			want:   want{err: cmpopts.AnyError},
		},
		"NoYAML": {
			reason: "What cannot be read is not passed over.",
			yaml:   "a: [",
			want:   want{err: cmpopts.AnyError},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rs, err := ReadResources(strings.NewReader(tc.yaml))
			if diff := cmp.Diff(tc.want.err, err, cmpopts.EquateErrors()); diff != "" {
				t.Errorf("\n%s\nReadResources(): -want error, +got error:\n%s", tc.reason, diff)
			}

			var names []string
			for _, r := range rs {
				names = append(names, r.Metadata.Name)
			}

			if diff := cmp.Diff(tc.want.names, names); diff != "" {
				t.Errorf("\n%s\nReadResources(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDatastores(t *testing.T) {
	rs := []Resource{{Spec: Spec{ForProvider: map[string]any{
		"datastoreId": "local", "clone": []any{map[string]any{"datastoreId": ""}},
		"disk": []any{map[string]any{"datastoreId": "tank"}, map[string]any{"datastoreId": "local"}},
	}}}}

	if diff := cmp.Diff([]string{"local", "tank"}, Datastores(rs)); diff != "" {
		t.Errorf("Datastores(): -want, +got:\n%s", diff)
	}
}
