package rehearse

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

var update = flag.Bool("update", false, "rewrite the goldens")

const aCatalogue = `apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults: {site: home, image: ubuntu-24.04, adminUser: ops, sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home]}
  classes:
    server: {cores: 2, memory: 4Gi, disk: 40Gi}
    server-large: {cores: 4, memory: 8Gi, disk: 40Gi}
    agent: {cores: 4, memory: 8Gi, disk: 80Gi}
  sites:
    home:
      providerConfig: default
      nodes:
        pve1: &host {memory: 64Gi, cores: 16, bridges: [vmbr0], datastores: {disks: local-zfs, images: local, snippets: local}}
        pve2: *host
        pve3: *host
      network: {bridge: vmbr0, gateway: 192.168.4.1, dns: [192.168.4.1], cidr: 24, domain: home.arpa, pool: 192.168.4.100-192.168.4.119}
      vmIds: {from: 4000, to: 4999}
  clusters:
    home: {server: "https://k3s.home.arpa:6443", tlsSANs: [k3s.home.arpa], observe: Here, providerConfig: home}
`

const aCluster = `apiVersion: homelab.io/v1alpha1
kind: K3sCluster
metadata: {name: home, namespace: infra-machines}
spec:
  cluster: home
  version: v1.36.5+k3s1
  deletionPolicy: Delete
  deletionProtection: false
  token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}
  rollout: {rebootPolicy: WhenNeeded, replacePolicy: WhenNeeded}
  upgrade: None
  servers: {count: 3, class: server}
  agents: [{name: worker, count: 2, class: agent}]
  nodes: [{name: server-0, ip: 192.168.4.211}, {name: server-1, ip: 192.168.4.212}, {name: server-2, ip: 192.168.4.213}]
`

const aMachine = `apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: git01, namespace: infra-machines}
spec:
  class: server
  size: {memory: 4Gi}
  network: {ip: 192.168.4.61}
`

const aDisk = `  disks: [{name: repos, size: 20Gi, filesystem: ext4, mountPath: /srv/git}]
`

const aNode = `apiVersion: homelab.io/v1alpha1
kind: K3sNode
metadata: {name: agent-9, namespace: infra-machines}
spec:
  class: agent
  network: {ip: 192.168.4.99}
  k3s: {cluster: home, role: agent, version: v1.36.5+k3s1, token: {secretRef: {name: k3s-joins}, allowPlaintext: true}}
  lifecycle: {rebootPolicy: WhenNeeded}
`

// aServer is a K3sNode that is the server of a number, of the etcd of cluster home.
func aServer(number int, k3s string) string {
	return fmt.Sprintf(`apiVersion: homelab.io/v1alpha1
kind: K3sNode
metadata: {name: server-%[1]d, namespace: infra-machines}
spec:
  class: server
  network: {ip: 192.168.4.21%[1]d}
  proxmox: {node: pve%[1]d}
  k3s: {cluster: home, role: server, version: v1.36.5+k3s1, token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}%[2]s}
  lifecycle: {rebootPolicy: WhenNeeded}
`, number, k3s)
}

// unobserved are two agents of a cluster whose Nodes nobody reads.
var unobserved = func() string {
	one := strings.Replace(aNode, "cluster: home", `server: "https://k3s.home.arpa:6443"`, 1)

	return one + "---\n" + strings.NewReplacer("agent-9", "agent-8", "192.168.4.99", "192.168.4.98").Replace(one)
}()

// ownServers are the servers of one etcd, each with a claim of its own.
var ownServers = strings.Join([]string{aServer(1, ", init: true"), aServer(2, ""), aServer(3, "")}, "---\n")

// serversBeside are those of a K3sCluster, and one with a claim of its own that joins them: what it joins with is the full token.
var serversBeside = strings.Join([]string{threeServers, strings.NewReplacer("pve4", "pve3", "name: k3s-token", "name: k3s-joins").Replace(aServer(4, ""))}, "---\n")

const aContainer = `apiVersion: homelab.io/v1alpha1
kind: Container
metadata: {name: dns01, namespace: infra-machines}
spec:
  image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst
  size: {cores: 1, memory: 1Gi, disk: 8Gi}
  network: {ip: 192.168.4.53}
  proxmox: {node: pve1, vmId: 4853}
`

