package packages

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// action is a step that uses one; the comment names the version for people and for Renovate.
var action = regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(.*)$`)

var pinnedAction = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// TestWorkflows: what actionlint does not ask for.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yaml"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}

	for _, f := range files {
		name := filepath.Base(f)
		text := readPage(t, ".github/workflows/"+name)

		uses := action.FindAllStringSubmatch(text, -1)
		if len(uses) == 0 {
			t.Errorf("%s uses no action", name)
		}

		for _, u := range uses {
			// A workflow of ours is of the same commit.
			if !strings.HasPrefix(u[1], "./.github/workflows/") && !pinnedAction.MatchString(u[1]) {
				t.Errorf("%s uses %q: want a full commit and the version in a comment, as tags move", name, u[1])
			}
		}

		workflow := struct {
			Permissions map[string]string `json:"permissions"`
			Jobs        map[string]struct {
				Permissions map[string]string `json:"permissions"`
			} `json:"jobs"`
		}{}
		if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
			t.Fatal(name, err)
		}

		if workflow.Permissions == nil || len(workflow.Permissions) != 0 {
			t.Errorf("%s: want no permissions that all jobs have, got %v", name, workflow.Permissions)
		}

		for job, j := range workflow.Jobs {
			if len(j.Permissions) == 0 || strings.Contains(text, "write-all") || strings.Contains(text, "pull_request_target") {
				t.Errorf("%s: job %s: want the permissions that it needs, and no event that runs a stranger's code with them", name, job)
			}

			if name != "release.yaml" && (len(j.Permissions) != 1 || j.Permissions["contents"] != "read") {
				t.Errorf("%s: what tests may read, and nothing else: %v", name, j.Permissions)
			}
		}
	}
}

// TestReleaseJobs: each job of a release has the permissions that it needs, in the order in which nothing is shown before it is published.
func TestReleaseJobs(t *testing.T) {
	type step struct {
		Uses string `json:"uses,omitempty"`
		Run  string `json:"run,omitempty"`
	}

	type job struct {
		Needs       string            `json:"needs,omitempty"`
		If          string            `json:"if,omitempty"`
		Permissions map[string]string `json:"permissions"`
		Steps       []step            `json:"steps,omitempty"`
	}

	workflow := struct {
		Jobs map[string]job `json:"jobs"`
	}{}
	if err := yaml.Unmarshal([]byte(readPage(t, ".github/workflows/release.yaml")), &workflow); err != nil {
		t.Fatal(err)
	}

	want := map[string]job{
		"verify":  {Permissions: map[string]string{"contents": "read"}},
		"release": {Needs: "verify", Permissions: map[string]string{"contents": "write", "packages": "write", "id-token": "write", "attestations": "write"}},
		"site":    {Needs: "release", If: "${{ !contains(github.ref_name, '-') }}", Permissions: map[string]string{"contents": "read"}},
		"deploy":  {Needs: "site", Permissions: map[string]string{"pages": "write", "id-token": "write"}},
	}

	got := map[string]job{}
	for name, j := range workflow.Jobs {
		got[name] = job{Needs: j.Needs, If: j.If, Permissions: j.Permissions}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("jobs of release.yaml: -want, +got:\n%s", diff)
	}

	deploy := workflow.Jobs["deploy"].Steps
	if len(deploy) != 1 || deploy[0].Run != "" || !strings.HasPrefix(deploy[0].Uses, "actions/deploy-pages@") {
		t.Errorf("want nothing beside actions/deploy-pages where the site can be changed, got %v", deploy)
	}

	for _, s := range workflow.Jobs["site"].Steps {
		if strings.HasPrefix(s.Run, "make site ") && strings.Contains(s.Run, `SITE_VERSION="$GITHUB_REF_NAME"`) {
			return
		}
	}

	t.Error("release.yaml does not build the site of the tag")
}

// TestWorkflowSteps: GitHub runs the steps of .ci/run, and the suites of hack/verify.sh.
func TestWorkflowSteps(t *testing.T) {
	cases := map[string]struct {
		script, list, matrix string
		aside                []string
	}{
		"ci.yaml":     {script: ".ci/run", list: `(?s)BUDGETS=\(\n(.*?)\n\)`, matrix: "step", aside: []string{"prepare"}}, // Comes before each.
		"verify.yaml": {script: "hack/verify.sh", list: `SUITES=\((.*?)\)`, matrix: "suite"},
	}

	for name, tc := range cases {
		list := regexp.MustCompile(tc.list).FindStringSubmatch(readPage(t, tc.script))
		matrix := regexp.MustCompile(tc.matrix + `: \[(.*)\]`).FindStringSubmatch(readPage(t, ".github/workflows/"+name))

		if list == nil || matrix == nil {
			t.Fatalf("%s or %s has no list", tc.script, name)
		}

		var want []string

		for b := range strings.FieldsSeq(list[1]) {
			if step, _, _ := strings.Cut(b, "="); !slices.Contains(tc.aside, step) {
				want = append(want, step)
			}
		}

		if got := strings.Split(matrix[1], ", "); !slices.Equal(got, want) {
			t.Errorf("%s runs %q, want those of %s, %q", name, got, tc.script, want)
		}
	}
}

// An issueForm is what GitHub documents of one. An unknown field makes GitHub show no form at all.
type issueForm struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Title       string   `json:"title,omitempty"`
	Labels      []string `json:"labels,omitempty"`

	Body []struct {
		Type       string `json:"type"`
		ID         string `json:"id,omitempty"`
		Attributes struct {
			Label       string   `json:"label,omitempty"`
			Description string   `json:"description,omitempty"`
			Placeholder string   `json:"placeholder,omitempty"`
			Value       string   `json:"value,omitempty"`
			Render      string   `json:"render,omitempty"`
			Options     []string `json:"options,omitempty"`
		} `json:"attributes"`
		Validations struct {
			Required bool `json:"required,omitempty"`
		} `json:"validations,omitzero"`
	} `json:"body"`
}

// faults that GitHub would find in a form.
func (f issueForm) faults() []string {
	var out []string

	if f.Name == "" || f.Description == "" || len(f.Body) == 0 {
		out = append(out, "name, description and body are required")
	}

	seen := map[string]bool{}

	for _, b := range f.Body {
		a := b.Attributes

		switch {
		case !slices.Contains([]string{"markdown", "textarea", "input", "dropdown"}, b.Type):
			out = append(out, "unknown type "+b.Type)
		case b.Type == "markdown" && (a.Value == "" || b.ID != "" || a.Label != ""):
			out = append(out, "markdown has a value and no name")
		case b.Type != "markdown" && (a.Label == "" || b.ID == ""):
			out = append(out, b.Type+" has a label and an id")
		case (b.Type == "dropdown") != (len(a.Options) > 0):
			out = append(out, "a dropdown, and nothing else, has options")
		case a.Render != "" && b.Type != "textarea":
			out = append(out, "only a textarea is rendered as code")
		}

		if b.ID != "" && seen[b.ID] {
			out = append(out, "two fields have the id "+b.ID)
		}

		seen[b.ID] = true
	}

	return out
}

func TestIssueForms(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, ".github/ISSUE_TEMPLATE/*.yaml"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}

	for _, f := range files {
		form := issueForm{}
		if err := yaml.UnmarshalStrict([]byte(readPage(t, ".github/ISSUE_TEMPLATE/"+filepath.Base(f))), &form); err != nil {
			t.Errorf("%s: %v", f, err)
		}

		for _, fault := range form.faults() {
			t.Errorf("%s: %s", f, fault)
		}
	}

	for wrong, want := range map[string]string{
		"body: [{type: checkbox}]":                                "unknown type checkbox",
		"body: [{type: input, attributes: {label: x}}]":           "input has a label and an id",
		"body: [{type: dropdown, id: x, attributes: {label: x}}]": "a dropdown, and nothing else, has options",
		"name: x": "name, description and body are required",
	} {
		form := issueForm{}
		if err := yaml.UnmarshalStrict([]byte(wrong), &form); err != nil || !slices.Contains(form.faults(), want) {
			t.Errorf("form %q: want the fault %q, got %q, %v", wrong, want, form.faults(), err)
		}
	}

	config := struct {
		Blank bool `json:"blank_issues_enabled"`
		Links []struct {
			Name  string `json:"name"`
			URL   string `json:"url"`
			About string `json:"about"`
		} `json:"contact_links"`
	}{}
	if err := yaml.UnmarshalStrict([]byte(readPage(t, ".github/ISSUE_TEMPLATE/config.yml")), &config); err != nil || len(config.Links) == 0 {
		t.Errorf("config.yml: %v, %v", config, err)
	}

	for _, l := range config.Links {
		if page, ok := strings.CutPrefix(l.URL, "https://github.com/homelab-io/function-proxmox-machine/blob/main/"); ok {
			readPage(t, page)
		}
	}
}

// A renovateManager is what is used of Renovate's regex managers. Renovate and Go have the same expressions, RE2.
type renovateManager struct {
	CustomType   string   `json:"customType"`
	Description  string   `json:"description"`
	FilePatterns []string `json:"managerFilePatterns"`
	MatchStrings []string `json:"matchStrings"`
	Replace      string   `json:"autoReplaceStringTemplate,omitempty"`
	DepName      string   `json:"depNameTemplate,omitempty"`
	PackageName  string   `json:"packageNameTemplate,omitempty"`
	Datasource   string   `json:"datasourceTemplate"`
	Extract      string   `json:"extractVersionTemplate,omitempty"`
	Versioning   string   `json:"versioningTemplate"`
}

type renovateConfig struct {
	Schema            string            `json:"$schema"`
	Extends           []string          `json:"extends,omitempty"`
	Description       []string          `json:"description,omitempty"`
	Schedule          []string          `json:"schedule,omitempty"`
	PostUpdateOptions []string          `json:"postUpdateOptions,omitempty"`
	IgnorePaths       []string          `json:"ignorePaths,omitempty"`
	CustomManagers    []renovateManager `json:"customManagers"`
	CustomDatasources map[string]struct {
		URL    string `json:"defaultRegistryUrlTemplate"`
		Format string `json:"format"`
	} `json:"customDatasources,omitempty"`
	Crossplane struct {
		FilePatterns []string `json:"managerFilePatterns"`
	} `json:"crossplane,omitzero"`
	PackageRules []struct {
		Description string   `json:"description"`
		FileNames   []string `json:"matchFileNames,omitempty"`
		DepTypes    []string `json:"matchDepTypes,omitempty"`
		Packages    []string `json:"matchPackageNames,omitempty"`
		Datasources []string `json:"matchDatasources,omitempty"`
		Managers    []string `json:"matchManagers,omitempty"`

		Enabled               *bool    `json:"enabled,omitempty"`
		GroupName             string   `json:"groupName,omitempty"`
		MinimumReleaseAge     string   `json:"minimumReleaseAge,omitempty"`
		SeparateMajorMinor    *bool    `json:"separateMajorMinor,omitempty"`
		SeparateMultipleMinor bool     `json:"separateMultipleMinor,omitempty"`
		SeparateMinorPatch    bool     `json:"separateMinorPatch,omitempty"`
		IgnoreUnstable        bool     `json:"ignoreUnstable,omitempty"`
		Notes                 []string `json:"prBodyNotes,omitempty"`
	} `json:"packageRules"`
}

func readRenovate(t *testing.T, name string) renovateConfig {
	t.Helper()

	config := renovateConfig{}

	d := json.NewDecoder(bytes.NewReader([]byte(readPage(t, name))))
	d.DisallowUnknownFields()

	if err := d.Decode(&config); err != nil {
		t.Fatalf("%s: %v", name, err)
	}

	return config
}

// update does what Renovate does with a text: each match gets the new value, in the place of the old one or by the template.
func (m renovateManager) update(text, newValue string) (string, []string) {
	var found []string

	e := regexp.MustCompile(m.MatchStrings[0])

	return e.ReplaceAllStringFunc(text, func(match string) string {
		groups := e.FindStringSubmatch(match)
		field := func(name string) string {
			if i := e.SubexpIndex(name); i > 0 {
				return groups[i]
			}

			return ""
		}

		found = append(found, field("currentValue"))

		if m.Replace == "" {
			return strings.Replace(match, field("currentValue"), newValue, 1)
		}

		return strings.NewReplacer("{{{packageName}}}", field("packageName"), "{{{depName}}}", field("depName"), "{{{newValue}}}", newValue).Replace(m.Replace)
	}), found
}

// TestRenovateFinds every image and every release that the examples, the pages and the program's own catalogue name.
func TestRenovateFinds(t *testing.T) {
	managers := readRenovate(t, "renovate/catalogue.json").CustomManagers
	own := readRenovate(t, "renovate.json").CustomManagers

	var catalogues []string

	for _, pattern := range []string{"example/*/*.yaml", "example/flux/*/*.yaml", "example/flux/*/*/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}

		catalogues = append(catalogues, files...)
	}

	count := map[string]int{}

	for _, f := range catalogues {
		name, err := filepath.Rel(root, f)
		if err != nil {
			t.Fatal(err)
		}

		text := readPage(t, name)
		for _, m := range managers {
			_, found := m.update(text, "new")
			count[m.Datasource] += len(found)
		}

		// A release of K3s where a field says so, and not in a comment.
		for line := range strings.Lines(text) {
			if _, found := managers[2].update(line, "new"); len(found) == 0 && regexp.MustCompile(`^[^#]*\bversion: *\S*k3s`).MatchString(line) {
				t.Errorf("%s: Renovate does not find the release of %q", name, line)
			}
		}
	}

	if count["github-releases"] < 5 {
		t.Errorf("Renovate finds %d releases of K3s in the examples, want each", count["github-releases"])
	}

	builtin := readPage(t, "internal/catalog/builtin.go")
	urls := regexp.MustCompile(`https://cloud[^"]+`).FindAllString(builtin, -1)

	for _, of := range [][]renovateManager{managers[:2], own} {
		images := 0

		for _, m := range of {
			_, found := m.update(builtin, "new")
			images += len(found)
		}

		if len(urls) < 4 || images != len(urls) {
			t.Errorf("Renovate finds %d images of %d: %q", images, len(urls), urls)
		}
	}
}

