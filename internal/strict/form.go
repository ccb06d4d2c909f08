package strict

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	// word is a value that may stand in an example: no secret has this form, since it is short, too.
	word = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]*$`)
	// secretName is a field whose value nobody should see, however short.
	secretName = regexp.MustCompile(`(?i)pass|token|secret|key|credential`)

	// noBlank is a field whose colon has no blank behind it, so that YAML reads all of it as text.
	noBlank = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]*):[^/ ]`)

	quantity = regexp.MustCompile(`^[0-9.]+ ?[KMGT]?i?B?$`)
	address  = regexp.MustCompile(`^[0-9.]+(/[0-9]+)?$`)
)

// formOfOne object in which somebody wrote a list.
func formOfOne(items []any) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return "remove the hyphen or the brackets, because there is one of it"
	default:
		return "remove the hyphens or the brackets"
	}
}

// formOfListed is that of an object in whose place somebody wrote a list. Without the brackets, a word would be no object either.
func formOfListed(t reflect.Type, items []any) string {
	if _, isWord := wordOf(first(items)); isWord && t.Name() == "ServerPool" {
		return fmt.Sprintf("write {count: %d}", len(items))
	}

	if _, object := first(items).(map[string]any); object || len(items) == 0 || t.Kind() != reflect.Struct {
		return formOfOne(items)
	}

	return formOf(t, first(items))
}

// first of some items; nil of none.
func first(items []any) any {
	if len(items) == 0 {
		return nil
	}

	return items[0]
}

