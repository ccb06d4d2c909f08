package k3s

import (
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// An Effect is what a key of K3s' config.yaml does outside of the file: what firewalls, quorums, certificates and networks have to know of it.
// Every key has one, see effects; a key with none says so. The sources are K3s' documentation (https://docs.k3s.io/cli/server,
// https://docs.k3s.io/installation/requirements#networking) and the definitions of its flags, pkg/cli/cmds of k3s-io/k3s.
type Effect struct {
	// None says that the key has no effect which anybody else has to know.
	None bool
	// NotJudged is why nobody judges what the key does; empty where it is judged.
	NotJudged string
	// Default is what K3s takes where the config does not say the key; empty where that is nothing.
	Default string

	Ports   []Port
	Vote    Vote
	Names   Names
	Network Network
	Address Address
	File    File
	// Needs is what the guest must have before K3s starts, besides a file; empty for nothing. A key that is false needs nothing.
	Needs string
}

// A Vote is what a key does to the server's member of etcd.
type Vote string

// What keys do to votes. The zero value is nothing.
const (
	// VoteGivenUp: with true, the server has no member of etcd, so that it is no vote and keeps no data.
	VoteGivenUp Vote = "GivenUp"
	// VoteOutside: the state of the cluster is outside of its servers, and none of them votes.
	VoteOutside Vote = "Outside"
)

// Names are what of a key's value has to be in the certificates of servers, or gets there.
type Names string

// The names.
const (
	// NamesValues: K3s adds the values.
	NamesValues Names = "Values"
	// NamesHost: the host of the address, which K3s does not add: see [Node.EndpointName].
	NamesHost Names = "Host"
)

// A Network is what a key's ranges are for. The addresses of nodes, gateways, name servers and endpoints must not be in one.
type Network string

// The networks.
const (
	NetworkPods     Network = "pods"
	NetworkServices Network = "services"
)

// An Address is how a key says which address, or which interface, the node has in its cluster.
type Address string

// The addresses.
const (
	AddressOfNode   Address = "Node"
	AddressOfPods   Address = "Pods" // The interface of flannel.
	AddressOfDomain Address = "Domain"
)

// A File is what a key needs on the node.
type File string

// The files.
const (
	// FileValue: the value is the path of a file, which has to be there when K3s starts.
	FileValue File = "Value"
	// FileMirrors: with true, the key does nothing without mirrors in [RegistriesPath] of every node that is to share its images.
	FileMirrors File = "Mirrors"
)

// RegistriesPath is where K3s reads registries and their mirrors.
const RegistriesPath = "/etc/rancher/k3s/registries.yaml"

// A Source is who has to reach a port.
type Source string

// The sources.
const (
	FromEverywhere Source = "Everywhere"
	FromNodes      Source = "Nodes" // Of the same cluster.
	FromPods       Source = "Pods"
	// FromMonitoring: nothing of the cluster needs the port, so that presets leave it closed.
	FromMonitoring Source = "Monitoring"
)

// A Port is what a key opens, on which nodes, for whom.
type Port struct {
	// When are the values of the key with which the port is open. Nil: whatever the value is.
	When []string
	// Roles are the nodes: RoleServer, RoleAgent.
	Roles []Role
	// Protocol is tcp or udp. Empty: all.
	Protocol string
	// Port is a port or a range, first:last. Empty: the key's value, or all ports where Protocol is empty, too.
	Port string
	// PortOf is another key whose value is the port.
	PortOf string
	From   Source
	For    string
}

// EffectOf is what a key does outside of the config; false for a key that is not known.
func EffectOf(key string) (Effect, bool) {
	e, ok := effects[key]
	return e, ok
}

// Keys of effects that have several users here.
const (
	keyListenPort = "https-listen-port"
	keyBackend    = "flannel-backend"
	yes, no       = "true", "false"
)

// portKeys are the keys that open ports, in the order in which people think of the ports.
func portKeys() []string {
	return []string{keyListenPort, keySupervisor, "disable-etcd", "etcd-expose-metrics", "embedded-registry", "disable-agent", keyBackend}
}

// Ports are what a node with a config, its own and that of its cluster, has to open for its cluster and its users. Where the config does not say
// the backend of flannel and nobody knows its default, unknown, those of all backends that wrap the packets of pods are open.
func Ports(role Role, config map[string]any, unknown bool) []Port {
	if role == RoleInit {
		role = RoleServer
	}

	var out []Port

	for _, key := range portKeys() {
		value, said := setting(config, key)
		if value == "" {
			continue
		}

		for _, p := range matching(effects[key], value) {
			if guess := key == keyBackend && unknown && !said; !p.opens(role, value, guess) {
				continue
			}

			switch {
			case p.PortOf != "":
				p.Port, _ = setting(config, p.PortOf)
			case p.Port == "" && p.Protocol != "":
				p.Port = value
			}

			p.When, p.PortOf = nil, ""
			if !slices.ContainsFunc(out, func(o Port) bool { return o.Protocol == p.Protocol && o.Port == p.Port && o.From == p.From }) {
				out = append(out, p)
			}
		}
	}

	return out
}

// opens says whether a port is one of a node with this value. guess: nobody knows the value, so all that nodes may need of each other is open.
func (p Port) opens(role Role, value string, guess bool) bool {
	switch {
	case p.From == FromMonitoring, !slices.Contains(p.Roles, role):
		return false
	case guess:
		return p.From == FromNodes
	}

	return p.When == nil || slices.Contains(p.When, value)
}

// A Listening is where the servers of a cluster listen for nodes that join.
type Listening struct {
	Key  string // Of the config.
	Port string
	// Said says whether the config says the port. Otherwise it is K3s' default.
	Said bool
}

// PortOfNodes is where the servers of a cluster with a config listen for nodes: at the port of the supervisor, which is that of the API where nobody says
// another one.
func PortOfNodes(config map[string]any) Listening {
	for _, key := range []string{keySupervisor, keyListenPort} {
		if port, said := setting(config, key); said {
			return Listening{Key: key, Port: port, Said: true}
		}
	}

	return Listening{Key: keyListenPort, Port: effects[keyListenPort].Default}
}

// matching are the ports of an effect. A value that no port knows, such as a backend of a later release, has those of the default, unless the
// value has a statement of its own.
func matching(e Effect, value string) []Port {
	known := slices.ContainsFunc(e.Ports, func(p Port) bool { return p.When == nil || slices.Contains(p.When, value) })
	if known || value == yes || value == no || value == BackendNone {
		return e.Ports
	}

	out := slices.Clone(e.Ports)
	for i := range out {
		if slices.Contains(out[i].When, e.Default) {
			out[i].When = append(slices.Clone(out[i].When), value)
		}
	}

	return out
}

// BackendNone is the flannel-backend with which another plugin connects the pods.
const BackendNone = "none"

// Backend is the flannel-backend of a config, or K3s' default.
func Backend(config map[string]any) string {
	value, _ := setting(config, keyBackend)
	return value
}

// SharesImages says whether nodes share their images through K3s' embedded registry.
func SharesImages(config map[string]any) bool {
	return holds(config, func(e Effect) bool { return e.File == FileMirrors })
}

// VoteOf is what a server's config does to its vote. The zero value: the server has a member of etcd, so that it counts for the quorum of its
// cluster, and keeps the cluster's state. An endpoint outside of the servers that holds a password may not be named: its certificates tell.
func VoteOf(config map[string]any) Vote {
	var out Vote

	for key, value := range config {
		switch vote := effects[key].Vote; {
		case vote == VoteOutside:
			return vote
		case vote == VoteGivenUp && value == true:
			out = vote
		}
	}

	return out
}

// VoteKey is the first key of a config by name that has a say in the server's vote; empty if none has.
func VoteKey(config map[string]any) string {
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if vote := effects[key].Vote; vote == VoteOutside || vote == VoteGivenUp {
			return key
		}
	}

	return ""
}

