package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const tenancyCatalogue = `apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults: {site: lab, class: small, image: debian-13}
  classes: {small: {cores: 2, memory: 4Gi, disk: 30Gi}, large: {cores: 16, memory: 64Gi, disk: 100Gi}}
  sites:
    lab:
      nodes:
        n1: {bridges: [vmbr0], datastores: {disks: local-zfs, images: local, snippets: local}}
        n2: {bridges: [vmbr0], datastores: {disks: local-zfs, images: local, snippets: local}}
      network: {bridge: vmbr0, gateway: 10.7.0.1, cidr: 24}
  clusters: {home: {server: "https://10.7.0.210:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}}
  tenancy:
    default: Deny
    tenants:
      infra: {namespaces: [infra], allow: [pin]}
      nothing: {namespaces: ["n-*"], sites: {}, classes: [], images: [], clusters: {}, dns: [], firewall: Required}
      team-b:
        namespaces: [team-b]
        sites: {lab: {nodes: [n1], bridges: {vmbr0: [0, 31]}, datastores: [local-zfs], pci: [], pool: team-b, addresses: 10.7.0.60-10.7.0.79, vmIds: {from: 4200, to: 4299}}}
        classes: [small]
        limits: {cores: 8, memory: 16Gi, disk: 200Gi}
        quota: {machines: 2, memory: 6Gi}
        clusters: {home: [agent]}
`

const tenancyObserved = `apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: web01, namespace: team-b}
spec: {class: large, proxmox: {pool: team-b}}
---
apiVersion: virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1
kind: EnvironmentVM
metadata:
  name: web01-vm
  namespace: team-b
  labels: {crossplane.io/composite: web01, homelab.io/namespace: team-b}
  annotations: {crossplane.io/composition-resource-name: vm, crossplane.io/external-name: "4100"}
spec:
  providerConfigRef: {name: default, kind: ClusterProviderConfig}
  managementPolicies: ["*"]
  forProvider: {nodeName: n2, vmId: 4100, cpu: [{cores: 16}], memory: [{dedicated: 65536}], disk: [{datastoreId: local-zfs, size: 100}]}
status: {atProvider: {id: "4100", nodeName: n2, vmId: 4100}}
`

