package preview

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

const aCluster = `
apiVersion: homelab.io/v1alpha1
kind: K3sCluster
metadata: {name: lab, namespace: infra}
spec:
  version: v1.33.6+k3s1
  endpoint: https://k3s.home.arpa:6443
  token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}
  servers: {count: 3, class: small}
  agents: [{name: worker, count: 2, class: small}]
`

const clusterCatalogue = `
apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults: {site: home, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"]}
  sites: {home: {nodes: {pve1: {}, pve2: {}, pve3: {}}, network: {bridge: vmbr0, gateway: 192.168.4.1, cidr: 24}, vmIds: {from: 4000, to: 4999}}}
`

// aNode is what a preview says of a node of a cluster.
type aNode struct{ Name, Machine, Hostname, Role, On, Namespace string }

// renderCluster and return its nodes in the order in which they appear, each with its turn.
func renderCluster(t *testing.T, flavour, document string) (Rendered, [][]aNode) {
	t.Helper()

	return renderClusterWith(t, flavour, document, clusterCatalogue)
}

// renderClusterWith does so with a catalogue.
func renderClusterWith(t *testing.T, flavour, document, catalogue string) (Rendered, [][]aNode) {
	t.Helper()

	configuration, err := Load(flavour)
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	for name, text := range map[string]string{"lab.yaml": document, fileCatalogue: catalogue} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	claims, err := configuration.ReadClaims([]string{filepath.Join(dir, "lab.yaml")}, nil)
	if err != nil || len(claims) != 1 {
		t.Fatal(claims, err)
	}

	story, err := Files{}.Story(t.Context(), claims[0])
	if err != nil {
		t.Fatal(err)
	}

	r := Renderer{Configuration: configuration, Engine: InProcess{}, StandIns: true, Explain: true, Full: true}
	all := r.RenderAll(t.Context(), []Story{story}, 1)

	var out [][]aNode

	for _, c := range all[0].Nodes {
		for len(out) < c.Since {
			out = append(out, nil)
		}

		state, err := c.state()
		if err != nil || c.Err != nil {
			t.Fatal(c.Name, err, c.Err)
		}

		for _, vm := range state.VMs {
			out[c.Since-1] = append(out[c.Since-1], aNode{
				c.Name, strings.Replace(c.Claim.Object.GetName(), generatedName("infra", "lab"), "lab-GENERATED", 1), vm.Spec.ForProvider.Name,
				vm.Metadata.Labels["homelab.io/k3s-role"], vm.Spec.ForProvider.NodeName, vm.Metadata.Labels["homelab.io/namespace"],
			})
		}
	}

	return all[0], out
}

// TestClusters: a preview of a K3sCluster has its nodes, in the order in which they appear, and their VMs; and servers part.
func TestClusters(t *testing.T) {
	prefix := map[string]string{FlavourClaims: "lab-GENERATED-", FlavourLegacy: "lab-GENERATED-", FlavourNamespaced: "lab-"}

	for _, flavour := range catalog.Flavours() {
		t.Run(flavour, func(t *testing.T) {
			r, got := renderCluster(t, flavour, aCluster)
			if r.Err != nil {
				t.Fatal(r.Err)
			}

			on, ids := map[string]bool{}, map[string]bool{}

			var names [][]string

			for _, turn := range got {
				var of []string

				for _, n := range turn {
					of = append(of, n.Name)

					want := aNode{n.Name, prefix[flavour] + n.Name, "lab-" + n.Name, "agent", n.On, "infra"}
					if strings.HasPrefix(n.Name, "server-") {
						want.Role = "server"

						if on[n.On] {
							t.Errorf("two servers are on %s", n.On)
						}

						on[n.On] = true
					}

					if diff := cmp.Diff(want, n); diff != "" {
						t.Errorf("-want, +got:\n%s", diff)
					}
				}

				names = append(names, of)
			}

			if diff := cmp.Diff([][]string{{"server-0"}, {"server-1"}, {"server-2"}, {"worker-0", "worker-1"}}, names); diff != "" {
				t.Errorf("nodes by turn: -want, +got:\n%s", diff)
			}

			for _, c := range r.Nodes {
				state, _ := c.state()
				for _, vm := range state.VMs {
					if id := vmName(vm); ids[id] {
						t.Errorf("two VMs are %s", id)
					} else {
						ids[id] = true
					}
				}
			}

			summary, err := r.Summary()
			if n := strings.Count(summary, "Secret infra/k3s-token is not here"); err != nil || n != 1 {
				t.Errorf("what holds for all nodes is said %d times: %v\n%s", n, err, summary)
			}

			b, err := r.YAML()
			if n := strings.Count(string(b), "kind: EnvironmentVM\n"); err != nil || n < 5 {
				t.Errorf("the YAML has %d VMs: %v", n, err)
			}

			if text := string(b); strings.Count(text, "\n# "+r.Nodes[0].Claim.String()+"\n") != 1 {
				t.Error("the YAML does not say which node's resources follow")
			}
		})
	}
}

