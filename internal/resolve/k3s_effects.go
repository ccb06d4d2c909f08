package resolve

import (
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// fits checks a new node against what the config of its cluster does outside of the node: see [k3s.EffectOf]. The installed K3s of an existing VM
// is not checked, so that its claim goes on being obeyed.
func (r clusterNode) fits(at *field.Path, c catalog.Cluster, of cluster) {
	k := of.k3s

	if r.g.existing.Node != "" || r.g.setUp() {
		return
	}

	// The nodes of a K3sCluster have the release of its claim, whatever the catalogue says.
	if !r.g.ofCluster {
		r.fitsRelease(at, c, k)
	}

	r.fitsNetworks(at, c, of)
	fitsEndpoint(r.n, r.endpoint(at, c), r.m.NICs, of.shared)
	onProxmox(r.n, r.endpoint(at, c), r.site)
	byMulticast(r.n, r.endpoint(at, c), r.m)
	fitsSize(r.g, r.n, r.m, k)
	hasAddresses(func(key string) *field.Path { return r.keyOf(at, c, key) }, r.n, r.m, k)
	sharesExternal(r.keyOf(at, c, keyExternal), r.g, r.n, of)
	interfaceOfPods(r.keyOf(at, c, "flannel-iface"), r.g, r.n, r.m, k.Config)
	sharesImages(r.g, r.n, of.shared)
	r.takesServers(c, k)
	leavesVolumes(r.g, r.n, r.m, k)
	attachesVolumes(r.g, r.n, r.m, k)
	leavesFileSystems(r.g, r.n, r.m)
	fitsKernel(func(key string) *field.Path { return r.keyOf(at, c, key) }, r.g, r.n, r.m, k)
	podsSearch(r.g, r.n, k)
	podsAsk(func(key string) *field.Path { return r.keyOf(at, c, key) }, r.g, r.n, r.m, k)
	r.fitsValues(at, c, k)
	nearMounts(func(key string) *field.Path { return r.keyOf(at, c, key) }, r.n, r.m.Disks, k)
	registries(r.g, r.n, k)
	programFiles(r.g, r.n, k)
	hiddenServer(r.g, r.n, c, of)
	manifests(r.g, r.n, k)
	r.announces(at, c)
	plugins(r.g, r.n, of, r.addresses(at, c))
	r.needs(at, c, k)
	r.notJudged(at, c, k)
}

// takesServers warns of an agent that has an address which the certificates of the servers have: a server's, or the virtual one of them all, which an endpoint
// by name does not show.
func (r clusterNode) takesServers(c catalog.Cluster, k *machine.K3s) {
	own := r.m.NICs[0].IPv4.Address

	if i := slices.Index(c.TLSSANs, own); own != "" && i >= 0 && k.Role == v1alpha1.K3sAgent {
		name := "ip"
		if r.g.spec.Network != nil && r.g.spec.Network.IP == "" {
			name = "pool"
		}

		r.n.warn("%s: %s is in %s, as the address of a server, or of all servers together: take another one for an agent.",
			r.g.at.Child("network", name), own, c.Path().Child("tlsSANs").Index(i))
	}
}

// keyOf is where a key of the config stands: in the claim, or in the cluster's entry of the catalogue.
func (r clusterNode) keyOf(at *field.Path, c catalog.Cluster, key string) *field.Path {
	return r.configOf(at, c, key).Key(key)
}

// configOf is the config that has a key: the claim's, which counts before the catalogue's.
func (r clusterNode) configOf(at *field.Path, c catalog.Cluster, key string) *field.Path {
	if _, own := r.g.k3s.Config[key]; own || c.Config[key] == nil {
		return at.Child("config")
	}

	return c.Path().Child("config")
}

// notJudged names the keys of which nobody knows what they do outside of the node, by the config that has them.
func (r clusterNode) notJudged(at *field.Path, c catalog.Cluster, k *machine.K3s) {
	keys := map[string][]string{}

	for _, key := range k3s.NotJudged(k.Config) {
		if instead := k3s.FromRKE2(key); instead != "" {
			r.n.warn("%s: is a key of RKE2, which K3s passes over: %s.", r.keyOf(at, c, key), instead)
			continue
		}

		where := r.configOf(at, c, key).String()
		keys[where] = append(keys[where], key)
	}

	for _, where := range slices.Sorted(maps.Keys(keys)) {
		r.n.warn("%s: not judged: %s. The function does not know what these keys do to ports, votes, certificates and networks; a release of K3s "+
			"that does not know a key skips it.", where, strings.Join(keys[where], ", "))
	}
}

// fitsRelease refuses an agent that is newer than its servers, and a server that is more than a minor release away from them: Kubernetes' skew
// policy, https://kubernetes.io/releases/version-skew-policy, and k3s-io/k3s issues 2996 and 3217. Servers of two minor releases are an upgrade.
func (r clusterNode) fitsRelease(at *field.Path, c catalog.Cluster, k *machine.K3s) {
	own, ok := k3s.MinorOf(r.g.k3s.Version)
	servers, known := k3s.MinorOf(c.Version)

	if !ok || !known {
		return
	}

	of := c.Path().Child("version")
	agent := k.Role == v1alpha1.K3sAgent

	switch {
	case agent && own > servers:
		r.n.add(field.Invalid(at.Child("version"), r.g.k3s.Version, fmt.Sprintf(
			"an agent must not be newer than its servers, which have %s (%s): upgrade the servers first, and set %s; or leave version out here", c.Version, of, of)))
	case agent && k3s.OlderRelease(c.Version, r.g.k3s.Version):
		r.n.warn("%s: %s is newer than the release of the servers, %s (%s): upgrade servers before agents.", at.Child("version"), r.g.k3s.Version, c.Version, of)
	case !agent && (own > servers+1 || own < servers-1):
		r.n.add(field.Invalid(at.Child("version"), r.g.k3s.Version, fmt.Sprintf(
			"must be within one minor release of the cluster's servers, which have %s (%s), and differ only during an upgrade: leave version out here", c.Version, of)))
	}
}

// fitsNetworks refuses addresses of the node, its gateways, name servers and endpoint inside the networks of pods and services: they stop answering
// when the network plugin starts (k3s-io/k3s issues 588 and 4627). Of a cluster that is not in the catalogue an agent does not know the networks.
func (r clusterNode) fitsNetworks(at *field.Path, c catalog.Cluster, of cluster) {
	ranges := k3s.Ranges(of.shared)

	for _, t := range append(r.addresses(at, c), r.announced(at, c, of.k3s.Config)...) {
		a, err := netip.ParseAddr(t.value)
		if err != nil {
			continue
		}

		i := slices.IndexFunc(ranges, func(n k3s.Range) bool { return n.Prefix.Contains(a.Unmap()) })

		switch {
		case i < 0:
		case of.known():
			r.n.add(field.Invalid(t.at, message.Excerpt(t.value), r.overlap(ranges[i], a, c)))
		default:
			r.n.warn("%s: %s is inside %s, K3s' default for %s: where the cluster has no other %s, take an address outside of it.",
				t.at, t.value, ranges[i].Prefix, ranges[i].Of, ranges[i].Key)
		}
	}
}

// overlap says whose network it is that an address is in, and what to write instead.
func (r clusterNode) overlap(n k3s.Range, a netip.Addr, c catalog.Cluster) string {
	whose, where := n.Key+" of "+c.Path().Child("config").String(), c.Path().Child("config").String()
	if r.g.k3s.Cluster == "" {
		whose, where = n.Key, "the config of a cluster in the catalogue, named in spec.k3s.cluster"
	}

	if !n.Said {
		whose = "K3s' default for " + n.Key
	}

	return fmt.Sprintf("is inside %s, the network of the cluster's %s (%s), and would stop answering when the network plugin starts: take an address outside of it, "+
		"or, for a cluster that does not exist yet, set %s: %s in %s", n.Prefix, n.Of, whose, n.Key, elsewhere(n, a), where)
}

// addresses are those that must be outside of the networks of pods and services, in the order of the claim. What the claim does not say is at the
// catalogue's path.
func (r clusterNode) addresses(at *field.Path, c catalog.Cluster) []typed {
	network, site := r.g.at.Child("network"), r.site.Path().Child("network")
	first, n := r.m.NICs[0], r.g.spec.Network

	if n == nil {
		n = &v1alpha1.Network{}
	}

	orSite := func(said bool, name string) *field.Path {
		if said {
			return network.Child(name)
		}

		return site.Child(name)
	}

	ip := network.Child("ip")
	if n.IP == "" {
		ip = network.Child("pool")
	}

	out := []typed{
		{first.IPv4.Address, ip},
		{first.IPv4.Gateway, orSite(n.Gateway != "" || n.IP == "", "gateway")},
		{first.IPv6.Address, network.Child("ipv6", "ip")},
		{first.IPv6.Gateway, network.Child("ipv6", "gateway")},
	}

	for i, dns := range r.m.DNS {
		out = append(out, typed{dns, orSite(len(n.DNS) > 0, "dns").Index(i)})
	}

	for i, nic := range r.m.NICs[1:] {
		at := r.g.at.Child("nics").Index(i)
		out = append(out, typed{nic.IPv4.Address, at.Child("ip")}, typed{nic.IPv4.Gateway, at.Child("gateway")},
			typed{nic.IPv6.Address, at.Child("ipv6", "ip")}, typed{nic.IPv6.Gateway, at.Child("ipv6", "gateway")})
	}

	endpoint := r.endpoint(at, c)
	if u, err := url.Parse(endpoint.value); err == nil {
		out = append(out, typed{u.Hostname(), endpoint.at})
	}

	return out
}

// announced are addresses at which a config tells others to reach the node.
func (r clusterNode) announced(at *field.Path, c catalog.Cluster, config map[string]any) (out []typed) {
	for _, key := range []string{keyAdvertised, keyExternal} {
		for said := range strings.SplitSeq(fmt.Sprint(config[key]), ",") {
			out = append(out, typed{strings.TrimSpace(said), r.keyOf(at, c, key)})
		}
	}

	return out
}

// endpoint is where the cluster is joined, in the claim or in the catalogue.
func (r clusterNode) endpoint(at *field.Path, c catalog.Cluster) typed {
	if r.g.k3s.Server == "" {
		return typed{c.Server, c.Path().Child("server")}
	}

	return typed{r.g.k3s.Server, at.Child("server")}
}

// warnOfProxy warns of what a proxy does not do.
func (r clusterNode) warnOfProxy(c catalog.Cluster, k *machine.K3s) {
	for _, f := range k3s.ProxyDoubts(k3s.Proxy{HTTP: k.Proxy.HTTP, HTTPS: k.Proxy.HTTPS, No: k.Proxy.No}) {
		r.n.warn("%s: %s.", c.Path().Child("proxy", f.Key), f.Why)
	}
}

// fitsValues refuses values with which K3s does not start or its cluster does not work, although they have the right type, and warns of what has no effect.
func (r clusterNode) fitsValues(at *field.Path, c catalog.Cluster, k *machine.K3s) {
	where := func(key string) *field.Path { return r.keyOf(at, c, key) }

	bad := map[string]bool{}

	for _, key := range slices.Sorted(maps.Keys(k.Config)) {
		if why := k3s.BadValue(key, k.Config[key]); why != "" {
			bad[key] = true
			r.n.add(field.Invalid(where(key), field.OmitValueType{}, why))
		}
	}

	for _, f := range k3s.GoneArguments(k.Config, k.Version) {
		r.n.add(field.Invalid(where(f.Key), field.OmitValueType{}, f.Why))
	}

	for _, f := range slices.Concat(k3s.KubeletEnds(k.Config), k3s.ProxyEnds(k.Config, k.Version), k3s.Reservations(k.Config, r.m.MemoryMiB, r.m.Cores)) {
		r.n.add(field.Invalid(where(f.Key), field.OmitValueType{}, f.Why))
	}

	for _, f := range k3s.Risks(k.Config) {
		r.n.warn("%s: %s.", where(f.Key), f.Why)
	}

	r.warnOfProxy(c, k)

	for _, a := range k3s.Arguments(k.Config) {
		r.n.warn("%s: %s goes around what the function and other parts of the cluster read: set %s.", where(a.Key), a.Name, a.Instead)
	}

	if k.Role != v1alpha1.K3sServer {
		return
	}

	for _, f := range k3s.Contradictions(k.Config, k.Version, k.Disable) {
		if !bad[f.Key] {
			r.n.add(field.Invalid(where(f.Key), field.OmitValueType{}, f.Why))
		}
	}

	for _, f := range k3s.WithoutEffect(k.Config) {
		r.n.warn("%s: %s.", where(f.Key), f.Why)
	}

	for _, f := range k3s.ServerRisks(k.Config, k.Disable, append([]string{r.m.Domain}, r.m.SearchDomains...)) {
		if !bad[f.Key] {
			r.n.warn("%s: %s.", where(f.Key), f.Why)
		}
	}

	disable := at.Child("disable")
	if r.g.k3s.Disable == nil && len(c.Disable) > 0 {
		disable = c.Path().Child("disable")
	}

	for _, word := range k.Disable {
		if set := k3s.NoComponent(word); set != "" {
			r.n.warn("%s: %s is no component that K3s deploys, so nothing is disabled: %s.", disable, message.Excerpt(word), set)
		}
	}
}

// programFiles warns of files in the claim's user-data that the programs of Kubernetes do not take as they are written.
func programFiles(g *given, n *notes, k *machine.K3s) {
	for _, f := range k3s.FileDoubts(k.Config, g.userData().PlainFiles()) {
		n.warn("spec.bootstrap.userData: %s: %s.", message.Excerpt(f.File), f.Why)
	}

	if file, port := k3s.TakenPort(k.Config, g.userData().PlainFiles()); file != "" && k.Role == v1alpha1.K3sServer {
		n.warn("spec.bootstrap.userData: %s: listens at %s, where K3s of a server listens on all addresses, and the second of the two does not start: have it listen at another port, "+
			"and the cluster's server name that, or put the load balancer on machines of its own.", message.Excerpt(file), port)
	}
}

// hiddenServer warns of a web server on a node that Traefik takes the port from. What servers disable an agent's own settings do not show.
func hiddenServer(g *given, n *notes, c catalog.Cluster, of cluster) {
	agent := of.k3s.Role == v1alpha1.K3sAgent
	if agent && (g.ofCluster || !of.known()) {
		return
	}

	disabled := of.k3s.Disable
	if agent {
		disabled = c.Disable
	}

	if name := k3s.HiddenServer(disabled, g.userData().Packages(), g.spec.Bootstrap.UserData); name != "" {
		n.warn("spec.bootstrap.userData: packages: %s listens at port 80, and nobody reaches it: K3s' ServiceLB gives the ports 80 and 443 of every node to Traefik. Let an Ingress serve it, "+
			"have %s listen at another port, or set disable: [traefik] on all servers.", name, name)
	}
}

// registries warns of what has no effect in the registries.yaml that the claim's user-data writes.
func registries(g *given, n *notes, k *machine.K3s) {
	files := g.userData().PlainFiles()
	read := k3s.RegistriesPath
	if other, ok := k.Config["private-registry"].(string); ok {
		read = other
	}

	for _, file := range slices.Sorted(maps.Keys(files)) {
		if k3s.MeantForRegistries(file, read) {
			n.warn("spec.bootstrap.userData: K3s reads %s, and not %s.", message.Excerpt(read), message.Excerpt(file))
		}
	}

	for _, doubt := range k3s.RegistryDoubts(files[read]) {
		n.warn("spec.bootstrap.userData: %s: %s.", message.Excerpt(read), doubt)
	}

	for _, file := range k3s.RegistryFiles(files[read]) {
		if files[file] == "" && !writes(g, file) {
			n.warn("spec.bootstrap.userData: %s names %s, which nothing is known to write, so that no image comes from that registry: write it with bootstrap.secrets, bootstrap.secretStore or "+
				"write_files in bootstrap.userData, unless the image has it.", message.Excerpt(read), message.Excerpt(file))
		}
	}
}

// writes says whether something that the function does not read may write a file of the guest.
func writes(g *given, file string) bool {
	b := g.spec.Bootstrap
	if b.Snippets.VendorData != "" || brings(b, file) {
		return true
	}

	read, err := g.userData().Contents()

	return err != nil || read.Files[file] != "" || strings.Count(b.UserData, file) > 1
}

// needs warns of files and programs that the config needs and nobody is known to bring. Files that the function does not read may bring them, and so
// may an image of one's own.
func (r clusterNode) needs(at *field.Path, c catalog.Cluster, k *machine.K3s) {
	b := r.g.spec.Bootstrap

	if b.Snippets.VendorData != "" {
		return
	}

	files, err := r.g.userData().Contents()
	if err != nil {
		return // Who reads it says so.
	}

	for _, n := range k3s.Needs(k.Config, func(file string) bool { return brings(b, file) || files.Files[file] != "" }) {
		switch {
		case n.File != "":
			r.n.warn("%s: %s must be on the node when K3s starts, and nothing is known to write it: write it with bootstrap.secrets, bootstrap.secretStore or "+
				"write_files in bootstrap.userData, unless the image has it.", r.keyOf(at, c, n.Key), message.Excerpt(n.File))
		case b.UserData == "":
			r.n.warn("%s: needs %s, before K3s starts: install it with bootstrap.userData, unless the image has it.", r.keyOf(at, c, n.Key), n.What)
		}
	}
}

// brings says whether a Secret or a secret store becomes a file of the guest.
func brings(b v1alpha1.Bootstrap, file string) bool {
	if slices.ContainsFunc(b.Secrets, func(f v1alpha1.SecretFile) bool { return f.Path == file }) {
		return true
	}

	return b.SecretStore != nil && slices.ContainsFunc(b.SecretStore.Files, func(f v1alpha1.StoredFile) bool { return f.Path == file })
}

// sharesImages warns of an embedded registry that shares nothing, since the node has no mirrors. Files that the function does not read may have them.
func sharesImages(g *given, n *notes, shared map[string]any) {
	if !k3s.SharesImages(shared) || g.spec.Bootstrap.Snippets.VendorData != "" {
		return
	}

	for _, f := range g.spec.Bootstrap.Secrets {
		if f.Path == k3s.RegistriesPath {
			return
		}
	}

	files, err := g.userData().Contents()
	if err != nil || strings.Contains(files.Files[k3s.RegistriesPath], "mirrors:") {
		return
	}

	n.warn("spec.bootstrap.userData: embedded-registry shares no images without mirrors in %s: write that file here, with `mirrors: {\"*\": {}}` for all registries.",
		k3s.RegistriesPath)
}
