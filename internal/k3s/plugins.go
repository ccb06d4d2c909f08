package k3s

import (
	"net/netip"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Plugin is a network plugin that a manifest installs, or a pool of addresses that it gives to pods.
type Plugin struct {
	Name string // Of the program: Calico, Cilium.
	Kind string // Of the object.
	// Alone says that it connects pods by itself, so that K3s' own plugin must not.
	Alone bool
	// Pods are the networks from which pods get their addresses, and Default says that they are those of the program, since the manifest has none.
	Pods    []netip.Prefix
	Default bool
}

// Networks that plugins give to pods where nobody says another one: projectcalico/calico issue 356, cilium/cilium issue 42383.
const (
	podsOfCalico = "192.168.0.0/16"
	podsOfCilium = "10.0.0.0/8"
)

// plugged is what counts of a manifest with a network plugin: an Installation or an IPPool of Calico, its DaemonSet, and a HelmChart of either.
type plugged struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Spec       struct {
		CIDR          string          `yaml:"cidr"`
		CNI           kindOfInterface `yaml:"cni"`
		CalicoNetwork calicoNetwork   `yaml:"calicoNetwork"`
		Template      struct {
			Spec podSpec `yaml:"spec"`
		} `yaml:"template"`
		Chart         string               `yaml:"chart"`
		Set           map[string]yaml.Node `yaml:"set"`
		ValuesContent string               `yaml:"valuesContent"`
	} `yaml:"spec"`
}

type kindOfInterface struct {
	Type string `yaml:"type"`
}

type calicoNetwork struct {
	IPPools []struct {
		CIDR string `yaml:"cidr"`
	} `yaml:"ipPools"`
}

// networks are those of the pools that are said.
func (c calicoNetwork) networks() (out []string) {
	for _, pool := range c.IPPools {
		out = append(out, pool.CIDR)
	}

	return out
}

// PluginsOf are the network plugins of a file with manifests. What cannot be read has none.
func PluginsOf(manifests string) []Plugin {
	var out []Plugin

	decoder := yaml.NewDecoder(strings.NewReader(manifests))

	for len(out) < mostAnnounced {
		var p plugged
		if decoder.Decode(&p) != nil { // The end, or no manifest.
			return out
		}

		if plugin, texts, ok := p.read(); ok {
			plugin.Kind = p.Kind
			plugin.Pods = prefixesOf(texts)
			out = append(out, plugin)
		}
	}

	return out
}

// read is the plugin of an object, and its networks as they are written. ok is false for any other object.
func (p plugged) read() (plugin Plugin, networks []string, ok bool) {
	group, _, _ := strings.Cut(p.APIVersion, "/")

	switch {
	case p.Kind == "IPPool" && strings.HasSuffix(group, "projectcalico.org"):
		return Plugin{Name: "Calico"}, []string{p.Spec.CIDR}, true
	case p.Kind == "Installation" && group == "operator.tigera.io":
		return Plugin{Name: "Calico", Alone: p.Spec.CNI.Type == "" || p.Spec.CNI.Type == "Calico"}, p.Spec.CalicoNetwork.networks(), true
	case p.Kind == "DaemonSet":
		return p.daemons()
	case p.Kind == "HelmChart":
		return p.chart()
	}

	return Plugin{}, nil, false
}

// daemons is the plugin of a DaemonSet: that of Calico, unless it leaves the pods to another plugin, as in Canal.
func (p plugged) daemons() (plugin Plugin, networks []string, ok bool) {
	for _, c := range p.Spec.Template.Spec.Containers {
		if !strings.Contains(c.Image, "calico/node:") && !strings.Contains(c.Image, "calico/node@") {
			continue
		}

		plugin, networks = Plugin{Name: "Calico", Alone: true, Default: true}, []string{podsOfCalico}

		for _, e := range c.Env {
			switch {
			case e.Name == "CALICO_IPV4POOL_CIDR" && e.Value.Value != "":
				plugin.Default, networks = false, []string{e.Value.Value}
			case e.Name == "CALICO_NETWORKING_BACKEND" && e.Value.Value == BackendNone:
				return Plugin{}, nil, false
			}
		}

		return plugin, networks, true
	}

	return Plugin{}, nil, false
}

// valuesOf are those of the charts of Cilium and of Calico's operator that count here.
type valuesOf struct {
	IPAM struct {
		Mode     string `yaml:"mode"`
		Operator struct {
			Networks yaml.Node `yaml:"clusterPoolIPv4PodCIDRList"`
		} `yaml:"operator"`
	} `yaml:"ipam"`
	CNI struct {
		ChainingMode string `yaml:"chainingMode"`
	} `yaml:"cni"`
	Installation struct {
		CNI           kindOfInterface `yaml:"cni"`
		CalicoNetwork calicoNetwork   `yaml:"calicoNetwork"`
	} `yaml:"installation"`
}

// chart is the plugin of a HelmChart. What is in set counts before the values.
func (p plugged) chart() (plugin Plugin, networks []string, ok bool) {
	var values valuesOf
	if yaml.Unmarshal([]byte(p.Spec.ValuesContent), &values) != nil {
		return Plugin{}, nil, false
	}

	switch p.Spec.Chart[strings.LastIndex(p.Spec.Chart, "/")+1:] {
	case "cilium":
		return p.cilium(values)
	case "tigera-operator":
		of := values.Installation
		return Plugin{Name: "Calico", Alone: of.CNI.Type == "" || of.CNI.Type == "Calico"}, of.CalicoNetwork.networks(), true
	}

	return Plugin{}, nil, false
}

func (p plugged) cilium(values valuesOf) (plugin Plugin, networks []string, ok bool) {
	set := func(key, or string) string {
		if n, said := p.Spec.Set[key]; said {
			return n.Value
		}

		return or
	}

	chained := set("cni.chainingMode", values.CNI.ChainingMode)
	plugin = Plugin{Name: "Cilium", Alone: chained == "" || chained == BackendNone}

	// Other modes take the pods' addresses from elsewhere.
	if mode := set("ipam.mode", values.IPAM.Mode); mode != "" && mode != "cluster-pool" {
		return plugin, nil, true
	}

	list := values.IPAM.Operator.Networks
	if n, said := p.Spec.Set["ipam.operator.clusterPoolIPv4PodCIDRList"]; said {
		list = n
	}

	switch {
	case list.Kind == yaml.SequenceNode:
		for _, n := range list.Content {
			networks = append(networks, n.Value)
		}
	case list.Value != "":
		networks = strings.FieldsFunc(list.Value, func(r rune) bool { return strings.ContainsRune("{}, ", r) })
	default:
		plugin.Default, networks = true, []string{podsOfCilium}
	}

	return plugin, networks, true
}

// prefixesOf are the networks among texts.
func prefixesOf(texts []string) []netip.Prefix {
	var out []netip.Prefix

	for _, text := range texts {
		if prefix, err := netip.ParsePrefix(strings.TrimSpace(text)); err == nil {
			out = append(out, prefix.Masked())
		}
	}

	return slices.Clip(out)
}

// PodsOf is the network from which K3s gives pods their addresses, by the config of a cluster: the first one of cluster-cidr, or K3s' default.
func PodsOf(config map[string]any) netip.Prefix {
	texts, _ := asList(config[keyPods]).([]string)
	if said := prefixesOf(texts); len(said) > 0 {
		return said[0]
	}

	return netip.MustParsePrefix(effects[keyPods].Default)
}
