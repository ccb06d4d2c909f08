package privilege

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Site is what the machines of one Proxmox VE cluster, or of one standalone node, use there.
type Site struct {
	// Name is the site's in the catalogue; empty where the catalogue has none.
	Name string
	// Disks, Images and Snippets are datastores: of VMs' disks, of images that a node downloads, and of snippets. Volumes are datastores with
	// images that somebody placed there.
	Disks, Images, Snippets, Volumes []string
	// Spare are datastores that a claim may name for its disks, and none does.
	Spare []string
	// PCI and USB are resource mappings.
	PCI, USB []string
	// Pools are resource pools of Proxmox.
	Pools []string
	// VMIDs are those that the catalogue keeps for machines, of all sites with this provider configuration.
	VMIDs []Range
	// Uses are those that the fields above do not imply.
	Uses []Use
}

// A Grant is privileges that the token needs at a path.
type Grant struct {
	Path       string
	Role       string   // Which has these privileges, and no others.
	Privileges []string // Sorted.
	// Alone says that the privileges are needed at the path itself, and nowhere below it.
	Alone bool

	place  Place
	counts func(Use) bool // The uses whose privileges it has.
	words  string         // What they are for.
}

// The roles that [Site.Commands] creates.
const (
	roleVMs      = "CrossplaneVMs"
	roleDisks    = "CrossplaneDisks"
	roleFiles    = "CrossplaneFiles"
	roleImages   = "CrossplaneImages"
	roleSnippets = "CrossplaneSnippets"
	roleVolumes  = "CrossplaneVolumes"
	roleNetwork  = "CrossplaneNetwork"
	roleNodes    = "CrossplaneNodes"
	roleMappings = "CrossplaneMappings"
	rolePools    = "CrossplanePools"
	roleCluster  = "CrossplaneCluster"
)

// uses says which uses the machines of the site have.
func (s Site) uses(u Use) bool {
	switch u {
	case UseAlways:
		return true
	case UseImages:
		return len(s.Images) > 0
	case UseSnippets:
		return len(s.Snippets) > 0
	case UseVolumes:
		return len(s.Volumes) > 0
	case UseDevices:
		return len(s.PCI)+len(s.USB) > 0
	case UsePools:
		return len(s.Pools) > 0
	default:
		return slices.Contains(s.Uses, u)
	}
}

// Grants are all that the token needs at the site, on Proxmox VE of a major version, 8 or 9.
func (s Site) Grants(version int) []Grant {
	var out []Grant

	add := func(g Grant) {
		if g.counts == nil {
			g.counts = s.uses
		}

		if g.Privileges = At(g.place, version, g.counts); len(g.Privileges) > 0 {
			out = append(out, g)
		}
	}

	add(Grant{Path: string(PlaceVMs), Role: roleVMs, place: PlaceVMs, words: "every machine"})

	for _, d := range distinct(s.Disks) {
		add(Grant{Path: "/storage/" + d, Role: roleDisks, place: PlaceDisks, words: "disks"})
	}

	for _, d := range distinct(s.Images, s.Snippets, s.Volumes) {
		if g := s.filesGrant(d); g.Role != roleVolumes || !slices.Contains(s.Disks, d) {
			add(g)
		}
	}

	add(Grant{Path: string(PlaceNetwork), Role: roleNetwork, place: PlaceNetwork, words: "every machine"})
	add(Grant{Path: string(PlaceNodes), Role: roleNodes, place: PlaceNodes, words: "every machine"})

	for _, m := range distinct(s.PCI) {
		add(Grant{Path: string(PlaceMapping) + "/pci/" + m, Role: roleMappings, place: PlaceMapping})
	}

	for _, m := range distinct(s.USB) {
		add(Grant{Path: string(PlaceMapping) + "/usb/" + m, Role: roleMappings, place: PlaceMapping})
	}

	for _, p := range distinct(s.Pools) {
		add(Grant{Path: "/pool/" + p, Role: rolePools, place: PlacePool})
	}

	// The calls check / itself: below it, Sys.Console would be a shell, and Sys.Modify the configuration, of every node.
	add(Grant{Path: string(PlaceRoot), Role: roleCluster, place: PlaceRoot, Alone: true})

	return out
}