// TestRenovateChanges lines of a catalogue as Renovate does.
func TestRenovateChanges(t *testing.T) {
	config := readRenovate(t, "renovate/catalogue.json")

	cases := map[string]struct {
		reason        string
		manager       int
		line, to      string
		want, release string // The line afterwards, and what the server's list calls the release.
	}{
		"Ubuntu": {
			"the folder is the release", 0,
			"noble: {url: https://cloud-images.ubuntu.com/releases/noble/release-20260926/ubuntu-24.04-server-cloudimg-amd64.img}", "20261101",
			"noble: {url: https://cloud-images.ubuntu.com/releases/noble/release-20261101/ubuntu-24.04-server-cloudimg-amd64.img}", "release-20261101/",
		},
		"UbuntuCurrent": {
			"current is always the newest: there is nothing to change", 0,
			"url: https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img", "20261101",
			"url: https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img", "",
		},
		"Debian": {
			"folder and file have the release", 1,
			"url: \"https://cloud.debian.org/images/cloud/trixie/20260831-2587/debian-13-genericcloud-arm64-20260831-2587.qcow2\"", "20261105-2660",
			"url: \"https://cloud.debian.org/images/cloud/trixie/20261105-2660/debian-13-genericcloud-arm64-20261105-2660.qcow2\"", "20261105-2660/",
		},
		"K3s":         {"a claim, and an entry of clusters", 2, "  version: v1.33.6+k3s1", "v1.34.2+k3s1", "  version: v1.34.2+k3s1", ""},
		"K3sQuoted":   {"quotes stay", 2, `k3s: {version: "v1.33.6+k3s1", role: agent}`, "v1.34.2+k3s1", `k3s: {version: "v1.34.2+k3s1", role: agent}`, ""},
		"OtherFields": {"apiVersion is no release of K3s", 2, "apiVersion: v1.33.6+k3s1", "v1.34.2+k3s1", "apiVersion: v1.33.6+k3s1", ""},
		"Charts":      {"nor is another program's version", 2, `version: "2.4.0"`, "v1.34.2+k3s1", `version: "2.4.0"`, ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := config.CustomManagers[tc.manager]

			if got, _ := m.update(tc.line, tc.to); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}

			if tc.release != "" {
				e := regexp.MustCompile(m.Extract)
				if found := e.FindStringSubmatch(tc.release); found == nil || found[e.SubexpIndex("version")] != tc.to {
					t.Errorf("%s: Renovate does not know release %q as %q", tc.reason, tc.release, tc.to)
				}

				if source, ok := strings.CutPrefix(m.Datasource, "custom."); !ok || config.CustomDatasources[source].URL == "" {
					t.Errorf("there is no datasource %s", m.Datasource)
				}
			}

			if versioning, ok := strings.CutPrefix(m.Versioning, "regex:"); ok && !regexp.MustCompile(versioning).MatchString(tc.to) {
				t.Errorf("%s: versioning does not know %s", tc.reason, tc.to)
			}
		})
	}

	for _, m := range config.CustomManagers {
		if m.CustomType != "regex" || len(m.MatchStrings) != 1 || len(m.FilePatterns) != 1 {
			t.Errorf("want a regex manager with one expression, got %+v", m)
		}

		pattern := strings.Trim(m.FilePatterns[0], "/")
		for file, want := range map[string]bool{"catalogue/machine-catalog.yaml": true, "home.yml": true, "README.md": false} {
			if got := regexp.MustCompile(pattern).MatchString(file); got != want {
				t.Errorf("%s: want it to read %s: %v", m.Description, file, want)
			}
		}
	}
}

