package lint

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestFilesBesideClaims: what other files of a folder do to claims, without any layer of Flux.
func TestFilesBesideClaims(t *testing.T) {
	const (
		claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a, namespace: infra}\nspec: {proxmox: {node: pve1}}\n"
		in    = ": is in clear text, for everybody who can read the repository: encrypt the file before you commit it, for instance with SOPS; what was committed once stays in Git's history, " +
			"so change it at its source, too (docs/lint.md, Secrets in Git)"
	)

	secret := func(below string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: k3s-token, namespace: infra}\n" + below
	}

	cases := map[string]struct {
		reason string
		files  map[string]string
		want   []string
	}{
		"SecretInClearText": {
			reason: "It needs no layer of Flux to be in Git; the value is not repeated.",
			files:  map[string]string{"a.yaml": claim, "k3s/token.yaml": secret("type: Opaque\nstringData:\n  token: must-not-be-shown\n")},
			want:   []string{"k3s/token.yaml:5:1: warning: stringData" + in},
		},
		"SecretInBase64": {
			reason: "Base64 is no encryption.",
			files:  map[string]string{"a.yaml": claim + "---\n" + secret("data: {token: bXVzdC1ub3QtYmUtc2hvd24=}\n")},
			want:   []string{"a.yaml:9:1: warning: data" + in},
		},
		"SecretOfSOPS": {
			reason: "It is encrypted.",
			files:  map[string]string{"a.yaml": claim, "b.yaml": secret("stringData: {token: \"ENC[AES256_GCM,data:a]\"}\nsops: {mac: \"ENC[AES256_GCM,data:b]\"}\n")},
		},
		"SecretFilledLater": {
			reason: "Flux, or a plugin of Argo CD, has the values; and some have none.",
			files: map[string]string{
				"a.yaml": claim, "b.yaml": secret("stringData: {token: \"${TOKEN}\", other: \"<path:kv/k3s#token>\"}\n"), "c.yaml": secret("data: {token: JHtUT0tFTn0=}\n"),
				"d.yaml": secret("type: kubernetes.io/service-account-token\n"),
			},
		},
		"SecretAlone":          {reason: "A repository without claims is other people's.", files: map[string]string{"b.yaml": secret("stringData: {token: must-not-be-shown}\n")}},
		"SecretFromInput":      {reason: "Standard input is in no repository.", files: map[string]string{"-": claim + "---\n" + secret("stringData: {token: must-not-be-shown}\n")}},
		"CataloguesOfClusters": {reason: "Each cluster has one.", files: map[string]string{"a/catalogue.yaml": environment("sites: {}"), "b/catalogue.yaml": environment("sites: {}")}},
		"CataloguesOfOneName": {
			reason: "The cluster keeps the one that was applied last, of a file or of a folder.",
			files:  map[string]string{"catalogue.yaml": environment("classes: {}"), "sites.yaml": environment("sites: {}") + "---\n" + environment("images: {}")},
			want: []string{
				`sites.yaml:3:18: metadata.name: "machine-catalog": the EnvironmentConfig in catalogue.yaml:3 has this name, too, and the cluster keeps one of them: put all entries into one of the two, and remove the other one`,
				`sites.yaml:9:18: metadata.name: "machine-catalog": the EnvironmentConfig in catalogue.yaml:3 has this name, too, and the cluster keeps one of them: put all entries into one of the two, and remove the other one`,
			},
		},
		"JSON": {
			reason: "kubectl reads one object of JSON after the other, indented with whatever; the JSON of others is theirs.",
			files: map[string]string{
				"a.json":       "{\n\t\"apiVersion\": \"homelab.io/v1alpha1\", \"kind\": \"Machine\", \"metadata\": {\"name\": \"a\"},\n\t\"spec\": {\"proxmox\": {\"node\": \"pve1\"}}\n}\n{\n\t\"apiVersion\": \"homelab.io/v1alpha1\", \"kind\": \"Machine\", \"metadata\": {\"name\": \"b\"},\n\t\"spec\": {\"proxmox\": {\"node\": \"pve1\"}, \"powr\": \"Running\"}\n}\n",
				"package.json": "[{\"name\": \"x\"}]",
			},
			want: []string{"a.json:7:40: spec.powr: unknown field; did you mean spec.power?"},
		},
		"NotSeparated": {
			reason: "Three dots end a document, and none begins there for kubectl and Flux.",
			files:  map[string]string{"a.yaml": claim + "...\n" + claim},
			want:   []string{"a.yaml:6:1: nobody reads what begins here: a line with --- is missing above it, which separates it from the manifest before"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var raw []manifest.Raw
			for _, file := range slices.Sorted(maps.Keys(tc.files)) {
				raw = append(raw, manifest.Raw{File: file, Documents: manifest.RawDocuments([]byte(tc.files[file]))})
			}

			var got []string

			for _, f := range Check(raw, nil, Options{}).Faults {
				if f.Path != "spec" && f.Path != "spec.image" && f.Path != "spec.size" { // Of what the claims of this test lack.
					got = append(got, f.String())
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
