// Package schemas holds the JSON schemas that editors read against the claims and catalogues of this repository, with a validator of
// JSON schema that is not ours.
package schemas

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/document"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

const root = "../.."

// files with the schema of each kind that people write.
func files() map[string]string {
	return map[string]string{
		"Machine": "machine.json", "K3sNode": "k3snode.json", "K3sCluster": "k3scluster.json", "Container": "container.json", "ProxmoxSite": "proxmoxsite.json", "EnvironmentConfig": "catalogue.json",
	}
}

// installations are the folders of the schemas. The catalogue is the same in both.
func installations() []string { return []string{"", "namespaced"} }

func schema(t *testing.T, folder, file string) *jsonschema.Schema {
	t.Helper()

	if file == "catalogue.json" {
		folder = ""
	}

	s, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "schemas", folder, file))
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// value of a YAML document, as the validator takes it.
func value(t *testing.T, text []byte) any {
	t.Helper()

	b, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}

	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}

	return v
}

// A written object is a document of a file.
type written struct {
	file, kind string
	text       []byte
}

// claims and catalogues of a folder.
func objects(t *testing.T, folder string) []written {
	t.Helper()

	var out []written

	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !manifest.IsYAML(path) {
			return err
		}

		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		out = append(out, objectsOf(t, path, b)...)

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return out
}

// objectsOf a file are its claims and catalogues.
func objectsOf(t *testing.T, path string, b []byte) []written {
	t.Helper()

	var out []written

	for _, text := range regexp.MustCompile(`(?m)^---$`).Split(string(b), -1) {
		var head struct{ APIVersion, Kind string }

		// A part of an object in the documentation may be a list.
		if err := yaml.Unmarshal([]byte(text), &head); err != nil && filepath.Ext(path) != ".md" {
			t.Fatalf("%s: %v", path, err)
		}

		if strings.HasPrefix(head.APIVersion, "homelab.io/") && files()[head.Kind] != "" || head.Kind == "EnvironmentConfig" {
			out = append(out, written{path, head.Kind, []byte(text)})
		}
	}

	return out
}

// TestExamples holds every claim and catalogue of the examples against its schema, which the file itself names.
func TestExamples(t *testing.T) {
	modeline := regexp.MustCompile(`(?m)^# yaml-language-server: \$schema=(\S+)$`)
	seen := map[string]int{}

	for _, o := range objects(t, filepath.Join(root, "example")) {
		// What kubectl prints of a cluster is nobody's to edit.
		if strings.Contains(o.file, "day-two/cluster/") {
			continue
		}

		seen[o.kind]++

		m := modeline.FindSubmatch(o.text)
		if m == nil {
			t.Errorf("%s: %s has no line # yaml-language-server: $schema=...", o.file, o.kind)
			continue
		}

		if got, want := string(m[1]), schemaOf(t, o); got != want {
			t.Errorf("%s: the schema is %s, want %s", o.file, got, want)
		}

		for _, folder := range installations() {
			if err := schema(t, folder, files()[o.kind]).Validate(value(t, o.text)); err != nil {
				t.Errorf("%s: %s, schema %s: %v", o.file, o.kind, filepath.Join(folder, files()[o.kind]), err)
			}
		}
	}

	for kind := range files() {
		if seen[kind] == 0 {
			t.Errorf("no example of a %s was read", kind)
		}
	}
}

// schemaOf an example is what its line names: the file, or its address where people copy the folder away from the schemas.
func schemaOf(t *testing.T, o written) string {
	t.Helper()

	for _, folder := range []string{"example/flux", "example/argocd"} {
		if strings.HasPrefix(o.file, filepath.Join(root, folder)+string(filepath.Separator)) {
			return document.SchemaURL + files()[o.kind]
		}
	}

	path, err := filepath.Rel(filepath.Dir(o.file), filepath.Join(root, "schemas", files()[o.kind]))
	if err != nil {
		t.Fatal(err)
	}

	return path
}

// TestDocs holds the claims and catalogues that the documentation shows whole against their schemas.
func TestDocs(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages")
	}

	block := regexp.MustCompile("(?ms)^( *)```yaml\n(.*?)^ *```$")
	n := 0

	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}

		for _, m := range block.FindAllSubmatch(b, -1) {
			text := regexp.MustCompile("(?m)^"+string(m[1])).ReplaceAll(m[2], nil)

			for _, o := range objectsOf(t, page, text) {
				n++

				// A comment stands for the rest, or Crossplane has written its own part; and docs/lint.md shows mistakes.
				if strings.Contains(string(o.text), "# and the spec, as it is") || strings.Contains(string(o.text), "\n  crossplane:\n") {
					continue
				}

				err, wrong := schema(t, "", files()[o.kind]).Validate(value(t, o.text)), strings.Contains(string(o.text), "klass:")
				if (err != nil) != wrong {
					t.Errorf("%s: %v\n%s", page, err, o.text)
				}
			}
		}
	}

	if n < 5 {
		t.Errorf("only %d objects were read", n)
	}
}

