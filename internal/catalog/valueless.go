package catalog

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// NoValue is said of an entry with a name and no value.
func NoValue(v strict.Valueless) string {
	return "has no value, and counts as left out: write " + v.Form + " behind the name, or remove it"
}

// LacksValue is what [NoValue] says of the entry at a path, if it has a name and no value; empty for any other.
func (c Catalog) LacksValue(at *field.Path) string {
	for _, v := range c.Valueless {
		if v.Path == at.String() {
			return NoValue(v)
		}
	}

	return ""
}

// ValuelessBelow are the names below a path that the catalogue has no value for.
func (c Catalog) ValuelessBelow(at *field.Path) []string {
	var out []string

	for _, v := range c.Valueless {
		if name, below := strings.CutPrefix(v.Path, at.String()+"."); below {
			out = append(out, name)
		}
	}

	return out
}

// valuelessEntry is what a message says besides of an entry that is not there, if the catalogue has its name without a value, and the message may tell so.
func (c Catalog) valuelessEntry(kind Kind, section, name string) string {
	for _, v := range c.Valueless {
		if c.Tells(kind, "", name) && strings.HasSuffix(v.Path, "."+section+"."+message.Key(name)) {
			return "; " + v.Path + " " + NoValue(v)
		}
	}

	return ""
}
