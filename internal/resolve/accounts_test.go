package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

const (
	accountCatalogue = `{
		defaults: {site: home, sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home]},
		images: {nixos: {template: 9000, os: nixos}, debian: {template: 9002, os: debian}, ubuntu: {template: 9003, os: ubuntu}, alpine: {template: 9004, os: linux}},
		sites: {home: {nodes: {pve: {datastores: {snippets: local}}}}}}`
	accountPlace = `proxmox: {site: home, node: pve, vmId: 150}, `
)

// TestAccounts: an account and its keys have to fit the image, and who writes the user-data.
func TestAccounts(t *testing.T) {
	const (
		rendered = `userData: "#cloud-config\n", `
		cut      = `sshAuthorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4y x']`
		options  = `sshAuthorizedKeys: ['from="10.0.0.0/8" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home']`
	)

	cases := map[string]struct {
		reason   string
		kind     string
		spec     string
		existing Existing
		fault    string // A piece of the only fault; empty: none.
	}{
		"Own":               {reason: "A new name is free everywhere.", spec: `image: debian, bootstrap: {adminUser: ops}`},
		"System":            {reason: "cloud-init leaves an account alone that exists.", spec: `image: debian, bootstrap: {adminUser: backup}`, fault: `spec.bootstrap.adminUser: Invalid value: "backup": is a system account of debian`},
		"SystemRendered":    {reason: "Whoever writes the user-data.", spec: `image: ubuntu, bootstrap: {` + rendered + `adminUser: www-data}`, fault: "is a system account of ubuntu"},
		"SystemElsewhere":   {reason: "What other images have, nobody knows.", spec: `image: alpine, bootstrap: {adminUser: backup}`},
		"SystemOnNixOS":     {reason: "The flake decides.", spec: `image: nixos, bootstrap: {adminUser: backup}`},
		"SystemExisting":    {reason: "The first boot is over.", spec: `image: debian, bootstrap: {adminUser: backup}`, existing: Existing{Has: &Entries{}}},
		"SystemAdopted":     {reason: "Nothing of the guest is changed.", spec: `image: debian, bootstrap: {adminUser: backup}`, existing: Existing{Adopting: true}},
		"SystemWithoutKeys": {reason: "No account is created.", spec: `image: debian, bootstrap: {adminUser: backup, sshAuthorizedKeys: []}`},
		"Group":             {reason: "Proxmox's user-data cannot say that the group exists.", spec: `image: ubuntu, bootstrap: {adminUser: admin}`, fault: "is a group of ubuntu"},
		"GroupRendered":     {reason: "Rendered user-data says so.", spec: `image: ubuntu, bootstrap: {` + rendered + `adminUser: admin}`},
		"GroupElsewhere":    {reason: "Debian has no such group.", spec: `image: debian, bootstrap: {adminUser: admin}`},
		"GroupOfK3s":        {reason: "The user-data of a K3s node is always rendered.", kind: claim.KindK3sNode, spec: `image: ubuntu, bootstrap: {adminUser: staff}, k3s: {role: server, init: true, version: v1.33.6+k3s1, token: {file: /etc/token}}`},
		"Options":           {reason: "The function writes the line as it is.", spec: `image: debian, bootstrap: {` + rendered + options + `}`},
		"Search":            {reason: "Proxmox would name the guest after all search domains.", spec: `image: debian, network: {dhcp: true, domain: home.arpa, searchDomains: [lan]}`, fault: "dns01.home.arpa lan: set spec.hostname: dns01.home.arpa"},
		"SearchOne":         {reason: "One is a domain.", spec: `image: debian, network: {dhcp: true, searchDomains: [lan]}`},
		"SearchFull":        {reason: "Proxmox leaves a full name as it is.", spec: `image: debian, hostname: dns01.home.arpa, network: {dhcp: true, domain: home.arpa, searchDomains: [lan]}`},
		"SearchRendered":    {reason: "The function writes the name.", spec: `image: debian, bootstrap: {` + rendered + `adminUser: ops}, network: {dhcp: true, searchDomains: [lan, home.arpa]}`},
		"SearchExisting":    {reason: "Its guest is named at each start.", spec: `image: debian, network: {dhcp: true, searchDomains: [lan, home.arpa]}`, existing: Existing{Has: &Entries{}, BuiltIn: defaults()}, fault: "spec.network.searchDomains"},
		"SearchAdopted":     {reason: "It keeps its drive.", spec: `image: debian, network: {dhcp: true, searchDomains: [lan, home.arpa]}`, existing: Existing{Adopting: true}},
		"Cut":               {reason: "sshd skips it.", spec: `image: debian, bootstrap: {` + cut + `}`, fault: "spec.bootstrap.sshAuthorizedKeys[0]: Invalid value: \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4y x\": is cut off"},
		"CutExisting":       {reason: "Its first boot is over.", spec: `image: debian, bootstrap: {` + cut + `}`, existing: Existing{Has: &Entries{}}},
		"CutContainer":      {reason: "The same sshd.", kind: claim.KindContainer, spec: `image: "local:vztmpl/debian.tar.zst", os: debian, bootstrap: {` + cut + `}`, fault: "is cut off"},
		"OptionsNative":     {reason: "Proxmox writes the key.", spec: `image: debian, bootstrap: {` + options + `}`, fault: "spec.bootstrap.sshAuthorizedKeys[0]: Invalid value"},
		"OptionsContainer":  {reason: "Proxmox writes the key, and there is no user-data.", kind: claim.KindContainer, spec: `image: "local:vztmpl/debian.tar.zst", os: debian, bootstrap: {` + options + `}`, fault: "bare keys for a container"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			kind := tc.kind
			if kind == "" {
				kind = claim.KindMachine
			}

			c := aClaim(t, kind, `{`+accountPlace+tc.spec+`}`)
			var errs field.ErrorList

			if c.Container == nil {
				_, errs = Claim(c, aCatalog(t, accountCatalogue), tc.existing)
			} else {
				_, errs = Container(c.Identity, *c.Container, c.Faults, aCatalog(t, accountCatalogue), tc.existing)
			}

			var resolved []string
			for _, err := range errs {
				resolved = append(resolved, err.Error())
			}

			if tc.fault == "" && len(resolved) > 0 || tc.fault != "" && (len(resolved) != 1 || !strings.Contains(resolved[0], tc.fault)) {
				t.Errorf("%s\nfaults: got %q, want one with %q", tc.reason, resolved, tc.fault)
			}
		})
	}
}

