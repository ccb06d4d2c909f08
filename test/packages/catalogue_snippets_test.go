package packages

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// snippet is a part of a catalogue in the documentation.
type snippet struct {
	place string
	data  map[string]any
}

// catalogueSnippets are all that the documentation shows of catalogues: whole EnvironmentConfigs, and sections of one.
func catalogueSnippets(t *testing.T) []snippet {
	t.Helper()

	var out []snippet

	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return filepath.SkipDir
		}

		if filepath.Ext(path) != ".md" {
			return nil
		}

		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		for i, m := range yamlBlock.FindAllStringSubmatch(string(b), -1) {
			for document := range strings.SplitSeq(m[1], "\n---\n") {
				if data := catalogueData(document); data != nil {
					out = append(out, snippet{fmt.Sprintf("%s, block %d", path, i+1), data})
				}
			}
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return out
}

// catalogueData is the data of a catalogue in a YAML document; nil where it is none.
func catalogueData(document string) map[string]any {
	var o map[string]any
	if yaml.Unmarshal([]byte(document), &o) != nil {
		return nil
	}

	if o["kind"] == "EnvironmentConfig" {
		data, _ := o["data"].(map[string]any)
		return data
	}

	for key := range o {
		switch key {
		case "defaults", "classes", "images", "sites", "clusters":
		default:
			return nil
		}
	}

	return o
}

// TestCatalogueSnippets renders a machine with every image and every class of every catalogue in the documentation. A template's disk is
// named: a VM of a template whose disk is elsewhere boots an empty disk.
func TestCatalogueSnippets(t *testing.T) {
	all := catalogueSnippets(t)
	if len(all) < 2 {
		t.Fatalf("docs/catalogue.md and example/nix/README.md show catalogues; found %d", len(all))
	}

	for _, s := range all {
		t.Run(s.place, func(t *testing.T) {
			c, faults := catalog.FromValue(s.data, "data")
			if faults = append(faults, validate.Catalog(c)...); len(faults) > 0 {
				t.Fatal(faults.ToAggregate())
			}

			for name, image := range c.Images {
				if _, faults := image.ContainerTemplate(); image.URL != "" && len(faults) == 0 {
					continue // docs/workloads.md has containers of it, which internal/cli renders.
				}

				spec := map[string]any{"image": name, "proxmox": map[string]any{"node": firstNode(c)}}
				if image.OS == "nixos" {
					spec["nix"] = map[string]any{"flakeRef": "github:o/r"}
				}

				rendered(t, s.data, spec)
			}

			for name := range c.Classes {
				rendered(t, s.data, map[string]any{"class": name, "proxmox": map[string]any{"node": firstNode(c)}})
			}
		})
	}
}

// firstNode of a catalogue's sites; pve where none names nodes.
func firstNode(c catalog.Catalog) string {
	var names []string
	for _, s := range c.Sites {
		names = slices.AppendSeq(names, maps.Keys(s.Nodes))
	}

	if len(names) == 0 {
		return "pve"
	}

	return slices.Min(names)
}

func rendered(t *testing.T, data, spec map[string]any) {
	t.Helper()

	m := world.NewMachine(world.NewClaim("Machine", "infra", "web", spec), world.Installations[0])
	m.Catalogue = map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"}, "data": data,
	}

	rsp := fake.NewCluster(t, compose.Answer).Add(m).Call()
	if msg := world.Fatal(rsp); msg != "" {
		t.Errorf("%v: %s", spec, msg)
	}

	if msg := world.Message(rsp, "SpecValid"); strings.Contains(msg, "is assumed on") {
		t.Errorf("%v: %s", spec, msg)
	}
}
