package k3s

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRegistryDoubts(t *testing.T) {
	cases := map[string]struct {
		reason, content string
		want            []string
	}{
		"Empty": {reason: "K3s takes it."},
		"Fine": {
			reason:  "As K3s' documentation has it.",
			content: "mirrors:\n  docker.io: {endpoint: [\"https://r.lab:5000/v2\"], rewrite: {\"^(.*)\": \"docker/$1\"}}\n  \"*\":\nconfigs:\n  r.lab:5000: {auth: {username: a}}\n",
		},
		"Direct": {reason: "A registry without a mirror has an entry of its own.", content: "configs: {r.lab: {tls: {insecure_skip_verify: true}}}\n"},
		"Nested": {
			reason: "configs too far to the right.", content: "mirrors:\n  r.lab: {endpoint: [\"https://r.lab\"]}\n  configs:\n    r.lab: {auth: {username: a}}\n",
			want: []string{"mirrors[configs] is taken for a registry of that name: move configs to the left"},
		},
		"Scheme": {
			reason: "Images have no scheme.", content: "mirrors:\n  \"https://r.lab:5000\": {endpoint: [\"https://r.lab:5000\"]}\nconfigs:\n  \"https://r.lab:5000\": {}\n",
			want: []string{
				"mirrors[https://r.lab:5000]: must be the registry as images name it, without https:// and without a path, such as r.lab:5000: K3s finds no image with another name",
				"configs[https://r.lab:5000]: must be the host of the registry with its port or none, such as r.lab:5000: K3s does not use the entry otherwise",
			},
		},
		"OtherHost": {
			reason: "The certificate of the mirror is meant.", content: "mirrors: {docker.io: {endpoint: [192.168.1.59/proxy]}}\nconfigs: {docker.io: {tls: {insecure_skip_verify: true}}}\n",
			want: []string{"configs[docker.io] is for docker.io itself and not for its mirror: for that one, name the entry 192.168.1.59"},
		},
		"Hub": {
			reason: "No image has these names.", content: "mirrors:\n  index.docker.io: {endpoint: [\"https://r.lab\"]}\n  registry-1.docker.io: {endpoint: [\"https://r.lab\"]}\n",
			want: []string{
				"mirrors[index.docker.io]: images of Docker Hub are of docker.io, and K3s finds none of another name: write docker.io",
				"mirrors[registry-1.docker.io]: images of Docker Hub are of docker.io, and K3s finds none of another name: write docker.io",
			},
		},
		"Part": {
			reason: "As certificates have it.", content: "mirrors: {\"*.lab\": {endpoint: [\"https://r.lab\"]}}\nconfigs: {\"*.lab\": {}}\n",
			want: []string{
				`mirrors[*.lab]: K3s knows "*" for all registries, and no part of a name: write one entry for each registry`,
				`configs[*.lab]: K3s knows "*" for all registries, and no part of a name: write one entry for each host`,
			},
		},
		"EveryOther": {
			reason: "k3s-io/k3s issue 11352.", content: "mirrors: {\"*\": {endpoint: [\"https://r.lab\"]}}\nconfigs: {\"*\": {auth: {username: a}}}\n",
			want: []string{"configs[*] is for registries without an entry of their own, and K3s does not use it for a mirror: for that one, name the entry r.lab"},
		},
		"EveryOne": {reason: "Without a mirror it is for all.", content: "configs: {\"*\": {tls: {insecure_skip_verify: true}}}\n"},
		"Variable": {reason: "The script of K3s fills in variables, and K3s none.", content: "mirrors: {docker.io: {endpoint: [\"https://${REG}\"]}}\n", want: []string{"mirrors[docker.io].endpoint[0] has a variable, and K3s fills in none: write the address"}},
		"NoHost":   {reason: "Ignoring invalid endpoint URL.", content: "mirrors: {docker.io: {endpoint: [\"https:///v2\"]}}\n", want: []string{"mirrors[docker.io].endpoint[0] is no address, and K3s passes over it: write one such as https://registry.home.arpa:5000"}},
		"OtherWay": {reason: "As Docker names an image.", content: "mirrors: {docker.io: {endpoint: [\"docker://r.lab\"]}}\n", want: []string{"mirrors[docker.io].endpoint[0] must begin with https:// or http://: containerd asks no other one"}},
		"Bare":     {reason: "K3s completes it.", content: "mirrors: {docker.io: {endpoint: [\"r.lab:5000\"]}}\n"},
		"Pattern":  {reason: "error parsing regexp.", content: "mirrors: {docker.io: {endpoint: [\"https://r.lab\"], rewrite: {\"^(.*$\": \"a/$1\"}}}\n", want: []string{"mirrors[docker.io].rewrite[^(.*$] is no regular expression of Go: no image comes by the mirror"}},
		"Plural":   {reason: "A typing error.", content: "mirrors: {docker.io: {endpoints: [\"https://r.lab\"]}}\n", want: []string{"mirrors[docker.io]: K3s has no key endpoints here; there are endpoint and rewrite; did you mean endpoint?"}},
		"NoList":   {reason: "One address is a list, too.", content: "mirrors: {docker.io: {endpoint: \"https://r.lab\"}}\n", want: []string{"mirrors[docker.io].endpoint must be a list: write each address behind a hyphen"}},
		"Unknown":  {reason: "A key of Docker.", content: "registry-mirrors: [\"https://r.lab\"]\n", want: []string{"K3s has no key registry-mirrors here; there are mirrors and configs"}},
		"NoYAML":   {reason: "The text is not shown: a password may be in it.", content: "mirrors:\n  a: \"b\n", want: []string{"is no YAML that K3s can read, so that K3s does not start: see line 2"}},
		"Text":     {reason: "Not even an object.", content: "hunter2", want: []string{"is no YAML that K3s can read, so that K3s does not start: mirrors and configs must be objects with the names of registries"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, RegistryDoubts(tc.content)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMeantForRegistries(t *testing.T) {
	for file, want := range map[string]bool{RegistriesPath: false, "/etc/rancher/registries.yaml": true, "/etc/rancher/k3s/registry.yaml": true, "/srv/app/registries.yaml": false, "/etc/hosts": false} {
		if got := MeantForRegistries(file, RegistriesPath); got != want {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
	}
}

func TestRegistryFiles(t *testing.T) {
	const content = "configs:\n  a.lab: {tls: {ca_file: /etc/rancher/a.crt, cert_file: /etc/rancher/a.crt, key_file: relative}}\n  b.lab: {tls: {ca_file: /etc/ssl/certs/b.crt}}\n  c.lab: {}\n"

	for name, tc := range map[string]struct {
		reason, content string
		want            []string
	}{
		"Files": {reason: "Once each; what an image has, and what is no path of a file, are left out.", content: content, want: []string{"/etc/rancher/a.crt"}},
		"None":  {reason: "There is no file.", content: "mirrors: {}"},
		"Bad":   {reason: "Another check says so.", content: "configs: [a]"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, RegistryFiles(tc.content)); diff != "" {
				t.Errorf("%s\nRegistryFiles(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
