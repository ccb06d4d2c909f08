package cloudinit

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// doubtsOfTakenNames are about accounts whose name the image, or the document itself, has taken: cloud-init leaves an account that exists as it is, and useradd
// makes none with the name of a group, unless somebody says that the account is to be in it (cloudinit/distros/__init__.py, create_user).
func (g Guest) doubtsOfTakenNames(root, users *yaml.Node) []Doubt {
	if g.Has == nil || g.HasGroup == nil {
		return nil
	}

	made := groupNames(lookup(root, "groups"))

	var out []Doubt

	for i, user := range items(users) {
		if user.Kind == yaml.MappingNode {
			made = append(append(made, groupNames(lookup(user, "groups"))...), groupNames(lookup(user, "primary_group"))...)
		}

		for _, name := range addedUsers([]*yaml.Node{user}) {
			whose := "the image has a group " + name
			if !g.HasGroup(name) {
				whose = "cloud-init makes the group " + name + " before"
			}

			switch {
			case !accountName.MatchString(name), name == DefaultUser, name == "root", name == g.Account:
			case g.Has(name):
				out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d]: the image has a system account %s, which cloud-init leaves as it is, "+
					"so nobody can log in to it: choose another name", user.Line, i, name)})
			case (g.HasGroup(name) || slices.Contains(made, name)) && !saysItsGroup(user):
				out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d]: %s, so useradd makes no account of that name, "+
					"and cloud-init none from there on: write {name: %s, primary_group: %s}", user.Line, i, whose, name, name)})
			}
		}
	}

	return out
}

// saysItsGroup says whether an account gets no group of its own name.
func saysItsGroup(user *yaml.Node) bool {
	return lookup(user, "primary_group") != nil || isTrue(orNothing(lookup(user, "no_user_group")))
}

// groupNames of the key groups, at the top of a document or of an account: names, a text of them, or names with members.
func groupNames(groups *yaml.Node) []string {
	if groups == nil {
		return nil
	}

	var out []string

	switch groups.Kind {
	case yaml.ScalarNode:
		for name := range strings.SplitSeq(groups.Value, ",") {
			out = append(out, strings.TrimSpace(name))
		}
	case yaml.MappingNode:
		for i := 0; i < len(groups.Content); i += 2 {
			out = append(out, groups.Content[i].Value)
		}
	case yaml.SequenceNode:
		for _, item := range groups.Content {
			out = append(out, groupNames(item)...)
		}
	case yaml.DocumentNode, yaml.AliasNode:
	}

	return out
}
