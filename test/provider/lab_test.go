package provider

import (
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// labCatalogue is the catalogue of the tests that follow one machine.
const labCatalogue = `
apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults:
    site: lab
    image: debian
    adminUser: ops
    sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"]
  images:
    debian: {volume: "local:import/debian-13.qcow2", os: debian, disk: 10Gi}
    other: {volume: "local:import/other.qcow2", os: debian, disk: 10Gi}
    nixos: {template: 9000, templateNode: pve, os: nixos, convergeUnit: true, disk: 10Gi}
    installer: {volume: "local:iso/nixos-minimal-25.05.iso", os: nixos}
  sites:
    lab:
      nodes:
        pve:
          bridges: [vmbr0, vmbr1]
          datastores: {disks: local-lvm, images: local, snippets: local}
        pve2:
          bridges: [vmbr0, vmbr1]
          datastores: {disks: local-lvm, images: local, snippets: local}
      network: {bridge: vmbr0, gateway: 192.168.4.1, dns: [192.168.4.1], cidr: 24, domain: home.arpa}
    ranged:
      nodes:
        pve: {bridges: [vmbr0], datastores: {disks: local-lvm, images: local, snippets: local}}
      vmIds: {from: 160, to: 162}
      network: {bridge: vmbr0, gateway: 192.168.4.1, dns: [192.168.4.1], cidr: 24, domain: home.arpa}
`

// labCluster has what the catalogue names.
func labCluster() Cluster {
	return Cluster{
		Volumes: []string{
			"local:import/debian-13.qcow2", "local:import/other.qcow2", "local:iso/nixos-minimal-25.05.iso", "local:snippets/k3s-token.yaml",
		},
		Templates: map[int]Template{9000: template("pve")},
		Pools:     []string{"infra", "other"},
	}
}

// a lab is a cluster, and the function, for one or more machines.
type lab struct {
	*Bench

	function  *Function
	catalogue unstructured.Unstructured
}

func newLab(t *testing.T) *lab {
	t.Helper()
	needTerraform(t)

	l := &lab{function: startFunction(t), Bench: startBench(t, labCluster(), onNode("pve"), onNode("pve2"))}
	l.Quick = true

	if err := l.ServePlugin(t.Context(), needTerraform(t).Served); err != nil {
		t.Fatal(err)
	}

	parse(t, labCatalogue, &l.catalogue.Object)

	return l
}

func parse(t *testing.T, text string, into any) {
	t.Helper()

	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// machine is a control of a claim, whose name and spec are given. Its kind is K3sNode if the spec speaks of k3s.
func (l *lab) machine(t *testing.T, name, spec string) *Control {
	t.Helper()

	claim := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "Machine", "metadata": map[string]any{"name": name, "namespace": "lab"},
	}}
	fields := map[string]any{}
	parse(t, spec, &fields)
	claim.Object["spec"] = fields

	if _, ok := fields["k3s"]; ok {
		claim.SetKind("K3sNode")
	}

	in, err := Input(repository, APIClaims, "X"+claim.GetKind())
	if err != nil {
		t.Fatal(err)
	}

	return &Control{
		Function: l.function, Bench: l.Bench, Composite: CompositeOf(claim, APIClaims), Input: in,
		Required: []unstructured.Unstructured{l.catalogue},
	}
}

// edit applies a JSON merge patch, in YAML, to the claim's spec.
func edit(t *testing.T, c *Control, patch string) {
	t.Helper()

	p := map[string]any{}
	parse(t, patch, &p)

	spec, _, err := unstructured.NestedMap(c.Composite.Object, "spec")
	if err != nil {
		t.Fatal(err)
	}

	c.Composite.Object["spec"] = mergePatch(spec, p)
}

// settle lets a machine come to rest, and tells the requests that wrote meanwhile.
func (l *lab) settle(t *testing.T, c *Control) string {
	t.Helper()

	since := l.seq(t)
	if _, err := c.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}

	return l.writes(t, since)
}

// transient is what the plugin fails with once when a disk grows while something else of the VM waits for a power cycle. The
// next turn grows the disk.
const transient = "cannot resize disks while the VM is running"

