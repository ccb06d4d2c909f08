package cloudinit

import (
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// accountName is what useradd takes. Something else has a fault of its own, or is no text.
var accountName = regexp.MustCompile(`^[a-z_][a-z0-9_.-]{0,31}$`)

// lacks says whether the machine has no account of a name, as far as anybody knows: not from the image, and not from the document.
func (g Guest) lacks(root *yaml.Node, name string) bool {
	if g.Has == nil || name == "" || !accountName.MatchString(name) || FindSecret(name) != "" {
		return false
	}

	return !slices.Contains(g.accounts(root), name) && !g.Has(name)
}

// accounts are those that the machine and the document make, and root.
func (g Guest) accounts(root *yaml.Node) []string {
	known := []string{"root", g.Account}
	if users := lookup(root, "users"); users != nil {
		known = append(known, addedUsers(items(users))...)
	}

	if g.Account == "" || hasDefault(root) {
		known = append(known, g.Default)
	}

	return known
}

// hasDefault says whether the users of a cloud-config have the image's own.
func hasDefault(root *yaml.Node) bool {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "users" {
			return slices.ContainsFunc(root.Content[i+1].Content, func(n *yaml.Node) bool { return n.Value == "default" })
		}
	}

	return false
}
