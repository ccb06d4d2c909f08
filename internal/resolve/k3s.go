package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// DefaultTokenKey is the default key in a Secret.
const DefaultTokenKey = "token"

// clusterNode resolves the settings of a K3s node.
type clusterNode struct {
	g *given
	n *notes
	m *machine.Machine // All of the machine but its K3s, its secret store and its firewall.

	site catalog.Site
}

// resolve applies the claim's settings over the settings of its cluster.
func (r clusterNode) resolve() cluster {
	at, k := r.g.at.Child("k3s"), r.g.k3s
	c, known := r.cluster(at)
	server := k.Role == v1alpha1.K3sServer

	out := &machine.K3s{
		Cluster:        claim.ClusterOf(r.g.id, k).Label,
		ClusterName:    k.ClusterName,
		Observe:        cmp.Or(c.Observe, machine.ObserveNone),
		NodesConfig:    c.ProviderConfig,
		ZoneLabel:      c.ZoneLabel,
		ProtectVolumes: c.ProtectVolumes,
		ReadyWhen:      cmp.Or(k.ReadyWhen, readyWhen(c.Observe)),
		Drain:          drain(k, c.Drain),
		SystemUpgrade:  r.systemUpgrade(c),
		Role:           k.Role,
		Init:           k.Init,
		Restore:        k.Restore,
		ServerURL:      cmp.Or(k.Server, c.Server),
		Version:        cmp.Or(k.Version, c.Version),
		Labels:         maps.Clone(k.Labels),
		Taints:         k.Taints,
		Config:         r.config(c),
		InstallURL:     c.InstallURL,
		InstallSHA256:  c.InstallSHA256,
		ReleaseURL:     c.ReleaseURL,
		BinarySHA256:   c.BinarySHA256,
		Proxy:          machine.Proxy{HTTP: c.Proxy.HTTP, HTTPS: c.Proxy.HTTPS, No: c.Proxy.Direct()},
	}

	if server {
		out.Disable, out.TLSSANs = orElse(k.Disable, c.Disable), orElse(k.TLSSANs, c.TLSSANs)
	}

	out.PodNetwork = ofNode(podNetworkKey, out.Config, c.Config)
	of := cluster{k3s: out, shared: shared(c.Config, out.Config), entered: k.Cluster != ""}
	r.token(at, c, out)
	r.n.instead(r.g.existing.Member.remain(at, k, c, known, out)...)

	// Without a role the required settings are unknown.
	if known && k.Role != "" {
		r.joins(at, out)
		r.drains(out)
	}

	if known && server {
		r.agrees(at, c)
	}

	hostsK3s(r.g, r.n, r.m)
	r.reaches(at, c, out)

	if known {
		r.fits(at, c, of)
		r.becomesReady(out)
	}

	return of
}

// orElse is the claim's list, also an empty one, else its cluster's.
func orElse(said, cluster []string) []string {
	if said == nil {
		return cluster
	}

	return said
}

// shared is the config of a node with what it has of its cluster's.
func shared(cluster, node map[string]any) map[string]any {
	out := maps.Clone(cluster)
	if out == nil {
		out = map[string]any{}
	}

	maps.Copy(out, node)

	return out
}

// becomesReady warns of a machine that is to wait for its Node, which nobody reads.
func (r clusterNode) becomesReady(k *machine.K3s) {
	reported := k.ReadyWhen == v1alpha1.ReadyWhenJoined && !r.m.Silent
	if !k.Observe.Reads() && k.ReadyWhen != v1alpha1.ReadyWhenVM && !reported {
		r.n.warn("spec.k3s.readyWhen: %s counts as VM, because nobody reads the Nodes of the cluster: set observe in its entry of the catalogue.", k.ReadyWhen)
	}
}

// reaches checks a node's own address. A server that has its own address for that of its cluster asks itself whether its cluster
// exists, when it is replaced. The installed K3s of an existing VM is not checked.
func (r clusterNode) reaches(at *field.Path, c catalog.Cluster, k *machine.K3s) {
	if r.g.existing.Node != "" || r.g.setUp() {
		return
	}

	first := r.m.NICs[0]
	r.fitsFamilies(at, c, k, first)

	if k.Role == v1alpha1.K3sServer && first.IPv4.Method == machine.MethodDHCP && first.MAC == "" && !r.g.existing.Adopting {
		r.n.warn("spec.network: a K3s server must keep its address, and this one gets it over DHCP without a fixed MAC address: set " +
			"spec.network.ip, or spec.network.mac with a reservation on the DHCP server.")
	}

	u, err := url.Parse(k.ServerURL)
	if err != nil || k.ServerURL == "" {
		return
	}

	own := append([]string{r.m.Hostname, r.m.FullHostname()}, ownIPs(r.m)...)

	if host := u.Hostname(); host != "" && slices.ContainsFunc(own, func(o string) bool { return sameHost(o, host) }) {
		r.n.add(field.Invalid(r.endpoint(at, c).at, message.Excerpt(k.ServerURL),
			"is the node's own address, which answers nothing while the node is replaced: "+claim.OfServers))
	}
}

