package k3s

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A FileDoubt is why a program of Kubernetes gives up at a file of the guest, or passes over it.
type FileDoubt struct{ File, Why string }

// An object is the kind of a file that a program of Kubernetes reads, and its version as of today.
type object struct{ version, kind string }

// objects by the key and the name of the argument that names the file.
var objects = map[string]map[string]object{ //nolint:gochecknoglobals // A constant table.
	keyAPIServer: {
		"audit-policy-file":             {"audit.k8s.io/v1", "Policy"},
		"admission-control-config-file": {"apiserver.config.k8s.io/v1", "AdmissionConfiguration"},
		"authentication-config":         {"apiserver.config.k8s.io/v1", "AuthenticationConfiguration"},
		"authorization-config":          {"apiserver.config.k8s.io/v1", "AuthorizationConfiguration"},
	},
	keyKubelet:   {"config": kubeletObject},
	keyScheduler: {"config": {"kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"}},
	keyProxy:     {"config": {"kubeproxy.config.k8s.io/v1alpha1", "KubeProxyConfiguration"}},
}

var kubeletObject = object{"kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"} //nolint:gochecknoglobals // A constant.

// FileDoubts are about those of some files, by path, that the programs of K3s read with a config, sorted by path: kubernetes/kubernetes issues 51565 and 124796
// and pull request 136089, rancher/rke2 issue 3813, awslabs/amazon-eks-ami pull request 1620.
func FileDoubts(config map[string]any, files map[string]string) []FileDoubt {
	programs, wants := map[string]string{}, map[string]object{}

	for key, names := range objects {
		for name, o := range names {
			if file := path.Clean(lastArgument(config, key, name)); files[file] != "" {
				programs[file], wants[file] = programOf(key), o
			}
		}
	}

	var out []FileDoubt

	folder := "/var/lib/rancher/k3s/agent/etc/kubelet.conf.d"
	if own, _ := config["data-dir"].(string); own != "" {
		folder = path.Join(own, "agent/etc/kubelet.conf.d")
	}

	for _, file := range slices.Sorted(maps.Keys(files)) {
		inFolder := path.Dir(file) == folder
		if inFolder {
			programs[file], wants[file] = programOf(keyKubelet), kubeletObject
		}

		want, read := wants[file]
		if !read {
			continue
		}

		switch why := want.lacking(files[file]); {
		case inFolder && why != "" && !slices.Contains([]string{".conf", ".yaml", ".yml", ".json"}, path.Ext(file)): // Something else, such as a README.
		case inFolder && path.Ext(file) != ".conf":
			out = append(out, FileDoubt{file, "the kubelet passes over it, since its name does not end in .conf"})
		case cmp.Or(why, saidTwice(config, want, files[file])) != "":
			out = append(out, FileDoubt{file, cmp.Or(why, saidTwice(config, want, files[file])) + ": " + programs[file] + " does not start, and K3s neither"})
		}
	}

	return out
}

// saidTwice says what an AuthenticationConfiguration has that an argument of the API server has, too, which takes one of the two alone
// (pkg/kubeapiserver/options/authentication.go of Kubernetes); empty for nothing. Without these keys in the file, the arguments are right beside it.
func saidTwice(config map[string]any, o object, content string) string {
	var is struct {
		JWT       []any `yaml:"jwt"`
		Anonymous any   `yaml:"anonymous"`
	}

	if o.kind != "AuthenticationConfiguration" || yaml.Unmarshal([]byte(content), &is) != nil {
		return ""
	}

	switch {
	case is.Anonymous != nil && lastArgument(config, keyAPIServer, "anonymous-auth") != "":
		return "has anonymous beside anonymous-auth in " + keyAPIServer + ", of which one is to go"
	case len(is.JWT) > 0 && lastArgument(config, keyAPIServer, "oidc-issuer-url") != "":
		return "has jwt beside oidc-issuer-url in " + keyAPIServer + ", of which one is to go"
	}

	return ""
}

// levels of an audit policy.
var levels = strings.Fields("None Metadata Request RequestResponse") //nolint:gochecknoglobals // A constant list.

// lacking says what a file lacks to be an object of a kind; empty for nothing.
func (o object) lacking(content string) string {
	var is struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string `yaml:"kind"`
		Rules      []struct {
			Level string `yaml:"level"`
		} `yaml:"rules"`
	}

	err := yaml.Unmarshal([]byte(content), &is)
	group, _, _ := strings.Cut(o.version, "/")
	audits := o.kind == "Policy"

	switch {
	case err != nil:
		return "is no YAML that a program of Kubernetes reads"
	case is.Kind != o.kind || !strings.HasPrefix(is.APIVersion, group+"/") || audits && is.APIVersion != o.version:
		return fmt.Sprintf("must begin with apiVersion: %s and kind: %s", o.version, o.kind)
	case audits && len(is.Rules) == 0:
		return "has no rules: write one, such as - level: Metadata"
	}

	for i, rule := range is.Rules {
		if audits && !slices.Contains(levels, rule.Level) {
			return fmt.Sprintf("rules[%d].level must be %s", i, strings.Join(levels[:3], ", ")+" or "+levels[3])
		}
	}

	return ""
}
