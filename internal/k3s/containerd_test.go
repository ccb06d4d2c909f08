package k3s

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestContainerdDoubts: the reports stand beside the code.
func TestContainerdDoubts(t *testing.T) {
	const (
		v2, v3          = containerdPath + templateOfV2, containerdPath + templateOfV3
		former, present = "v1.30.4+k3s1", "v1.36.5+k3s1"
		base            = baseOfTemplate + "\n"
		nothing         = "has nothing of K3s' own configuration, such as where the network plugin is, so that no pod gets an address: begin it with " + baseOfTemplate
		runtime2        = `[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia]`
		runtime3        = `[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.'nvidia']`
	)

	one := func(file, content string) map[string]string { return map[string]string{file: content} }

	cases := map[string]struct {
		reason, release string
		files           map[string]string
		other           bool
		want            []string // Of all files, in the order of their paths.
	}{
		"Fine":        {reason: "As K3s' documentation has it.", release: present, files: one(v3, base+runtime3)},
		"FineOld":     {reason: "The same of former releases.", release: former, files: one(v2, base+runtime2)},
		"FormerNew":   {reason: "K3s still renders it, and containerd reads it.", release: present, files: one(v2, base+runtime2)},
		"Whole":       {reason: "A template of its own, with K3s' values.", release: present, files: one(v3, "bin_dir = \"{{ .NodeConfig.AgentConfig.CNIBinDir }}\"\n"+runtime3)},
		"Rendered":    {reason: "It is K3s' file.", release: present, files: one(containerdPath+renderedConfig, runtime2), want: []string{"K3s writes this file anew whenever it starts: write config-v3.toml.tmpl beside it, which begins with " + baseOfTemplate}},
		"RenderedOld": {reason: "With the name of that release.", release: former, files: one(containerdPath+renderedConfig, runtime2), want: []string{"K3s writes this file anew whenever it starts: write config.toml.tmpl beside it, which begins with " + baseOfTemplate}},
		"Elsewhere":   {reason: "That is another containerd's.", release: present, files: one(ownContainerd, "version = 3"), want: []string{"K3s has a containerd of its own, which does not read this file: write " + v3 + ", which begins with " + baseOfTemplate}},
		"Other":       {reason: "Which runs here.", release: present, other: true, files: one(ownContainerd, "version = 3")},
		"NoBase":      {reason: "The network plugin is missing.", release: former, files: one(v2, runtime2), want: []string{nothing}},
		"TooNew":      {reason: "Its containerd does not know it.", release: former, files: one(v3, base+runtime3), want: []string{"containerd of K3s v1.30.4+k3s1 is older than 2.0, and reads config.toml.tmpl only"}},
		"Between":     {reason: "The release before the first one with containerd 2.", release: "v1.32.1+k3s1", files: one(v3, base+runtime3), want: []string{"containerd of K3s v1.32.1+k3s1 is older than 2.0, and reads config.toml.tmpl only"}},
		"First":       {reason: "The first one.", release: "v1.31.6+k3s1", files: one(v3, base+runtime3)},
		"Unknown":     {reason: "Nobody knows what it has.", release: "", files: one(v3, base+runtime3)},
		"NamesOfV2":   {reason: "The file's version decides the names.", release: present, files: one(v3, base+runtime2), want: []string{"has names of version 2, which containerd passes over in a file of version 3: write plugins.'io.containerd.cri.v1.runtime' in place of plugins.\"io.containerd.grpc.v1.cri\""}},
		"NamesOfV3":   {reason: "The other way round, and without the rest.", release: present, files: one(v2, runtime3), want: []string{nothing, "has names of version 3, which containerd passes over in a file of version 2: write them into config-v3.toml.tmpl"}},
		"Both":        {reason: "The later one counts.", release: present, files: map[string]string{v2: base, v3: base}, want: []string{"has no effect beside config-v3.toml.tmpl"}},
		"Certificate": {reason: "Not a configuration.", release: present, files: one(containerdPath+"certs.d/docker.io/hosts.toml", "server = 1")},
		"Not":         {reason: "Somebody's own file.", release: present, files: one("/opt/config.toml.tmpl", runtime2)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, file := range sortedKeys(tc.files) {
				got = append(got, ContainerdDoubts(file, tc.files, tc.release, tc.other)...)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
