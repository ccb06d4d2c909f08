package proxmox

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
)

// Kinds of the own firewall of a VM or a container.
const (
	FirewallOptionsKind = "EnvironmentFirewallOptions"
	FirewallRulesKind   = "EnvironmentFirewallRules"
)

// Prefixes of the composed resource names of a firewall; that of the VM or container follows.
const (
	firewallOptionsPrefix = "firewall-options-"
	firewallRulesPrefix   = "firewall-rules-"
)

// FirewallOptionsOf is the composed resource name of the options of a firewall, by that of the VM or container.
func FirewallOptionsOf(vm string) string { return firewallOptionsPrefix + vm }

// FirewallRulesOf is the composed resource name of the rules of a firewall, by that of the VM or container.
func FirewallRulesOf(vm string) string { return firewallRulesPrefix + vm }

// FirewalledVM is the opposite of [FirewallOptionsOf] and [FirewallRulesOf]; empty for other names.
func FirewalledVM(name string) string {
	for _, prefix := range []string{firewallOptionsPrefix, firewallRulesPrefix} {
		if vm, ok := strings.CutPrefix(name, prefix); ok {
			return vm
		}
	}

	return ""
}

// FirewallOptions are the options of the firewall of a VM or a container.
type FirewallOptions = Resource[FirewallOptionsParameters]

// FirewallOptionsParameters of [FirewallOptions]. The provider writes all of them at every turn, so all are said. Deleting the managed
// resource changes nothing in Proxmox (bpg/proxmox 0.111.1, proxmoxtf/resource/firewall/options.go, optionsDelete).
type FirewallOptionsParameters struct {
	NodeName string `json:"nodeName"`
	// VMID of a VM, or ContainerID of a container: the provider refuses both, and neither.
	VMID         int64  `json:"vmId,omitempty"`
	ContainerID  int64  `json:"containerId,omitempty"`
	Enabled      bool   `json:"enabled"`
	InputPolicy  string `json:"inputPolicy"`
	OutputPolicy string `json:"outputPolicy"`
	LogLevelIn   string `json:"logLevelIn"`
	LogLevelOut  string `json:"logLevelOut"`
	// DHCP and NDP let answers of DHCP servers and neighbour discovery through, without which a guest loses its addresses.
	DHCP bool `json:"dhcp"`
	NDP  bool `json:"ndp"`
	// RAdv lets the guest announce itself as a router, as without a firewall.
	RAdv bool `json:"radv"`
	// MACFilter and IPFilter are as Proxmox has them by default. With the second, the virtual addresses of a cluster would not work.
	MACFilter bool `json:"macfilter"`
	IPFilter  bool `json:"ipfilter"`
}

// Policies of a firewall.
const (
	PolicyAccept = "ACCEPT"
	PolicyDrop   = "DROP"
)

// FirewallRules are the rules of the firewall of a VM or a container.
type FirewallRules = Resource[FirewallRulesParameters]

// FirewallRulesParameters of [FirewallRules]. The provider creates rules only where there are none, and has all that it finds later for its own.
type FirewallRulesParameters struct {
	NodeName    string         `json:"nodeName"`
	VMID        int64          `json:"vmId,omitempty"`        // Of a VM.
	ContainerID int64          `json:"containerId,omitempty"` // Of a container.
	Rule        []FirewallRule `json:"rule"`
}

// A FirewallRule is one rule, as Proxmox has it.
type FirewallRule struct {
	// SecurityGroup of the datacenter, in place of everything but comment and switch: the provider writes it as a rule of type group, whose action is the name
	// (bpg/proxmox 0.111.1, proxmoxtf/resource/firewall/rules.go, mapToRuleCreateRequestBody).
	SecurityGroup string `json:"securityGroup,omitempty"`

	Type    string `json:"type,omitempty"`
	Action  string `json:"action,omitempty"`
	Proto   string `json:"proto,omitempty"`
	DPort   string `json:"dport,omitempty"`
	Macro   string `json:"macro,omitempty"`
	Source  string `json:"source,omitempty"`
	Comment string `json:"comment,omitempty"`
	Enabled bool   `json:"enabled"`
}

// ImportName is the external name under which the provider reads rules that it may only observe, whoever made them (bpg/proxmox 0.111.1,
// proxmoxtf/resource/firewall/rules.go, RulesImport).
func (p FirewallRulesParameters) ImportName() string {
	if p.ContainerID != 0 {
		return importedContainerRules + ImportName(p.NodeName, p.ContainerID)
	}

	return importedVMRules + ImportName(p.NodeName, p.VMID)
}

// What external names of [FirewallRulesParameters.ImportName] begin with.
const (
	importedVMRules        = "vm/"
	importedContainerRules = "container/"
)

// LooksForRules says whether the provider only reads the rules of a firewall, to see whose they are.
func LooksForRules(r ObservedFirewallRules) bool {
	name := r.Metadata.ExternalName()

	return r.ObserveOnly() && (strings.HasPrefix(name, importedVMRules) || strings.HasPrefix(name, importedContainerRules))
}

// FirewallObservation is what the provider reports of the rules of a firewall.
type FirewallObservation struct {
	ID   string              `json:"id"`
	Rule []FoundFirewallRule `json:"rule"`
}

