package preview

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlanWarnsOfWhatIsNew: what the function warns of before a VM is made, and no more when it is there, stands in the plan of a new machine.
func TestPlanWarnsOfWhatIsNew(t *testing.T) {
	const (
		catalogue = `apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults: {site: home, sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@laptop]}
  sites: {home: {nodes: {pve: {}}, network: {bridge: vmbr0, gateway: 192.168.4.1, dns: [192.168.4.1], cidr: 24}, vmIds: {from: 4000, to: 4999}}}
  images: {arm: {url: "https://cloud.debian.org/images/cloud/trixie/20260901-1/debian-13-genericcloud-arm64-20260901-1.qcow2"}}
  clusters: {home: {server: "https://k3s.home.arpa:6443", tlsSANs: [k3s.home.arpa], version: v1.36.5+k3s1}}
`
		warning = "Image arm: the file is for processors of arm64: a VM of a Proxmox node with another one does not boot it. For Intel and AMD, take the file for amd64 or x86_64."
		cluster = "cluster: home, token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}"
	)

	claim := func(kind, spec string) string {
		return "apiVersion: homelab.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: home, namespace: infra-machines}\nspec: {" + spec + "}\n"
	}

	for name, tc := range map[string]struct {
		reason string
		claim  string
		want   []string
	}{
		"Machine": {"The VM is there at the end of the preview.", claim("Machine", "class: small, image: arm, network: {dhcp: true}"), []string{warning}},
		"Fits":    {"Nothing is to be said.", claim("Machine", "class: small, image: debian-13, network: {dhcp: true}"), nil},
		"Agents": {
			"It is said once, of the nodes that it is about.",
			claim("K3sCluster", cluster+", servers: {count: 1, class: small}, agents: [{name: worker, count: 2, class: small, image: arm}]"),
			[]string{"worker-0, worker-1: " + warning},
		},
		"AllNodes": {
			"It is about each of them.", claim("K3sCluster", cluster+", servers: {count: 1, class: small, image: arm}, agents: [{name: worker, count: 2, class: small, image: arm}]"),
			[]string{warning},
		},
	} {
		t.Run(name, func(t *testing.T) {
			configuration, err := Load(FlavourNamespaced)
			if err != nil {
				t.Fatal(err)
			}

			folder := writeTree(t, map[string]string{"home.yaml": tc.claim, "catalogue.yaml": catalogue})

			claims, err := configuration.ReadClaims([]string{filepath.Join(folder, "home.yaml")}, nil)
			if err != nil {
				t.Fatal(err)
			}

			story, err := Files{Observed: NoFile}.Story(t.Context(), claims[0])
			if err != nil {
				t.Fatal(err)
			}

			plans := Renderer{Configuration: configuration, Engine: InProcess{}, StandIns: true, Explain: true}.Plan(t.Context(), []Story{story})

			var got []string

			for _, note := range plans[0].Notes {
				if w, is := strings.CutPrefix(note, "warning: "); is && strings.Contains(w, "arm64") {
					got = append(got, w)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" || plans[0].State != StateNew {
				t.Errorf("%s\nwarnings of %+v: -want, +got:\n%s", tc.reason, plans[0], diff)
			}
		})
	}
}
