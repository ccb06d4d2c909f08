package proxmox

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
)

// The kinds of what a ProxmoxSite has.
const (
	BridgeKind = "EnvironmentNetworkLinuxBridge"
	VLANKind   = "EnvironmentNetworkLinuxVlan"
	PoolKind   = "EnvironmentPool"
)

// ReloadTimeoutSeconds is how long a node may take to reload its network: the plugin's own default. It is always written: of an interface that is new to
// it, the provider would write it to Proxmox, and reload the network, to set it.
const ReloadTimeoutSeconds = 100

// A SitePart is a bridge, a VLAN interface or a resource pool.
type SitePart = Resource[SiteParameters]

// SiteParameters of a [SitePart]: those of a bridge, of a VLAN interface or of a pool. The function decides about the three alike.
//
// What the provider does is in bpg/terraform-provider-proxmox v0.111.1, fwprovider/nodes/network/resource_linux_bridge.go and resource_linux_vlan.go, and
// proxmoxtf/resource/pool/pool.go: every creation, change and deletion of an interface ends with a reload of the node's network, which applies what
// somebody has staged there, too; ports are sorted, and the last one is never removed; a bridge without vlanAware may lose it.
type SiteParameters struct {
	NodeName string `json:"nodeName,omitempty"`
	Name     string `json:"name,omitempty"`
	PoolID   string `json:"poolId,omitempty"`

	Ports     []string `json:"ports,omitempty"`
	VLANAware *bool    `json:"vlanAware,omitempty"`
	VIDs      string   `json:"vids,omitempty"`

	Interface string `json:"interface,omitempty"`
	VLAN      int64  `json:"vlan,omitempty"`

	Address   string `json:"address,omitempty"`
	Gateway   string `json:"gateway,omitempty"`
	Address6  string `json:"address6,omitempty"`
	Gateway6  string `json:"gateway6,omitempty"`
	MTU       int64  `json:"mtu,omitempty"`
	Autostart *bool  `json:"autostart,omitempty"`

	Comment       string `json:"comment,omitempty"`
	TimeoutReload int64  `json:"timeoutReload,omitempty"`
}

// An ObservedSitePart is a bridge, a VLAN interface or a pool as it was found.
type ObservedSitePart = Observed[SiteParameters, SiteObservation]

// SiteObservation is what the provider reports of one.
type SiteObservation struct {
	ID string `json:"id"`

	SiteParameters `json:",inline"`
}

// ObserveSitePart reads one.
func ObserveSitePart(object *structpb.Struct) (ObservedSitePart, error) {
	return observe[SiteParameters, SiteObservation](object)
}

// LacksInterface says whether the provider has looked for an interface, and there is none. The plugin says so in a way of its own; only these words mean it:
// after any other error, there may be one.
func LacksInterface(o ObservedSitePart) bool {
	c := o.Condition(ConditionSynced)
	said := slices.ContainsFunc([]string{"Linux Bridge interface not found", "Linux VLAN interface not found"}, func(s string) bool { return strings.Contains(c.Message, s) })

	return o.ObserveOnly() && c.IsFalse() && o.Fresh(ConditionSynced) && said || o.Absent()
}

// IsTainted says whether the provider has given up on a resource: it was created, but the creation failed, as where a node could not reload its network.
func IsTainted(o ObservedSitePart) bool {
	return strings.Contains(o.Condition(ConditionSynced).Message, "Instance cannot be destroyed")
}

// SiteAPIVersion is the apiVersion of a kind of what a ProxmoxSite has.
func (f Flavour) SiteAPIVersion(kind string) string { return f.apiVersion(kind) }

// MakesSites says whether the function makes bridges, VLAN interfaces and pools with the provider. Up to v0.11.1 it does not: that release cannot be
// told how long a reload may take, and nobody has held its plugin against these rules.
func (f Flavour) MakesSites() bool { return f != Legacy }

// NewSitePart makes the managed resource of one.
func NewSitePart(f Flavour, kind string, pc ProviderConfig, m Metadata, policies []string, p SiteParameters) SitePart {
	return SitePart{
		APIVersion: f.SiteAPIVersion(kind), Kind: kind, Metadata: m,
		Spec: Spec[SiteParameters]{ManagementPolicies: policies, ProviderConfigRef: f.Ref(pc), ForProvider: p},
	}
}
