package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCapacity(t *testing.T) {
	const vm = "apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1\nkind: EnvironmentVM\n" +
		"metadata: {name: a, labels: {crossplane.io/composite: a}, annotations: {crossplane.io/composition-resource-name: vm}}\n" +
		"spec: {providerConfigRef: {name: default}, managementPolicies: ['*'], forProvider: {nodeName: pve1, memory: [{dedicated: 6144}]}}\n"

	catalogue := func(memory string) string {
		return "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {sites: {home: {nodes: {pve1: {memory: " +
			memory + ", reserve: 0}, pve2: {}}}}}\n"
	}

	files := writeTree(t, map[string]string{
		"all.yaml": catalogue("32Gi") + "---\n" + vm, "vms.yaml": vm, "small.yaml": catalogue("4Gi"), "faulty.yaml": catalogue("{}"), "empty.yaml": strings.Replace(catalogue("1Gi"), "home: {nodes", "home: {node", 1),
	})
	in := func(name string) string { return filepath.Join(files, name) }

	cases := map[string]struct {
		reason string
		args   []string
		code   ExitCode
		out    string
		err    string
	}{
		"Table": {
			reason: "What is left of each node, and why nobody knows it.",
			args:   []string{"--observed", in("all.yaml")},
			out: "SITE   NODE   MEMORY   RESERVE   USED   LEFT\n" +
				"home   pve1   32Gi     0Mi       6Gi    26Gi\n" +
				"home   pve2   -        -         0Mi    -   the catalogue does not tell its memory\n",
		},
		"OtherCatalogue": {
			reason: "An edited catalogue, before it is committed.",
			args:   []string{"--observed", in("all.yaml"), "--catalogue", in("small.yaml")},
			out: "SITE   NODE   MEMORY   RESERVE   USED   LEFT\n" +
				"home   pve1   4Gi      0Mi       6Gi    -2Gi   VMs and containers have more than there is\n" +
				"home   pve2   -        -         0Mi    -      the catalogue does not tell its memory\n",
		},
		"JSON": {
			reason: "For programs.",
			args:   []string{"--observed", in("all.yaml"), "-o", "json"},
			out: "[\n  {\n    \"site\": \"home\",\n    \"node\": \"pve1\",\n    \"memoryMiB\": 32768,\n    \"reserveMiB\": 0,\n    \"usedMiB\": 6144,\n    \"leftMiB\": 26624,\n    \"listed\": true\n  },\n" +
				"  {\n    \"site\": \"home\",\n    \"node\": \"pve2\",\n    \"usedMiB\": 0,\n    \"listed\": true\n  }\n]\n",
		},
		"Nothing": {
			reason: "None is no file: all memory is left.",
			args:   []string{"--observed", "none", "--catalogue", in("small.yaml")},
			out: "SITE   NODE   MEMORY   RESERVE   USED   LEFT\n" +
				"home   pve1   4Gi      0Mi       0Mi    4Gi\n" +
				"home   pve2   -        -         0Mi    -   the catalogue does not tell its memory\n",
		},
		"NoCatalogue": {
			reason: "Without a catalogue there is nothing to compare with.",
			args:   []string{"--observed", in("vms.yaml")}, code: ExitFailed, err: "there is no catalogue, EnvironmentConfig machine-catalog, in " + in("vms.yaml"),
		},
		"NoFile": {
			reason: "None is no file that could have a catalogue.",
			args:   []string{"--observed", "none"}, code: ExitFailed,
			err: "kubectl machine: this command needs a catalogue, EnvironmentConfig machine-catalog, and none stands for no file: name one with --catalogue\n",
		},
		"NoCatalogueAtAll": {
			reason: "Nor does the word do for the catalogue of a command that needs one.",
			args:   []string{"--observed", in("vms.yaml"), "--catalogue", "none"}, code: ExitFailed,
			err: "kubectl machine: this command needs a catalogue, EnvironmentConfig machine-catalog, and none stands for no file: name one with --catalogue\n",
		},
		"NoCatalogueInStdin": {
			reason: "A hyphen is no place.",
			args:   []string{"--observed", "-"}, code: ExitFailed, err: "there is no catalogue, EnvironmentConfig machine-catalog, in standard input: name a file with --catalogue\n",
		},
		"FaultyCatalogue": {
			reason: "A fault of the catalogue has its path.",
			args:   []string{"--observed", in("vms.yaml"), "--catalogue", in("faulty.yaml")}, code: ExitFailed, err: "data.sites.home.nodes.pve1.memory",
		},
		"UnknownKey": {
			reason: "So has an unknown key.",
			args:   []string{"--observed", in("vms.yaml"), "--catalogue", in("empty.yaml")}, code: ExitFailed, err: "data.sites.home.node",
		},
		"Output":   {reason: "An output that there is none of.", args: []string{"-o", "yaml"}, code: ExitUsage, err: "want one of text, json"},
		"Argument": {reason: "There is nothing to name.", args: []string{"pve1"}, code: ExitUsage, err: "unexpected argument"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, err := runAt(t, "", append([]string{"capacity"}, tc.args...)...)
			if code != tc.code || !strings.Contains(err, tc.err) {
				t.Errorf("%s: ends with %d and %q; want %d and %q", tc.reason, code, err, tc.code, tc.err)
			}

			if diff := cmp.Diff(tc.out, out); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCapacityOfACluster: the same figures from a cluster, through kubectl, which only reads.
func TestCapacityOfACluster(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"cluster.yaml": "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\n" +
			"data: {sites: {home: {nodes: {pve1: {memory: 32Gi}}}}}\n---\n" +
			"apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1\nkind: EnvironmentVM\n" +
			"metadata: {name: a, labels: {crossplane.io/composite: a}, annotations: {crossplane.io/composition-resource-name: vm}}\n" +
			"spec: {providerConfigRef: {name: default}, managementPolicies: ['*'], forProvider: {nodeName: pve1, memory: [{dedicated: 6144}]}}\n",
	})
	pretendKubectl(t, filepath.Join(dir, "calls"), filepath.Join(dir, "cluster.yaml"))

	got := call(t, "", "capacity")
	want := "SITE   NODE   MEMORY   RESERVE   USED   LEFT\nhome   pve1   32Gi     2Gi       6Gi    24Gi\n"

	if got.code != ExitOK || got.stdout != want {
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
