package cloudinit

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// accounts returns the entries of users and of ssh_authorized_keys. The user's keys are in the entry of the account that they are
// for, whether the document or the user creates it. Keys of ssh_authorized_keys itself are for the image's default user.
func (d Document) accounts() (users, keys []*yaml.Node) {
	own, added := d.Users, d.added.users
	keys = slices.Concat(textsNode(d.SSHAuthorizedKeys).Content, d.added.sshKeys)

	if account := d.added.account; account != nil && len(d.added.sshKeys) > 0 {
		keys = textsNode(d.SSHAuthorizedKeys).Content

		if slices.Contains(addedUsers(added), account.Name) {
			added = withKeys(added, account.Name, d.added.sshKeys)
		} else {
			own = withAccount(own, *account, d.added.sshKeys)
		}
	}

	users = make([]*yaml.Node, 0, len(own)+len(added))
	for _, user := range own {
		users = append(users, user.node())
	}

	return append(users, added...), keys
}

// withAccount returns users with keys added to those of an account, which is created if it is not among them.
func withAccount(users []User, account User, keys []*yaml.Node) []User {
	users = slices.Clone(users)

	i := slices.IndexFunc(users, func(u User) bool { return u.Name == account.Name })
	if i < 0 {
		i, users = len(users), append(users, account)
	}

	users[i].SSHAuthorizedKeys = slices.Clone(users[i].SSHAuthorizedKeys)

	for _, key := range keys {
		if !slices.Contains(users[i].SSHAuthorizedKeys, key.Value) {
			users[i].SSHAuthorizedKeys = append(users[i].SSHAuthorizedKeys, key.Value)
		}
	}

	return users
}

// withKeys returns the user's entries of users with keys added to those of an account. An entry that is only a name becomes a mapping.
func withKeys(users []*yaml.Node, name string, keys []*yaml.Node) []*yaml.Node {
	const field = "ssh_authorized_keys"

	out := make([]*yaml.Node, 0, len(users)+1)

	for _, user := range users {
		if !slices.Contains(addedUsers([]*yaml.Node{user}), name) {
			out = append(out, user)

			continue
		}

		if user.Kind != yaml.MappingNode {
			// Cloud-init splits a plain string at commas; the other names stay.
			out = append(out, others(user, name)...)
			user = newMapping().node
			mapping{user}.addText("name", name)
		}

		m := newMapping()
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}

		for i := 0; i+1 < len(user.Content); i += 2 {
			switch value := user.Content[i+1]; {
			case user.Content[i].Value != field:
				m.node.Content = append(m.node.Content, user.Content[i], value)
			case isText(value):
				list.Content = append(list.Content, value)
			default:
				list.Content = slices.Clone(items(value))
			}
		}

		for _, key := range keys {
			if !slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return n.Value == key.Value }) {
				list.Content = append(list.Content, key)
			}
		}

		m.add(field, list)
		out = append(out, m.node)
	}

	return out
}

// others returns an entry with the names of a plain string beside one, or nothing.
func others(user *yaml.Node, name string) []*yaml.Node {
	var names []string

	for other := range strings.SplitSeq(user.Value, ",") {
		if other = strings.TrimSpace(other); other != name {
			names = append(names, other)
		}
	}

	if len(names) == 0 {
		return nil
	}

	return []*yaml.Node{textNode(strings.Join(names, ","))}
}
