package resolve

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/excerpt"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// maxNodeName is the length of a Kubernetes node's name: it becomes the value of the label kubernetes.io/hostname.
const maxNodeName = 63

// defaultTokenKey of a Secret.
const defaultTokenKey = "token"

// resolveK3s lays the claim's word over what all nodes of its cluster share.
func (r *resolver) resolveK3s() {
	at, k := r.at.Child("k3s"), r.k3s
	c, known := r.cluster(at)
	server := k.Role == v1alpha1.K3sServer

	out := &machine.K3s{
		Cluster:       k.Cluster,
		Role:          k.Role,
		Init:          k.Init,
		ServerURL:     or(k.Server, c.Server),
		Version:       or(k.Version, c.Version),
		Labels:        maps.Clone(k.Labels),
		Taints:        k.Taints,
		Config:        r.config(c),
		InstallURL:    c.InstallURL,
		InstallSHA256: c.InstallSHA256,
	}

	if server {
		out.Disable, out.TLSSANs = k.Disable, k.TLSSANs
		if out.Disable == nil {
			out.Disable = c.Disable
		}

		if out.TLSSANs == nil {
			out.TLSSANs = c.TLSSANs
		}
	}

	r.token(at, c, out)
	r.out.K3s = out

	// Without a role it is not clear what the node lacks.
	if known && k.Role != "" {
		r.joins(at, out)
	}

	if known && server {
		r.agrees(at, c)
	}

	r.hostsK3s()
}

// cluster that the claim names, and whether it is known what that says.
func (r *resolver) cluster(at *field.Path) (catalog.Cluster, bool) {
	if r.k3s.Cluster == "" {
		return catalog.Cluster{}, true
	}

	c, err := r.catalog.Cluster(at.Child("cluster"), r.k3s.Cluster)
	if err != nil {
		r.add(err)
		return catalog.Cluster{}, false
	}

	if errs := validate.Cluster(c); len(errs) > 0 {
		r.add(errs...)
		return catalog.Cluster{}, false
	}

	return c, true
}

// config is the cluster's with the claim's laid over it, key by key. Keys that K3s has only for the other kind of node are
// left out, for all nodes of a cluster share them.
func (r *resolver) config(c catalog.Cluster) map[string]any {
	role, other := validate.K3sRole(r.k3s), k3s.RoleAgent
	if role == k3s.RoleAgent {
		other = k3s.RoleServer
	}

	out := make(map[string]any, len(c.Config)+len(r.k3s.Config))

	for _, key := range slices.Sorted(maps.Keys(c.Config)) {
		one := map[string]any{key: c.Config[key]}

		switch faults := k3s.ValidateConfig(role, one, c.Path().Child("config")); {
		case len(faults) == 0:
			out[key] = c.Config[key]
		case len(k3s.ValidateConfig(other, one, nil)) > 0:
			r.add(faults...)
		}
	}

	maps.Copy(out, r.k3s.Config)

	return out
}

// agrees says where a server has a setting of its own that its cluster's servers must have alike. A VM that exists has long
// been set up: its claim may have been written before this was a rule, and every other edit of it must go on taking effect.
func (r *resolver) agrees(at *field.Path, c catalog.Cluster) {
	if r.setUp() || r.existing.Node != "" {
		return
	}

	config, disable := "", ""
	if r.k3s.Cluster != "" {
		config, disable = c.Path().Child("config").String(), c.Path().Child("disable").String()
	}

	r.add(k3s.ValidateShared(r.k3s.Config, c.Config, config, at.Child("config"))...)
	r.add(k3s.ValidateSharedDisable(r.k3s.Disable, c.Disable, disable, at.Child("disable"))...)
}

// setUp says whether K3s is somebody else's business: of user-data that is on the node already, or of who made the VM.
func (r *resolver) setUp() bool {
	return r.existing.Adopting || r.spec.Bootstrap.Snippets.UserData != ""
}

// token of the claim, else of its cluster. The first server makes the cluster's token, and cannot start with one that
// names a certificate authority which does not exist yet.
func (r *resolver) token(at *field.Path, c catalog.Cluster, out *machine.K3s) {
	if r.existing.Adopting {
		// Nothing is written for the VM, so that no Secret is read for it.
		return
	}

	t := r.k3s.Token
	if t == nil && !r.k3s.Init {
		t = c.Token
	}

	if t == nil {
		return
	}

	out.TokenFile = t.File

	if t.SecretRef == nil {
		return
	}

	if r.id.Namespace == "" {
		r.add(field.Forbidden(at.Child("token", "secretRef"),
			"a Secret is read from the claim's own namespace alone, and a cluster scoped composite without a claim has none: use token.file"))
	}

	out.TokenSecret = &v1alpha1.SecretKeyRef{Name: t.SecretRef.Name, Key: or(t.SecretRef.Key, defaultTokenKey)}
}

// joins says what a node lacks to start or join its cluster.
func (r *resolver) joins(at *field.Path, k *machine.K3s) {
	if r.setUp() {
		return
	}

	from := ""
	if k.Cluster != "" {
		from = ", and cluster '" + excerpt.Of(k.Cluster) + "' of the catalogue has none"
	}

	if k.Version == "" {
		r.add(field.Required(at.Child("version"), "must be the K3s release, the same on all servers, such as v1.33.6+k3s1"+from))
	}

	if k.Init {
		return
	}

	if k.ServerURL == "" {
		r.add(field.Required(at.Child("server"), "must be the address of the cluster that the node joins, such as https://192.168.4.210:6443"+from))
	}

	if k.TokenFile == "" && k.TokenSecret == nil {
		r.add(field.Required(at.Child("token"),
			"must say where the node gets the cluster's token: secretRef with allowPlaintext: true, or file with a snippet that writes it"+from))
	}
}

// hostsK3s says whether K3s can be set up on the machine.
func (r *resolver) hostsK3s() {
	at := r.at.Child("image")
	b := r.out.Boot

	switch {
	case b.Source == "":
	case b.OS == machine.OSNixOS:
		r.add(field.Invalid(at, excerpt.Of(b.Image), "a NixOS machine sets K3s up in its flake: use a Machine with nix.flakeRef"))
	case b.OS == machine.OSWindows || b.OS == machine.OSOther:
		r.add(field.Invalid(at, excerpt.Of(b.Image), "K3s is set up on Linux by cloud-init: name an image with os: debian, ubuntu or linux"))
	case !b.CloudInit:
		r.add(field.Invalid(at, excerpt.Of(b.Image), "K3s is set up by cloud-init, which this image does not read"))
	}

	if len(r.out.Hostname) > maxNodeName {
		r.add(field.Invalid(r.at.Child("hostname"), excerpt.Of(r.out.Hostname), "must be at most 63 characters long, as the name of a Kubernetes node"))
	}
}
