package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Of a layer: what the API server takes for the kind of its source, and for its times.
//
//nolint:gochecknoglobals // Constant lists.
var (
	sourceKinds = []string{"GitRepository", "OCIRepository", "Bucket", "ExternalArtifact"}
	fluxTimes   = []string{"interval", "retryInterval", "timeout"}
	fluxTime    = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`)
)

// refused are the values of a layer with which the API server refuses it: Flux then goes on with the former layer, or has none.
func (l fluxLayer) refused() []Fault {
	out := l.texts()

	for _, s := range l.said("sourceRef") {
		kind, ok := at(s.value, "kind").(string)
		if !ok || slices.Contains(sourceKinds, kind) || substituted(kind) {
			continue
		}

		instead := "write one of " + strings.Join(sourceKinds, ", ")
		if meant := message.Meant(kind, sourceKinds); meant != "" {
			instead = "did you mean " + meant + "?"
		}

		out = append(out, s.at(fmt.Sprintf("%q is no kind of source for this layer, and the API server refuses the layer: %s%s", message.Excerpt(kind), instead, seeWrong)))
	}

	for _, field := range fluxTimes {
		for _, s := range l.said(field) {
			if s.value == nil {
				continue
			}

			value, isText := s.value.(string)
			if isText && (fluxTime.MatchString(value) || substituted(value)) {
				continue
			}

			out = append(out, s.at(fmt.Sprintf("%q is no time, and the API server refuses the layer: write hours, minutes and seconds with their unit, such as 1h, 10m or 1m30s%s",
				message.Excerpt(fmt.Sprint(s.value)), seeWrong)))
		}
	}

	return out
}

// texts are the names that stand in a layer in place of objects.
func (l fluxLayer) texts() []Fault {
	var out []Fault

	for _, s := range l.said("sourceRef") {
		if name, isText := s.value.(string); isText {
			out = append(out, s.at(fmt.Sprintf("must be an object with kind and name, or the API server refuses the layer: write sourceRef: {kind: GitRepository, name: %s}%s",
				message.Excerpt(name), seeWrong)))
		}
	}

	for _, s := range l.said("dependsOn") {
		layers, isList := s.value.([]any)
		if name, isText := s.value.(string); isText {
			layers = []any{name}
		} else if s.value != nil && !isList {
			out = append(out, s.at("must be a list, or the API server refuses the layer: write dependsOn: [{name: infrastructure}]"+seeWrong))
		}

		if i := slices.IndexFunc(layers, func(layer any) bool { return text(layer) != "" }); i >= 0 {
			out = append(out, s.at(fmt.Sprintf("must be a list of objects, or the API server refuses the layer: write dependsOn: [{name: %s}]%s", message.Excerpt(text(layers[i])), seeWrong)))
		}
	}

	return out
}

// substituted says whether Flux puts something else in place of a part of a text.
func substituted(text string) bool { return strings.Contains(text, "${") }
