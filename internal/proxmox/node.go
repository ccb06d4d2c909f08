package proxmox

// NodeOf is the Proxmox node that a managed resource is written for; empty for one that is for all nodes.
func NodeOf[P, S any](o Observed[P, S]) string {
	switch p := any(o.Spec.ForProvider).(type) {
	case VMParameters:
		return p.NodeName
	case ContainerParameters:
		return p.NodeName
	case FileParameters:
		return p.NodeName
	case DownloadFileParameters:
		return p.NodeName
	case FirewallOptionsParameters:
		return p.NodeName
	case FirewallRulesParameters:
		return p.NodeName
	case SiteParameters:
		return p.NodeName
	}

	return ""
}
