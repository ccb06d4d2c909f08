package claims

import "fmt"

// wrongStores are secret stores from which no guest could fetch anything, or not what the person expects.
func wrongStores() map[string]wrong {
	// It needs user-data anyway, so that the catalogue must name no datastore.
	machine := func(store string) string {
		return aMachine(`{proxmox: {node: pve}, bootstrap: {userData: "#cloud-config\n", secretStore: ` + store + `}}`)
	}
	const (
		address = `address: "https://bao.home.arpa:8200", `
		role    = `appRole: {roleID: web}, `
		files   = `files: [{path: /etc/app, secret: app, field: key}]`
		at      = "spec.bootstrap.secretStore"
	)

	file := func(more string) string { return machine(`{` + address + role + `files: [{` + more + `}]}`) }
	certified := func(login, more, of string) string {
		return machine(`{` + address + `tls: {` + login + `}, ` + more + `files: [{path: /etc/app, secret: app, field: key, ` + of + `}]}`)
	}
	node := func(k3s, bootstrap string) string {
		return aNode(`{proxmox: {node: pve}, image: debian-12, bootstrap: {userData: "#cloud-config\n"` + bootstrap + `}, k3s: {cluster: home, role: agent` + k3s + `}}`)
	}

	out := map[string]wrong{
		"StoreWithoutAddress": {reason: "There is no default.", claim: machine(`{` + role + files + `}`), xrd: true, want: one(at+".address", "must be the https address")},
		"StoreWithoutRole":    {reason: "Nobody could log in.", claim: machine(`{` + address + files + `}`), xrd: true, want: one(at, "set exactly one of appRole and tls")},
		"StoreWithTwoLogins":  {reason: "It logs in once.", claim: machine(`{` + address + role + `tls: {}, ` + files + `}`), xrd: true, want: one(at, "set exactly one of appRole and tls: the machine logs in once")},
		"StoreRoleWithoutID":  {reason: "Nobody could log in.", claim: machine(`{` + address + `appRole: {}, ` + files + `}`), xrd: true, want: one(at+".appRole.roleID", "must be the ID of the machine's role")},
		"StoreWithoutFiles":   {reason: "There is nothing to fetch.", claim: machine(`{` + address + `appRole: {roleID: web}}`), want: one(at+".files", "must have at least one file")},
		"StoreInsecure": {
			reason: "Everybody on the way could read the secrets.", claim: machine(`{address: "http://127.0.0.1:8200", ` + role + files + `}`), xrd: true,
			want: one(at+".address", "without TLS"),
		},
		"StoreWithPath":     {reason: "The program adds /v1.", claim: machine(`{address: "https://bao.home.arpa/v1", ` + role + files + `}`), xrd: true, want: one(at+".address", "without a path")},
		"StoreWithPassword": {reason: "A claim is in Git.", claim: machine(`{address: "https://me:word@bao.home.arpa", ` + role + files + `}`), xrd: true, want: one(at+".address", "without a path, a user or a password")},
		"StoreNamespace":    {reason: "It is a path.", claim: machine(`{` + address + role + `namespace: /home/, ` + files + `}`), xrd: true, want: one(at+".namespace", "without / at its ends")},
		"StoreCA":           {reason: "It is no file name.", claim: machine(`{` + address + role + `caCertificate: /etc/ssl/ca.pem, ` + files + `}`), xrd: true, want: one(at+".caCertificate", "this begins with something else")},
		"StoreCADamaged": {
			reason: "The guest could not read it.", claim: machine(`{` + address + role + `caCertificate: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", ` + files + `}`),
			want: one(at+".caCertificate", "a certificate of it is damaged"),
		},
		"StoreCAWithKey": {
			reason: "It is a secret, and in Git.", xrd: true,
			claim: machine(`{` + address + role + `caCertificate: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n-----BEGIN EC PRIVATE KEY-----\n", ` + files + `}`),
			want:  one(at+".caCertificate", "this has a private key"),
		},
		"StoreRole":         {reason: "It is an ID.", claim: machine(`{` + address + `appRole: {roleID: "a b"}, ` + files + `}`), xrd: true, want: one(at+".appRole.roleID", "must be the ID of a role")},
		"StoreMount":        {reason: "It is a path.", claim: machine(`{` + address + `appRole: {roleID: a, mount: ../sys}, ` + files + `}`), xrd: true, want: one(at+".appRole.mount", "without / at its ends")},
		"StoreSecretIDFile": {reason: "It has to be there after a power cut.", claim: machine(`{` + address + `appRole: {roleID: a, secretIDFile: /run/secret-id}, ` + files + `}`), xrd: true, want: one(at+".appRole.secretIDFile", "empty after a reboot")},
		"StoreTLSMount":     {reason: "It is a path.", claim: certified(`mount: /cert`, ``, ``), xrd: true, want: one(at+".tls.mount", "without / at its ends")},
		"StoreTLSRole":      {reason: "It is a name.", claim: certified(`role: "a b"`, ``, ``), xrd: true, want: one(at+".tls.role", "must be the name of a role")},
		"StoreTLSFile":      {reason: "It has to be there after a reboot.", claim: certified(`certificateFile: /run/tls.crt`, ``, ``), xrd: true, want: one(at+".tls.certificateFile", "empty after a reboot")},
		"StoreTLSKey":       {reason: "It is a path.", claim: certified(`keyFile: tls.key`, ``, ``), xrd: true, want: one(at+".tls.keyFile", "must be an absolute path")},
		"StoreTLSOneFile":   {reason: "Everybody could read the key.", claim: certified(`keyFile: /etc/machine-secrets/tls.crt`, ``, ``), want: one(at+".tls.keyFile", "must be another file than certificateFile")},
		"StoreRefresh":      {reason: "It is a duration.", claim: certified(``, `refresh: daily, `, ``), xrd: true, want: one(at+".refresh", "must be hours and minutes")},
		"StoreRefreshOften": {reason: "A site would ask all the time.", claim: certified(``, `refresh: 4m, `, ``), xrd: true, want: one(at+".refresh", "from 5m to 720h")},
		"StoreRefreshRare":  {reason: "It is forgotten.", claim: certified(``, `refresh: 721h, `, ``), xrd: true, want: one(at+".refresh", "from 5m to 720h")},
		"StoreRefreshRole": {
			reason: "The secret id is used up.", claim: machine(`{` + address + role + `refresh: 12h, ` + files + `}`), xrd: true,
			want: one(at+".refresh", "needs tls: a secret id that was wrapped"),
		},
		"StoredRestart":     {reason: "Nothing would restart it.", claim: certified(``, ``, `restart: [app.service]`), want: one(at+".files[0].restart", "needs refresh")},
		"StoredRestartWord": {reason: "It is a name.", claim: certified(``, `refresh: 12h, `, `restart: [app]`), xrd: true, want: one(at+".files[0].restart[0]", "must be the name of a service")},
		"StoredRestartK3s": {
			reason: "The store would restart all servers at once.", claim: certified(``, `refresh: 12h, `, `restart: [k3s.service]`), xrd: true,
			want: one(at+".files[0].restart[0]", "would take the servers of a cluster down together"),
		},
		"StoredRestartK3sShort": {
			reason: "Who writes no ending learns at once that it is of no use here.", claim: certified(``, `refresh: 12h, `, `restart: [k3s]`), xrd: true,
			want: one(at+".files[0].restart[0]", "would take the servers of a cluster down together"),
		},
		"StoreRefreshBoth": {
			reason: "With one login too many, refresh is right once appRole is removed.", xrd: true,
			claim: machine(`{` + address + role + `tls: {}, refresh: 12h, ` + files + `}`), want: one(at, "set exactly one of appRole and tls"),
		},
		"StoredRestartSelf":  {reason: "It would end itself.", claim: certified(``, `refresh: 12h, `, `restart: [fetch-secrets-refresh.service]`), xrd: true, want: one(at+".files[0].restart[0]", "is what fetches the files")},
		"StoredRestartTwice": {reason: "Once is enough.", claim: certified(``, `refresh: 12h, `, `restart: [a.service, a.service]`), xrd: true, want: one(at+".files[0].restart[1]", "Duplicate value")},
		"StoredRestarts":     {reason: "A file has few readers.", claim: certified(``, `refresh: 12h, `, `restart: [a.service, b.service, c.service, d.service, e.service]`), xrd: true, want: one(at+".files[0].restart", "must have at most 4")},
		"StoredTokenRestart": {
			reason: "A refresh never writes the token again.",
			claim:  node(`, token: {file: /etc/token}`, `, secretStore: {`+address+`tls: {}, refresh: 12h, files: [{path: /etc/token, secret: a, field: b, restart: [app.service]}]}`),
			want:   one(at+".files[0].restart", "K3s reads its token from this file"),
		},
		"StoredPathTwice": {
			reason: "The second file would replace the first.", xrd: true,
			claim: machine(`{` + address + role + `files: [{path: /etc/app, secret: app, field: key}, {path: /etc/app, secret: app, field: other}]}`),
			want:  one(at+".files[1].path", "Duplicate value"),
		},
		"StoredPathInAFile": {
			reason: "The second file would have no folder.",
			claim:  machine(`{` + address + role + `files: [{path: /etc/app, secret: app, field: key}, {path: /etc/app/key, secret: app, field: key}]}`),
			want:   one(at+".files[1].path", "a file cannot be in another file"),
		},
		"StoredPathOfAFolder": {
			reason: "The secret id is below it.", claim: file(`path: /etc/machine-secrets, secret: a, field: b`), want: one(at+".files[0].path", "what the machine logs in with is in a folder of this name"),
		},
		"StoredPathMissing":   {reason: "Nobody says where it is written.", claim: file(`secret: a, field: b`), xrd: true, want: one(at+".files[0].path", "must be an absolute path")},
		"StoredSecretMissing": {reason: "Nobody says which.", claim: file(`path: /etc/app, field: b`), xrd: true, want: one(at+".files[0].secret", "must be the path of a secret")},
		"StoredFieldMissing":  {reason: "Nobody says which.", claim: file(`path: /etc/app, secret: a`), xrd: true, want: one(at+".files[0].field", "must be a field of the secret")},
		"StoredSecretPath":    {reason: "It would read elsewhere.", claim: file(`path: /etc/app, secret: a/../b, field: b`), xrd: true, want: one(at+".files[0].secret", "without / at its ends")},
		"StoredField":         {reason: "It is a name.", claim: file(`path: /etc/app, secret: a, field: "b c"`), xrd: true, want: one(at+".files[0].field", "must be a field of the secret")},
		"StoredMode":          {reason: "Everybody could read it.", claim: file(`path: /etc/app, secret: a, field: b, mode: "0644"`), xrd: true, want: one(at+".files[0].mode", "must be an octal mode")},
		"StoredOwner":         {reason: "It is a user and a group.", claim: file(`path: /etc/app, secret: a, field: b, owner: "0"`), xrd: true, want: one(at+".files[0].owner", "must be user:group")},
		"StoredAndFromASecret": {
			reason: "Two would write one file.",
			claim:  aMachine(`{proxmox: {node: pve}, bootstrap: {userData: "#cloud-config\n", secrets: [{secretRef: {name: a, key: b}, allowPlaintext: true, path: /etc/app}], secretStore: {` + address + role + files + `}}}`),
			want:   one(at+".files[0].path", "bootstrap.secrets writes this file, too"),
		},
		"StoreBesideSnippet": {
			reason: "The snippet is the whole user-data.",
			claim:  aMachine(`{proxmox: {node: pve}, bootstrap: {snippets: {userData: "local:snippets/x.yaml"}, secretStore: {` + address + role + files + `}}}`),
			want:   one(at, "bootstrap.snippets.userData is already the whole user-data"),
		},
		"StoreWithoutSnippets": {
			reason: "A machine that needed no SSH before would need it, and a datastore that nobody named.",
			claim:  aMachine(`{proxmox: {node: pve}, bootstrap: {secretStore: {` + address + role + files + `}}}`),
			want:   one(at, "the catalogue names no datastore for snippets of node pve"),
		},
		"StoreOnNixOS": {
			reason: "It has no units but those of its flake.",
			claim:  aMachine(`{proxmox: {node: pve}, image: nixos-25.05, nix: {flakeRef: "github:a/b#c"}, bootstrap: {secretStore: {` + address + role + files + `}}}`),
			want:   one(at, "a NixOS machine gets its services from its flake"),
		},
		"StoredTokenWithoutStore": {
			reason: "Nobody says where the store is.", claim: node(`, token: {secretStore: {secret: k3s, field: token}}`, ""),
			want: one(at, "the K3s token is in a secret store"),
		},
		"StoredTokenAndFile": {
			reason: "One source.", xrd: true,
			claim: node(`, token: {file: /etc/token, secretStore: {secret: k3s, field: token}}`, `, secretStore: {`+address+`appRole: {roleID: a}}`),
			want:  one("spec.k3s.token", "set exactly one of secretRef, file and secretStore"),
		},
		"StoredTokenWithoutField": {
			reason: "Nobody says which.", xrd: true,
			claim: node(`, token: {secretStore: {secret: k3s}}`, `, secretStore: {`+address+`appRole: {roleID: a}}`),
			want:  one("spec.k3s.token.secretStore.field", "must be a field of the secret"),
		},
		"StoreAllAtOnce": {
			reason: "All faults are said at once.", xrd: true,
			claim: machine(`{address: bao, namespace: " ", appRole: {mount: /}, files: [{path: app}]}`),
			want: []fault{
				{at + ".address", "must be the https address"},
				{at + ".appRole.mount", "without / at its ends"},
				{at + ".appRole.roleID", "must be the ID of the machine's role"},
				{at + ".files[0].field", "must be a field of the secret"},
				{at + ".files[0].path", "must be an absolute path"},
				{at + ".files[0].secret", "must be the path of a secret"},
				{at + ".namespace", "without / at its ends"},
			},
		},
	}

	for name, path := range map[string]string{"Relative": "etc/app", "Parent": "/etc/../x", "Run": "/run/app", "Space": "/etc/my app"} {
		out["StoredPath"+name] = wrong{
			reason: "It is written as it is, and must outlive a reboot.", claim: file(fmt.Sprintf(`path: %q, secret: a, field: b`, path)), xrd: true,
			want: one(at+".files[0].path", "must be an absolute path"),
		}
	}

	return out
}
