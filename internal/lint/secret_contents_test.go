package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestContentsOfSecrets: what the function refuses of a Secret is a fault where the Secret is among the files, and no value is shown.
func TestContentsOfSecrets(t *testing.T) {
	const (
		meta  = "apiVersion: homelab.io/v1alpha1\nmetadata: {name: home, namespace: infra}\n"
		token = "token: {secretRef: {name: t}, allowPlaintext: true, trustOnFirstUse: true}"
		node  = meta + "kind: K3sNode\nspec: {class: medium, image: debian-13, network: {ip: 10.0.0.2, cidr: 24}, proxmox: {node: pve}, k3s: {role: server, init: true, version: v1.33.6+k3s1, " + token + "}}\n"
		nodes = meta + "kind: K3sCluster\nspec: {endpoint: \"https://10.0.0.1:6443\", version: v1.33.6+k3s1, " + token + ", servers: {count: 1, class: medium, image: debian-13, template: {proxmox: {node: pve}}}}\n"
		files = meta + "kind: Machine\nspec: {class: medium, image: debian-13, proxmox: {site: home}, bootstrap: {secrets: [{path: /etc/a, secretRef: {name: t, key: k}, allowPlaintext: true}]}}\n"
		short = "secretRef: is shorter than 16 characters; generate one with: openssl rand -hex 32"
	)

	secret := func(below string) string {
		return "---\napiVersion: v1\nkind: Secret\nmetadata: {name: t, namespace: infra}\n" + below
	}

	site := environment("sites: {home: {nodes: {pve: {datastores: {disks: a, images: b, snippets: c}}}}}") + "---\n"

	cases := map[string]struct {
		reason string
		file   string
		want   []string // Those with the Secret in them.
	}{
		"Node":    {reason: "A token is too short.", file: node + secret("stringData: {token: tooshort}\n"), want: []string{"spec.k3s.token." + short}},
		"Cluster": {reason: "The claim of the cluster has it, once.", file: nodes + secret("stringData: {token: tooshort}\n"), want: []string{"spec.token." + short}},
		"Base64":  {reason: "As the API server has it.", file: nodes + secret("data: {token: dG9vc2hvcnQ=}\n"), want: []string{"spec.token." + short}},
		"Right":   {reason: "It is long enough.", file: nodes + secret("stringData: {token: must-not-be-shown-0123456789}\n")},
		"Later":   {reason: "Flux fills it in.", file: nodes + secret("stringData: {token: \"${T}\"}\n")},
		"SOPS":    {reason: "Nobody can tell.", file: nodes + secret("stringData: {token: \"ENC[a]\"}\nsops: {mac: \"ENC[a]\"}\n")},
		"Nowhere": {reason: "It is in the cluster alone.", file: nodes},
		"Other": {reason: "That of another namespace is not read.", file: nodes + strings.ReplaceAll(secret("stringData: {token: tooshort}\n"), "infra", "other"), want: []string{
			`warning: spec.token.secretRef.name: "t": the Secret of this name beside the claim is of namespace other, and a claim reads those of its own one: write namespace: infra there, unless something else makes one there`,
		}},
		"Twice": {reason: "Each cluster may have one.", file: nodes + secret("stringData: {token: tooshort}\n") + secret("stringData: {token: shorter}\n")},
		"OtherKey": {
			reason: "No VM is made.", file: nodes + secret("stringData: {tokn: must-not-be-shown-0123456789}\n"),
			want: []string{`warning: spec.token.secretRef.key: Secret t among the files has no key "token", with the K3s token, and no VM is made without it; did you mean tokn?`},
		},
		"File":      {reason: "A file has a content.", file: site + files + secret("stringData: {k: \"\"}\n"), want: []string{`warning: spec.bootstrap.secrets[0].secretRef.key: key "k" of Secret t, with the content of /etc/a, is empty`}},
		"FileRight": {reason: "It has one.", file: site + files + secret("stringData: {k: must-not-be-shown}\n")},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			report := Check([]manifest.Raw{{File: "-", Documents: manifest.RawDocuments([]byte(tc.file))}}, nil, Options{})

			var got []string

			for _, f := range report.Faults {
				if said := f.String(); strings.Contains(strings.ToLower(said), "secret") {
					_, text, _ := strings.Cut(said, " ")
					got = append(got, text)
				} else if f.Severity == Error {
					t.Error(said)
				}

				if s := f.String(); strings.Contains(s, "tooshort") || strings.Contains(s, "must-not") {
					t.Errorf("it shows a value: %s", s)
				}
			}

			slices.Sort(got)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nfaults: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
