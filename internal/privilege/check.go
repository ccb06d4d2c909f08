package privilege

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// Permissions are the privileges that a token has: path, privilege, and whether the privilege also counts below the path. They are what
// Proxmox has computed from roles, ACLs, groups and pools.
type Permissions map[string]map[string]bool

// ReadPermissions reads what `pveum user token permissions <user> <token> --output-format json` prints. The provider's tokens of one user can differ:
// the permissions of the user alone can be more than those of the token.
func ReadPermissions(b []byte) (Permissions, error) {
	var paths map[string]map[string]any

	if err := json.Unmarshal(b, &paths); err != nil || paths == nil {
		return nil, errors.New("cannot read the privileges: they must be what `pveum user token permissions <user> <token> --output-format json` prints")
	}

	out := Permissions{}

	for path, privileges := range paths {
		if !strings.HasPrefix(path, "/") {
			return nil, errors.New("cannot read the privileges: they must be by path, as `pveum user token permissions <user> <token> --output-format json` prints them")
		}

		out[path] = map[string]bool{}

		for name, below := range privileges {
			// A boolean of Proxmox: a number in JSON, or text where Perl has read it from a file.
			switch v := below.(type) {
			case bool:
				out[path][name] = v
			case float64:
				out[path][name] = v != 0
			case string:
				out[path][name] = v != "" && v != "0"
			default:
				return nil, errors.Errorf("cannot read the privileges: %s at %s has neither 0 nor 1", name, path)
			}
		}
	}

	return out, nil
}

// at are the privileges at a path, with those that come from above. Proxmox lists each path with an ACL. At any other path, the nearest above counts
// that hands privileges down, and no other (PVE::AccessControl::roles).
func (p Permissions) at(path string) map[string]bool {
	if here, ok := p[path]; ok {
		return here
	}

	for path != "/" {
		path = above(path)
		out := map[string]bool{}

		for name, below := range p[path] {
			if below {
				out[name] = true
			}
		}

		if len(out) > 0 {
			return out
		}
	}

	return nil
}

// above is the path above another.
func above(path string) string {
	i := strings.LastIndex(path, "/")
	if i <= 0 {
		return "/"
	}

	return path[:i]
}

// first part of a path: /pool of /pool/infra.
func first(path string) string {
	part, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")

	return "/" + part
}

// isBelow says whether a path is below another, which it is not itself.
func isBelow(path, other string) bool {
	return path != other && (other == "/" || strings.HasPrefix(path, other+"/"))
}

// A Finding is privileges at a path.
type Finding struct {
	Path       string
	Privileges []string
	// For is what they are for, or why they are not needed; empty where there is nothing to say.
	For string
}

// A Verdict is how the privileges of a token differ from those that it needs.
type Verdict struct {
	// Missing lets something fail.
	Missing []Finding
	// Replaced are privileges that the token has at a path and lacks below it, where a role of its own replaces those from above. It is a fault if
	// one of our machines is there, and is as somebody wants it if not.
	Replaced []Finding
	// Surplus is what the token has and does not need.
	Surplus []Finding
}

// Check compares what a token has with what [Site.Grants] lists.
func (s Site) Check(version int, has Permissions) Verdict {
	grants := s.Grants(version)
	v := Verdict{}

	for _, g := range grants {
		there := has.at(g.Path)

		for _, name := range g.Privileges {
			if below, ok := there[name]; !ok || g.everywhere() && !below {
				v.Missing = add(v.Missing, g.Path, name, g.purposes(name, version))
			}
		}

		if g.everywhere() {
			v.Replaced = append(v.Replaced, g.replaced(has)...)
		}
	}

	for _, path := range slices.Sorted(maps.Keys(has)) {
		for _, name := range slices.Sorted(maps.Keys(has[path])) {
			if why, ok := s.needless(grants, version, has, path, name); ok {
				v.Surplus = add(v.Surplus, path, name, why)
			}
		}
	}

	return v
}

// everywhere says whether the calls check paths below that of the grant: a privilege that does not count there counts nowhere.
func (g Grant) everywhere() bool {
	return slices.Contains([]Place{PlaceVMs, PlaceNodes, PlaceNetwork}, g.place)
}

// replaced are privileges of the grant that a token has at its path, and lacks at paths below it.
func (g Grant) replaced(has Permissions) []Finding {
	var out []Finding

	there := has.at(g.Path)

	for _, path := range slices.Sorted(maps.Keys(has)) {
		for _, name := range g.Privileges {
			if _, ok := has[path][name]; isBelow(path, g.Path) && !ok && there[name] {
				out = add(out, path, name, "")
			}
		}
	}

	return out
}

// add a privilege to the finding of its path and reason.
func add(to []Finding, path, name, why string) []Finding {
	for i := range to {
		if to[i].Path == path && to[i].For == why {
			if !slices.Contains(to[i].Privileges, name) {
				to[i].Privileges = append(to[i].Privileges, name)
			}

			return to
		}
	}

	return append(to, Finding{Path: path, Privileges: []string{name}, For: why})
}

// needless says whether a token needs a privilege at a path, and why not.
func (s Site) needless(grants []Grant, version int, has Permissions, path, name string) (string, bool) {
	// What comes from above is a matter of the path above.
	for p := path; p != "/"; {
		p = above(p)
		if has[p][name] {
			return "", false
		}
	}

	var elsewhere []string

	for _, g := range grants {
		if !slices.Contains(g.Privileges, name) {
			continue
		}

		switch {
		case g.Path == path && g.Alone && has[path][name]:
			return "needed there without propagation", true
		case g.Path == path, !g.Alone && isBelow(path, g.Path):
			return "", false
		case isBelow(g.Path, path) && !slices.Contains(elsewhere, g.Path):
			elsewhere = append(elsewhere, g.Path)
		}
	}

	if len(elsewhere) > 0 {
		return "needed on " + strings.Join(elsewhere, ", ") + " only", true
	}

	for _, part := range s.unused() {
		for _, g := range part.site.Grants(version) {
			if (g.Path == path || strings.Contains(g.Path, "<") && first(g.Path) == first(path)) && slices.Contains(g.Privileges, name) {
				return "for " + part.words, true
			}
		}
	}

	return "", true
}