// TestValidClaims: a schema refuses nothing that the API server and the function accept.
func TestValidClaims(t *testing.T) {
	all := objects(t, filepath.Join(root, "test/claims/testdata/valid"))
	if len(all) < 10 {
		t.Fatalf("only %d claims were read", len(all))
	}

	for _, o := range all {
		for _, folder := range installations() {
			if err := schema(t, folder, files()[o.kind]).Validate(value(t, o.text)); err != nil {
				t.Errorf("%s: schema %s: %v", o.file, filepath.Join(folder, files()[o.kind]), err)
			}
		}
	}
}

// TestWrong has what a schema refuses, and where.
func TestWrong(t *testing.T) {
	const (
		machine = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: dns01}\nspec: "
		node    = "apiVersion: homelab.io/v1alpha1\nkind: K3sNode\nmetadata: {name: a}\nspec: "
		cluster = "apiVersion: homelab.io/v1alpha1\nkind: K3sCluster\nmetadata: {name: a}\nspec: "
		data    = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: "
	)

	cases := map[string]struct {
		reason string
		file   string
		right  string
		wrong  string
		at     string // The path of the fault.
	}{
		"UnknownField":     {"The API server drops a field that it does not know.", "machine.json", machine + "{class: small}", machine + "{clas: small}", "/spec"},
		"UnknownDeeper":    {"That is so at every depth.", "machine.json", machine + "{network: {ip: 192.168.4.1/24}}", machine + "{network: {address: 192.168.4.1/24}}", "/spec/network"},
		"Enum":             {"A word is one of a list.", "machine.json", machine + "{power: Stopped}", machine + "{power: Off}", "/spec/power"},
		"Type":             {"A number is no text.", "machine.json", machine + "{proxmox: {vmId: 101}}", machine + `{proxmox: {vmId: "101"}}`, "/spec/proxmox/vmId"},
		"Quantity":         {"A size is a number, with or without a unit.", "machine.json", machine + "{size: {memory: 4096, disk: 50G}}", machine + "{size: {memory: 4 GB}}", "/spec/size/memory"},
		"RuleAsPattern":    {"A rule of CEL that only matches a pattern is a pattern.", "machine.json", machine + "{role: dns}", machine + "{role: DNS_}", "/spec/role"},
		"Name":             {"The name of a claim becomes a Terraform identifier.", "machine.json", machine + "{}", strings.Replace(machine, "dns01", "1dns", 1) + "{}", "/metadata/name"},
		"Required":         {"A node says what it is.", "k3snode.json", node + "{k3s: {cluster: home, role: agent}}", node + "{class: small}", "/spec"},
		"ClusterServers":   {"A cluster has servers.", "k3scluster.json", cluster + "{cluster: home, servers: {count: 3}}", cluster + "{cluster: home, servers: {number: 3}}", "/spec/servers"},
		"OtherKind":        {"A file is of the kind that it names the schema of.", "k3snode.json", node + "{k3s: {role: agent}}", machine + "{k3s: {role: agent}}", "/kind"},
		"CatalogueKey":     {"A misspelt section is nobody's.", "catalogue.json", data + "{classes: {}}", data + "{class: {}}", "/data"},
		"ClassWithout":     {"A class is whole.", "catalogue.json", data + "{classes: {a: {cores: 1, memory: 1Gi, disk: 9}}}", data + "{classes: {a: {cores: 1}}}", "/data/classes/a"},
		"ClassCores":       {"A VM has a core.", "catalogue.json", data + "{classes: {a: {cores: 1, memory: 1Gi, disk: 9}}}", data + "{classes: {a: {cores: 0, memory: 1Gi, disk: 9}}}", "/data/classes/a/cores"},
		"ImageName":        {"A number as the name of an image is a template.", "catalogue.json", data + "{images: {noble: {url: https://x/a.img}}}", data + "{images: {9000: {url: https://x/a.img}}}", "/"}, // The validator does not say which name.
		"Content":          {"Proxmox VE has seven content types.", "catalogue.json", data + "{sites: {a: {nodes: {pve: {storages: {local: [iso]}}}}}}", data + "{sites: {a: {nodes: {pve: {storages: {local: [isos]}}}}}}", "/data/sites/a/nodes/pve/storages/local/0"},
		"Pool":             {"A pool is a range, a list or an object.", "catalogue.json", data + "{sites: {a: {network: {pool: 192.168.4.5-192.168.4.9}}}}", data + "{sites: {a: {network: {pool: 5}}}}", "/data/sites/a/network/pool"},
		"PoolOfClusterAPI": {"An object names a pool of Cluster API.", "catalogue.json", data + "{sites: {a: {network: {pool: {kind: InClusterIPPool, name: lab}}}}}", data + "{sites: {a: {network: {pool: {name: lab}}}}}", "/data/sites/a/network/pool"},
		"Version":          {"There is one version of the catalogue.", "catalogue.json", data + "{apiVersion: catalogue.homelab.io/v1alpha1}", data + "{apiVersion: catalogue.homelab.io/v2}", "/data/apiVersion"},
		"Release":          {"A cluster has one release of K3s.", "catalogue.json", data + "{clusters: {a: {version: v1.33.6+k3s1}}}", data + "{clusters: {a: {version: stable}}}", "/data/clusters/a/version"},
		"AnyKind":          {"The schema of all kinds judges each by its own.", "all.json", machine + "{class: small}", machine + "{clas: small}", "/spec"},
		"AnyCatalogue":     {"It knows catalogues, too.", "all.json", data + "{classes: {}}", data + "{class: {}}", "/data"},
		"AnyOther":         {"Objects of others are not its.", "all.json", "apiVersion: v1\nkind: Secret\nclas: 1", machine + "{clas: small}", "/spec"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, folder := range installations() {
				s := schema(t, folder, tc.file)

				if err := s.Validate(value(t, []byte(tc.right))); err != nil {
					t.Errorf("%s\n%s: %v", tc.reason, tc.right, err)
				}

				err := s.Validate(value(t, []byte(tc.wrong)))
				if got := places(err); !slices.Contains(got, tc.at) {
					t.Errorf("%s\n%s: got faults at %v, want one at %s", tc.reason, tc.wrong, got, tc.at)
				}
			}
		})
	}
}