// TestRenovateRaisesTools: each tool that is not raised by hand is in Renovate's list.
func TestRenovateRaisesTools(t *testing.T) {
	rules := readRenovate(t, "renovate.json").PackageRules
	listed, byHand := rules[0].Packages, rules[1].FileNames

	files, err := filepath.Glob(filepath.Join(root, "tools/*/go.mod"))
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}

	for _, f := range files {
		name, err := filepath.Rel(root, f)
		if err != nil {
			t.Fatal(err)
		}

		if slices.Contains(byHand, filepath.ToSlash(filepath.Dir(name))+"/**") {
			continue
		}

		text := readPage(t, name)

		block := regexp.MustCompile(`(?s)(?m)^tool (?:\((.*?)^\)|(\S+)$)`).FindStringSubmatch(text)
		if block == nil {
			continue // Ours.
		}

		for tool := range strings.FieldsSeq(block[1] + block[2]) {
			if !slices.ContainsFunc(listed, func(l string) bool { return tool == l || strings.HasPrefix(tool, l+"/") }) {
				t.Errorf("%s: Renovate does not raise %s", name, tool)
			}
		}
	}
}

// TestRenovatePreset: the page names the preset by the folder and the name of its file.
func TestRenovatePreset(t *testing.T) {
	page := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(readPage(t, "docs/catalogue.md"))
	if page == nil {
		t.Fatal("docs/catalogue.md does not show a renovate.json")
	}

	config := renovateConfig{}

	d := json.NewDecoder(strings.NewReader(page[1]))
	d.DisallowUnknownFields()

	if err := d.Decode(&config); err != nil {
		t.Fatal(err)
	}

	for _, e := range slices.Concat(config.Extends, readRenovate(t, "renovate.json").Extends) {
		if preset, ok := strings.CutPrefix(e[strings.IndexAny(e, ">:")+1:], "homelab-io/function-proxmox-machine//"); ok {
			readRenovate(t, preset+".json")
		} else if strings.Contains(e, "homelab-io") {
			t.Errorf("preset %s is none of this repository", e)
		}
	}

	if len(config.Extends) != 2 {
		t.Errorf("want Renovate's recommendation and the preset, got %q", config.Extends)
	}
}
