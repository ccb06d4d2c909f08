package main

import (
	"fmt"

	"sigs.k8s.io/yaml"
)

// krewFile has the name of the plugin: krew insists.
const krewFile = "machine.yaml"

// The parts of krew's Plugin that a manifest has. Krew's own type prints a creation time, which krew's index refuses.
type (
	krewPlugin struct {
		APIVersion string       `json:"apiVersion"`
		Kind       string       `json:"kind"`
		Metadata   krewMetadata `json:"metadata"`
		Spec       krewSpec     `json:"spec"`
	}

	krewMetadata struct {
		Name string `json:"name"`
	}

	krewSpec struct {
		Version          string         `json:"version"`
		Homepage         string         `json:"homepage"`
		ShortDescription string         `json:"shortDescription"`
		Description      string         `json:"description"`
		Platforms        []krewPlatform `json:"platforms"`
	}

	krewPlatform struct {
		Selector krewSelector `json:"selector"`
		URI      string       `json:"uri"`
		SHA256   string       `json:"sha256"`
		Bin      string       `json:"bin"`
	}

	krewSelector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	}
)

// krewManifest of a release, by the checksums of its archives.
func krewManifest(version string, platforms []platform, sums map[string]string) ([]byte, error) {
	plugin := krewPlugin{
		APIVersion: "krew.googlecontainertools.github.com/v1alpha2",
		Kind:       "Plugin",
		Metadata:   krewMetadata{Name: "machine"},
		Spec: krewSpec{
			Version:          version,
			Homepage:         "https://" + repository,
			ShortDescription: "Preview, plan and lint machines on Proxmox VE",
			Description: "Shows what claims of function-proxmox-machine create on Proxmox VE, what an edit does to machines\n" +
				"that run, and which mistakes claims and catalogues have, before they are committed.\n",
		},
	}

	for _, p := range platforms {
		name := archiveName(version, p)
		if sums[name] == "" {
			return nil, fmt.Errorf("cannot write the krew manifest: there is no archive %s", name)
		}

		plugin.Spec.Platforms = append(plugin.Spec.Platforms, krewPlatform{
			Selector: krewSelector{MatchLabels: map[string]string{"os": p.os, "arch": p.arch}},
			URI:      "https://" + repository + "/releases/download/" + version + "/" + name,
			SHA256:   sums[name],
			Bin:      p.program("kubectl-machine"),
		})
	}

	data, err := yaml.Marshal(plugin)
	if err != nil {
		return nil, fmt.Errorf("cannot marshal the krew manifest: %w", err)
	}

	return data, nil
}
