package preview

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// examples renders every example.
func examples(t *testing.T) []Rendered {
	t.Helper()
	t.Chdir(repository)

	configuration, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	claims, err := configuration.ReadClaims([]string{"example"}, nil)
	if err != nil {
		t.Fatal(err)
	}

	stories := make([]Story, 0, len(claims))

	for _, c := range claims {
		s, err := Files{}.Story(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}

		stories = append(stories, s)
	}

	return Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true, StandIns: true}.RenderAll(t.Context(), stories, runtime.NumCPU())
}

// TestSummary holds what a person is told of each example, and the picture of all, against a file.
func TestSummary(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("testdata", "examples.txt"))
	if err != nil {
		t.Fatal(err)
	}

	all := examples(t)

	var got strings.Builder

	for _, r := range all {
		text, err := r.Summary()
		if err != nil || r.Err != nil {
			t.Fatal(err, r.Err)
		}

		got.WriteString(text + "\n")
	}

	picture, err := Picture(all)
	if err != nil {
		t.Fatal(err)
	}

	got.WriteString(picture)

	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("run with -update: -want, +got:\n%s", diff)
	}
}

// TestUserData: the text of the snippet, as cloud-init reads it, and an error where there is none.
func TestUserData(t *testing.T) {
	with, without, nodes := 0, 0, 0

	var all []Rendered

	for _, r := range examples(t) {
		if len(r.Nodes) == 0 {
			all = append(all, r)

			continue
		}

		// That of a cluster is that of its nodes, each below its name.
		text, err := r.UserData()
		if err != nil {
			t.Errorf("%s: %v", r.Claim, err)
		}

		for _, n := range r.Nodes {
			own, err := n.UserData()
			if below := "# " + n.Claim.String() + "\n" + own; err != nil || !strings.Contains(text, below) {
				t.Errorf("%s: the user-data of %s is missing: %v", r.Claim, n.Name, err)
			}

			all, nodes = append(all, n.Rendered), nodes+1
		}
	}

	for _, r := range all {
		text, err := r.UserData()
		if err != nil {
			if without++; !strings.Contains(err.Error(), "has no user-data of its own") {
				t.Errorf("%s: %v", r.Claim, err)
			}

			continue
		}

		if with++; !strings.HasPrefix(text, "#cloud-config\n") || strings.Contains(text, "$${") {
			t.Errorf("%s: this is no user-data:\n%s", r.Claim, text)
		}
	}

	if with < 5 || without < 3 || nodes < 5 {
		t.Errorf("%d machines have user-data and %d have none, %d are nodes of clusters: were the examples rendered?", with, without, nodes)
	}
}

// TestSummaryOfParts: what a machine gets beside its VM is said where the claim asks for it, and nowhere else.
func TestSummaryOfParts(t *testing.T) {
	const catalogue = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\n" +
		"data: {images: {debian: {volume: \"ceph:import/debian.qcow2\", os: debian}}, sites: {lab: {sharedDatastores: [ceph], network: {bridge: vmbr0}, " +
		"nodes: {pve: {datastores: {disks: ceph, snippets: ceph}}}}}}\n"

	const spec = "spec:\n  image: debian\n  proxmox: {vmId: 100, site: lab}\n  network: {dhcp: true}\n"

	cases := map[string]struct {
		reason string
		spec   string
		says   []string
	}{
		"None":     {reason: "Most machines have neither."},
		"HA":       {reason: "The HA manager comes later than the VM.", spec: "  ha: {enabled: true}\n", says: []string{"  HA: The VM is added to HA once it has run"}},
		"Firewall": {reason: "Who reaches the guest.", spec: "  firewall: {preset: ssh}\n", says: []string{"  firewall: The provider writes the rules of VM 100."}},
		"Off":      {reason: "A claim may say that it does without.", spec: "  ha: {enabled: false}\n"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := writeTree(t, map[string]string{"catalogue.yaml": catalogue, "claim.yaml": claimText("Machine", "a") + spec + tc.spec})

			configuration, err := Load(FlavourClaims)
			if err != nil {
				t.Fatal(err)
			}

			claims, err := configuration.ReadClaims([]string{path}, nil)
			if err != nil {
				t.Fatal(err)
			}

			story, err := Files{}.Story(t.Context(), claims[0])
			if err != nil {
				t.Fatal(err)
			}

			rendered := Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true}.RenderAll(t.Context(), []Story{story}, 1)[0]

			text, err := rendered.Summary()
			if err != nil || rendered.Err != nil {
				t.Fatal(err, rendered.Err)
			}

			for _, want := range tc.says {
				if !strings.Contains(text, want) {
					t.Errorf("%s\n%s does not say %q", tc.reason, text, want)
				}
			}

			if said := strings.Count(text, "\n  HA: ") + strings.Count(text, "\n  firewall: "); said != len(tc.says) {
				t.Errorf("%s\n%d parts are named in\n%s", tc.reason, said, text)
			}
		})
	}
}

// TestSummaryOfAClustersNodes: what is said of a node names the fields of the cluster's claim, which a person has.
func TestSummaryOfAClustersNodes(t *testing.T) {
	cases := map[string]struct{ reason, old, edited, want string }{
		"Cluster": {"A field that the cluster has once.", "servers: {count: 3, class: small}", "servers: {count: 1, class: small, template: {k3s: {config: {https-listen-port: 7443}}}}", "warning: spec.endpoint: nodes join at port 6443"},
		"Pool":    {"A field of the pool.", "servers: {count: 3, class: small}", "servers: {count: 1, class: small, template: {k3s: {config: {flannel-iface: eth7}}}}", "warning: spec.servers.template.k3s.config[flannel-iface]: "},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, _ := renderCluster(t, FlavourNamespaced, strings.Replace(aCluster, tc.old, tc.edited, 1))

			text, err := r.Summary()
			if err != nil || r.Err != nil {
				t.Fatal(err, r.Err)
			}

			if !strings.Contains(text, tc.want) || strings.Contains(text, "spec.k3s.") {
				t.Errorf("%s\nwant %q, got:\n%s", tc.reason, tc.want, text)
			}
		})
	}
}
