package claims

import "fmt"

// wrongSecrets are files from Secrets that cannot be written, or to which nobody consented.
func wrongSecrets() map[string]wrong {
	file := func(more string) string {
		return aMachine(`{proxmox: {node: pve}, bootstrap: {userData: "#cloud-config\n", secrets: [{secretRef: {name: app, key: password}, ` + more + `}]}}`)
	}
	out := map[string]wrong{
		"SecretWithoutConsent": {
			reason: "It stands in plain text in the managed resource and on the node.", claim: file(`path: /etc/app/password`), xrd: true,
			want: one("spec.bootstrap.secrets[0].allowPlaintext", "set allowPlaintext: true to accept this"),
		},
		"SecretWithoutPath": {
			reason: "Nobody says where it is written.", claim: file(`allowPlaintext: true`), xrd: true,
			want: one("spec.bootstrap.secrets[0].path", "must be an absolute path"),
		},
		"SecretWithoutKey": {
			reason: "A file is one key.", xrd: true,
			claim: aMachine(`{proxmox: {node: pve}, bootstrap: {userData: "#cloud-config\n", secrets: [{secretRef: {name: app}, allowPlaintext: true, path: /etc/app}]}}`),
			want:  one("spec.bootstrap.secrets[0].secretRef.key", "must be a key of the Secret"),
		},
		"SecretPathTwice": {
			reason: "The second file would replace the first.", xrd: true,
			claim: aMachine(`{proxmox: {node: pve}, bootstrap: {userData: "#cloud-config\n", secrets: [
				{secretRef: {name: a, key: b}, allowPlaintext: true, path: /etc/app}, {secretRef: {name: b, key: b}, allowPlaintext: true, path: /etc/app}]}}`),
			want: one("spec.bootstrap.secrets[1].path", "Duplicate value"),
		},
		"SecretsBesideSnippet": {
			reason: "The snippet is the whole user-data.",
			claim:  aMachine(`{proxmox: {node: pve}, bootstrap: {snippets: {userData: "local:snippets/x.yaml"}, secrets: [{secretRef: {name: a, key: b}, allowPlaintext: true, path: /etc/app}]}}`),
			want:   one("spec.bootstrap.secrets", "bootstrap.snippets.userData is already the whole user-data"),
		},
		"SecretsWithoutSnippets": {
			reason: "A machine that needed no SSH before would need it, and a datastore that nobody named.",
			claim:  aMachine(`{proxmox: {node: pve}, bootstrap: {secrets: [{secretRef: {name: a, key: b}, allowPlaintext: true, path: /etc/app}]}}`),
			want:   one("spec.bootstrap.secrets", "the catalogue names no datastore for snippets of node pve"),
		},
	}

	for name, path := range map[string]string{"Relative": "etc/app", "Parent": "/etc/../x", "Slash": "/etc/app/", "Run": "/run/app", "Tmp": "/tmp/app", "Space": "/etc/my app"} {
		out["SecretPath"+name] = wrong{
			reason: "It is written as it is, and must outlive a reboot.", claim: file(fmt.Sprintf(`allowPlaintext: true, path: %q`, path)), xrd: true,
			want: one("spec.bootstrap.secrets[0].path", "must be an absolute path"),
		}
	}

	for name, mode := range map[string]string{"World": "0644", "Short": "600", "Word": "rw", "Decimal": "0980"} {
		out["SecretMode"+name] = wrong{
			reason: "Everybody could read it, or it is no mode.", claim: file(fmt.Sprintf(`allowPlaintext: true, path: /etc/app, mode: %q`, mode)), xrd: true,
			want: one("spec.bootstrap.secrets[0].mode", "must be an octal mode in quotes"),
		}
	}

	return out
}
