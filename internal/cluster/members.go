package cluster

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/netip"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// serverPool is the name of the pool of servers.
const serverPool = "server"

// defaultServers is how many servers a claim without a count has.
const defaultServers = 3

// Members are the nodes that a claim describes. protected is what their deletionProtection is.
func Members(id machine.Identity, spec v1alpha1.K3sClusterSpec, protected bool) ([]Member, error) {
	b := builder{id: id, spec: spec, protected: protected}

	servers := serverCount(spec)
	b.servers = servers

	if err := b.pool(serverPool, v1alpha1.K3sServer, servers, spec.Servers.NodePool); err != nil {
		return nil, err
	}

	for _, p := range spec.Agents {
		if err := b.pool(p.Name, v1alpha1.K3sAgent, p.Count, p.NodePool); err != nil {
			return nil, err
		}
	}

	return b.members, nil
}

// serverCount is how many servers a claim has.
func serverCount(spec v1alpha1.K3sClusterSpec) int64 {
	if spec.Servers.Count != nil {
		return *spec.Servers.Count
	}

	return defaultServers
}

// A builder makes members of a claim.
type builder struct {
	id        machine.Identity
	spec      v1alpha1.K3sClusterSpec
	protected bool
	servers   int64
	members   []Member
}

// pool adds the members of a pool.
func (b *builder) pool(name string, role Role, count int64, p v1alpha1.NodePool) error {
	common, err := b.common(role, p)
	if err != nil {
		return err
	}

	for i := range count {
		m, err := b.node(common, name+"-"+strconv.FormatInt(i, 10), role, role == v1alpha1.K3sServer && i == 0)
		if err != nil {
			return err
		}

		b.members = append(b.members, m)
	}

	return nil
}

// common is the spec that the nodes of a pool have in common.
func (b *builder) common(role Role, p v1alpha1.NodePool) (map[string]any, error) {
	spec, err := plain(map[string]any(p.Template))
	if err != nil {
		return nil, err
	}

	k := group(spec, "k3s")
	fields := map[string]any{
		"role": role, "cluster": b.spec.Cluster, "server": b.spec.Endpoint, "version": released(b.spec.Version), "labels": p.Labels, "taints": p.Taints,
		"token": b.joinToken(),
	}

	// The servers find each other by it.
	if b.spec.Cluster == "" {
		fields["clusterName"] = b.id.Name
	}

	if k["readyWhen"] == nil {
		fields["readyWhen"] = v1alpha1.ReadyWhenJoined
	}

	if b.spec.Rollout.Drain && k["drain"] == nil {
		fields["drain"] = true
	}

	if role == v1alpha1.K3sServer {
		config, _ := k["config"].(map[string]any)
		fields["config"] = snapshotConfig(config, b.spec.Servers.Snapshots)
	}

	if err := fill(k, fields); err != nil {
		return nil, err
	}

	err = fill(spec, map[string]any{
		"k3s": k, "class": p.Class, "image": string(p.Image), "devices": p.Devices, "disks": p.Disks,
		"deletionPolicy": cmp.Or(b.spec.DeletionPolicy, v1alpha1.DeletionOrphan),
	})
	spec["deletionProtection"] = b.protected

	return spec, err
}

// joinToken is the source of the token of the nodes that join; nil where the catalogue has it.
func (b *builder) joinToken() *v1alpha1.K3sToken {
	if b.spec.JoinToken != nil {
		return b.spec.JoinToken
	}

	if t := b.spec.Token; t != nil && t.TrustOnFirstUse {
		return t
	}

	return nil
}

// node is a member of a pool.
func (b *builder) node(common map[string]any, name string, role Role, founds bool) (Member, error) {
	spec := maps.Clone(common)
	m := Member{Node: name, Machine: b.id.Composite + "-" + name, Role: role, Spec: spec}

	// What a person knows the node by. Without a claim it is the name of the machine.
	if b.id.Name != b.id.Composite {
		if _, said := spec["hostname"]; !said {
			spec["hostname"] = b.id.Name + "-" + name
		}
	}

	if err := b.override(&m); err != nil {
		return m, err
	}

	if founds {
		if err := b.found(&m); err != nil {
			return m, err
		}
	}

	var err error

	m.Template, err = templateOf(spec)

	return m, errors.Wrapf(err, "cannot identify the spec of node %s", name)
}

// templateOf identifies a spec.
func templateOf(spec map[string]any) (string, error) {
	content, err := json.Marshal(spec)
	h := sha256.Sum256(content)

	return hex.EncodeToString(h[:])[:10], errors.Wrap(err, "cannot write a spec")
}

// override what the claim says of a single node.
func (b *builder) override(m *Member) error {
	for _, n := range b.spec.Nodes {
		if n.Name != m.Node {
			continue
		}

		network, proxmox := maps.Clone(group(m.Spec, "network")), maps.Clone(group(m.Spec, "proxmox"))

		if n.IP != "" {
			delete(network, "dhcp")
		}

		lifecycle := map[string]any{}
		err := errors.Join(
			fill(network, map[string]any{"ip": n.IP, "mac": n.MAC}),
			fill(proxmox, map[string]any{"node": n.ProxmoxNode, "vmId": n.VMID}),
			fill(m.Spec, map[string]any{"network": network, "proxmox": proxmox}),
			fill(lifecycle, map[string]any{"all": n.Lifecycle, "adopt": n.AdoptVM}))

		m.Lifecycle, _ = lifecycle["all"].(map[string]any)
		m.AdoptVM, _ = lifecycle["adopt"].(map[string]any)
		m.Adopts, m.Lost = n.Adopt, n.Lost

		return err
	}

	return nil
}

// found makes a member the server that starts the cluster.
func (b *builder) found(m *Member) error {
	k := maps.Clone(group(m.Spec, "k3s"))
	k["init"] = true
	delete(k, "token")

	// A server that asks its own address whether its cluster exists gets no answer while it is new, and one among several would then start a
	// second cluster. An only server has nobody else to ask.
	typed := text(group(m.Spec, "network"), "ip")

	own, _, _ := strings.Cut(typed, "/")
	if ip, err := netip.ParseAddr(own); b.servers == 1 && err == nil && resolve.IsHost(b.spec.Endpoint, ip) {
		delete(k, "server")
	}

	err := fill(k, map[string]any{"token": b.spec.Token})
	if err != nil {
		return err
	}

	spec := maps.Clone(m.Spec)
	spec["k3s"] = k
	m.Founder, err = withRestore(spec, b.spec.Servers.Restore)

	return err
}

// Requests are what a person asks of single nodes, whether or not their pools have them still: of a node that is to go, what helps it on its way.
func Requests(spec v1alpha1.K3sClusterSpec) map[string]map[string]any {
	out := map[string]map[string]any{}

	for _, n := range spec.Nodes {
		asks := map[string]any{}

		for name, v := range map[string]string{"force": n.Lifecycle.Force, "retry": n.Lifecycle.Retry, "joined": n.Lifecycle.Joined} {
			if v != "" {
				asks[name] = v
			}
		}

		if n.Lost {
			asks[lostField] = true
		}

		if len(asks) > 0 {
			out[n.Name] = asks
		}
	}

	return out
}
