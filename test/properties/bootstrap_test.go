package properties

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// The kinds of guests. What a claim may say depends on them.
const (
	guestLinux = "linux"
	guestNixOS = "nixos"
	guestDeaf  = "deaf" // Reads no cloud-init.
)

// Where a guest's user-data comes from.
const (
	userDataNative   = "native" // From Proxmox.
	userDataRendered = "rendered"
	userDataPlaced   = "placed" // It is on the node.
)

// A shape is what decides which fields of a claim go together: within one shape, a field of one claim may take the place of
// the same field of another.
type shape struct {
	kind     string
	role     string // Of a K3sNode.
	site     string // Empty: the catalogue's default.
	guest    string
	userData string
	nix      bool
}

func (d draw) shape() shape {
	s := shape{kind: pick(d, "Machine", "Machine", "K3sNode"), role: pick(d, "server", "agent"), site: pick(d, "", "home", "lab")}
	d.boot(&s)

	return s
}

// boot chooses how a machine boots.
func (d draw) boot(s *shape) {
	s.guest, s.nix = guestLinux, false
	s.userData = pick(d, userDataNative, userDataRendered, userDataPlaced)

	if s.kind == "K3sNode" {
		s.userData = pick(d, userDataRendered, userDataRendered, userDataPlaced)
		return
	}

	switch s.guest = pick(d, guestLinux, guestLinux, guestNixOS, guestDeaf); s.guest {
	case guestNixOS:
		s.nix = d.chance(70) && s.userData != userDataPlaced
	case guestDeaf:
		s.userData = userDataNative
	}
}

func (d draw) placement(spec map[string]any, s shape) {
	out := map[string]any{}
	if s.site != "" {
		out["site"] = s.site
	}

	d.maybe(out, 60, "node", pick(d, "pve1", "pve2", "pve3"))
	d.maybe(out, 25, "storage", pick(d, "local-zfs", "tank"))
	d.maybe(out, 30, "bridge", pick(d, "vmbr0", "vmbr1"))
	d.maybe(out, 30, "vlan", pick(d, 20, 21))
	d.maybe(out, 50, "vmId", 200+d.IntN(4))
	d.maybe(out, 20, "pool", pick(d, "infra", "a/b"))

	if out["node"] != nil {
		d.maybe(out, 20, "migrate", d.chance(70))
	}

	// Not drawn: the other draws, and with them the states that random pairs come to, stay what they are.
	switch len(fmt.Sprint(out)) % 6 {
	case 0:
		out["spread"] = "dns"
	case 1, 2:
		out["avoid"] = []any{"pve3"}
	}

	if len(out) > 0 {
		spec["proxmox"] = out
	}
}

// Texts that Terraform would read as templates, were they not escaped, and some that only look so.
var templates = []string{
	`${HOME}`, `${file("/var/run/secrets/token")}`, `%{ if true }`, `$${X}`, `$$${Y}`, `%%{z}`, `100% $HOME $(id) $$ %%`, `${${nested}}`, `}${`, `ünï ${x}`,
}

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam "

func (d draw) bootstrap(spec map[string]any, s shape) {
	if s.guest == guestDeaf {
		return
	}

	out, snippets := map[string]any{}, map[string]any{}
	d.maybe(out, 30, "adminUser", pick(d, "ops", "admin"))
	d.maybe(out, 40, "sshAuthorizedKeys", []any{publicKey + pick(d, templates...), publicKey + "ops@home\n"})
	d.maybe(snippets, 20, "vendorData", pick(d, "local:snippets/vendor.yaml", "local:snippets/token.yaml"))
	d.maybe(snippets, 20, "metaData", "local:snippets/meta.yaml")

	switch {
	case s.userData == userDataPlaced:
		snippets["userData"] = pick(d, "local:snippets/user.yaml", "local:snippets/other.yaml")
	case s.userData == userDataRendered && (s.kind == "Machine" && !s.nix || d.chance(40)):
		out["userData"] = d.userData()
	}

	d.maybe(out, 100*min(1, len(snippets)), "snippets", snippets)

	// Not drawn: the other draws, and with them the states that random pairs come to, stay what they are.
	switch n := len(fmt.Sprint(out)) % 8; n {
	case 0, 1:
		out["guestAgent"] = n == 0
	case 2:
		out["report"] = "None"
	case 3:
		out["report"] = "Link"
	}

	if len(out) > 0 {
		spec["bootstrap"] = out
	}
}

// userData is more cloud-config, in some cases with the line ends of another system.
func (d draw) userData() string {
	b := strings.Builder{}
	b.WriteString("#cloud-config\n")

	texts := some(d, templates...)
	if len(texts) > 0 {
		b.WriteString("runcmd:\n")
	}

	for _, t := range texts {
		b.WriteString("- [echo, " + world.Compact(t) + "]\n")
	}

	if d.chance(50) {
		b.WriteString("timezone: Europe/Berlin\n")
	}

	if d.chance(20) {
		return strings.ReplaceAll(b.String(), "\n", "\r\n")
	}

	return b.String()
}

func (d draw) nix() map[string]any {
	out := map[string]any{"flakeRef": pick(d, "git+https://git.home.arpa/infra?ref=main#web01", "github:owner/repo")}
	d.maybe(out, 40, "schedule", pick(d, "daily", ""))
	d.maybe(out, 40, "reboot", pick(d, "never", "kernel", "always"))
	d.maybe(out, 40, "healthCheck", "test "+pick(d, templates...))

	return out
}

