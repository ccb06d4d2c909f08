package k3s

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// mostAnnounced are the ranges of one file that are looked at.
const mostAnnounced = 64

// A Purpose is what addresses are announced for.
type Purpose string

const (
	// ForServices are addresses that Services of type LoadBalancer get.
	ForServices Purpose = "Services"
	// ForServers is the one address that the servers of the cluster have together, where it is joined.
	ForServers Purpose = "Servers"
)

// A Medium is how others learn where an address is; empty where nothing says it.
type Medium string

// ByNeighbours says that a node answers for the address, by ARP or neighbour discovery, to the hosts of its own network alone.
const ByNeighbours Medium = "Neighbours"

// The kinds of pools of addresses for Services, of MetalLB and of Cilium.
const (
	metalLBPool = "IPAddressPool"
	ciliumPool  = "CiliumLoadBalancerIPPool"
)

// An Announced is a range of addresses that something in the cluster answers for in the nodes' network.
type Announced struct {
	Range machine.AddressRange // Of IPv4 or IPv6.
	Kind  string               // Of the object, in words: IPAddressPool, CiliumLoadBalancerIPPool, ConfigMap kubevip, DaemonSet of kube-vip, Pod of kube-vip.
	For   Purpose
	By    Medium
}

// A balancer is what of a manifest says which addresses Services or the servers get: metallb.io/v1beta1 IPAddressPool, cilium.io CiliumLoadBalancerIPPool, and
// of kube-vip its DaemonSet or Pod, and the ConfigMap of its cloud provider (https://kube-vip.io/docs/usage/cloud-provider).
type balancer struct {
	Kind     string `yaml:"kind"`
	Metadata struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Data yaml.Node `yaml:"data"` // Other ConfigMaps have anything there.
	Spec struct {
		Pod podSpec `yaml:",inline"`

		Addresses []string `yaml:"addresses"`
		Blocks    []struct {
			CIDR  string `yaml:"cidr"`
			Start string `yaml:"start"`
			Stop  string `yaml:"stop"`
		} `yaml:"blocks"`
		Template struct {
			Spec podSpec `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

type podSpec struct {
	Containers []struct {
		Image string `yaml:"image"`
		Env   []struct {
			Name  string    `yaml:"name"`
			Value yaml.Node `yaml:"value"`
		} `yaml:"env"`
	} `yaml:"containers"`
}

// virtual are the addresses of the servers that containers of kube-vip announce.
func (p podSpec) virtual() []string { return p.settings("address", "vip_address") }

// settings are the values of variables of containers of kube-vip.
func (p podSpec) settings(names ...string) (out []string) {
	for _, c := range p.Containers {
		if !strings.Contains(c.Image, "kube-vip/kube-vip:") && !strings.HasSuffix(c.Image, "kube-vip/kube-vip") && !strings.Contains(c.Image, "kube-vip/kube-vip@") {
			continue
		}

		for _, e := range c.Env {
			if slices.Contains(names, e.Name) {
				out = append(out, e.Value.Value)
			}
		}
	}

	return out
}

// servesServices says whether a file has a kube-vip that announces the addresses of Services, whoever gives them.
func servesServices(manifests string) bool {
	decoder := yaml.NewDecoder(strings.NewReader(manifests))

	for range mostAnnounced {
		var b balancer
		if decoder.Decode(&b) != nil { // The end, or no manifest.
			return false
		}

		if slices.Contains(append(b.Spec.Pod.settings("svc_enable"), b.Spec.Template.Spec.settings("svc_enable")...), "true") {
			return true
		}
	}

	return false
}

// pools are the ranges in the ConfigMap of kube-vip's cloud provider: range-<namespace> and cidr-<namespace>, separated by commas, global for all.
func (b balancer) pools() (out []string) {
	var data map[string]string
	if b.Metadata.Name != "kubevip" || b.Data.Decode(&data) != nil {
		return nil
	}

	for _, key := range slices.Sorted(maps.Keys(data)) {
		if strings.HasPrefix(key, "range-") || strings.HasPrefix(key, "cidr-") {
			out = append(out, strings.Split(data[key], ",")...)
		}
	}

	return out
}

// announced are the addresses of a manifest, as they are written.
func (b balancer) announced() (kind string, purpose Purpose, texts []string) {
	switch b.Kind {
	case metalLBPool:
		return b.Kind, ForServices, b.Spec.Addresses
	case ciliumPool:
		for _, block := range b.Spec.Blocks {
			if block.CIDR == "" && block.Stop != "" {
				block.CIDR = block.Start + "-" + block.Stop
			}

			texts = append(texts, block.CIDR)
		}

		return b.Kind, ForServices, texts
	case "ConfigMap":
		return "ConfigMap kubevip", ForServices, b.pools()
	case "DaemonSet":
		return "DaemonSet of kube-vip", ForServers, b.Spec.Template.Spec.virtual()
	case "Pod":
		return "Pod of kube-vip", ForServers, b.Spec.Pod.virtual()
	}

	return "", "", nil
}

// mediumOf the addresses of a pool of a kind, by the kinds that there are beside it in a file.
func mediumOf(pool string, kinds map[string]bool) Medium {
	switch pool {
	case metalLBPool:
		if kinds["L2Advertisement"] && !kinds["BGPAdvertisement"] {
			return ByNeighbours
		}
	case ciliumPool:
		if kinds["CiliumL2AnnouncementPolicy"] && !kinds["CiliumBGPAdvertisement"] && !kinds["CiliumBGPPeeringPolicy"] {
			return ByNeighbours
		}
	}

	return ""
}

// AnnouncedBy are the ranges of a file with manifests, from which MetalLB, Cilium or kube-vip give Services their addresses, and those that kube-vip gives the
// servers. What cannot be read has none.
func AnnouncedBy(manifests string) []Announced {
	var out []Announced

	kinds, decoder := map[string]bool{}, yaml.NewDecoder(strings.NewReader(manifests))

	for len(out) < mostAnnounced {
		var b balancer
		if decoder.Decode(&b) != nil { // The end, or no manifest.
			break
		}

		kinds[b.Kind] = true
		kind, purpose, texts := b.announced()

		for _, text := range texts {
			if r, ok := addressRange(text); ok {
				out = append(out, Announced{Range: r, Kind: kind, For: purpose})
			}
		}
	}

	for i := range out {
		out[i].By = mediumOf(out[i].Kind, kinds)
	}

	return out
}

// addressRange reads from-to, a prefix or one address.
func addressRange(text string) (r machine.AddressRange, ok bool) {
	if prefix, err := netip.ParsePrefix(strings.TrimSpace(text)); err == nil {
		return machine.SubnetRange(prefix), true
	}

	return machine.ParseAddressRange(text)
}
