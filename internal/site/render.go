package site

import (
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// A Rendering are the managed resources that should exist, by composed resource name.
type Rendering struct {
	Parts map[string]proxmox.SitePart
	Looks map[string]proxmox.SitePart
}

// Render the managed resources as the plan says.
func Render(p Plan) Rendering {
	out := Rendering{Parts: map[string]proxmox.SitePart{}, Looks: map[string]proxmox.SitePart{}}

	for _, part := range p.Parts {
		o := p.Observed.SiteParts[part.Resource]

		switch part.Action {
		case ActionDrop:
		case ActionLook:
			out.Looks[p.lookName(part.Resource)] = p.look(part.SitePart)
		case ActionKeep:
			out.Parts[part.Resource] = p.kept(part, o)
		case ActionCreate:
			out.Parts[part.Resource] = resumed(p.created(part, o), o)
		case ActionTake:
			out.Parts[part.Resource] = p.written(part, proxmox.WithoutUpdate(proxmox.Policies(false)))
		case ActionFollow:
			out.Parts[part.Resource] = p.following(part, o)
		}
	}

	for name, needed := range p.Needs {
		out.Looks[name] = p.look(needed)
	}

	return out
}

// Retain everything that exists, while Crossplane still fetches what the call needs.
func Retain(s proxmox.State) Rendering {
	out := Rendering{Parts: map[string]proxmox.SitePart{}}
	for name, o := range s.SiteParts {
		out.Parts[name] = asWritten(o)
	}

	return out
}

// Manifests of all of it, by composed resource name.
func (r Rendering) Manifests(read proxmox.Read) (map[string]proxmox.Manifest, error) {
	out := map[string]proxmox.Manifest{}

	return out, errors.Join(proxmox.AddManifests(out, r.Parts, read), proxmox.AddManifests(out, r.Looks, read))
}

// metadata of the managed resource of a part.
func (p Plan) metadata(part machine.SitePart, annotations map[string]string) proxmox.Metadata {
	labels := map[string]string{proxmox.MachineLabel: p.Site.Identity.Name}
	if ns := p.Site.Identity.Namespace; ns != "" {
		labels[proxmox.NamespaceLabel] = ns
	}

	m := proxmox.Metadata{Labels: labels, Annotations: map[string]string{proxmox.ExternalNameAnnotation: importName(part)}}

	for name, v := range annotations {
		if v != "" {
			m.Annotations[name] = v
		}
	}

	return m
}

func (p Plan) providerConfig() proxmox.ProviderConfig {
	return proxmox.ProviderConfig{Name: p.Site.ProviderConfig, Kind: p.Site.ProviderConfigKind}
}

// look for a part: the provider may only read it.
func (p Plan) look(part machine.SitePart) proxmox.SitePart {
	params := proxmox.SiteParameters{NodeName: part.Node, Name: part.Name}
	if part.Kind == machine.SitePool {
		params = proxmox.SiteParameters{PoolID: part.Name}
	}

	return proxmox.NewSitePart(p.Flavour, kindOf(part.Kind), p.providerConfig(), p.metadata(part, nil), proxmox.ObserveOnly(), params)
}

// written is a part as the plan has it.
func (p Plan) written(part Part, policies []string) proxmox.SitePart {
	return proxmox.NewSitePart(p.Flavour, kindOf(part.Kind), p.providerConfig(), p.metadata(part.SitePart, map[string]string{
		proxmox.AllowedAnnotation: part.Allowed,
	}), policies, part.Parameters)
}

// created is a part that the provider may create, and may neither change nor delete before its comment is known to be the claim's.
func (p Plan) created(part Part, o proxmox.ObservedSitePart) proxmox.SitePart {
	out := p.written(part, proxmox.CreatePolicies())
	out.Metadata.Annotations[proxmox.CreatingAnnotation] = proxmox.CreatingMark(o.Metadata.Metadata, part.State == StateFailed)

	return out
}

// resumed lets a creation go on that the provider was stopped in.
func resumed(part proxmox.SitePart, o proxmox.ObservedSitePart) proxmox.SitePart {
	render.Resume(&part.Metadata, o)

	return part
}

// following is a part that exists: as it is, but for what is to change.
func (p Plan) following(part Part, o proxmox.ObservedSitePart) proxmox.SitePart {
	policies := proxmox.Policies(proxmox.Deletion(part.Deletes))
	if part.Writing != WritesNow {
		policies = proxmox.WithoutUpdate(policies)
	}

	out := p.written(part, policies)
	// Under another API version or provider configuration this would be another resource, and the old one would be deleted.
	out.APIVersion, out.Spec.ProviderConfigRef = o.APIVersion, o.Spec.ProviderConfigRef

	return resumed(out, o)
}

// kept is a part as it was last written. What is to become of it when it goes counts at once, also while nobody knows how it is.
func (p Plan) kept(part Part, o proxmox.ObservedSitePart) proxmox.SitePart {
	out := asWritten(o)
	if part.State == StateCreating {
		return resumed(out, o)
	}

	may := proxmox.MayUpdate(o.Spec.ManagementPolicies) && !part.Removed && part.State == StateLiving

	out.Spec.ManagementPolicies = proxmox.Policies(proxmox.Deletion(part.Deletes && part.State == StateLiving))
	if !may {
		out.Spec.ManagementPolicies = proxmox.WithoutUpdate(out.Spec.ManagementPolicies)
	}

	return out
}

// asWritten is a part as it was last written, with its own policies.
func asWritten(o proxmox.ObservedSitePart) proxmox.SitePart {
	return proxmox.SitePart{APIVersion: o.APIVersion, Kind: o.Kind, Metadata: render.Ours(o.Metadata.Metadata), Spec: o.Spec}
}
