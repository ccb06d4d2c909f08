package message

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// quotedWord is one of the words that field.NotSupported lists.
var quotedWord = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

// Fault is what a fault says of its field, without the path: the value, where the error shows one, and what would be right. It leaves
// out the words with which Kubernetes begins every error ("Invalid value", "Forbidden"), because they say nothing of what to do:
//
//	"smal": there is no class of that name; did you mean small?
//	is missing: must be the disk's size, such as 500Gi
func Fault(err *field.Error) string {
	detail := err.Detail

	if other := unfilled(err.BadValue, detail); other != "" && err.Type != field.ErrorTypeRequired && err.Type != field.ErrorTypeForbidden && err.Type != field.ErrorTypeInternal {
		return join(value(err.BadValue), other)
	}

	switch err.Type {
	case field.ErrorTypeRequired:
		return join("is missing", detail)
	case field.ErrorTypeForbidden, field.ErrorTypeInternal:
		if detail == "" {
			detail = "must not be here"
		}

		return detail
	case field.ErrorTypeDuplicate:
		return join(join(value(err.BadValue), "is there twice"), detail)
	case field.ErrorTypeNotFound:
		return join(join(value(err.BadValue), "does not exist"), detail)
	case field.ErrorTypeNotSupported:
		return join(value(err.BadValue), supported(fmt.Sprint(err.BadValue), detail))
	case field.ErrorTypeInvalid, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
		return join(value(err.BadValue), detail)
	default:
		return err.ErrorBody()
	}
}

// join two parts of a message; either may be empty.
func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	default:
		return a + ": " + b
	}
}

// value as it stands in a message; empty for what is not shown, and for a list or an object, which may hold what nobody should see.
func value(v any) string {
	switch v := v.(type) {
	case nil, field.OmitValueType, *field.OmitValueType, map[string]any, []any:
		return ""
	case string:
		if v == "" {
			return ""
		}

		return fmt.Sprintf("%q", Excerpt(v))
	default:
		if text := fmt.Sprintf("%v", v); fmt.Sprintf("%T", v) != "string" && isText(v) {
			return fmt.Sprintf("%q", Excerpt(text))
		}

		return Excerpt(fmt.Sprintf("%v", v))
	}
}

// isText says whether a value is of a type whose values are text, such as v1alpha1.Power.
func isText(v any) bool { return strings.HasPrefix(fmt.Sprintf("%#v", v), `"`) }

// otherWords are words of other tools and times, in lower case, and the words of ours that they mean.
var otherWords = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"master": "server", "control-plane": "server", "controlplane": "server", "controller": "server", "manager": "server", "worker": "agent", "node": "agent",
	"off": "Stopped", "false": "Stopped", "stop": "Stopped", "on": "Running", "true": "Running", "started": "Running",
	"retain": "Orphan", "keep": "Orphan", "destroy": "Delete", "remove": "Delete",
	"ovmf": "uefi", "efi": "uefi", "seabios": "bios", "legacy": "bios",
	"manual": "OnRequest", "automatic": "WhenNeeded", "auto": "WhenNeeded", "always": "WhenNeeded",
}

// supported is what a field takes, with the word that was probably meant in front.
func supported(typed, detail string) string {
	var words []string
	for _, m := range quotedWord.FindAllStringSubmatch(detail, -1) {
		words = append(words, m[1])
	}

	if len(words) == 0 {
		return join("is not supported", detail)
	}

	must := "must be " + OneOf(words)

	meant := Meant(typed, words)
	if other, ok := otherWords[strings.ToLower(typed)]; ok && meant == "" {
		if i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, other) }); i >= 0 {
			meant = words[i]
		}
	}

	if meant != "" {
		return "did you mean " + meant + "? It " + must
	}

	return must
}

// OneOf lists the words that a field takes, as in "Running, Stopped or Unmanaged".
func OneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}

	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