// store adds a secret store, and for a K3s node perhaps its token.
func (s shape) store(d draw, spec map[string]any) {
	k3s, isNode := spec["k3s"].(map[string]any)
	token := isNode && d.chance(10)

	if s.guest == guestNixOS || !token && !d.chance(12) {
		return
	}

	bootstrap, _ := spec["bootstrap"].(map[string]any)
	if bootstrap == nil {
		bootstrap = map[string]any{}
		spec["bootstrap"] = bootstrap
	}

	role := map[string]any{"roleID": pick(d, "first", "second")}
	d.maybe(role, 20, "mount", "approle")
	d.maybe(role, 20, "secretIDFile", "/etc/secret-id")
	d.maybe(role, 30, "wrapped", d.chance(50))

	out := map[string]any{"address": "https://bao.home.arpa:8200", "appRole": role}
	d.maybe(out, 20, "namespace", "home")
	d.maybe(out, 20, "caCertificate", authority)

	// Always one: tests take the token away from a claim, and a store without files is a fault then.
	file := map[string]any{"path": pick(d, "/etc/stored", "/etc/stored-too"), "secret": "app", "field": "key"}
	d.maybe(file, 30, "mount", "kv")
	d.maybe(file, 30, "mode", "0640")
	d.maybe(file, 30, "owner", "root:adm")
	out["files"] = []any{file}

	if d.chance(30) {
		delete(out, "appRole")

		login := map[string]any{}
		d.maybe(login, 20, "mount", "cert")
		d.maybe(login, 30, "role", pick(d, "first", "second"))
		d.maybe(login, 20, "certificateFile", "/etc/tls.crt")
		d.maybe(login, 20, "keyFile", "/etc/tls.key")
		out["tls"] = login
		d.maybe(file, 30, "restart", []any{"app.service"})
		out["refresh"] = pick(d, "12h", "90m")
	}

	bootstrap["secretStore"] = out

	if token {
		stored := map[string]any{"secret": "k3s/home", "field": pick(d, "token", "join")}
		d.maybe(stored, 30, "mount", "kv")
		k3s["token"] = map[string]any{"secretStore": stored}
	}
}

// authority is a certificate for which nobody has a key.
const authority = `-----BEGIN CERTIFICATE-----
MIIBfDCCASGgAwIBAgIUZ4tfe/g463WbmjLuT1T/y+cBcRMwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHSG9tZSBDQTAgFw0yNjExMjMyMzQwMTRaGA8yMTI2MTAzMDIz
NDAxNFowEjEQMA4GA1UEAwwHSG9tZSBDQTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABA8igCRolNsqmv2V+hBUv1P/1mz3DwRvYWBWw3r07pjTrZxsTpSrtVcF8PJT
g6pFIHMhlFTka02IecMoHtDOGFGjUzBRMB0GA1UdDgQWBBQ0AHCJgA/RuAJNgDr0
eVKss6KRtjAfBgNVHSMEGDAWgBQ0AHCJgA/RuAJNgDr0eVKss6KRtjAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDSal7KT8NiNPmHj8qEBKLH4aR4
jjTxCu77mU3eGTfvDwIhAMDyO+6O14wSPbTt/vcoNpXdIrw/NAEfMqhDG9CKOuUl
-----END CERTIFICATE-----
`

func (d draw) k3s(s shape) map[string]any {
	out := map[string]any{"cluster": pick(d, "home", "home", "filed"), "role": s.role}
	// No agent may be newer than its servers.
	version := "v1.34.1+k3s1"
	if s.role == "agent" {
		version = "v1.33.4+k3s1"
	}

	d.maybe(out, 30, "version", version)
	d.maybe(out, 30, "server", "https://192.168.4.210:6443")
	d.maybe(out, 20, "token", pick(d,
		map[string]any{"file": "/etc/rancher/k3s/token"},
		map[string]any{"secretRef": map[string]any{"name": "k3s-join-token", "key": "token"}, "allowPlaintext": true}))
	d.maybe(out, 30, "labels", map[string]any{"topology.kubernetes.io/zone": pick(d, "a", "b")})
	d.maybe(out, 30, "taints", toAny(some(d, "gpu=true:NoSchedule", "x=y:PreferNoSchedule")))
	d.maybe(out, 30, "config", map[string]any{"kubelet-arg": []any{"max-pods=200", "kube-api-content-type=" + pick(d, templates...)}})

	if s.role == "server" {
		if d.chance(20) {
			// The first server makes its cluster's token; it takes none that exists.
			out["init"] = true
			delete(out, "token")
		}

		// Their cluster disables servicelb, so they do.
		d.maybe(out, 30, "disable", toAny(append([]string{"servicelb"}, some(d, "traefik", "metrics-server")...)))
		d.maybe(out, 30, "tlsSANs", toAny(some(d, "k3s.home.arpa", "192.168.4.79")))
	}

	// Not drawn, as above.
	switch n := len(fmt.Sprint(out)) % 8; {
	case n == 0 && out["init"] == nil:
		// Without an entry in the catalogue.
		delete(out, "cluster")
		out["clusterName"], out["version"], out["server"] = "lab", "v1.33.6+k3s1", "https://192.168.4.210:6443"
		out["token"] = map[string]any{"file": "/etc/rancher/k3s/token"}
		delete(out, "disable") // All servers of a cluster without an entry deploy the same.
	case n < 4 && out["token"] != nil: //nolint:mnd // Half of them.
		world.Object(out["token"])["trustOnFirstUse"] = true
	}

	return out
}

func toAny(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}

	return out
}

// powers that a claim can ask for.
func powers() []string { return []string{"Running", "Running", "Stopped", "Unmanaged"} }
