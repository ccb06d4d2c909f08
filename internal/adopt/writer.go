package adopt

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/document"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A writer writes the spec of a container's claim from the top to the bottom. What the claim cannot say becomes a comment above the field that is
// written next.
type writer struct {
	c       Container
	spec    []document.Field
	waiting []string // Comments of the next field.
	unsaid  []string // All that the claim cannot say, a sentence each.
}

// say a field, if a claim can.
func (w *writer) say(f document.Field) {
	if why := w.fault(f); why != "" {
		w.keep("%s: the container keeps its own, which a claim cannot say: %s.", f.Name, strings.TrimSuffix(why, "."))
		return
	}

	w.add(f)
}

// add a field that a claim can say.
func (w *writer) add(f document.Field) {
	if f.Comment != "" {
		w.waiting = append(w.waiting, f.Comment)
	}

	f.Comment = strings.Join(w.waiting, "\n")
	w.waiting = nil
	w.spec = append(w.spec, f)
}

// keep says what the container keeps, because the claim cannot say it.
func (w *writer) keep(format string, args ...any) {
	sentence := fmt.Sprintf(format, args...)
	w.waiting, w.unsaid = append(w.waiting, sentence), append(w.unsaid, sentence)
}

// fault of a field in the claim of an adopted container; empty where there is none.
func (w *writer) fault(f document.Field) string {
	spec := []document.Field{document.Entry("proxmox", document.Object(document.Entry("node", document.Text("pve"))))}
	if f.Name != "adopt" {
		spec = append(spec, document.Entry("adopt", document.Object(document.Entry("vmId", document.Number(w.c.ID)))))
	}

	text, err := yamlv3.Marshal(envelope("Container", "container", "default", append(spec, f)))
	if err != nil {
		return err.Error()
	}

	composite := map[string]any{}
	if err := yaml.Unmarshal(text, &composite); err != nil {
		return err.Error()
	}

	decoded := claim.Decode(composite)
	faults := slices.Clone(decoded.Faults)

	if decoded.Container != nil {
		faults = append(faults, validate.Container(*decoded.Container)...)
	}

	if len(faults) == 0 {
		return ""
	}

	return faultText(faults[0])
}

func faultText(f *field.Error) string { return cmp.Or(f.Detail, f.Error()) }

// envelope of a claim.
func envelope(kind, name, namespace string, spec []document.Field) *yamlv3.Node {
	return document.Object(
		document.Entry("apiVersion", document.Text("homelab.io/v1alpha1")),
		document.Entry("kind", document.Text(kind)),
		document.Entry("metadata", document.Object(
			document.Entry("name", document.Text(name)),
			document.Entry("namespace", document.Text(namespace)),
		)),
		document.Entry("spec", document.Object(spec...)),
	)
}

// tenantTag begins the tags with the tenant of a machine, which a claim says with a label.
const tenantTag = "tenant_"

// tagsOf a guest that a claim can say, and those that it cannot.
func tagsOf(text string) (tags, lost []string) {
	for _, tag := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == ',' || r == ' ' }) {
		switch {
		case slices.Contains(tags, tag):
		case len(validate.Tags(field.NewPath("tags"), []string{tag})) > 0 || strings.HasPrefix(strings.ToLower(tag), tenantTag):
			lost = append(lost, tag)
		default:
			tags = append(tags, tag)
		}
	}

	return tags, lost
}

// options of a text such as name=eth0,bridge=vmbr0. A word without = is the option byDefault.
func options(text, byDefault string) map[string]string {
	out := map[string]string{}

	for option := range strings.SplitSeq(text, ",") {
		if option == "" {
			continue
		}

		name, value, ok := strings.Cut(option, "=")
		if !ok && byDefault != "" {
			name, value = byDefault, option
		}

		out[name] = value
	}

	return out
}

// numbered are the options of a pattern with a number, in the order of their numbers.
func numbered(config map[string]string, pattern *regexp.Regexp) []string {
	number := func(name string) int {
		n, err := strconv.Atoi(pattern.FindStringSubmatch(name)[1])
		if err != nil {
			return len(config)
		}

		return n
	}

	names := slices.DeleteFunc(sorted(config), func(name string) bool { return !pattern.MatchString(name) })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(number(a), number(b)) })

	return names
}

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// wholeGiB of a size as Proxmox writes it; 0 where it is no whole number of GiB.
func wholeGiB(size string) int64 {
	number, unit := strings.TrimRight(size, "KMGT"), ""
	if number != "" {
		unit = size[len(number):]
	}

	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 {
		return 0
	}

	switch {
	case unit == "T" && n < 1<<20:
		return n << 10
	case unit == "G":
		return n
	case unit == "M" && n%1024 == 0:
		return n / 1024
	}

	return 0
}

// inMiB writes an amount of memory.
func inMiB(n int64) string {
	if n > 0 && n%1024 == 0 {
		return fmt.Sprintf("%dGi", n/1024)
	}

	return fmt.Sprintf("%dMi", n)
}