// holds says whether a config says true to a key with an effect.
func holds(config map[string]any, effect func(Effect) bool) bool {
	for key := range config {
		if value, _ := setting(config, key); value == yes && effect(effects[key]) {
			return true
		}
	}

	return false
}

// A Range is a network of a cluster, and the key that says it.
type Range struct {
	Prefix netip.Prefix
	Of     Network
	Key    string
	// Said says whether the config says it. Otherwise it is K3s' default.
	Said bool
}

// Ranges are the networks of a cluster's pods and services, by its config. A value that is no range has a fault of its own. Where another plugin
// connects the pods, K3s' default says nothing of their addresses.
func Ranges(config map[string]any) []Range {
	var out []Range

	for _, key := range []string{keyPods, keyServices} {
		e := effects[key]
		said := config[key] != nil

		if !said && e.Network == NetworkPods && Backend(config) == BackendNone {
			continue
		}

		texts := []string{e.Default}
		if said {
			texts, _ = asList(config[key]).([]string)
		}

		for _, text := range texts {
			if p, err := netip.ParsePrefix(strings.TrimSpace(text)); err == nil {
				out = append(out, Range{Prefix: p.Masked(), Of: e.Network, Key: key, Said: said})
			}
		}
	}

	return out
}

// Keys of the two networks.
const (
	keyPods     = "cluster-cidr"
	keyServices = "service-cidr"
)

// setting is a key's single value as text, or K3s' default.
func setting(config map[string]any, key string) (value string, said bool) {
	switch v := wholeNumber(config[key]).(type) {
	case bool:
		return strconv.FormatBool(v), true
	case string:
		return v, true
	case int, int32, int64:
		return fmt.Sprint(v), true
	default:
		return effects[key].Default, false
	}
}

// hostOf an address such as https://k3s.home.arpa:6443; empty if it is none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}

	return u.Hostname()
}
