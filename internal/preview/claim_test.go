package preview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

const machineXRD = `apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xmachines.homelab.io}
spec:
  group: homelab.io
  names: {kind: XMachine}
  claimNames: {kind: Machine}
`

const machineComposition = `apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: xmachines}
spec:
  compositeTypeRef: {apiVersion: homelab.io/v1alpha1, kind: XMachine}
  mode: Pipeline
  pipeline:
  - step: render
    functionRef: {name: homelab-io-function-proxmox-machine}
    input: {apiVersion: machine.fn.homelab.io/v1beta1, kind: Input}
`

// writeTree writes files, keyed by their slash-separated path, into a new folder.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()

	root := t.TempDir()

	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	return root
}

// claimsPackage is a Configuration for claims of the kind Machine.
func claimsPackage(t *testing.T) Configuration {
	t.Helper()

	pkg, err := load(flavour{folder: "package", files: fstest.MapFS{
		"xrds/machines.yaml":         {Data: []byte(machineXRD)},
		"compositions/machines.yaml": {Data: []byte(machineComposition)},
	}})
	if err != nil {
		t.Fatal(err)
	}

	return pkg
}

func claimText(kind, name string) string {
	return "apiVersion: homelab.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: " + name + "}\n"
}

func TestReadClaims(t *testing.T) {
	pkg := claimsPackage(t)

	type want struct {
		names []string
		err   string
	}

	cases := map[string]struct {
		reason string
		files  map[string]string
		path   string
		want   want
	}{
		"File": {
			reason: "Every claim of a file is read, and documents of other groups are passed over.",
			files: map[string]string{
				"c.yaml": claimText("Machine", "a") + "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n---\n# empty\n---\n" + claimText("XMachine", "b"),
			},
			path: "c.yaml",
			want: want{names: []string{"a", "b"}},
		},
		"Folder": {
			reason: "A folder is read with all below it, without the files that go with claims.",
			files: map[string]string{
				"story/b.yaml":         claimText("Machine", "b"),
				"story/a.yml":          claimText("Machine", "a"),
				"story/catalogue.yaml": claimText("Machine", "catalogue"),
				"story/observed.yaml":  claimText("Machine", "observed"),
				"story/secrets.yaml":   claimText("Machine", "secrets"),
				"story/README.md":      "kind: Machine",
				"z/c.yaml":             claimText("Machine", "c"),
			},
			path: ".",
			want: want{names: []string{"a", "b", "c"}},
		},
		"Kustomized": {
			reason: "What Kustomize is to build is built, and hidden files are for others.",
			files: map[string]string{
				"a.yaml":                  claimText("Machine", "a"),
				".b.yaml":                 claimText("Machine", "b"),
				"flux/kustomization.yaml": "resources: [c.yaml]\n",
				"flux/c.yaml":             claimText("Machine", "c"),
			},
			path: ".",
			want: want{names: []string{"a", "c"}},
		},
		"JSON": {
			reason: "kubectl reads the JSON of a folder, and Kustomize that which somebody names; most JSON belongs to other tools.",
			files: map[string]string{
				"a.json":                  `{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": {"name": "a"}}`,
				"package.json":            `[{"name": "homelab.io/"}]`,
				"flux/kustomization.yaml": "resources: [c.json]\n",
				"flux/c.json":             `{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": {"name": "c"}}`,
				"flux/d.json":             `{"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": {"name": "d"}}`,
			},
			path: ".",
			want: want{names: []string{"a", "c"}},
		},
		"UnknownKind": {
			reason: "A mistyped kind of our group is named, not passed over.",
			files:  map[string]string{"c.yaml": claimText("Machin", "a")},
			path:   "c.yaml",
			want:   want{err: `no XRD in package defines kind "Machin" of "homelab.io": want one of Machine, XMachine`},
		},
		"NoName": {
			reason: "Crossplane could not make a composite of a claim without a name.",
			files:  map[string]string{"c.yaml": "apiVersion: homelab.io/v1alpha1\nkind: Machine\n"},
			path:   "c.yaml",
			want:   want{err: "metadata.name: is missing: write a name there, such as dns01"},
		},
		"NoClaim": {
			reason: "Nothing to render is an error, else an empty folder would pass every check.",
			files:  map[string]string{"c.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n"},
			path:   ".",
			want:   want{err: "no claim in "},
		},
		"DuplicateKey": {
			reason: "Of a key given twice one value would be lost.",
			files:  map[string]string{"c.yaml": claimText("Machine", "a") + "kind: Machine\n"},
			path:   "c.yaml",
			want:   want{err: "kind: is there twice: line 2 has it, too"},
		},
		"Missing": {
			reason: "A path that is not there is an error.",
			path:   "c.yaml",
			want:   want{err: "cannot find the manifest"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			root := writeTree(t, tc.files)

			claims, err := pkg.ReadClaims([]string{filepath.Join(root, tc.path)}, strings.NewReader(""))
			checkError(t, tc.reason, tc.want.err, err)

			var names []string
			for _, c := range claims {
				names = append(names, c.Object.GetName())
			}

			if diff := cmp.Diff(tc.want.names, names); diff != "" {
				t.Errorf("\n%s\nReadClaims(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// checkError fails the test unless err's text contains want, or err is nil and nothing is wanted.
func checkError(t *testing.T, reason, want string, err error) {
	t.Helper()

	switch {
	case want == "" && err != nil:
		t.Fatalf("\n%s\nunexpected error: %v", reason, err)
	case want != "" && err == nil:
		t.Fatalf("\n%s\nwant an error with %q, got none", reason, want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Fatalf("\n%s\nwant an error with %q, got: %v", reason, want, err)
	}
}

func TestParseLists(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   []string
	}{
		"List":      {reason: "kubectl prints several objects as a list.", text: "apiVersion: v1\nkind: List\nitems: [{kind: A, metadata: {name: a}}, {kind: B, metadata: {name: b}}]\n", want: []string{"a", "b"}},
		"OwnList":   {reason: "An API server has a list for each kind.", text: "kind: EnvironmentVMList\nitems: [{kind: EnvironmentVM, metadata: {name: a}}]\n", want: []string{"a"}},
		"EmptyList": {reason: "Nothing is nothing.", text: "apiVersion: v1\nkind: List\nitems: []\n"},
		"Items":     {reason: "An object with items is no list for that.", text: "kind: Shop\nmetadata: {name: s}\nitems: []\n", want: []string{"s"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			documents, err := manifest.Parse([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, names(manifest.Objects(documents))); diff != "" {
				t.Errorf("\n%s\nObjects(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
