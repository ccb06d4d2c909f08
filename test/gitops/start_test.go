package gitops

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestStartWithFlux runs what docs/start.md says to those who run Flux already, beside the clone of its step 1, and builds every layer of the result as Flux does.
func TestStartWithFlux(t *testing.T) {
	page := read(t, filepath.Join(repository, "docs/start.md"))

	_, chapter, ok := strings.Cut(page, "\n## Flux and K3s exist already\n")
	commands := regexp.MustCompile("(?s)```shell\n(.*?)```").FindStringSubmatch(chapter)
	catalogue := regexp.MustCompile("(?s)<!-- file catalogue.yaml -->\n\n```yaml\n(.*?)```").FindStringSubmatch(page)

	if !ok || commands == nil || catalogue == nil {
		t.Fatal("docs/start.md has no chapter for Flux, or no catalogue")
	}

	here, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	write(t, filepath.Join(dir, "catalogue.yaml"), catalogue[1])

	cmd := exec.CommandContext(t.Context(), "sh", "-euc", "ln -s "+here+" function-proxmox-machine; mkdir fleet\n"+commands[1])
	cmd.Dir = dir

	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	// What encrypts the Secrets of the folders: sops looks for it from their folder upwards.
	read(t, filepath.Join(dir, "fleet/.sops.yaml"))

	built := 0

	for _, l := range build(t, filepath.Join(dir, "fleet/clusters/namespaced/layers")) {
		path, _, err := unstructured.NestedString(l.Object, "spec", "path")
		if err != nil || l.GetKind() != "Kustomization" {
			continue
		}

		objects := build(t, filepath.Join(dir, "fleet", path))
		if len(objects) == 0 {
			t.Errorf("layer %s is empty", l.GetName())
		}

		if l.GetName() == "catalogue" {
			data, _, _ := unstructured.NestedStringSlice(objects[0].Object, "data", "defaults", "sshAuthorizedKeys")
			if objects[0].GetKind() != "EnvironmentConfig" || len(data) != 1 {
				t.Errorf("want the catalogue of the page, got %v", objects[0].Object)
			}

			if objects[0].GetAnnotations()["kustomize.toolkit.fluxcd.io/prune"] != "disabled" {
				t.Error("the catalogue that init wrote is not protected")
			}
		}

		built++
	}

	if built != 11 {
		t.Errorf("want 11 layers, got %d", built)
	}
}