const aSite = `apiVersion: homelab.io/v1alpha1
kind: ProxmoxSite
metadata: {name: home, namespace: infra-machines}
spec:
  proxmox: {site: home}
  nodes:
    pve1:
      bridges: [{name: vmbr1, ports: [enp2s0], mtu: 9000, address: 10.0.9.2/24}]
      vlans: [{interface: vmbr1, tag: 30}]
  pools: [{name: k3s}]
`

// scenes are edits by the golden of their rehearsal.
var scenes = map[string]struct {
	reason string
	claim  string
	edit   []string // Old and new, as [strings.NewReplacer] takes them.
	want   Outcome
}{
	"Nothing":    {"Without an edit nothing happens.", aCluster, nil, Done},
	"Reboot":     {"Servers restart one after another.", aCluster, []string{"class: server}", "class: server-large}"}, Done},
	"Drain":      {"Each is drained before.", aCluster, []string{"class: server}", "class: server-large}", "rollout: {", "rollout: {drain: true, "}, Done},
	"Replace":    {"Servers are replaced one after another.", aCluster, []string{"class: server}", "class: server, image: debian-12}"}, Done},
	"Address":    {"A machine gets another address and host name with its restart.", aMachine, []string{"ip: 192.168.4.61}", "ip: 192.168.4.62}\n  hostname: forge\n  lifecycle: {rebootPolicy: WhenNeeded}"}, Done},
	"ScaleUp":    {"A node is added.", aCluster, []string{"count: 2", "count: 3"}, Done},
	"Removal":    {"Two servers leave, one after another.", aCluster, []string{"count: 3", "count: 1", ", {name: server-1, ip: 192.168.4.212}, {name: server-2, ip: 192.168.4.213}", ""}, Done},
	"Upgrade":    {"K3s is upgraded in place.", aCluster, []string{"v1.36.5", "v1.36.6", "upgrade: None", "upgrade: SystemUpgrade"}, Done},
	"Refused":    {"A class that there is none of.", aCluster, []string{"class: server}", "class: servr}"}, Refused},
	"Kept":       {"A release of K3s that nobody brings to the nodes is said, once for all of them.", unobserved, []string{"v1.36.5", "v1.36.6"}, Done},
	"Still":      {"What was refused before, and is refused for the same after an edit of something else, is not done.", strings.Replace(aMachine, "class: server", "class: servr", 1), []string{"4Gi", "6Gi"}, Refused},
	"Meant":      {"A question ends with its own mark.", aMachine, []string{"  size:", "  siz:"}, Refused},
	"Mounted":    {"A data disk is mounted elsewhere: the guest keeps its mounts until a person moves them.", aMachine + aDisk, []string{"/srv/git", "/srv/repos"}, Waits},
	"Warned":     {"Somebody else has the address: what is accepted, and not meant, is said.", aMachine + "---\n" + strings.NewReplacer("git01", "git02", "61", "62").Replace(aMachine), []string{"192.168.4.62", "192.168.4.61"}, Waits},
	"OnRequest":  {"Memory of a machine that nobody may restart.", aMachine, []string{"4Gi", "6Gi"}, Waits},
	"Machine":    {"Memory of a machine that may be restarted.", aMachine, []string{"size: {memory: 4Gi}", "size: {memory: 6Gi}\n  lifecycle: {rebootPolicy: WhenNeeded}"}, Done},
	"K3sNode":    {"A node with a claim of its own.", aNode, []string{"class: agent", "class: agent\n  size: {memory: 12Gi}"}, Done},
	"Servers":    {"Servers with claims of their own restart one after another.", ownServers, []string{"class: server", "class: server-large"}, Done},
	"Stop":       {"One is stopped: nobody is waited for.", ownServers, []string{"211}", "211}\n  power: Stopped"}, Done},
	"StopTwo":    {"A second one is not, for the majority.", ownServers, []string{"212}", "212}\n  power: Stopped", "213}", "213}\n  power: Stopped"}, Waits},
	"Forced":     {"Who forces it loses the majority.", ownServers, []string{"212}", "212}\n  power: Stopped", "213}", "213}\n  power: Stopped", "rebootPolicy", "force: now, rebootPolicy"}, Done},
	"Beside":     {"A server beside those of a K3sCluster votes with them.", serversBeside, []string{"214}\n", "214}\n  size: {memory: 8Gi}\n"}, Done},
	"Migrated":   {"A machine is migrated while it runs, and nobody misses it.", aMachine, []string{"spec:\n", "spec:\n  proxmox: {node: pve1, migrate: true}\n"}, Done},
	"Held":       {"A device of the node holds a machine that runs.", aMachine + "  devices: {usb: [{mapping: coral}]}\n", []string{"spec:\n", "spec:\n  proxmox: {node: pve1, migrate: true}\n"}, Waits},
	"Renamed":    {"The guest keeps its name until it is restarted, and tags and notes are nothing that a guest has.", aMachine, []string{"spec:\n", "spec:\n  hostname: git02\n  tags: [a]\n  notes: b\n"}, Done},
	"Read":       {"A guest that reads its drive once keeps what it read: name servers, and the address of an interface that is added.", aNode, []string{"ip: 192.168.4.99}", "ip: 192.168.4.99, dns: [9.9.9.9]}\n  nics: [{bridge: vmbr0, ip: 10.0.9.9/24}]"}, Done},
	"Unseen":     {"The next boot of the host is not played, and yet written.", aContainer, []string{"spec:\n", "spec:\n  onBoot: false\n"}, Done},
	"Successor":  {"A container is replaced by another one beside it.", strings.Replace(aContainer, ", vmId: 4853", "", 1), []string{"spec:\n", "spec:\n  lifecycle: {replace: a}\n"}, Done},
	"Pool":       {"The container that replaces one with an address of the pool has its address.", strings.NewReplacer(", vmId: 4853", "", "ip: 192.168.4.53", "pool: true").Replace(aContainer), []string{"spec:\n", "spec:\n  lifecycle: {replace: a}\n"}, Done},
	"PoolLeft":   {"An address by name waits for a restart.", strings.Replace(aContainer, "ip: 192.168.4.53", "pool: true", 1), []string{"pool: true", "ip: 192.168.4.53"}, Waits},
	"Container":  {"The provider would restart a container for its memory.", aContainer, []string{"1Gi", "2Gi"}, Waits},
	"Restarted":  {"Asked for, it does.", aContainer, []string{"1Gi", "2Gi", "spec:\n", "spec:\n  lifecycle: {rebootPolicy: WhenNeeded}\n"}, Done},
	"Rested":     {"Of two VMs that are off it is the new one that the machine has.", aMachine + "  power: Stopped\n  deletionPolicy: Delete\n", []string{"spec:\n", "spec:\n  lifecycle: {replace: a}\n"}, Done},
	"Grows":      {"Two servers beside the only one have none to spare, and one of three is restarted.", oneServer, []string{"count: 1, class: server}", "count: 3, class: server-large}", "211}]", "211}, {name: server-1, ip: 192.168.4.212}, {name: server-2, ip: 192.168.4.213}]"}, Done},
	"Site":       {"A pool comes, a bridge changes what cuts nobody off.", aSite, []string{"name: k3s", "name: k3s}, {name: tier1", "mtu: 9000", "mtu: 9000, comment: storage"}, Done},
	"SiteLeft":   {"What a site does not say any more stays in Proxmox.", aSite, []string{"\n  pools: [{name: k3s}]", ""}, Done},
	"Wall":       {"Other rules of a firewall are a change, too, and are there at once.", aContainer + "  firewall: {preset: ssh}\n", []string{"preset: ssh", "preset: ssh, allow: [{port: 53}]"}, Done},
	"WallLeft":   {"Without a firewall everything is let in at once.", aMachine + "  firewall: {preset: ssh}\n", []string{"\n  firewall: {preset: ssh}", ""}, Done},
	"SitePort":   {"A port goes to another bridge, and the first one would stay in Proxmox with it.", aSite, []string{"{name: vmbr1, ports", "{name: vmbr2, ports", "interface: vmbr1", "interface: vmbr0"}, Waits},
	"Everything": {"A claim of each kind.", strings.Join([]string{aCluster, aMachine, aContainer}, "---\n"), []string{"class: server}", "class: server-large}", "4Gi", "6Gi"}, Waits},
}

