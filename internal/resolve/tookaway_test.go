package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestTookAway: what an edit takes out of the claim of a node that runs is the claim's own fault where the catalogue's cluster does not have it; what the catalogue
// has lost is the catalogue's, and the VM keeps what it has.
func TestTookAway(t *testing.T) {
	const (
		whole   = `server: "https://192.168.4.210:6443", version: v1.33.6+k3s1, token: {file: /etc/k3s-token}`
		is      = "{proxmox: {node: pve}, network: {dhcp: true}, k3s: {cluster: home, role: agent, "
		version = "spec.k3s.version"
		server  = "spec.k3s.server"
		token   = "spec.k3s.token"
		stored  = "{clusters: {home: {" + `server: "https://192.168.4.210:6443", version: v1.33.6+k3s1, token: {secretStore: {secret: k3s, field: token}}}}}`
	)

	cases := map[string]struct {
		reason, before, spec, catalogue string
		faults, kept                    []string
	}{
		"Whole":   {"Nothing is missing.", whole, whole, `{clusters: {home: {}}}`, nil, nil},
		"Token":   {"The edit takes it.", whole, `server: "https://192.168.4.210:6443", version: v1.33.6+k3s1`, `{clusters: {home: {}}}`, []string{token}, nil},
		"Version": {"The edit takes it.", whole, `server: "https://192.168.4.210:6443", token: {file: /etc/k3s-token}`, `{clusters: {home: {}}}`, []string{version}, nil},
		"Server":  {"The edit takes it.", whole, `version: v1.33.6+k3s1, token: {file: /etc/k3s-token}`, `{clusters: {home: {}}}`, []string{server}, nil},
		"Moved":   {"The catalogue has it from now on.", whole, `token: {file: /etc/k3s-token}`, `{clusters: {home: {server: "https://192.168.4.210:6443", version: v1.33.6+k3s1}}}`, nil, nil},
		"Lost":    {"The claim never had it.", `version: v1.33.6+k3s1`, `version: v1.33.6+k3s1`, `{clusters: {home: {}}}`, nil, []string{server, token}},
		"Both": {
			"The edit takes one, and the catalogue has lost another.", `version: v1.33.6+k3s1, token: {file: /etc/k3s-token}`, `version: v1.33.6+k3s1`, `{clusters: {home: {}}}`,
			[]string{token, server},
			nil,
		},
		"Gone":  {"The entry is gone, and all of what it had is the catalogue's.", whole, "version: v1.33.6+k3s1", "{}", nil, []string{"spec.k3s.cluster"}},
		"Store": {"The cluster's token is in a store, and the claim had one of its own.", whole, "version: v1.33.6+k3s1", stored, []string{"spec.bootstrap.secretStore"}, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := aClaim(t, claim.KindK3sNode, is+tc.before+"}}")
			m, errs := Claim(aClaim(t, claim.KindK3sNode, is+tc.spec+"}}"), aCatalog(t, tc.catalogue), Existing{
				Node: "pve", Has: &Entries{}, Applied: &before, BuiltIn: []string{"adminUser", "class", "image", "site", "sshAuthorizedKeys"},
			})

			var faults, kept []string
			for _, err := range errs {
				faults = append(faults, err.Field)
			}

			for _, err := range m.KeptFor() {
				kept = append(kept, err.Field)
			}

			if diff := cmp.Diff([][]string{tc.faults, tc.kept}, [][]string{faults, kept}, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: -want, +got:\n%s\n%v", tc.reason, diff, errs)
			}
		})
	}
}
