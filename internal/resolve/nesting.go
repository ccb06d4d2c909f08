package resolve

import "regexp"

// needsNesting are templates whose systemd gives its services namespaces and credentials of their own, which an unprivileged container without nesting refuses
// (status=243/CREDENTIALS: community-scripts/ProxmoxVE pull request 11208 and issue 11204, debops/debops issue 2593, NixOS/nixpkgs pull request 255116).
var needsNesting = regexp.MustCompile(`/(?:debian-(?:1[3-9]|[2-9]\d)|ubuntu-(?:2[4-9]|[3-9]\d)\.\d|fedora-(?:4[1-9]|[5-9]\d)|archlinux-|nixos-)`)

// wantsNesting warns of a new container whose services do not start without nesting. Who says features.nesting, also false, knows it.
func (r container) wantsNesting(volume string, unprivileged *bool) {
	said := r.spec.Features != nil && r.spec.Features.Nesting != nil
	if said || !r.g.isNew() || unprivileged == nil || !*unprivileged || !needsNesting.MatchString(volume) {
		return
	}

	r.n.warn("spec.features.nesting: services of the container's system, its network and logins among them, may not start without nesting (243/CREDENTIALS): set it to true, as Proxmox's own dialog " +
		"does, or to false where you know that they do.")
}