// settleHealing lets a machine come to rest that may fail once with what heals by itself.
func (l *lab) settleHealing(t *testing.T, c *Control) string {
	t.Helper()

	since := l.seq(t)

	_, err := c.Settle(t.Context())
	if err != nil && strings.Contains(err.Error(), transient) {
		_, err = c.Settle(t.Context())
	}

	if err != nil {
		t.Fatal(err)
	}

	return l.writes(t, since)
}

// poll lets the provider look at everything once, and the machine come to rest.
func (l *lab) poll(t *testing.T, c *Control) string {
	t.Helper()

	since := l.seq(t)

	r, err := c.Poll(t.Context())
	if err != nil || r.Err() != nil {
		t.Fatal(err, r.Err())
	}

	if _, err := c.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}

	return l.writes(t, since)
}

func (l *lab) seq(t *testing.T) int {
	t.Helper()

	return l.state(t).Seq
}

func (l *lab) state(t *testing.T) State {
	t.Helper()

	s, err := l.Simulator.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// vm is a VM of the cluster; it need not be there.
func (l *lab) vm(t *testing.T, id int) VM {
	t.Helper()

	return l.state(t).VMs[strconv.Itoa(id)]
}

func (l *lab) writes(t *testing.T, since int) string {
	t.Helper()

	w, err := l.Simulator.Writes(t.Context(), since)
	if err != nil {
		t.Fatal(err)
	}

	return requestLines(w)
}

func (l *lab) touch(t *testing.T, id int, touch Touch) {
	t.Helper()

	if err := l.Simulator.Touch(t.Context(), id, touch); err != nil {
		t.Fatal(err)
	}
}

// foreign makes a running VM that is nobody's here.
func (l *lab) foreign(t *testing.T, id int, node string, more map[string]string) {
	t.Helper()

	config := map[string]string{
		"name": "foreign", "scsi0": "local-lvm:20", "scsi1": "local-lvm:100", "scsihw": "virtio-scsi-pci", "agent": "1",
		"net0": "virtio=BC:24:11:00:0F:01,bridge=vmbr0,firewall=1", "boot": "order=scsi0;net0", "memory": "4096", "cores": "2",
		"cpu": "x86-64-v2-AES", "ostype": "l26",
	}
	maps.Copy(config, more)
	l.touch(t, id, Touch{Node: node, Status: "running", Config: config})
}

// want checks a condition of the machine: its status and reason, and words of its message.
func want(t *testing.T, c *Control, typ, status, reason string, words ...string) {
	t.Helper()

	got := c.Conditions[typ]
	if word(got.GetStatus()) != status || got.GetReason() != reason {
		t.Errorf("condition %s: want %s %s, got %s %s: %s", typ, status, reason, word(got.GetStatus()), got.GetReason(), got.GetMessage())
	}

	for _, w := range words {
		if !strings.Contains(got.GetMessage(), w) {
			t.Errorf("condition %s: want %q in: %s", typ, w, got.GetMessage())
		}
	}
}

// unharmed holds that a VM is as it was, and that no request spoke of it.
func unharmed(t *testing.T, before, after VM, id int, writes string) {
	t.Helper()

	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("VM %d changed: -before, +after:\n%s", id, diff)
	}

	for _, sign := range []string{"/qemu/" + strconv.Itoa(id) + "/", "/qemu/" + strconv.Itoa(id) + " ", "vmid=" + strconv.Itoa(id)} {
		if strings.Contains(writes, sign) {
			t.Errorf("requests about VM %d:\n%s", id, writes)
		}
	}
}

// without holds that no request contains any of these words.
func without(t *testing.T, writes string, words ...string) {
	t.Helper()

	for line := range strings.Lines(writes) {
		for _, w := range words {
			if strings.Contains(line, w) {
				t.Errorf("unwanted request: %s", line)
			}
		}
	}
}

// list is the names of the files in a folder, sorted.
func list(t *testing.T, folder string) []string {
	t.Helper()

	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}

	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name()
	}

	return out
}