// TestFaultsOfClusters are those of the cluster's claim, by its paths.
func TestFaultsOfClusters(t *testing.T) {
	r, _ := renderCluster(t, FlavourClaims, strings.NewReplacer("class: small}\n  agents", "class: tiny}\n  agents").Replace(aCluster))

	if r.Err == nil || !strings.Contains(r.Err.Error(), `spec.servers.class: "tiny"`) || strings.Contains(r.Err.Error(), "spec.class") {
		t.Errorf("got %v", r.Err)
	}
}

// TestPlanOfAClusterThatRuns: the plan of an edit has the turn that begins, what waits, and what becomes of each node's VM; and the nodes
// are neither claims of their own nor anybody's leftovers.
func TestPlanOfAClusterThatRuns(t *testing.T) {
	for _, flavour := range []string{FlavourClaims, FlavourNamespaced} {
		t.Run(flavour, func(t *testing.T) {
			was, objects := clusterThatRuns(t, flavour)

			configuration, err := Load(flavour)
			if err != nil {
				t.Fatal(err)
			}

			world := World{Flavour: flavour, Objects: objects}
			if all := world.Composites(configuration); len(all) != 1 || kindOf(all[0].Object) != "K3sCluster" {
				t.Errorf("want the cluster alone, got %v", all)
			}

			plan := func(document string) []MachinePlan {
				c := was.Claim
				c.Object = parsed(t, document)

				story, err := world.Story(t.Context(), configuration, Files{}, c)
				if err != nil || !story.Given {
					t.Fatal(story.Given, err)
				}

				r := Renderer{Configuration: configuration, Engine: InProcess{}, StandIns: true, Explain: true}

				return r.Plan(t.Context(), []Story{story})
			}

			for _, m := range plan(aCluster) {
				if m.State != StateKept {
					t.Errorf("nothing was edited, and %s is %s: %+v", m.title(), m.State, m)
				}
			}

			all := plan(strings.Replace(aCluster, "servers: {count: 3, class: small}", "servers: {count: 3, class: small, template: {tags: [core]}}", 1))

			changed := map[string]bool{}
			for _, m := range all[1:] {
				changed[m.Name[strings.Index(m.Name, "server-")+1:]] = m.State == StateChanged
			}

			if len(all) != 6 || all[0].State != StateChanged {
				t.Errorf("want the cluster and its five nodes: %+v", all)
			}

			n := 0
			for _, is := range changed {
				if is {
					n++
				}
			}

			if n != 1 {
				t.Errorf("one node has its turn, and %d would change: %+v", n, all)
			}

			c := was.Claim
			c.Object = parsed(t, aCluster)

			story, err := world.Story(t.Context(), configuration, Files{}, c)
			if err != nil {
				t.Fatal(err)
			}

			gone := Renderer{Configuration: configuration, Engine: InProcess{}}.PlanDeletion([]Story{story})
			if len(gone) != 1 || len(gone[0].Steps) != len(was.Nodes) {
				t.Errorf("the deletion of a cluster shows what becomes of its VMs: %+v", gone)
			}
		})
	}
}

// clusterThatRuns is aCluster as it was rendered, and what there is of it when all nodes have joined.
func clusterThatRuns(t *testing.T, flavour string) (Rendered, []unstructured.Unstructured) {
	t.Helper()

	was, _ := renderCluster(t, flavour, aCluster)
	objects := []unstructured.Unstructured{was.Turn.Composite}

	for _, c := range was.Nodes {
		node := joined(c.Claim.Object)
		node.SetUID(types.UID("uid-of-" + node.GetName()))
		objects = append(objects, node)

		for _, o := range c.Turn.Composed {
			owner := metav1.GetControllerOf(&o)
			owner.UID = node.GetUID()
			o.SetOwnerReferences([]metav1.OwnerReference{*owner})
			objects = append(objects, made(o))
		}
	}

	return was, objects
}

