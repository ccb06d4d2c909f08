package installation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCauses: what a registry or Crossplane says of a package that is not there, and what check makes of it.
func TestCauses(t *testing.T) {
	const (
		describe = "kubectl describe configurations.pkg.crossplane.io/machines"
		fetch    = "cannot unpack package: failed to fetch package digest from remote: "
		refused  = "the registry refuses Crossplane"
		unknown  = "the registry has no such package or no such version"
		far      = "the cluster does not reach the registry over HTTPS"
	)

	cases := map[string]struct {
		reason  string
		message string
		says    string // Empty for no known cause.
		fix     string
	}{
		"Private": {"a package of GitHub is private after the first push", fetch + `GET https://ghcr.io/token?scope=repository%3Ayou%2Fx%3Apull&service=ghcr.io: DENIED: denied`, refused, causes[1].fix},
		"Login":   {"a registry that wants a login", fetch + `GET https://registry.home.arpa/v2/x/manifests/v1: UNAUTHORIZED: authentication required; []`, refused, causes[1].fix},
		"NoSuchVersion": {
			"a version that nobody has pushed", fetch + `GET https://ghcr.io/v2/you/x/manifests/v9: MANIFEST_UNKNOWN: manifest unknown`, unknown, causes[2].fix,
		},
		"NoSuchPackage": {"a name that nobody has pushed", fetch + `GET https://registry/v2/x/manifests/v1: NAME_UNKNOWN: repository name not known to registry`, unknown, causes[2].fix},
		"NoHost":        {"a name without an address", fetch + `Get "https://registry.home.arpa/v2/": dial tcp: lookup registry.home.arpa: no such host`, far, causes[3].fix},
		"Certificate":   {"a certificate of the site's own authority", fetch + `tls: failed to verify certificate: x509: certificate signed by unknown authority`, far, causes[3].fix},
		"Placeholder": {
			"the file as the page has it", `cannot parse package source: could not parse reference: REGISTRY/function-proxmox-machine:v0.2.0`,
			"its ImageConfig still names the registry REGISTRY", causes[0].fix,
		},
		"Other": {"a dependency, which the registry has nothing to do with", "cannot resolve package dependencies: incompatible dependencies", "", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := healthy(t)
			w.set("Configuration", []any{
				map[string]any{"type": "Installed", "status": "False", "reason": "UnpackingPackage", "message": tc.message},
			}, "status", "conditions")

			want := Finding{checkConfiguration, Fault, "machines v0.2.0 is not installed", describe + "; often the cluster cannot reach the registry, or it has no such package"}
			if tc.says != "" {
				want.Says, want.Fix = want.Says+": "+tc.says, tc.fix+"; "+describe+" has the whole message"
			}

			for _, f := range Judge(w.Cluster) {
				if f.Check != checkConfiguration {
					continue
				}

				if diff := cmp.Diff(want, f); diff != "" {
					t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}