// filesGrant is what a datastore with images or snippets takes. Its role says which of them the datastore has.
func (s Site) filesGrant(datastore string) Grant {
	images, snippets, volumes := slices.Contains(s.Images, datastore), slices.Contains(s.Snippets, datastore), slices.Contains(s.Volumes, datastore)

	g := Grant{Path: "/storage/" + datastore, place: PlaceFiles, counts: func(u Use) bool {
		return u == UseAlways || u == UseImages && images || u == UseSnippets && snippets || u == UseVolumes && volumes
	}}

	switch {
	case images && snippets:
		g.Role = roleFiles
	case images:
		g.Role = roleImages
	case snippets:
		g.Role = roleSnippets
	default:
		g.Role = roleVolumes
	}

	return g
}

// distinct names of lists, sorted.
func distinct(lists ...[]string) []string {
	out := slices.Concat(lists...)
	slices.Sort(out)

	return slices.Compact(out)
}

// A Token is an API token of Proxmox VE.
type Token struct {
	User string // With its realm: crossplane@pve.
	Name string
	// Separate says that the token has privileges of its own, which its user needs, too. Otherwise it has those of its user.
	Separate bool
}

// DefaultToken is the one that docs/start.md creates.
const DefaultToken = user + "!provider"

var tokenPattern = regexp.MustCompile(`^([A-Za-z0-9._-]+@[A-Za-z][A-Za-z0-9._-]*)!([A-Za-z][A-Za-z0-9._-]+)$`)

// ParseToken reads the ID of a token, such as crossplane@pve!provider.
func ParseToken(id string) (Token, error) {
	m := tokenPattern.FindStringSubmatch(id)
	if m == nil {
		// What it is stays unsaid: people copy api_token with the secret.
		return Token{}, errors.Errorf("this is not the ID of an API token: write user@realm!name, such as %s, without the secret", DefaultToken)
	}

	return Token{User: m[1], Name: m[2]}, nil
}

