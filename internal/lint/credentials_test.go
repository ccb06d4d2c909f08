package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestCredentials: what the provider cannot read of the Secret that its configuration names is said at the Secret, and no value is shown.
func TestCredentials(t *testing.T) {
	const (
		cluster = "apiVersion: proxmoxbpg.m.crossplane.io/v1beta1\nkind: ClusterProviderConfig\nmetadata: {name: default}\n" +
			"spec: {credentials: {source: Secret, secretRef: {namespace: crossplane-system, name: pve, key: credentials}}}\n---\n"
		right = `{"endpoint": "https://192.168.4.2:8006", "insecure": "true", "api_token": "hunter2@pve!hunter2=8f5a3c1e-0d7b-4f7e-9a54-2f0d5d1a6b11", "ssh_username": "hunter2", "ssh_private_key": "-----BEGIN PRIVATE KEY-----\nMHVudGVyMg==\n-----END PRIVATE KEY-----\n"}`
		above = "apiVersion: v1\nkind: Secret\nmetadata: {name: pve, namespace: crossplane-system}\n"
		at    = "a.yaml:10:16: warning: stringData.credentials: "
		see   = " (docs/start.md, step 7)"
		know  = "; there are: "
		aKey  = `-----BEGIN PRIVATE KEY-----\nMHVudGVyMg==\n-----END PRIVATE KEY-----\n`
		noKey = `has an ssh_private_key that is no private key: it is the whole file with its lines, each of which ends with \n in JSON, and neither its path nor the public key`
	)

	ofData := strings.Replace(at, "stringData", "data", 1)
	ofJSON := func(json string) string { return cluster + above + "stringData:\n  credentials: '" + json + "'\n" }
	own := strings.NewReplacer("ClusterProviderConfig", "ProviderConfig", "metadata: {name: default}", "metadata: {name: default, namespace: infra}").Replace(cluster)
	former := strings.NewReplacer("ClusterProviderConfig", "ProviderConfig", ".m.", ".").Replace(cluster)

	cases := map[string]struct {
		reason string
		file   string
		want   []string // But for that in clear text.
	}{
		"Right": {reason: "As docs/start.md makes it.", file: ofJSON(right)},
		"Base64": {reason: "As kubectl prints it.", file: cluster + above + "data:\n  credentials: e30=\n", want: []string{
			ofData + "has no endpoint, such as https://192.168.4.2:8006" + see,
			ofData + "has no api_token" + see,
			ofData + "has no ssh_username: snippets are written over SSH" + see,
		}},
		"YAML": {
			reason: "As everything else in the file is.", file: cluster + above + "stringData:\n  credentials: |\n    endpoint: https://192.168.4.2:8006\n    api_token: hunter2\n",
			want: []string{at + "is YAML, and the provider reads one JSON object: write braces around it, every name and every value in double quotes, and commas between them" + see},
		},
		"Fields": {
			reason: "The JSON as an object of YAML.", file: cluster + above + "stringData:\n  credentials:\n    endpoint: https://192.168.4.2:8006\n",
			want: []string{"a.yaml:10:3: warning: stringData.credentials: must be text, or the API server refuses the Secret: write | behind the colon, and all of it as text below"},
		},
		"Text":  {reason: "Neither.", file: ofJSON("hunter2"), want: []string{at + "is not one JSON object" + see}},
		"Truth": {reason: "Every value is a string.", file: ofJSON(strings.Replace(right, `"true"`, "true", 1)), want: []string{at + `has field insecure, which is no text: every value is a string, "true" too` + see}},
		"Unknown": {reason: "A name with a typing error.", file: ofJSON(strings.Replace(right, "ssh_private_key", "ssh_privat_key", 1)), want: []string{
			at + "has field ssh_privat_key, which the provider does not read; did you mean ssh_private_key? There are: ssh_private_key, api_token, ssh_password, ssh_username, auth_ticket, username, endpoint, csrf_prevention_token, insecure, random_vm_ids and 4 more" + see,
		}},
		"ValueAsName": {reason: "A value in place of a name is not shown.", file: ofJSON(strings.Replace(right, `"ssh_private_key"`, `"8f5a3c1e-hunter2"`, 1)), want: []string{
			at + "has a field of another name, which the provider does not read" + know + "endpoint, api_token, username, password, auth_ticket, csrf_prevention_token, insecure, ssh_username, ssh_private_key, ssh_password and 4 more" + see,
		}},
		"API":       {reason: "The provider adds it.", file: ofJSON(strings.Replace(right, ":8006", ":8006/api2/json", 1)), want: []string{at + "has an endpoint with /api2 in it: end it behind the port, because the provider adds /api2/json itself" + see}},
		"HTTP":      {reason: "Proxmox serves no other.", file: ofJSON(strings.Replace(right, "https:", "http:", 1)), want: []string{at + "has an endpoint that does not begin with https://" + see}},
		"KeyPath":   {reason: "The path of the key.", file: ofJSON(strings.Replace(right, aKey, "/home/hunter2/.ssh/id_ed25519", 1)), want: []string{at + noKey + see}},
		"KeyPublic": {reason: "The other half.", file: ofJSON(strings.Replace(right, aKey, "ssh-ed25519 AAAA hunter2", 1)), want: []string{at + noKey + see}},
		"KeyLine":   {reason: "YAML has folded its lines.", file: ofJSON(strings.Replace(right, aKey, strings.ReplaceAll(aKey, `\n`, " "), 1)), want: []string{at + noKey + see}},
		"KeyLocked": {
			reason: "Nobody types its passphrase.", file: ofJSON(strings.Replace(right, aKey, strings.ReplaceAll(aKey, "PRIVATE", "ENCRYPTED PRIVATE"), 1)),
			want: []string{at + "has an ssh_private_key with a passphrase, which nobody types: take a key without one" + see},
		},
		"SSHUser": {
			reason: "A user of Proxmox.", file: ofJSON(strings.Replace(right, `"ssh_username": "hunter2"`, `"ssh_username": "hunter2@pam"`, 1)),
			want: []string{at + "has an ssh_username with a realm: it is an account of the nodes themselves, such as root, and no user of Proxmox" + see},
		},
		"SSHDomain": {reason: "An account of a domain, which is one of the nodes.", file: ofJSON(strings.Replace(right, `"ssh_username": "hunter2"`, `"ssh_username": "hunter2@corp.lab"`, 1))},
		"Realm": {
			reason: "A user of no realm.", file: ofJSON(strings.Replace(right, `"api_token": "hunter2@pve!hunter2=8f5a3c1e-0d7b-4f7e-9a54-2f0d5d1a6b11"`, `"username": "hunter2", "password": "hunter2"`, 1)),
			want: []string{at + "has a username without its realm, such as crossplane@pve" + see},
		},
		"Token": {reason: "The secret alone.", file: ofJSON(strings.Replace(right, "hunter2@pve!hunter2=", "", 1)), want: []string{at + "has an api_token of another form than user@realm!name=uuid, on one line" + see}},
		"Key": {
			reason: "A key of another name.", file: strings.Replace(ofJSON(right), "key: credentials", "key: creds", 1),
			want: []string{`a.yaml:4:96: warning: spec.credentials.secretRef.key: Secret pve among the files has no key "creds", and nothing is made without credentials; there are: credentials`},
		},
		"Later":     {reason: "Flux fills it in.", file: ofJSON(strings.Replace(right, "hunter2@pve", "${TOKEN}", 1))},
		"Encrypted": {reason: "Nobody can tell.", file: ofJSON("ENC[a]") + "sops: {mac: \"ENC[a]\"}\n"},
		"Other":     {reason: "Another Secret is somebody else's.", file: strings.Replace(ofJSON("hunter2"), "name: pve,", "name: other,", 1)},
		"Elsewhere": {reason: "One of another namespace is another one.", file: strings.Replace(ofJSON("hunter2"), "namespace: crossplane-system}\n", "namespace: infra}\n", 1)},
		"Own":       {reason: "A configuration in a namespace reads that of its own.", file: strings.Replace(strings.Replace(ofJSON("hunter2"), cluster, own, 1), "pve, namespace: crossplane-system", "pve, namespace: infra", 1), want: []string{at + "is not one JSON object" + see}},
		"Former":    {reason: "The former kind is in no namespace.", file: strings.Replace(ofJSON("hunter2"), cluster, former, 1), want: []string{at + "is not one JSON object" + see}},
		"Injected":  {reason: "The provider has them from elsewhere.", file: strings.Replace(ofJSON("hunter2"), "source: Secret", "source: Filesystem", 1)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string

			for _, f := range Check([]manifest.Raw{{File: "a.yaml", Documents: manifest.RawDocuments([]byte(tc.file))}}, nil, Options{}).Faults {
				if strings.Contains(f.String(), "hunter2") {
					t.Errorf("it shows a value: %s", f)
				}

				if f.Message != inClearText {
					got = append(got, f.String())
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nfaults: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSecretsElsewhere: a Secret beside its claim that the claim cannot read, because it is of another namespace.
func TestSecretsElsewhere(t *testing.T) {
	const (
		claims = "apiVersion: homelab.io/v1alpha1\nkind: K3sCluster\nmetadata: {name: home, namespace: infra}\n" +
			"spec: {token: {secretRef: {name: t}, allowPlaintext: true, trustOnFirstUse: true}}\n"
		secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: t, namespace: other}\nstringData: {token: \"${T}\"}\n"
		want   = "infra/a.yaml:4:34: warning: spec.token.secretRef.name: \"t\": the Secret of this name beside the claim is of namespace other, " +
			"and a claim reads those of its own one: write namespace: infra there, unless something else makes one there"
	)

	cases := map[string]struct {
		reason string
		files  map[string]string
		beside bool
		want   []string
	}{
		"Folder":    {reason: "In the same folder.", files: map[string]string{"infra/a.yaml": claims, "infra/b.yaml": secret}, want: []string{want}},
		"File":      {reason: "In the same file.", files: map[string]string{"infra/a.yaml": claims + "---\n" + secret}, want: []string{want}},
		"Beside":    {reason: "In the file beside it, which lint reads by itself.", files: map[string]string{"infra/a.yaml": claims, "infra/secrets.yaml": secret}, beside: true, want: []string{want}},
		"Right":     {reason: "It is of the same one.", files: map[string]string{"infra/a.yaml": claims, "infra/b.yaml": strings.Replace(secret, "other", "infra", 1)}},
		"Both":      {reason: "Each namespace has one.", files: map[string]string{"infra/a.yaml": claims, "infra/b.yaml": secret + "---\n" + strings.Replace(secret, "other", "infra", 1)}},
		"Unsaid":    {reason: "kubectl says the namespace.", files: map[string]string{"infra/a.yaml": claims, "infra/b.yaml": strings.Replace(secret, ", namespace: other", "", 1)}},
		"Claim":     {reason: "kubectl says that of the claim.", files: map[string]string{"infra/a.yaml": strings.Replace(claims, ", namespace: infra", "", 1), "infra/b.yaml": secret}},
		"Far":       {reason: "One of another folder may be for others.", files: map[string]string{"infra/a.yaml": claims, "other/b.yaml": secret}},
		"Kustomize": {reason: "Kustomize gives both one namespace.", files: map[string]string{"infra/a.yaml": claims, "infra/b.yaml": secret, "kustomization.yaml": "namespace: home\nresources: [infra]\n"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var files, beside []manifest.Raw

			for _, path := range []string{"infra/a.yaml", "infra/b.yaml", "infra/secrets.yaml", "other/b.yaml", "kustomization.yaml"} {
				raw := manifest.Raw{File: path, Documents: manifest.RawDocuments([]byte(tc.files[path]))}

				switch {
				case tc.files[path] == "":
				case tc.beside && path != "infra/a.yaml":
					beside = append(beside, raw)
				default:
					files = append(files, raw)
				}
			}

			var got []string

			for _, f := range Check(files, beside, Options{}).Faults {
				if f.Path == "spec.token.secretRef.name" {
					got = append(got, f.String())
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nfaults: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
