package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSnippetsOfAClaim: a claim reads no file of a node that is meant for others.
func TestSnippetsOfAClaim(t *testing.T) {
	const (
		token    = "local:snippets/k3s-token.yaml"
		rendered = "local:snippets/server-1-0123456789.user-data.yaml"
		cluster  = `clusters: {home: {server: "https://k3s.home.arpa:6443", version: v1.33.6+k3s1, token: {file: /etc/t/oken}, snippets: ["` + token + `"]}}, `
	)

	site := func(keys string) string { return `{sites: {home: {` + keys + `nodes: {pve: {}}}}}` }
	of := func(file string) string {
		return `{proxmox: {site: home, node: pve}, bootstrap: {snippets: {vendorData: "` + file + `"}}}`
	}
	node := func(cluster string) string {
		return `{proxmox: {site: home, node: pve}, network: {ip: 192.168.4.9, cidr: 24, gateway: 192.168.4.1}, bootstrap: {snippets: {vendorData: "` + token +
			`"}}, k3s: {role: agent, cluster: ` + cluster + `}}`
	}

	cases := map[string]struct {
		reason    string
		kind      string
		spec      string
		catalogue string
		existing  Existing
		want      string
	}{
		"Unsaid":       {reason: "No break without a key.", spec: of(token), catalogue: site("")},
		"Rendered":     {reason: "It has the secrets of a machine.", spec: of(rendered), catalogue: site(""), want: "spec.bootstrap.snippets.vendorData: Forbidden: " + rendered + " has the name of a file that the function writes"},
		"RenderedLong": {reason: "A longer hash is one, too.", spec: of("local:snippets/a-0123456789abcdef0123456789abcdef.meta-data.yaml"), catalogue: site(""), want: "spec.bootstrap.snippets.vendorData: Forbidden: "},
		"Strict":       {reason: "The site lists none.", spec: of(token), catalogue: site("images: Strict, "), want: "spec.bootstrap.snippets.vendorData: Forbidden: " + token + " is not in data.sites.home.snippets, which has the files that claims may name; it lists none"},
		"Listed":       {reason: "The platform's word.", spec: of(token), catalogue: site(`images: Strict, snippets: ["` + token + `"], `)},
		"NotListed":    {reason: "The list is complete.", spec: of("local:snippets/other.yaml"), catalogue: site(`snippets: ["` + token + `"], `), want: "spec.bootstrap.snippets.vendorData: Forbidden: local:snippets/other.yaml is not in data.sites.home.snippets, "},
		"NoSite":       {reason: "To name no site is no way around it.", spec: `{proxmox: {node: pve}, bootstrap: {snippets: {userData: "` + token + `"}}}`, catalogue: `{sites: {home: {images: Strict}}}`, want: "spec.bootstrap.snippets.userData: Forbidden: "},
		"OfACluster":   {reason: "A Machine is no node of the cluster.", spec: of(token), catalogue: `{` + cluster + site("")[1:], want: "spec.bootstrap.snippets.vendorData: Forbidden: " + token + " is for K3sNodes of cluster home "},
		"Node":         {reason: "It is one.", kind: kindNode, spec: node("home"), catalogue: `{` + cluster + site("images: Strict, ")[1:]},
		"Living":       {reason: "What is there stays.", spec: of(rendered), catalogue: site("images: Strict, "), existing: Existing{Node: "pve", Has: &Entries{}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind := kindMachine
			if tc.kind != "" {
				kind = tc.kind
			}

			_, errs := Claim(aClaim(t, kind, tc.spec), aCatalog(t, tc.catalogue), tc.existing)

			got := ""
			if len(errs) > 0 {
				got = errs.ToAggregate().Error()
			}

			if tc.want != "" && strings.HasPrefix(got, tc.want) {
				got = tc.want
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