// podNetworkKey is the key of the pod network in K3s's config.
const podNetworkKey = "cluster-cidr"

// ofNode is the value of a key of K3s's config: the node's own, or that of its cluster, since agents do not have all keys of servers.
func ofNode(key string, own, cluster map[string]any) any {
	if v := own[key]; v != nil {
		return v
	}

	return cluster[key]
}

// fitsFamilies refuses a node without an address in a family of its cluster's pods: K3s would not start. The claim's own node-ip is
// another answer.
func (r clusterNode) fitsFamilies(at *field.Path, c catalog.Cluster, k *machine.K3s, first machine.NIC) {
	families := k3s.Families(map[string]any{podNetworkKey: k.PodNetwork}, podNetworkKey)
	_, own := k.Config["node-ip"]

	switch said := k3s.FamiliesOfNode(k.Config); {
	case own && said != nil && slices.ContainsFunc(families, func(f k3s.Family) bool { return !slices.Contains(said, f) }):
		// k3s-io/k3s issues 11735 and 5918.
		r.n.add(field.Invalid(r.keyOf(at, c, "node-ip"), fmt.Sprint(k.Config["node-ip"]), fmt.Sprintf(
			"must have an address of each family of cluster-cidr (%v), with a comma between them: K3s does not start with others. Without node-ip the node has those of spec.network", k.PodNetwork)))
	case own, !slices.Contains(families, k3s.IPv6):
		return
	case first.IPv6.Method == machine.MethodNone:
		r.n.add(field.Required(r.g.at.Child("network", "ipv6"), fmt.Sprintf(
			"the pods of the cluster have IPv6 addresses (cluster-cidr %v), so the node needs one: set ip and cidr, auto: true or dhcp: true", k.PodNetwork)))
	}

	services := k3s.Families(k.Config, "service-cidr")
	if k.Role == v1alpha1.K3sServer && !slices.Equal(families, services) {
		var value any = field.OmitValueType{}
		if said, ok := k.Config["service-cidr"]; ok {
			value = fmt.Sprint(said)
		}

		r.n.add(field.Invalid(r.keyOf(at, c, "service-cidr"), value, fmt.Sprintf(
			"must have the families of cluster-cidr (%v), in the same order, such as 10.43.0.0/16,fd00:43::/112: K3s does not start with others", k.PodNetwork)))
	}
}

// sameHost says whether two hosts are the same name or the same address.
func sameHost(a, b string) bool {
	x, errX := netip.ParseAddr(a)
	y, errY := netip.ParseAddr(b)

	return a != "" && strings.EqualFold(a, b) || errX == nil && errY == nil && x == y
}

// systemUpgrade is how the node is upgraded in place. A K3sCluster upgrades its own nodes, as its claim says.
func (r clusterNode) systemUpgrade(c catalog.Cluster) *machine.SystemUpgrade {
	if c.Upgrade != v1alpha1.UpgradeSystem || r.g.ofCluster {
		return nil
	}

	return &machine.SystemUpgrade{Namespace: c.SystemUpgrade.Namespace, ServiceAccount: c.SystemUpgrade.ServiceAccount, Image: c.SystemUpgrade.Image}
}

// drain is how the node is drained, and whether before outages, too.
func drain(k *v1alpha1.K3s, c catalogue.Drain) machine.Drain {
	out := machine.Drain{Outages: c.Outages, Image: c.Image}

	if c.TimeoutMinutes != nil {
		out.TimeoutMinutes = *c.TimeoutMinutes
	}

	if k.Drain != nil {
		out.Outages = *k.Drain
	}

	return out
}

// drains warns of drains that nobody can carry out. It is no fault: the VM lives on, and what waits for a drain says so.
func (r clusterNode) drains(k *machine.K3s) {
	if (k.Drain.Outages || r.g.spec.Lifecycle.Drain != "") && (k.NodesConfig == "" || !k.Observe.Reads()) {
		r.n.warn("spec.k3s.drain and spec.lifecycle.drain wait, because nobody may drain the nodes of the cluster: set observe and providerConfig in its " +
			"entry of the catalogue.")
	}
}

// readyWhen is the default of spec.k3s.readyWhen.
func readyWhen(o machine.Observation) v1alpha1.ReadyWhen {
	if o.Reads() {
		return v1alpha1.ReadyWhenJoined
	}

	return v1alpha1.ReadyWhenVM
}