// configurations by flavour, which each test only reads.
var configurations = map[string]func() (preview.Configuration, error){
	preview.FlavourNamespaced: sync.OnceValues(func() (preview.Configuration, error) { return preview.Load(preview.FlavourNamespaced) }),
	preview.FlavourClaims:     sync.OnceValues(func() (preview.Configuration, error) { return preview.Load(preview.FlavourClaims) }),
}

// scene of a test.
func sceneOf(t *testing.T, claim string, there preview.World) map[string]preview.Scene {
	t.Helper()

	return sceneWith(t, claim, aCatalogue, there)
}

// sceneWith another catalogue.
func sceneWith(t *testing.T, claim, catalogue string, there preview.World) map[string]preview.Scene {
	t.Helper()

	flavour := preview.FlavourNamespaced
	if strings.HasSuffix(t.Name(), "/claims") {
		flavour = preview.FlavourClaims
	}

	dir := t.TempDir()
	for name, text := range map[string]string{"claims.yaml": claim, "catalogue.yaml": catalogue} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	configuration, err := configurations[flavour]()
	if err != nil {
		t.Fatal(err)
	}

	claims, err := configuration.ReadClaims([]string{filepath.Join(dir, "claims.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}

	out := map[string]preview.Scene{}

	for _, c := range claims {
		story, err := there.Story(context.Background(), configuration, preview.Files{}, c)
		if err != nil {
			t.Fatal(err)
		}

		scene, err := (preview.Renderer{Configuration: configuration}).Scene(story)
		if err != nil {
			t.Fatal(err)
		}

		out[configuration.NameOf(c)] = scene
	}

	return out
}

// edited is the input of a rehearsal of an edit.
func edited(t *testing.T, claim string, edit []string) Input {
	t.Helper()

	was, is := sceneOf(t, claim, preview.World{}), sceneOf(t, strings.NewReplacer(edit...).Replace(claim), preview.World{})
	in := Input{Assumed: Usual(), Memory: memory}

	for _, name := range world.Keys(is) {
		before := was[name]
		in.Machines = append(in.Machines, Machine{Name: name, Was: &before, Is: is[name]})
	}

	return in
}

// memory of all tests, which play the same machines time and again.
var memory = world.NewMemory()

func rehearsed(t *testing.T, in Input) Rehearsal {
	t.Helper()

	r, err := Rehearse(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}

	return r
}

func TestScenes(t *testing.T) {
	for name, tc := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := rehearsed(t, edited(t, tc.claim, tc.edit))

			if r.Verdict.Outcome != tc.want || len(r.Verdict.Faults) > 0 || !r.Before.Rests {
				t.Errorf("%s Want %s, got %+v", tc.reason, tc.want, r.Verdict)
			}

			text := &bytes.Buffer{}
			if err := r.Text(text); err != nil {
				t.Fatal(err)
			}

			golden(t, name+".txt", text.Bytes())
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()

	file := filepath.Join("testdata", name)

	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file) //nolint:gosec // A golden.
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (go test ./internal/rehearse -update rewrites it): -want, +got:\n%s", file, diff)
	}
}

// TestMarkdown of a rehearsal.
func TestMarkdown(t *testing.T) {
	text := &bytes.Buffer{}
	if err := rehearsed(t, edited(t, aCluster, scenes["Reboot"].edit)).Markdown(text); err != nil {
		t.Fatal(err)
	}

	golden(t, "Reboot.md", text.Bytes())
}

// TestDeterminism: the same edit has the same rehearsal, to the byte.
func TestDeterminism(t *testing.T) {
	var before []byte

	for range 2 {
		b, err := json.Marshal(rehearsed(t, edited(t, scenes["Everything"].claim, scenes["Everything"].edit)))
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(string(before), string(b)); before != nil && diff != "" {
			t.Fatalf("another time it is another one:\n%s", diff)
		}

		before = b
	}
}

// TestMemory: what other rehearsals have left in a memory that they share changes nothing.
func TestMemory(t *testing.T) {
	for _, name := range []string{"Machine", "K3sNode", "Servers"} {
		in := edited(t, scenes[name].claim, scenes[name].edit)
		want := rehearsed(t, in)

		in.Memory = nil
		if diff := cmp.Diff(want, rehearsed(t, in)); diff != "" {
			t.Errorf("%s: -with the memory of all, +with its own:\n%s", name, diff)
		}
	}
}

// TestUntil: a rehearsal that stops has the steps of the whole one, as far as it goes, and no verdict.
func TestUntil(t *testing.T) {
	in := edited(t, aCluster, scenes["Reboot"].edit)
	whole := rehearsed(t, in)

	in.Until = 3
	part := rehearsed(t, in)

	if diff := cmp.Diff(whole.Steps[:3], part.Steps); diff != "" || part.Verdict.Outcome != Stopped {
		t.Errorf("%+v: -whole, +part:\n%s", part.Verdict, diff)
	}

	// After the last step, and beyond it, nothing goes on.
	for _, step := range []int{len(whole.Steps), len(whole.Steps) + 1} {
		in.Until = step
		if diff := cmp.Diff(whole, rehearsed(t, in)); diff != "" {
			t.Errorf("until %d of %d: -whole, +until:\n%s", step, len(whole.Steps), diff)
		}
	}
}

// TestStepOfContainer: a moment calls a container one.
func TestStepOfContainer(t *testing.T) {
	m, err := At(context.Background(), edited(t, scenes["Restarted"].claim, scenes["Restarted"].edit), 1)
	if err != nil {
		t.Fatal(err)
	}

	text := &bytes.Buffer{}
	if err := m.Text(text); err != nil {
		t.Fatal(err)
	}

	if want := "dns01                    container 4853"; !strings.Contains(text.String(), want) {
		t.Errorf("want %q in\n%s", want, text)
	}
}

// TestAssumptions: a longer boot prolongs what boots, and nothing else.
func TestAssumptions(t *testing.T) {
	in := edited(t, aCluster, scenes["Reboot"].edit)
	before := rehearsed(t, in)

	in.Assumed.Boot += 50
	after := rehearsed(t, in)

	if got := after.Verdict.At - before.Verdict.At; got != 3*50 {
		t.Errorf("three boots of 50 seconds more last %s longer", got)
	}

	if got := after.Sums.LongestAway - before.Sums.LongestAway; got != 50 {
		t.Errorf("a server is away for %s longer", got)
	}
}

// TestObserved: what a cluster has of machines that were born, is edited as what was born just now.
func TestObserved(t *testing.T) {
	of := map[string][]string{
		"namespaced": {"Nothing", "Reboot", "Replace", "Removal", "Upgrade", "Everything"}, "claims": {"Drain", "ScaleUp", "Machine", "K3sNode", "Container"},
	}

	for flavour, names := range of {
		for _, name := range names {
			tc := scenes[name]

			t.Run(name+"/"+flavour, func(t *testing.T) {
				t.Parallel()

				in := edited(t, tc.claim, tc.edit)
				want := rehearsed(t, in)

				p, err := begin(context.Background(), in)
				if err != nil {
					t.Fatal(err)
				}

				p.settle()

				is := sceneOf(t, strings.NewReplacer(tc.edit...).Replace(tc.claim), preview.WorldWith(observedOf(p)))
				asObserved(in, is)

				if diff := cmp.Diff(want, rehearsed(t, in)); diff != "" {
					t.Errorf("-born, +observed:\n%s", diff)
				}
			})
		}
	}
}

// TestRoleStays: K3s is installed as a server, and its member of etcd stays and votes while an edit that makes it an agent is refused.
func TestRoleStays(t *testing.T) {
	third := aServer(3, "")
	r := rehearsed(t, edited(t, ownServers, []string{third, strings.Replace(third, "role: server", "role: agent", 1)}))

	if r.Verdict.Outcome != Refused || len(r.Sums.LowestVotes) != 1 || r.Sums.LowestVotes[0].Members != 3 || r.Sums.LowestVotes[0].Votes != 3 {
		t.Errorf("want a refused edit, and three of three votes: %+v, %+v", r.Verdict, r.Sums)
	}
}

// TestOneOfThree: of three servers with claims of their own, the claim of one is edited, and the other two are what a cluster or a file has: they vote, and their Nodes are read.
func TestOneOfThree(t *testing.T) {
	for name, reads := range map[string]func([]unstructured.Unstructured) preview.World{
		"File": preview.WorldWith,
		"Cluster": func(all []unstructured.Unstructured) preview.World {
			w := preview.WorldWith(slices.DeleteFunc(slices.Clone(all), isKubernetesNode))
			w.Fetch = func(_ context.Context, q preview.Query) (found []unstructured.Unstructured, err error) {
				for _, o := range all {
					if o.GetAPIVersion() == q.APIVersion && o.GetKind() == q.Kind && (q.Name == "" || q.Name == o.GetName()) && labels.SelectorFromSet(q.Labels).Matches(labels.Set(o.GetLabels())) {
						found = append(found, o)
					}
				}

				return found, nil
			}

			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := edited(t, ownServers, nil)

			p, err := begin(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}

			p.settle()

			second := strings.Replace(aServer(2, ""), "class: server", "class: server-large", 1)
			is := sceneOf(t, second, reads(observedOf(p)))
			in.Machines = []Machine{{Name: in.Machines[1].Name, Is: is[in.Machines[1].Name]}}

			r := rehearsed(t, in)
			if r.Verdict.Outcome != Done || r.Sums.Restarts != 1 {
				t.Errorf("the verdict is %+v with %+v; want one restart, and done", r.Verdict, r.Sums)
			}

			if diff := cmp.Diff([]Etcd{{Cluster: "K3sNodes of cluster home", Members: 3, Votes: 2}}, r.Sums.LowestVotes); diff != "" {
				t.Errorf("lowest votes: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestCatalogueObserved: an edit of the catalogue is an edit of machines that were observed with the one that the cluster has, or the file that they are in. Where
// neither has one, nobody knows that it is edited.
func TestCatalogueObserved(t *testing.T) {
	edit := chapterScenes["UpgradeOwn"].catalogue
	servers := strings.ReplaceAll(ownServers, ", version: v1.36.5+k3s1", "")
	before := strings.NewReplacer(edit[0], "version: v1.36.5+k3s1, "+edit[0]).Replace(aCatalogue)

	for name, tc := range map[string]struct {
		reads func(machines []unstructured.Unstructured, catalogue unstructured.Unstructured) preview.World
		want  Outcome
		steps int
	}{
		"File": {reads: func(machines []unstructured.Unstructured, catalogue unstructured.Unstructured) preview.World {
			return preview.WorldWith(append(machines, catalogue))
		}, want: Done, steps: 6},
		"Cluster": {reads: func(machines []unstructured.Unstructured, catalogue unstructured.Unstructured) preview.World {
			w := preview.WorldWith(machines)
			w.Fetch = func(_ context.Context, q preview.Query) ([]unstructured.Unstructured, error) {
				if q.Kind != catalogueKind || q.Name != catalogue.GetName() {
					return nil, nil
				}

				return []unstructured.Unstructured{catalogue}, nil
			}

			return w
		}, want: Done, steps: 6},
		"Unknown": {reads: func(machines []unstructured.Unstructured, _ unstructured.Unstructured) preview.World {
			return preview.WorldWith(machines)
		}, want: Done},
	} {
		for _, flavour := range []string{"namespaced", "claims"} {
			t.Run(name+"/"+flavour, func(t *testing.T) {
				t.Parallel()

				was := sceneWith(t, servers, before, preview.World{})
				in := Input{Assumed: Usual(), Memory: memory}

				for _, machine := range world.Keys(was) {
					scene := was[machine]
					in.Machines = append(in.Machines, Machine{Name: machine, Was: &scene, Is: scene})
				}

				p, err := begin(context.Background(), in)
				if err != nil {
					t.Fatal(err)
				}

				p.settle()

				catalogue := unstructured.Unstructured{Object: p.cluster.Machines[0].Catalogue}
				is := sceneWith(t, servers, strings.NewReplacer(edit...).Replace(aCatalogue), tc.reads(observedOf(p), catalogue))

				asObserved(in, is)

				if r := rehearsed(t, in); r.Verdict.Outcome != tc.want || len(r.Steps) != tc.steps {
					t.Errorf("%d steps, and %+v; want %d, and %s", len(r.Steps), r.Verdict, tc.steps, tc.want)
				}
			})
		}
	}
}

// asObserved are the machines of an input, edited as they were observed instead of as they are born first.
func asObserved(in Input, is map[string]preview.Scene) {
	for i := range in.Machines {
		in.Machines[i].Was, in.Machines[i].Is = nil, is[in.Machines[i].Name]
	}
}

// observedOf a world is what kubectl prints of it.
func observedOf(p *play) []unstructured.Unstructured {
	var out []unstructured.Unstructured

	add := func(o map[string]any) {
		out = append(out, unstructured.Unstructured{Object: world.Object(world.Copy(o))})
	}

	for _, m := range p.cluster.Machines {
		add(m.Composite)

		for _, name := range world.Keys(m.Observed) {
			if kind, _ := m.Observed[name]["kind"].(string); strings.TrimPrefix(kind, "X") != "K3sNode" {
				add(m.Observed[name])
			}
		}
	}

	for _, secret := range world.Keys(p.secrets) {
		add(p.secrets[secret])
	}

	for _, name := range world.Keys(p.cluster.Nodes) {
		add(p.cluster.Nodes[name])
	}

	return out
}
