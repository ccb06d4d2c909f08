package k3s

import (
	"path"
	"strings"
)

// Files of containerd in a node's data-dir: https://docs.k3s.io/advanced#configuring-containerd.
const (
	containerdPath = "/var/lib/rancher/k3s/agent/etc/containerd/"
	renderedConfig = "config.toml"
	templateOfV2   = "config.toml.tmpl"
	templateOfV3   = "config-v3.toml.tmpl"
	ownContainerd  = "/etc/containerd/config.toml"
	// baseOfTemplate is K3s' own configuration, in a template that only adds to it.
	baseOfTemplate = `{{ template "base" . }}`
)

// Names of containerd's parts, by which a file of one version differs from one of the other: https://docs.k3s.io/advanced#base-template.
const pluginsOfV2, pluginsOfV3 = "io.containerd.grpc.v1.cri", "io.containerd.cri.v1."

// hasContainerd2 says whether a release has containerd 2, which is since February 2025. known is false where nobody can tell.
func hasContainerd2(release string) (has, known bool) {
	switch minor, ok := MinorOf(release); {
	case !ok:
		return false, false
	case minor == 31:
		return !OlderRelease(release, "v1.31.6+k3s1"), true
	case minor == 32:
		return !OlderRelease(release, "v1.32.2+k3s1"), true
	default:
		return minor > 32, true
	}
}

// ContainerdDoubts are why a file of a new node is not containerd's configuration, or leaves out what K3s has in it. files are all that the node gets, by path.
func ContainerdDoubts(file string, files map[string]string, release string, otherRuntime bool) []string {
	name, inside := strings.CutPrefix(path.Clean(file), containerdPath)
	content := files[file]
	modern, known := hasContainerd2(release)

	template := templateOfV2
	if modern {
		template = templateOfV3
	}

	switch {
	case path.Clean(file) == ownContainerd && !otherRuntime:
		return []string{"K3s has a containerd of its own, which does not read this file: write " + containerdPath + template + ", which begins with " + baseOfTemplate}
	case !inside:
		return nil
	case name == renderedConfig:
		// k3s-io/k3s issue 4391, NVIDIA/gpu-feature-discovery issue 36.
		return []string{"K3s writes this file anew whenever it starts: write " + template + " beside it, which begins with " + baseOfTemplate}
	case name == templateOfV3 && known && !modern:
		return []string{"containerd of K3s " + release + " is older than 2.0, and reads " + templateOfV2 + " only"}
	case name != templateOfV2 && name != templateOfV3:
		return nil
	}

	return templateDoubts(file, name, content, files)
}

// templateDoubts are about what is in a template of containerd's configuration.
func templateDoubts(file, name, content string, files map[string]string) []string {
	var out []string

	// k3s-io/k3s pull request 11626.
	if _, both := files[path.Join(path.Dir(file), templateOfV3)]; both && name == templateOfV2 {
		return []string{"has no effect beside " + templateOfV3}
	}

	// NVIDIA/gpu-operator issue 473, k3s-io/k3s issue 5854. A template of its own has K3s' values by their names.
	if !strings.Contains(content, "{{") {
		out = append(out, "has nothing of K3s' own configuration, such as where the network plugin is, so that no pod gets an address: begin it with "+baseOfTemplate)
	}

	switch {
	case name == templateOfV3 && strings.Contains(content, pluginsOfV2):
		out = append(out, "has names of version 2, which containerd passes over in a file of version 3: write plugins.'"+pluginsOfV3+"runtime' in place of plugins.\""+pluginsOfV2+"\"")
	case name == templateOfV2 && strings.Contains(content, pluginsOfV3):
		out = append(out, "has names of version 3, which containerd passes over in a file of version 2: write them into "+templateOfV3)
	}

	return out
}