// option of a list in Proxmox's own spelling, such as nesting=1,keyctl=1.
var option = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_]*)=([^,=\s]+)$`)

// optionsOf what somebody wrote in place of an object: Proxmox's own spelling of one, in one text. Nil of anything else.
func optionsOf(from any) map[string]any {
	text, _ := from.(string)
	out := map[string]any{}

	for said := range strings.SplitSeq(text, ",") {
		of := option.FindStringSubmatch(strings.TrimSpace(said))
		if of == nil {
			return nil
		}

		out[of[1]] = of[2]
	}

	return out
}

// formOfOptions is the object for which somebody wrote Proxmox's own spelling of one: "write {order: 2, upDelaySeconds: 30}". Empty where an option is no
// number of a field: then something is said of it.
func formOfOptions(t reflect.Type, options map[string]any) string {
	fields := make([]string, 0, len(options))

	for _, name := range slices.Sorted(maps.Keys(options)) {
		value, _ := options[name].(string)
		if others := synonyms[strings.ToLower(name)]; !has(t, name) && len(others) == 1 {
			name = others[0]
		}

		if _, err := strconv.ParseInt(value, 10, 64); err != nil || len(value) > maxShown || !isNumber(t, name) {
			return ""
		}

		fields = append(fields, name+": "+value)
	}

	if len(fields) == 0 {
		return ""
	}

	return "write {" + strings.Join(fields, ", ") + "}"
}

// isNumber says whether an object has a field of the name that is a number.
func isNumber(t reflect.Type, name string) bool {
	described := describe(t)

	of := described.of(name)
	for of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}

	return of != nil && of.Kind() == reflect.Int64
}

// formOf an object in which somebody wrote the value: "write {mapping: gpu0}, not gpu0". Empty where nobody knows one.
func formOf(t reflect.Type, from any) string {
	if items, isList := from.([]any); isList {
		return formOfListed(t, items)
	}

	if text, isText := from.(string); isText {
		if key := noBlank.FindStringSubmatch(text); key != nil && t.Kind() == reflect.Struct && has(t, key[1]) {
			return "a blank is missing behind the colon of " + key[1]
		}
	}

	if _, isText := from.(string); isText && t.Name() == "K3sToken" {
		return "such as " + forms[t.Name()].example + ". " + message.NeverCommit
	}

	known, ok := forms[t.Name()]
	if !ok {
		return ""
	}

	typed, isWord := wordOf(from)
	if _, isText := from.(string); !isText && isWord && known.number != "" {
		return fmt.Sprintf("write "+known.number+", not %s", typed, typed)
	}

	switch {
	case known.form == "":
		return "such as " + known.example
	case t.Name() == "Firmware" && firmwares[strings.ToLower(typed)] != "":
		return "write {type: " + firmwares[strings.ToLower(typed)] + "}, not " + typed
	case strings.HasSuffix(t.Name(), "Network") && typed == "dhcp":
		return "write {dhcp: true}, not dhcp"
	case t.Name() == "IPv6" && slices.Contains([]string{"auto", "slaac", "dhcp"}, strings.ToLower(typed)):
		return "write {" + strings.Replace(strings.ToLower(typed), "slaac", "auto", 1) + ": true}, not " + typed
	case known.size != "" && isWord && quantity.MatchString(typed):
		return fmt.Sprintf("write "+known.size+", not %s", typed, typed)
	case !isWord || !isValueOf(t.Name(), typed):
		return "such as " + fmt.Sprintf(known.form, known.example) + inPlaceOf(t.Name())
	default:
		return fmt.Sprintf("write "+known.form+", not %s", typed, typed)
	}
}

// firmwares are the two of them by the names of the programs that Proxmox calls them by, too.
var firmwares = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"ovmf": "UEFI", "efi": "UEFI", "uefi": "UEFI", "seabios": "BIOS", "bios": "BIOS", "legacy": "BIOS",
}

// inPlaceOf is the end of an example of an object, in which people write something else; empty for most.
func inPlaceOf(object string) string {
	if object == "Device" {
		return ", with the name of a resource mapping of Proxmox in place of the device's own number"
	}

	return ""
}

// isValueOf says whether a word can be the value that the object of a type has in its form.
func isValueOf(object, word string) bool {
	switch object {
	case "SiteNetwork":
		return true
	case "Image":
		return strings.Contains(word, "://")
	case "ClusterNode":
		return !address.MatchString(word)
	case "Device":
		return !strings.Contains(word, ":") && strings.Trim(word, "0123456789") != ""
	case "Adopt", "Startup":
		return quantity.MatchString(word)
	default:
		return !strings.HasSuffix(object, "Network") || address.MatchString(word)
	}
}

// namesOf are fields with a name or a release, by their own name: what people write there in place of it, and what to write. Quotes would not make a
// number a release.
var namesOf = map[string]struct{ number, object string }{ //nolint:gochecknoglobals // A constant table.
	"version": {"must be one release of K3s, such as v1.33.6+k3s1", "must be one release of K3s, such as v1.33.6+k3s1"},
	"image": {"must be the name of an image of the catalogue, such as ubuntu-24.04. A name that is a number needs quotes", "must be the name of an image of the catalogue, such as debian-13. What an image is made of is written there: " +
		`images: {mine: {url: "https://...", os: debian}}; then image: mine`},
	"class": {"must be the name of a class of the catalogue, such as small", "must be the name of a class of the catalogue, such as small: a size of its own " +
		"is written beside it, size: {cores: 2, memory: 4Gi, disk: 40Gi}"},
	"site":     {"must be the name of a site of the catalogue, such as home", "must be the name of a site of the catalogue, such as home: what a site has is written there, sites: {home: {...}}"},
	"userData": {"", "must be text, not an object: write userData: | and below it, further in, #cloud-config and these lines"},
	"notes":    {"", "must be text, not an object: write notes: | and below it, further in, these lines"},
	"cluster": {"must be the name of a cluster of the catalogue, such as home", "must be the name of a cluster of the catalogue, such as home: what a cluster has " +
		"is written there, clusters: {home: {...}}"},
}

// numberRule is what to write in place of a number where a name belongs; empty where any text does. A K3sCluster, whose version is at the top,
// takes minor releases.
func numberRule(at *field.Path) string {
	if at.String() == "spec.version" {
		return "must be a release of K3s, such as v1.36.5+k3s1, or a minor release with its v, such as v1.36"
	}

	return namesOf[nameOf(at)].number
}

// ofTruth are fields of lifecycle, by their own name, and what to write into them in place of a truth value, which quotes would not mend.
var ofTruth = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"reboot": message.TriggerRule, "replace": message.TriggerRule, "retry": message.TriggerRule, "force": message.TriggerRule, "drain": message.TriggerRule,
	"joined":  `must be the value of replace that led to the VM, such as "2026-11-20"`,
	"lost":    message.LostRule,
	"approve": `must be the value of status.plan.hash, which kubectl machine plan shows, too, such as "d19a0c71d2"`,

	"allowInterruption": `must be the hash that status.interfaces shows beside the changes, and kubectl machine plan, too, such as "b81f9a3c20"`,
}

// textInstead is what to write into a field with text in place of a number or a boolean. Quotes make no address of either, and none of a few words.
func textInstead(at *field.Path, value any) string {
	name, of6 := nameOf(at), strings.HasSuffix(at.String(), ".ipv6."+nameOf(at))
	_, truth := value.(bool)
	words := choicesOf(at)

	switch {
	case (name == "ip" || name == "gateway") && of6:
		return "must be an address, such as 2001:db8:4::20"
	case name == "ip", name == "gateway":
		return "must be an address, such as 192.168.4.20"
	case name == "refresh":
		return "must be hours and minutes, such as 12h"
	case truth && ofTruth[name] != "" && (name == "allowInterruption" || strings.HasSuffix(at.String(), "lifecycle."+name)):
		return ofTruth[name]
	case words != "" && truth:
		return "must be text: " + words + " (YAML reads on, off, yes and no as true and false)"
	case words != "":
		return "must be " + words
	default:
		return "must be text: put it in quotes"
	}
}

// nameOf is the last name of a path.
func nameOf(at *field.Path) string {
	path := at.String()

	return path[strings.LastIndex(path, ".")+1:]
}

// wordOf a scalar that may be shown.
func wordOf(from any) (string, bool) {
	switch v := from.(type) {
	case string:
		return v, len(v) <= maxShown && word.MatchString(v)
	case float64, int64, int:
		if n, ok := integer(v); ok {
			return strconv.FormatInt(n, 10), true
		}
	}

	return "", false
}

// formOfList in which somebody wrote the value without a list: "write [core], not core".
func formOfList(t reflect.Type, from any) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	if object, isObject := from.(map[string]any); isObject {
		if named := formOfNamed(forms[t.Name()], object); named != "" {
			return named
		}

		if keyed := formOfKeyed(t, object); keyed != "" {
			return keyed
		}

		if unnamed := formOfUnnamed(t, object); unnamed != "" {
			return unnamed
		}

		if t.Kind() == reflect.Struct {
			return "write a hyphen in front of each item"
		}

		return formOfInner(object)
	}

	if t.Kind() == reflect.Struct {
		return formOfItem(t, from)
	}

	if typed, isWord := wordOf(from); isWord {
		return fmt.Sprintf("write [%s], not %s", typed, typed)
	}

	if typed, _ := from.(string); formOfItems(typed) != "" {
		return formOfItems(typed)
	}

	return "write it in brackets, or with a hyphen in front"
}

// formOfItem is a list of one object for which somebody wrote a single value.
func formOfItem(t reflect.Type, from any) string {
	known, ok := forms[t.Name()]
	if typed, isWord := wordOf(from); ok && isWord && known.form != "" && (t.Name() != "Device" || isValueOf(t.Name(), typed)) {
		form := known.form
		if _, isText := from.(string); !isText && known.number != "" {
			form = known.number
		} else if known.size != "" && quantity.MatchString(typed) {
			form = known.size
		}

		return fmt.Sprintf("write [%s], not %s", fmt.Sprintf(form, typed), typed)
	}

	switch {
	case !ok:
		return ""
	case known.form == "":
		return "such as [" + known.example + "]"
	default:
		return "such as [" + fmt.Sprintf(known.form, known.example) + "]" + inPlaceOf(t.Name())
	}
}

// formOfText where somebody wrote an object with a single text or a list of one: "write dns01, not {name: dns01}".
func formOfText(from any) string {
	switch v := from.(type) {
	case map[string]any:
		return formOfFields(v)
	case []any:
		typed, ok := wordOf(first(v))

		switch {
		case ok && len(v) > 1:
			return "write one of them, such as " + typed
		case ok:
			return fmt.Sprintf("write %s, not [%s]", typed, typed)
		}
	}

	return ""
}

// formOfFields is the text for which somebody wrote an object.
func formOfFields(v map[string]any) string {
	if v["key"] != nil && v["effect"] != nil {
		return formOfTaint(v)
	}

	if named, ok := wordOf(v["name"]); ok && len(v) > 1 {
		return "write its name alone, " + named
	}

	if len(v) != 1 {
		return ""
	}

	for name, item := range v {
		if secretName.MatchString(name) {
			return ""
		}

		if typed, ok := wordOf(item); ok && word.MatchString(name) && len(name) <= maxShown {
			return fmt.Sprintf("write %s, not {%s: %s}", typed, name, typed)
		}
	}

	return ""
}

// formOfTaint is a taint as kubectl writes it, for which somebody wrote that of a Node's spec.
func formOfTaint(v map[string]any) string {
	key, isKey := wordOf(v["key"])
	effect, isEffect := wordOf(v["effect"])
	effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	i := slices.IndexFunc(effects, func(e string) bool { return strings.EqualFold(e, effect) })

	value, isValue := wordOf(v["value"])
	if truth, ok := v["value"].(bool); ok {
		value, isValue = strconv.FormatBool(truth), true
	}

	if !isKey || !isEffect || i < 0 || v["value"] != nil && !isValue {
		return "write it as key=value:Effect, such as gpu=true:NoSchedule"
	}

	if v["value"] != nil {
		key += "=" + value
	}

	return fmt.Sprintf("write %q", key+":"+effects[i])
}

// prefixLength of a netmask or a network, which people write in place of one: "write 24, not 255.255.255.0".
func prefixLength(typed string) string {
	if bits, slash := strings.CutPrefix(typed, "/"); slash {
		if n, err := strconv.ParseUint(bits, 10, 8); err == nil && n <= 128 {
			return fmt.Sprintf("write %d, without the slash", n)
		}
	}

	if network, err := netip.ParsePrefix(typed); err == nil {
		return fmt.Sprintf("write %d, not %s", network.Bits(), typed)
	}

	a, err := netip.ParseAddr(typed)
	if err != nil || !a.Is4() {
		return ""
	}

	ones, bits := net.IPMask(a.AsSlice()).Size()
	if bits == 0 || ones == 0 {
		return ""
	}

	return fmt.Sprintf("write %d, not %s", ones, typed)
}

// must is a rule with an example, where there is one.
func must(rule, form string) string {
	if form == "" {
		return rule
	}

	return rule + ": " + form
}

// formOfText at a path. Nothing is shown of what may be a secret.
func (d *decoder) formOfText(at *field.Path, from any) string {
	if secretName.MatchString(at.String()) {
		return ""
	}

	return formOfText(from)
}

// formOfList at a path. Nothing is shown of what may be a secret.
func (d *decoder) formOfList(at *field.Path, t reflect.Type, from any) string {
	if _, isText := from.(string); isText && secretName.MatchString(at.String()) {
		return "write it in brackets, or with a hyphen in front"
	}

	if object, isObject := from.(map[string]any); isObject {
		if tags := formOfTags(at, object); tags != "" {
			return tags
		}

		if nameOf(at) == "taints" {
			return `such as ["gpu=true:NoSchedule"]`
		}
	}

	return formOfList(t, from)
}

// has says whether a structure has a field, by its JSON name.
func has(t reflect.Type, name string) bool {
	described := describe(t)

	return described.byName[name]
}
