package cluster

import "github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"

// A situation is what the decisions of one call rest on: the world as it counts, and what follows from it once. Nobody changes it.
type situation struct {
	World

	// members are those of the world, by [Member.Node].
	members map[string]Member
	// changes are the fields in which members that exist differ from what the claim describes.
	changes map[string][]string
	// emptied is the server with which the state of the cluster is gone; empty where none is.
	emptied  string
	losses   losses
	releases releases
}

// situationOf a world.
func situationOf(w World) *situation {
	w = recorded(w)
	w.Members, w.Children = declaredLost(w.Members, w.Children), w.Children.withoutState()

	s := &situation{World: w, members: make(map[string]Member, len(w.Members)), changes: map[string][]string{}, emptied: w.Children.emptied()}

	for _, m := range w.Members {
		s.members[m.Node] = m

		if c, exists := w.Children[m.Node]; exists {
			s.changes[m.Node] = changes(m, c)
		}
	}

	s.losses = losses{children: w.Children, members: s.members}
	s.Children = doubted(s.losses)
	s.releases = releases{system: w.System, children: s.Children}

	return s
}

// wants says whether the claim describes a node.
func (s *situation) wants(node string) bool {
	_, ok := s.members[node]
	return ok
}

// outdated says whether a node lacks something of what the claim describes. A server that started the cluster was created with fields that
// it has no use for since.
func (s *situation) outdated(m Member, c Child) bool {
	return len(s.changes[m.Node]) > 0 || c.Template != m.Template
}

// waitsForServers says whether the rollout is to bring a release to an agent, and its servers come first.
func (s *situation) waitsForServers(m Member) bool {
	return m.Later != "" && s.Upgrade == v1alpha1.UpgradeReplace
}
