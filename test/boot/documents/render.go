// Package documents makes what Proxmox puts on a VM's cloud-init drive out of what the function renders of a claim.
package documents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Machine is what the function makes of one claim.
type Machine struct {
	// Name is the claim's folder and name, such as k3s-cluster/server-1.
	Name string

	// Folder is where the claim lies, with the catalogue, Secrets and snippets beside it.
	Folder string

	// Claim as it was written.
	Claim map[string]any

	// Composite with the status that a user sees.
	Composite map[string]any

	// VM is spec.forProvider of the EnvironmentVM.
	VM map[string]any

	// Snippets are the rendered files by volume id (local:snippets/NAME), as they are on the node: after Terraform
	// has undone the escapes of its template language.
	Snippets map[string]string
}

// Render has kubectl-machine render all claims of a file or folder, but for what Kustomize builds, which test/gitops has. Root is the repository,
// with the command built into _output/bin.
func Render(root, claims, work string) ([]Machine, error) {
	folders, files, err := claimsBelow(claims)
	if err != nil {
		return nil, err
	}

	args := []string{"render", "--output-dir", work, "--show-secrets"}
	for _, file := range files {
		args = append(args, "-f", file)
	}

	cmd := exec.Command(filepath.Join(root, "_output", "bin", "kubectl-machine"), args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot render %s: %w\n%s", claims, err, out)
	}

	rendered, err := filepath.Glob(filepath.Join(work, "rendered", "*.yaml"))
	if err != nil || len(rendered) == 0 {
		return nil, fmt.Errorf("%s: no claim was rendered", claims)
	}

	machines := []Machine{}

	for _, file := range rendered {
		m, err := read(file, folders)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}

		machines = append(machines, m)
	}

	slices.SortFunc(machines, func(a, b Machine) int { return strings.Compare(a.Name, b.Name) })

	return machines, nil
}

// claimsBelow are the folders of all claims by namespace and name, which are different for each, and their files.
func claimsBelow(path string) (folders map[string]string, files []string, err error) {
	folders = map[string]string{}

	err = filepath.WalkDir(path, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}

		if _, err := os.Stat(filepath.Join(file, "kustomization.yaml")); d.IsDir() && err == nil {
			return filepath.SkipDir
		}

		if d.IsDir() || filepath.Ext(file) != ".yaml" {
			return nil
		}

		objects, err := manifests(file)
		if err != nil {
			return err
		}

		for _, o := range objects {
			if kind := Text(o, "kind"); kind == "Machine" || kind == "K3sNode" {
				folders[Text(o, "metadata", "namespace")+"/"+Text(o, "metadata", "name")] = filepath.Dir(file)

				if !slices.Contains(files, file) {
					files = append(files, file)
				}
			}
		}

		return nil
	})

	return folders, files, err
}

func read(rendered string, folders map[string]string) (Machine, error) {
	m := Machine{Snippets: map[string]string{}}

	claims, err := manifests(filepath.Join(filepath.Dir(filepath.Dir(rendered)), "claims", filepath.Base(rendered)))
	if err != nil {
		return m, err
	}

	m.Claim = claims[0]

	key := Text(m.Claim, "metadata", "namespace") + "/" + Text(m.Claim, "metadata", "name")
	if m.Folder = folders[key]; m.Folder == "" {
		return m, fmt.Errorf("no file has the claim %s", key)
	}

	m.Name = filepath.Base(m.Folder) + "/" + Text(m.Claim, "metadata", "name")

	objects, err := manifests(rendered)
	if err != nil {
		return m, err
	}

	for _, o := range objects {
		switch Text(o, "kind") {
		case "EnvironmentVM":
			m.VM, _ = At(o, "spec", "forProvider").(map[string]any)
		case "EnvironmentFile":
			raw, _ := At(o, "spec", "forProvider", "sourceRaw", "0").(map[string]any)
			m.Snippets[Text(o, "spec", "forProvider", "datastoreId")+":snippets/"+Text(raw, "fileName")] = unescape(Text(raw, "data"))
		case "EnvironmentDownloadFile":
		default:
			m.Composite = o
		}
	}

	if m.VM == nil {
		return m, fmt.Errorf("no VM was rendered: %v", At(m.Composite, "status", "conditions"))
	}

	return m, nil
}

// unescape does what Terraform does with a literal: `$${` and `%%{` stand for themselves without the first character.
func unescape(s string) string {
	return strings.NewReplacer("$${", "${", "%%{", "%{").Replace(s)
}

// manifests are the YAML documents of a file.
func manifests(file string) ([]map[string]any, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read manifests: %w", err)
	}

	objects := []map[string]any{}

	for doc := range strings.SplitSeq("\n"+string(b), "\n---") {
		o := map[string]any{}
		if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}

		if len(o) > 0 {
			objects = append(objects, o)
		}
	}

	return objects, nil
}