// cluster returns the claim's cluster, and whether its settings are known.
func (r clusterNode) cluster(at *field.Path) (catalog.Cluster, bool) {
	if r.g.k3s.Cluster == "" {
		return catalog.Cluster{}, true
	}

	c, faults := r.g.catalog.Cluster(at.Child("cluster"), r.g.k3s.Cluster)
	if len(faults) == 0 {
		faults = validate.Cluster(c)
	}

	if len(faults) > 0 {
		r.n.keeps(r.g, machine.PartCluster, faults, r.g.k3s.Cluster, appliedCluster)
		return catalog.Cluster{}, false
	}

	return c, true
}

// config returns the cluster's config with the claim's keys over it. It leaves out the cluster's keys for the other kind of
// node, because the cluster's config is for servers and agents.
func (r clusterNode) config(c catalog.Cluster) map[string]any {
	out, faults := k3s.ConfigFor(k3s.RoleOf(r.g.k3s.Role, r.g.k3s.Init), c.Config, c.Path().Child("config"))
	r.n.add(faults...)
	maps.Copy(out, r.g.k3s.Config)

	return out
}

// agrees reports settings of a server that differ from its cluster's although all servers must have the same. It does not check
// an existing VM: K3s is installed, and an old claim may be older than this rule, so its other edits must still take effect.
func (r clusterNode) agrees(at *field.Path, c catalog.Cluster) {
	if r.g.setUp() || r.g.existing.Node != "" {
		return
	}

	config, disable := "", ""
	if r.g.k3s.Cluster != "" {
		config, disable = c.Path().Child("config").String(), c.Path().Child("disable").String()
	}

	r.n.add(k3s.ValidateShared(r.g.k3s.Config, c.Config, config, at.Child("config"))...)
	r.n.add(k3s.ValidateSharedDisable(r.g.k3s.Disable, c.Disable, disable, at.Child("disable"))...)
}

// token resolves the claim's token, else the cluster's. The first server generates the cluster's token: it cannot start with a
// token that contains the hash of a certificate authority which does not exist yet.
func (r clusterNode) token(at *field.Path, c catalog.Cluster, out *machine.K3s) {
	if r.g.existing.Adopting {
		// The function renders no user-data for this VM, so it needs no Secret.
		return
	}

	t := r.g.k3s.Token
	if t == nil && !r.g.k3s.Init {
		t = c.Token
	}

	if t == nil {
		return
	}

	out.TokenFile, out.TrustOnFirstUse, out.TokenStored = t.File, t.TrustOnFirstUse, t.SecretStore
	if t.SecretStore != nil {
		out.TokenFile = k3s.DefaultTokenFile

		// One of the cluster's entry is there for all of its nodes, and no field of the claim.
		if r.g.k3s.Token != nil && r.g.isNew() {
			storedPath(at.Child("token", "secretStore"), r.n, *t.SecretStore)
		}
	}

	if t.SecretRef == nil {
		return
	}

	if r.g.id.Namespace == "" {
		r.n.add(field.Forbidden(at.Child("token", "secretRef"),
			"the function reads Secrets only from the claim's namespace, and a cluster scoped composite without a claim has no namespace: use token.file"))
	}

	out.TokenSecret = &v1alpha1.SecretKeyRef{Name: t.SecretRef.Name, Key: cmp.Or(t.SecretRef.Key, DefaultTokenKey)}
}

// joins reports settings that a node lacks to start or join its cluster.
func (r clusterNode) joins(at *field.Path, k *machine.K3s) {
	if r.g.setUp() {
		return
	}

	from := ""
	if r.g.k3s.Cluster != "" {
		from = ", and cluster '" + message.Excerpt(r.g.k3s.Cluster) + "' of the catalogue has none"
	}

	var lost field.ErrorList

	lack := func(fault *field.Error, said func(v1alpha1.K3s) bool) {
		switch {
		case r.g.k3s.Cluster == "":
			r.n.add(fault)
		case r.g.tookAway(said):
			fault.Detail += ". The claim had it before: write it again, or into the cluster of the catalogue"
			r.n.add(fault)
		default:
			lost = append(lost, fault)
		}
	}

	if k.Version == "" {
		lack(field.Required(at.Child("version"), "must be the K3s release, equal on all servers, such as v1.33.6+k3s1"+from), saidVersion)
	}

	if !k.Init && k.ServerURL == "" {
		lack(field.Required(at.Child("server"), "must be the address of the cluster that the node joins, such as https://192.168.4.210:6443"+from), saidServer)
	}

	if !k.Init && k.TokenFile == "" && k.TokenSecret == nil {
		lack(field.Required(at.Child("token"),
			validate.TokenOfCluster(r.g.id.Namespace)+"; or token: {file: ...} with a snippet that writes it, or {secretStore: ...}"+from), saidToken)
	}

	if len(lost) > 0 {
		r.n.keeps(r.g, machine.PartCluster, lost, r.g.k3s.Cluster, appliedCluster)
	}
}
