package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/crossplane/function-sdk-go/errors"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/reach"
)

// The words for all and for nothing.
const (
	wordAny  = "any"
	wordNone = "none"
)

// printReach as text. ruled says whether the catalogue has a tenancy.
func printReach(out io.Writer, ruled bool, r reach.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0) //nolint:mnd // Spaces between columns, as kubectl has them.

	if !ruled {
		_, err := fmt.Fprintln(out, "The catalogue has no tenancy: claims of every namespace can reach everything that it names.")

		return errors.Wrap(err, "cannot print")
	}

	for _, t := range r.Tenants {
		printTenant(w, t)
	}

	word := "everything"
	if r.Default != catalogue.TenancyAllow {
		word = "nothing new"
	}

	_, _ = fmt.Fprintf(w, "other namespaces: %s (default: %s)\n", word, r.Default)
	printOutside(w, r.Outside)

	for _, u := range r.Unjudged {
		_, _ = fmt.Fprintf(w, "not judged: %s %s: %s\n", u.Kind, path(u.Namespace, u.Name), u.Fault)
	}

	return errors.Wrap(w.Flush(), "cannot print")
}

// printTenant as lines with a name and a value.
func printTenant(w io.Writer, t reach.Tenant) {
	row := func(name, value string) { _, _ = fmt.Fprintf(w, "  %s\t%s\n", name, value) }

	_, _ = fmt.Fprintf(w, "tenant %s: namespaces %s\n", t.Name, strings.Join(t.Namespaces, ", "))

	for _, fault := range t.Faults {
		_, _ = fmt.Fprintf(w, "  allows nothing new, because of a fault in the rules: %s\n", fault)
	}

	if len(t.Sites) == 0 {
		row("sites", wordNone)
	}

	for _, site := range t.Sites {
		printSite(row, site)
	}

	row("classes", reached(t.Classes))
	row("images", reached(t.Images))

	clusters := []string{}
	for _, name := range slices.Sorted(maps.Keys(t.Clusters)) {
		clusters = append(clusters, name+" ("+reached(t.Clusters[name])+")")
	}

	row("clusters", reached(clusters))
	row("DNS names", reached(t.DNS))
	row("one machine", limits(t.Limits))

	var quota []string
	for _, q := range t.Quota {
		quota = append(quota, used(q))
	}

	row("all machines", strings.Join(quota, ", "))

	if t.Firewall != "" {
		row("firewall", t.Firewall)
	}

	if t.Deletion != "" {
		row("deletion", t.Deletion)
	}

	row("allow", reached(t.Allow))
	printOutside(w, t.Outside)
}

func printSite(row func(name, value string), s reach.Site) {
	row("site "+s.Name+": nodes", reached(s.Nodes))

	bridges := []string{}

	for _, name := range slices.Sorted(maps.Keys(s.Bridges)) {
		var tags []string

		for _, tag := range s.Bridges[name] {
			tags = append(tags, cmp.Or(strings.TrimPrefix(strconv.FormatInt(tag, 10), "0"), "untagged"))
		}

		if len(tags) > 0 {
			bridges = append(bridges, name+" (VLANs "+strings.Join(tags, ", ")+")")
		} else {
			bridges = append(bridges, name)
		}
	}

	row("  bridges", reached(bridges))
	row("  datastores", reached(s.Datastores))
	row("  PCI, USB", reached(s.PCI)+"; "+reached(s.USB))

	for _, kind := range []struct {
		what  string
		names []string
	}{{"  security groups", s.Firewall.Groups}, {"  IP sets", s.Firewall.IPSets}, {"  aliases", s.Firewall.Aliases}} {
		if len(kind.names) > 0 {
			row(kind.what, reached(kind.names))
		}
	}

	if s.Pool != "" {
		row("  pool", s.Pool)
	}

	row("  addresses", reached(s.Addresses))

	ids := wordAny
	if s.VMIDs != nil {
		ids = fmt.Sprintf("%d-%d", s.VMIDs.From, s.VMIDs.To)
	}

	row("  VMIDs", ids)
}

// printOutside says what a rule would refuse today: where, and why.
func printOutside(w io.Writer, all []reach.Outside) {
	for _, o := range all {
		_, _ = fmt.Fprintf(w, "  outside of the rules: %s %s: %s: %s\n", o.Kind, path(o.Namespace, o.Name), o.Field, o.Message)
	}
}

func path(namespace, name string) string {
	if namespace == "" {
		return name
	}

	return namespace + "/" + name
}

// reached are the names of a list; it has every name, or none.
func reached(names []string) string {
	if len(names) == 0 {
		return wordNone
	}

	if slices.Equal(names, []string{reach.Any}) {
		return wordAny
	}

	return strings.Join(names, ", ")
}

// limits of one machine.
func limits(l catalogue.TenantLimits) string {
	var out []string

	if l.Cores != 0 {
		out = append(out, "cores "+strconv.FormatInt(l.Cores, 10))
	}

	if l.Memory != "" {
		out = append(out, "memory "+string(l.Memory))
	}

	if l.Disk != "" {
		out = append(out, "disk "+string(l.Disk))
	}

	if len(out) == 0 {
		return wordAny
	}

	return strings.Join(out, ", ")
}

// used of a quota: machines 3 of 20.
func used(q reach.Quota) string {
	size := func(n int64) string {
		if q.Unit == "Mi" {
			return amount(&n)
		}

		return strconv.FormatInt(n, 10) + q.Unit
	}

	if q.Limit == nil {
		return q.Name + " " + size(q.Used)
	}

	out := q.Name + " " + size(q.Used) + " of " + size(*q.Limit)
	if q.Used > *q.Limit {
		out += " (exceeded)"
	}

	return out
}