// safeName is a name that Proxmox has for a datastore, a resource mapping or a pool, and that a shell takes for one word. (A user of the
// catalogue must not reach root's shell by a name.)
var safeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*$`)

// shown is a name in a line: in quotes where it is more than a word, so that it cannot begin another line.
func shown(name string) string {
	if safeName.MatchString(name) {
		return name
	}

	return strconv.Quote(name)
}

// checkNames says which name is not one word for a shell.
func (s Site) checkNames() error {
	for _, name := range distinct(s.Disks, s.Images, s.Snippets, s.Volumes, s.Spare, s.PCI, s.USB, s.Pools) {
		if !safeName.MatchString(name) {
			return errors.Errorf("cannot print commands for site %s: %s is no name of a datastore, a resource mapping or a pool in Proxmox: only letters, digits, "+
				"dots, hyphens, _ and / are", shown(s.Name), strconv.Quote(name))
		}
	}

	return nil
}

// Commands create roles, user and token of the site on Proxmox VE of a major version, 8 or 9, and grant what [Site.Grants] lists. What a claim could
// use, and none does, stands below as comments, and so does the option of Proxmox that keeps VMIDs of the catalogue for machines: it may have bounds
// of a person's own. The commands can be run again, and never take a privilege away.
func (s Site) Commands(version int, t Token) (string, error) {
	if err := s.checkNames(); err != nil {
		return "", err
	}

	var out strings.Builder

	at := ""
	if s.Name != "" {
		at = " at site " + shown(s.Name)
	}

	fmt.Fprintf(&out, "# Privileges of the API token %s!%s%s, for Proxmox VE %d: for a shell of root, on one node.\n", t.User, t.Name, at, version)
	out.WriteString("# Run all of it again after an edit of the catalogue: a command that says \"already exists\" has nothing to do then.\n\n")

	grants := s.Grants(version)
	for _, line := range roleCommands(grants) {
		out.WriteString(line + "\n")
	}

	fmt.Fprintf(&out, "pveum user add %s --comment 'machines of Crossplane'\n", t.User)

	create := fmt.Sprintf("pveum user token add %s %s --privsep 0\n", t.User, t.Name)
	if t.Separate {
		// Proxmox knows no ACL of a token that does not exist.
		fmt.Fprintf(&out, "pveum user token add %s %s --privsep 1\n", t.User, t.Name)

		create = ""
	}

	for _, g := range grants {
		out.WriteString(g.aclCommand(t) + "\n")
	}

	out.WriteString(create)

	for _, e := range s.unused() {
		if lines := commandsBetween(grants, e.site.Grants(version), t); len(lines) > 0 {
			fmt.Fprintf(&out, "\n# For %s:\n# %s\n", e.words, strings.Join(lines, "\n# "))
		}
	}

	if advice := NextIDAdvice(s.VMIDs); len(advice) > 0 {
		fmt.Fprintf(&out, "\n# %s\n", strings.Join(advice, "\n# "))
	}

	return out.String(), nil
}

// roleCommands create the roles of grants. They only add: run with fewer claims, they must not take from a role what running machines need.
func roleCommands(grants []Grant) []string {
	var out, seen []string

	for _, g := range grants {
		if !slices.Contains(seen, g.Role) {
			seen = append(seen, g.Role)
			out = append(out, "pveum role add "+g.Role, extendCommand(g.Role, g.Privileges))
		}
	}

	return out
}

// extendCommand adds privileges to a role.
func extendCommand(role string, privileges []string) string {
	return fmt.Sprintf("pveum role modify %s --append 1 --privs %q", role, strings.Join(privileges, " "))
}

// aclCommand grants the role to the token.
func (g Grant) aclCommand(t Token) string {
	line := fmt.Sprintf("pveum acl modify %s --users %s", g.Path, t.User)
	if t.Separate {
		line += fmt.Sprintf(" --tokens '%s!%s'", t.User, t.Name)
	}

	line += " --roles " + g.Role
	if g.Alone {
		line += " --propagate 0"
	}

	return line
}

// An unusedPart is something that a claim could use: how people call it, and the site if one used it.
type unusedPart struct {
	words string
	site  Site
}

// unused are the parts of a site that nothing uses.
func (s Site) unused() []unusedPart {
	var out []unusedPart

	for _, d := range distinct(s.Spare) {
		if slices.Contains(s.Disks, d) {
			continue
		}

		with := s
		with.Disks = append(slices.Clone(s.Disks), d)
		out = append(out, unusedPart{"disks on datastore " + d + ", which no claim names", with})
	}

	for _, u := range optional {
		if s.uses(u) {
			continue
		}

		with := s

		switch u {
		case UseDevices:
			with.PCI = []string{"<mapping>"}
		case UsePools:
			with.Pools = []string{"<pool>"}
		default:
			with.Uses = append(slices.Clone(s.Uses), u)
		}

		out = append(out, unusedPart{string(u) + ", which nothing uses", with})
	}

	return out
}

// commandsBetween are those that lead from some grants to others.
func commandsBetween(from, to []Grant, t Token) []string {
	has := map[string][]string{}
	for _, g := range from {
		has[g.Role] = g.Privileges
	}

	var lines, acls []string

	seen := map[string]bool{}

	for _, g := range to {
		if !slices.ContainsFunc(from, func(f Grant) bool { return f.Path == g.Path && f.Role == g.Role }) {
			acls = append(acls, g.aclCommand(t))
		}

		if seen[g.Role] {
			continue
		}

		seen[g.Role] = true

		privileges := slices.DeleteFunc(slices.Clone(g.Privileges), func(p string) bool { return slices.Contains(has[g.Role], p) })

		switch _, exists := has[g.Role]; {
		case len(privileges) == 0:
		case exists:
			lines = append(lines, extendCommand(g.Role, privileges))
		default:
			// Two of the parts can have one role in common.
			lines = append(lines, "pveum role add "+g.Role, extendCommand(g.Role, privileges))
		}
	}

	return append(lines, acls...)
}

// purposes of a privilege of a grant, as people call them, on Proxmox VE of a major version.
func (g Grant) purposes(name string, version int) string {
	uses := map[string]bool{}

	for _, c := range Calls {
		for _, n := range c.Needs {
			if n.Place != g.place || !n.in(version) || !g.counts(n.Use) || !slices.Contains(n.Privileges, name) {
				continue
			}

			if n.Use == UseAlways {
				return g.words
			}

			uses[string(n.Use)] = true
		}
	}

	return strings.Join(slices.Sorted(maps.Keys(uses)), ", ")
}