// TestNamesOfAccounts: the accounts of a user-data are compared with those and the groups of the image's family.
func TestNamesOfAccounts(t *testing.T) {
	cases := map[string]struct {
		reason, image string
		want          []string
	}{
		"Debian": {reason: "Debian has no group admin.", image: "debian", want: []string{"users[1]: the image has a system account backup", "users[2]: the image has a group sudo"}},
		"Ubuntu": {
			reason: "Ubuntu has one.", image: "ubuntu",
			want: []string{"users[0]: the image has a group admin", "users[1]: the image has a system account backup", "users[2]: the image has a group sudo"},
		},
		"Other": {reason: "What other images have, nobody knows.", image: "alpine"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := `{image: ` + tc.image + `, ` + accountPlace + `bootstrap: {userData: "#cloud-config\nusers: [admin, {name: backup}, {name: sudo}, {name: staff, primary_group: staff}]\n"}}`

			m, errs := Claim(aClaim(t, claim.KindMachine, spec), aCatalog(t, accountCatalogue), Existing{})
			if len(errs) > 0 {
				t.Fatalf("%s\nClaim(...): %v", tc.reason, errs)
			}

			var got []string

			for _, w := range m.Warnings {
				if _, text, ok := strings.Cut(w, ": line 2: "); ok {
					got = append(got, strings.Split(text, ",")[0])
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s\n%s", tc.reason, diff, m.Warnings)
			}
		})
	}
}

// TestLongNames: a full name beyond what Linux takes as a host name.
func TestLongNames(t *testing.T) {
	const (
		domain = "network: {dhcp: true, domain: sub.department.of.homelab.example.com}"
		name   = "hostname: a-machine-with-a-really-very-long-name, "
	)

	cases := map[string]struct {
		reason, spec string
		existing     Existing
		want         []string
	}{
		"Other": {
			reason: "It may be one of the RHEL family.", spec: "image: alpine, " + name + domain,
			want: []string{"spec.hostname: the full name a-machine-with-a-really-very-long-name.sub.department.of.homelab... (76 bytes) is longer than the 64 characters that Linux takes as a host name: " +
				"on images of the RHEL family, whose cloud-init takes the full one, the guest keeps the name of its image. Shorten spec.hostname, or the domain."},
		},
		"Short":    {reason: "64 are not too many.", spec: "image: alpine, hostname: a-machine-with-a-really-ve, " + domain},
		"Debian":   {reason: "It takes the part before the point.", spec: "image: debian, " + name + domain},
		"Existing": {reason: "It has its name.", spec: "image: alpine, " + name + domain, existing: Existing{Has: &Entries{}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := Claim(aClaim(t, claim.KindMachine, "{"+accountPlace+tc.spec+"}"), aCatalog(t, accountCatalogue), tc.existing)
			if len(errs) > 0 {
				t.Fatal(errs)
			}

			var got []string
			for _, w := range m.Warnings {
				if strings.Contains(w, "spec.hostname") {
					got = append(got, w)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
