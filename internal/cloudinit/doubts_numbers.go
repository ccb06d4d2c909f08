package cloudinit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	firstUID = 1000  // UID_MIN of /etc/login.defs on Debian and Ubuntu.
	lastUID  = 59999 // Debian's policy 9.2.2; nobody is behind.
)

// imageUIDs are those of the accounts that every image of Debian and Ubuntu has, in package base-passwd.
var imageUIDs = map[int]string{ //nolint:gochecknoglobals // A constant table.
	0: "root", 1: "daemon", 2: "bin", 3: "sys", 4: "sync", 5: "games", 6: "man", 7: "lp", 8: "mail", 9: "news", 10: "uucp", 13: "proxy", 33: "www-data",
	34: "backup", 38: "list", 39: "irc", 65534: "nobody",
}

// doubtsOfNumbers are about numbers of accounts that another account has: useradd refuses the second one, and cloud-init makes no account behind it. An
// account without a number gets the one behind the highest, and the machine's own account is the first.
func (g Guest) doubtsOfNumbers(users *yaml.Node) []Doubt {
	if g.Has == nil || g.Account == "" {
		return nil
	}

	taken := map[int]string{firstUID: "spec.bootstrap.adminUser"}
	highest := firstUID

	var out []Doubt

	for i, user := range items(users) {
		names := addedUsers([]*yaml.Node{user})
		if len(names) != 1 || g.Has(names[0]) || names[0] == g.Account {
			continue
		}

		said := lookup(user, "uid")
		system := lookup(user, "system")

		switch number, err := numberOf(said); {
		case said == nil && system != nil && isTrue(system):
			continue
		case said == nil:
			highest = min(highest+1, lastUID)
			taken[highest] = fmt.Sprintf("users[%d]", i)
		case err != nil:
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d].uid must be a number: useradd fails at it, and cloud-init makes no account from there on", said.Line, i)})
		case imageUIDs[number] != "" || taken[number] != "":
			whose := imageUIDs[number] + " in the image"
			if imageUIDs[number] == "" {
				whose = taken[number]
			}

			out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d].uid: %d is that of %s, which is there before: useradd fails, and cloud-init makes no account from there on. Write another one, such as %d",
				said.Line, i, number, whose, freeUID(users, highest))})
		default:
			taken[number] = fmt.Sprintf("users[%d]", i)
			if number >= firstUID && number <= lastUID {
				highest = max(highest, number)
			}
		}
	}

	return out
}

func numberOf(n *yaml.Node) (int, error) {
	if n == nil {
		return 0, nil
	}

	return strconv.Atoi(n.Value) //nolint:wrapcheck // Nobody reads it.
}

// freeUID is a number that no account has, whichever of them comes first.
func freeUID(users *yaml.Node, highest int) int {
	for _, user := range items(users) {
		if n, err := numberOf(lookup(user, "uid")); err == nil && n <= lastUID {
			highest = max(highest, n)
		}
	}

	return highest + 1
}

// doubtsOfGroups are about groups of an account in one text without commas: useradd finds no such group.
func doubtsOfGroups(users *yaml.Node) []Doubt {
	var out []Doubt

	for i, user := range items(users) {
		groups := lookup(user, "groups")
		if groups == nil {
			continue
		}

		names := slices.Clone(items(groups))
		if groups.Kind == yaml.ScalarNode {
			for piece := range strings.SplitSeq(groups.Value, ",") {
				names = append(names, &yaml.Node{Kind: yaml.ScalarNode, Value: strings.TrimSpace(piece), Line: groups.Line})
			}
		}

		for _, n := range names {
			words := strings.Fields(n.Value)
			if len(words) < 2 || slices.ContainsFunc(words, func(w string) bool { return !accountName.MatchString(w) }) {
				continue
			}

			out = append(out, Doubt{Text: fmt.Sprintf("line %d: users[%d].groups has a blank in the name of a group: useradd fails, and cloud-init makes no account from there on. Write [%s]",
				n.Line, i, strings.Join(words, ", "))})
		}
	}

	return out
}

// doubtsOfMembers are about members of groups that are not there yet: cloud-init makes groups before accounts, and leaves them out
// (cloudinit/config/cc_users_groups.py).
func (g Guest) doubtsOfMembers(root, groups *yaml.Node) []Doubt {
	entries := items(groups)
	if groups.Kind == yaml.MappingNode {
		entries = []*yaml.Node{groups}
	}

	var out []Doubt

	for _, entry := range entries {
		if entry.Kind != yaml.MappingNode {
			continue
		}

		for i := 0; i+1 < len(entry.Content); i += 2 {
			group, members := entry.Content[i], items(entry.Content[i+1])
			if entry.Content[i+1].Kind == yaml.ScalarNode {
				members = []*yaml.Node{entry.Content[i+1]}
			}

			for _, m := range members {
				if why := g.doubtOfMember(root, group.Value, m.Value); why != "" {
					out = append(out, Doubt{Text: fmt.Sprintf("line %d: groups: %s", m.Line, why)})
				}
			}
		}
	}

	return out
}

func (g Guest) doubtOfMember(root *yaml.Node, group, member string) string {
	const first = "%s does not become a member of %s, since cloud-init makes groups before accounts: "

	switch {
	case g.Has == nil || !accountName.MatchString(group) || !accountName.MatchString(member) || member == "root" || g.Has(member):
		return ""
	case member == g.Account:
		return fmt.Sprintf(first+"add [usermod, -aG, %s, %s] to runcmd", member, group, group, member)
	case slices.Contains(g.accounts(root), member):
		return fmt.Sprintf(first+"write groups: [%s] at the account in users", member, group, group)
	}

	return fmt.Sprintf("the machine has no account %s: make it in users, with groups: [%s]", member, group)
}