func TestTenancy(t *testing.T) {
	files := writeTree(t, map[string]string{
		".git/HEAD": "", "catalogue.yaml": tenancyCatalogue, "several/all.yaml": tenancyCatalogue + "---\n" + tenancyObserved, "observed.yaml": tenancyObserved,
		"guest/a.yaml":             "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a, namespace: guest}\nspec: {}\n",
		"right.yaml":               "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: web01, namespace: team-b}\nspec: {proxmox: {pool: team-b}}\n",
		"wrong.yaml":               "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a, namespace: team-b}\nspec: {class: huge}\n",
		"several/open.yaml":        "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {}\n",
		"several/broken.yaml":      strings.Replace(tenancyCatalogue, "default: Deny", "standard: Deny", 1),
		"several/contradicts.yaml": strings.Replace(tenancyCatalogue, "classes: [small]", "classes: [tiny]", 1),
	})
	in := func(name string) string { return filepath.Join(files, name) }

	cases := map[string]struct {
		reason string
		args   []string
		code   ExitCode
		golden string // A file of testdata with all that is printed.
		out    string // Or a part of it.
		err    string
	}{
		"Observed": {reason: "All tenants, and what runs outside of the rules.", args: []string{"--observed", in("several/all.yaml")}, code: ExitFound, golden: "tenancy.txt"},
		"YAML":     {reason: "For programs, of one namespace.", args: []string{"--observed", in("several/all.yaml"), "-n", "team-b", "-o", "yaml"}, code: ExitFound, golden: "tenancy.yaml"},
		"JSON":     {reason: "The same.", args: []string{"--observed", in("several/all.yaml"), "-o", "json"}, code: ExitFound, out: `"field": "status.node"`},
		"Edited": {
			reason: "A claim of a file counts in place of what there is; its VM stays where it is.", args: []string{"--observed", in("observed.yaml"), "--catalogue", in("catalogue.yaml"), "-f", in("right.yaml")},
			code: ExitFound, out: "  outside of the rules: Machine team-b/web01: status.node: \"n2\"",
		},
		"Files":     {reason: "Without a cluster, with the catalogue beside the claims.", args: []string{"-f", in("guest")}, code: ExitFound, out: "outside of the rules: Machine guest/a: metadata.namespace"},
		"Within":    {reason: "What is within the rules ends well.", args: []string{"-f", in("right.yaml"), "--catalogue", in("catalogue.yaml")}, out: "machines 0 of 2, cores 0, memory 0Mi of 6Gi"},
		"Unjudged":  {reason: "A faulty claim is not passed over in silence.", args: []string{"-f", in("wrong.yaml"), "--catalogue", in("catalogue.yaml")}, out: "not judged: Machine team-b/a: spec.class"},
		"Open":      {reason: "A catalogue without a tenancy.", args: []string{"-f", in("guest"), "--catalogue", in("several/open.yaml")}, out: "The catalogue has no tenancy: claims of every namespace can reach everything that it names.\n"},
		"Broken":    {reason: "Rules that nobody can read are an error.", args: []string{"-f", in("guest"), "--catalogue", in("several/broken.yaml")}, code: ExitFailed, err: "data.tenancy.standard"},
		"Faulty":    {reason: "Rules that contradict the catalogue are said with the tenant.", args: []string{"-f", in("right.yaml"), "--catalogue", in("several/contradicts.yaml")}, code: ExitFound, out: "allows nothing new, because of a fault in the rules: EnvironmentConfig machine-catalog: data.tenancy.tenants.team-b.classes: Invalid value: \"tiny\""},
		"NoFile":    {reason: "A file that is not there.", args: []string{"--observed", in("none.yaml")}, code: ExitFailed, err: "cannot read"},
		"Output":    {reason: "An output that there is none of.", args: []string{"-o", "wide"}, code: ExitUsage, err: "want one of text, json, yaml"},
		"TwoStdins": {reason: "There is one standard input.", args: []string{"-f", "-", "--observed", "-"}, code: ExitUsage, err: "standard input"},
		"Argument":  {reason: "There is nothing to name.", args: []string{"team-b"}, code: ExitUsage, err: "unexpected argument"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, err := runAt(t, "", append([]string{"tenancy"}, tc.args...)...)
			if code != tc.code || !strings.Contains(err, tc.err) || !strings.Contains(out, tc.out) {
				t.Errorf("%s: ends with %d, %q and %q; want %d, %q and %q", tc.reason, code, out, err, tc.code, tc.out, tc.err)
			}

			if tc.golden != "" {
				isGolden(t, filepath.Join("testdata", tc.golden), out)
			}
		})
	}
}

// isGolden compares with a file, or rewrites it.
func isGolden(t *testing.T, file, got string) {
	t.Helper()

	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file) //nolint:gosec // A file of this test.
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-update rewrites it): -want, +got:\n%s", file, diff)
	}
}

// TestTenancyOfACluster: the same from a cluster, through kubectl, which only reads.
func TestTenancyOfACluster(t *testing.T) {
	dir := writeTree(t, map[string]string{"cluster.yaml": tenancyCatalogue + "---\n" + tenancyObserved})
	pretendKubectl(t, filepath.Join(dir, "calls"), filepath.Join(dir, "cluster.yaml"))

	want, err := os.ReadFile(filepath.Join("testdata", "tenancy.txt"))
	if err != nil {
		t.Fatal(err)
	}

	got := call(t, "", "tenancy")
	if got.code != ExitFound || got.stdout != string(want) {
		t.Errorf("want\n%s\ngot %+v", want, got)
	}

	calls, err := os.ReadFile(filepath.Join(dir, "calls")) //nolint:gosec // A file of this test.
	if err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(string(calls)) {
		if !strings.HasPrefix(line, "get ") {
			t.Errorf("the command only reads: %s", line)
		}
	}
}