// places of the faults of a validation.
func places(err error) []string {
	var v *jsonschema.ValidationError
	if err == nil || !asValidation(err, &v) {
		return nil
	}

	out := []string{"/" + strings.Join(v.InstanceLocation, "/")}
	for _, c := range v.Causes {
		out = append(out, places(c)...)
	}

	return out
}

func asValidation(err error, to **jsonschema.ValidationError) bool {
	v, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // The validator does not wrap it.
	*to = v

	return ok
}

// TestDescriptions: an editor shows what a field is. Kubernetes' own metadata aside, each has a description.
func TestDescriptions(t *testing.T) {
	for _, folder := range installations() {
		for _, file := range files() {
			if file == "catalogue.json" && folder != "" {
				continue
			}

			b, err := os.ReadFile(filepath.Join(root, "schemas", folder, file))
			if err != nil {
				t.Fatal(err)
			}

			var s map[string]any
			if err := json.Unmarshal(b, &s); err != nil {
				t.Fatal(err)
			}

			if n := described(t, file, s); n < 50 {
				t.Errorf("%s: only %d fields were read", file, n)
			}
		}
	}
}

// described counts the fields of a schema, and reports those without a description.
func described(t *testing.T, path string, s map[string]any) int {
	t.Helper()

	n := 0

	fields, _ := s["properties"].(map[string]any)
	for name, f := range fields {
		field, _ := f.(map[string]any)
		if text, _ := field["description"].(string); text == "" && !ofCrossplane(path+"."+name) {
			t.Errorf("%s.%s has no description", path, name)
		}

		n += 1 + described(t, path+"."+name, field)
	}

	for _, key := range []string{"items", "additionalProperties"} {
		if below, ok := s[key].(map[string]any); ok {
			n += described(t, path+"[]", below)
		}
	}

	return n
}

// ofCrossplane says whether a field is Crossplane's or Kubernetes', which describe them not.
func ofCrossplane(path string) bool {
	return regexp.MustCompile(`\.metadata\.|\.spec\.(composition|composite|resourceRef|publish|writeConnection|crossplane)`).MatchString(path)
}

// TestModelineOfCommands: what the command line writes names a schema that is here.
func TestModelineOfCommands(t *testing.T) {
	for _, file := range files() {
		line := document.Modeline(file)

		name, ok := strings.CutPrefix(line, "yaml-language-server: $schema="+document.SchemaURL)
		if !ok || name != file {
			t.Errorf("Modeline(%s): got %s", file, line)
		}

		if _, err := os.Stat(filepath.Join(root, "schemas", name)); err != nil {
			t.Error(err)
		}
	}
}

// TestEditorsNameEverySchema: docs/editors.md leads to each file of schemas/.
func TestEditorsNameEverySchema(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "editors.md"))
	if err != nil {
		t.Fatal(err)
	}

	schemas, err := filepath.Glob(filepath.Join(root, "schemas", "*.json"))
	if err != nil || len(schemas) < 6 {
		t.Fatal(schemas, err)
	}

	for _, s := range schemas {
		if name := filepath.Base(s); !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/editors.md does not name %s", name)
		}
	}
}