// TestPlanOfEditsOfACluster: a plan says what of the claim is refused, and which turns replace VMs, as a rehearsal of the same edit does.
func TestPlanOfEditsOfACluster(t *testing.T) {
	was, objects := clusterThatRuns(t, FlavourNamespaced)
	world := World{Flavour: FlavourNamespaced, Objects: objects}

	configuration, err := Load(FlavourNamespaced)
	if err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason, from, to string
		state            State
		effects          []Effect
		refused          []string
		says             string
	}{
		"Nothing": {"Who edits nothing reads nothing.", "v1.33.6+k3s1", "v1.33.6+k3s1", StateKept, nil, nil, ""},
		"Release": {
			"All nodes keep their release, and the sentence is about the field that was typed.", "v1.33.6+k3s1", "1.33.7", StateRefused,
			[]Effect{EffectRefused},
			[]string{`spec.version: "1.33.7": must be a release of K3s, vX.Y.Z+k3sN, such as v1.36.5+k3s1, or stable or a minor release from v1.29 to v1.37, of which all nodes get the newest that the function knows`},
			"the claim's spec of it is refused",
		},
		"Class": {
			"Nothing else of the commit waits for it.", "servers: {count: 3, class: small}", "servers: {count: 3, class: smal}", StateRefused,
			[]Effect{EffectRefused},
			[]string{`spec.servers.class: "smal": there is no class of that name; did you mean small? There are: small, large, micro, medium`},
			"the claim's spec of it is refused",
		},
		"Image": {
			"A VM has its image from its creation, and a turn makes another one.", "servers: {count: 3, class: small}", "servers: {count: 3, class: small, image: debian-12}",
			StateChanged,
			[]Effect{EffectWait, EffectReplace},
			nil, "in its turn, a new VM replaces its VM, which then stays in Proxmox, stopped",
		},
		"Destroyed": {
			"So the policy says.", "servers: {count: 3, class: small}", "deletionPolicy: Delete\n  servers: {count: 3, class: small, image: debian-12}",
			StateChanged,
			[]Effect{EffectWait, EffectReplace, EffectDestroy},
			nil, "in its turn, a new VM replaces its VM, which then is destroyed with its disks",
		},
		"OnRequest": {
			"Nobody has asked for new VMs.", "servers: {count: 3, class: small}", "rollout: {replacePolicy: OnRequest}\n  servers: {count: 3, class: small, image: debian-12}",
			StateChanged,
			[]Effect{EffectWait},
			nil, "waits for server-0",
		},
		"InPlace": {
			"The VM follows.", "servers: {count: 3, class: small}", "servers: {count: 3, class: small, template: {tags: [core]}}",
			StateChanged,
			[]Effect{EffectWait},
			nil, "waits for server-0",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := was.Claim
			c.Object = parsed(t, strings.Replace(aCluster, tc.from, tc.to, 1))

			story, err := world.Story(t.Context(), configuration, Files{}, c)
			if err != nil {
				t.Fatal(err)
			}

			got := Renderer{Configuration: configuration, Engine: InProcess{}, StandIns: true, Explain: true}.Plan(t.Context(), []Story{story})[0]
			if got.State != tc.state || !slices.Equal(got.Effects, tc.effects) || !slices.Equal(got.Refused, tc.refused) {
				t.Errorf("%s: %s, with %v, refused: %q; want %s, with %v, refused: %q", tc.reason, got.State, got.Effects, got.Refused, tc.state, tc.effects, tc.refused)
			}

			said := slices.ContainsFunc(got.Steps, func(s PlanStep) bool { return slices.Contains(s.Notes, tc.says) })
			if (tc.says != "") != said {
				t.Errorf("%s: want %q of a node: %+v", tc.reason, tc.says, got.Steps)
			}
		})
	}
}

func parsed(t *testing.T, document string) unstructured.Unstructured {
	t.Helper()

	out := unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal([]byte(document), &out.Object); err != nil {
		t.Fatal(err)
	}

	return out
}

// TestRefusedByNodes: what the nodes of a cluster refuse is told once, in the fields of the claim that a person edits.
func TestRefusedByNodes(t *testing.T) {
	cases := map[string]struct{ reason, token, want string }{
		"Short":       {"All nodes have one token.", "short", "  spec.token.secretRef: is shorter than 16 characters; generate one with: openssl rand -hex 32"},
		"Placeholder": {"Whatever is wrong with it.", `"<your-own-token-of-k3s>"`, "  spec.token.secretRef: "},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(repository, "example", "cluster"))); err != nil {
				t.Fatal(err)
			}

			secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: k3s-token, namespace: infra-machines}\nstringData: {token: " + tc.token + "}\n"
			if err := os.WriteFile(filepath.Join(dir, FileSecrets), []byte(secret), 0o600); err != nil {
				t.Fatal(err)
			}

			configuration, err := Load(FlavourNamespaced)
			if err != nil {
				t.Fatal(err)
			}

			claims, err := configuration.ReadClaims([]string{filepath.Join(dir, "home.yaml")}, nil)
			if err != nil {
				t.Fatal(err)
			}

			story, err := Files{}.Story(t.Context(), claims[0])
			if err != nil {
				t.Fatal(err)
			}

			got := Renderer{Configuration: configuration, Engine: InProcess{}, StandIns: true}.Render(t.Context(), story).Err
			head := "cannot render " + claims[0].String() + ":\n"

			if got == nil || !strings.HasPrefix(got.Error(), head+tc.want) || strings.Count(got.Error(), "\n") != 1 {
				t.Errorf("%s: want one fault, %q, got:\n%v", tc.reason, head+tc.want, got)
			}
		})
	}
}