// A FoundFirewallRule is a rule as the provider has read it, with what no rule of a claim has.
type FoundFirewallRule struct {
	FirewallRule `json:",inline"`

	// Pos is the number of the rule in Proxmox, from 0.
	Pos   int64  `json:"pos"`
	Dest  string `json:"dest"`
	SPort string `json:"sport"`
	Iface string `json:"iface"`
	// Log is the level at which the rule logs. Proxmox' form writes nolog into every rule.
	Log string `json:"log"`
}

// Is says whether the rule is one that was to be written, with its comment.
func (r FoundFirewallRule) Is(wanted FirewallRule) bool {
	plain := r.Dest == "" && r.SPort == "" && r.Iface == "" && (r.Log == "" || r.Log == "nolog")

	return plain && r.FirewallRule == wanted
}

// String is the rule in one line, in the words of Proxmox' configuration file.
func (r FoundFirewallRule) String() string {
	out := []string{strings.ToUpper(r.Type), r.Action}

	switch {
	case r.SecurityGroup != "":
		out = []string{"GROUP", r.SecurityGroup}
	case r.Macro != "":
		out = []string{strings.ToUpper(r.Type), r.Macro + "(" + r.Action + ")"}
	}

	for _, option := range []struct{ name, value string }{
		{"-i", r.Iface}, {"-source", r.Source}, {"-dest", r.Dest}, {"-p", r.Proto}, {"-dport", r.DPort}, {"-sport", r.SPort}, {"-log", r.Log}, {"#", r.Comment},
	} {
		if option.value != "" {
			out = append(out, option.name, option.value)
		}
	}

	if !r.Enabled {
		out = slices.Insert(out, 0, "|")
	}

	return strings.Join(out, " ")
}

// A FirewallOptionsObservation is what the provider has read of the options of a firewall. What it does not report is nil, or empty.
type FirewallOptionsObservation struct {
	ID           string `json:"id"`
	Enabled      *bool  `json:"enabled"`
	InputPolicy  string `json:"inputPolicy"`
	OutputPolicy string `json:"outputPolicy"`
	LogLevelIn   string `json:"logLevelIn"`
	LogLevelOut  string `json:"logLevelOut"`
	DHCP         *bool  `json:"dhcp"`
	NDP          *bool  `json:"ndp"`
	RAdv         *bool  `json:"radv"`
	MACFilter    *bool  `json:"macfilter"`
	IPFilter     *bool  `json:"ipfilter"`
}

// A FirewallDifference is an option of a firewall that Proxmox has otherwise than it was written.
type FirewallDifference struct {
	Option       string // As the managed resource names it.
	Has, Written string
}

// DifferencesFrom what was written, of what the provider reports, in the order of the managed resource.
func (o FirewallOptionsObservation) DifferencesFrom(written FirewallOptionsParameters) []FirewallDifference {
	var out []FirewallDifference

	text := func(option, has, wrote string) {
		if has != "" && has != wrote {
			out = append(out, FirewallDifference{option, has, wrote})
		}
	}
	truth := func(option string, has *bool, wrote bool) {
		if has != nil {
			text(option, strconv.FormatBool(*has), strconv.FormatBool(wrote))
		}
	}

	truth("enabled", o.Enabled, written.Enabled)
	text("inputPolicy", o.InputPolicy, written.InputPolicy)
	text("outputPolicy", o.OutputPolicy, written.OutputPolicy)
	text("logLevelIn", o.LogLevelIn, written.LogLevelIn)
	text("logLevelOut", o.LogLevelOut, written.LogLevelOut)
	truth("dhcp", o.DHCP, written.DHCP)
	truth("ndp", o.NDP, written.NDP)
	truth("radv", o.RAdv, written.RAdv)
	truth("macfilter", o.MACFilter, written.MACFilter)
	truth("ipfilter", o.IPFilter, written.IPFilter)

	return out
}

// ObservedFirewallOptions are the options of a firewall as they were found.
type ObservedFirewallOptions = Observed[FirewallOptionsParameters, FirewallOptionsObservation]

// ObservedFirewallRules are the rules of a firewall as they were found.
type ObservedFirewallRules = Observed[FirewallRulesParameters, FirewallObservation]

// ObserveFirewallOptions reads the options of a firewall.
func ObserveFirewallOptions(object *structpb.Struct) (ObservedFirewallOptions, error) {
	return observe[FirewallOptionsParameters, FirewallOptionsObservation](object)
}

// ObserveFirewallRules reads the rules of a firewall.
func ObserveFirewallRules(object *structpb.Struct) (ObservedFirewallRules, error) {
	return observe[FirewallRulesParameters, FirewallObservation](object)
}

// NewFirewallOptions makes the managed resource of a firewall's options.
func NewFirewallOptions(f Flavour, ref ProviderConfigRef, m Metadata, p FirewallOptionsParameters) FirewallOptions {
	return FirewallOptions{
		APIVersion: f.FirewallOptionsAPIVersion(), Kind: FirewallOptionsKind, Metadata: m,
		Spec: Spec[FirewallOptionsParameters]{ManagementPolicies: Policies(DeletionOrphans), ProviderConfigRef: ref, ForProvider: p},
	}
}

// NewFirewallRules makes the managed resource of a firewall's rules.
func NewFirewallRules(f Flavour, ref ProviderConfigRef, m Metadata, p FirewallRulesParameters) FirewallRules {
	return FirewallRules{
		APIVersion: f.FirewallRulesAPIVersion(), Kind: FirewallRulesKind, Metadata: m,
		Spec: Spec[FirewallRulesParameters]{ManagementPolicies: Policies(DeletionOrphans), ProviderConfigRef: ref, ForProvider: p},
	}
}
