package packages

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestMarketplace: what a registry shows of a package, before anybody installs it.
func TestMarketplace(t *testing.T) {
	const raw = "https://raw.githubusercontent.com/homelab-io/function-proxmox-machine/main/"

	files := []string{"input/package/crossplane.yaml", "package/crossplane.yaml", "package-v2/crossplane.yaml"}

	for _, dir := range []string{"package", "package-v2"} {
		xrds, err := filepath.Glob(filepath.Join(root, dir, "xrds/*.yaml"))
		if err != nil || len(xrds) != 5 {
			t.Fatal(xrds, err)
		}

		for _, f := range xrds {
			files = append(files, filepath.Join(dir, "xrds", filepath.Base(f)))
		}
	}

	for _, f := range files {
		o := struct {
			Metadata struct {
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
		}{}
		if err := yaml.Unmarshal([]byte(readPage(t, f)), &o); err != nil {
			t.Fatal(f, err)
		}

		has := func(key string) string { return o.Metadata.Annotations["meta.crossplane.io/"+key] }

		for key, want := range map[string]string{
			"maintainer": "The function-proxmox-machine authors", "source": "github.com/homelab-io/function-proxmox-machine", "license": "Apache-2.0",
		} {
			if has(key) != want {
				t.Errorf("%s: %s is %q, want %q", f, key, has(key), want)
			}
		}

		if d := has("description"); len(d) < 20 || !strings.Contains(d, "Proxmox VE") || !strings.HasSuffix(d, ".") {
			t.Errorf("%s: want a description in a sentence, got %q", f, d)
		}

		if !strings.HasSuffix(f, "crossplane.yaml") {
			continue
		}

		if readme := has("readme"); len(readme) < 200 {
			t.Errorf("%s: want a readme, got %q", f, readme)
		}

		icon, ok := strings.CutPrefix(has("iconURI"), raw)
		if !ok {
			t.Errorf("%s: want an icon of this repository, got %q", f, has("iconURI"))
			continue
		}

		data, err := os.ReadFile(filepath.Join(root, icon))
		if err != nil {
			t.Fatal(err)
		}

		if err := xml.Unmarshal(data, &struct {
			XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
		}{}); err != nil {
			t.Errorf("%s is no picture: %v", icon, err)
		}
	}

	if !strings.Contains(readPage(t, "LICENSE"), "Apache License") {
		t.Error("LICENSE is another one")
	}
}
