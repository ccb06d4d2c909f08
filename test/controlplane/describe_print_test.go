package controlplane

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// describe prints what `kubectl describe` shows of an object's status and of its events, in its words and its order, without
// what differs from run to run. What is left out of the rest is what the person wrote.
func (r *rig) describe(ctx context.Context, o *unstructured.Unstructured) (string, error) {
	now, err := r.now(ctx, o)
	if err != nil {
		return "", err
	}

	events, err := r.eventsOf(ctx, o)
	if err != nil {
		return "", err
	}

	var b strings.Builder

	fmt.Fprintf(&b, "Name:         %s\nNamespace:    %s\nKind:         %s\nStatus:\n", now.GetName(), now.GetNamespace(), now.GetKind())

	status, _, _ := unstructured.NestedMap(now.Object, "status")
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	printed(w, status, 1)
	w.Flush()
	printEvents(&b, events)

	return masked(b.String()), nil
}

// printed prints an object as kubectl does: keys in order, as words.
func printed(w io.Writer, content map[string]any, level int) {
	indent := strings.Repeat("  ", level)

	for _, key := range slices.Sorted(maps.Keys(content)) {
		// The applied spec repeats what the person wrote, and of an edit that fails it may be empty or not, as it happens.
		if slices.Contains([]string{"lastTransitionTime", "observedGeneration", "appliedSpec"}, key) {
			continue
		}

		switch v := content[key].(type) {
		case map[string]any:
			fmt.Fprintf(w, "%s%s:\n", indent, words(key))
			printed(w, v, level+1)
		case []any:
			fmt.Fprintf(w, "%s%s:\n", indent, words(key))

			for _, e := range v {
				if m, ok := e.(map[string]any); ok {
					printed(w, m, level+1)
				} else {
					fmt.Fprintf(w, "%s  %v\n", indent, e)
				}
			}
		default:
			fmt.Fprintf(w, "%s%s:\t%v\n", indent, words(key), v)
		}
	}
}

// capital letters, at each of which a word begins.
var capital = regexp.MustCompile(`([a-z])([A-Z])`)

// words of a key: pendingReboot is Pending Reboot. What has a digit in it stays as it is.
func words(key string) string {
	if strings.ContainsAny(key, "0123456789") {
		return key
	}

	spaced := capital.ReplaceAllString(key, "$1 $2")

	return strings.ToUpper(spaced[:1]) + spaced[1:]
}

// printEvents prints each event once, in the order in which they came first: their names end with the time.
func printEvents(b *strings.Builder, events []corev1.Event) {
	slices.SortStableFunc(events, func(x, y corev1.Event) int { return strings.Compare(x.Name, y.Name) })

	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	defer w.Flush()

	fmt.Fprint(w, "Events:\n  Type\tReason\tMessage\n  ----\t------\t-------\n")

	seen := map[string]bool{}

	for _, e := range events {
		line := fmt.Sprintf("  %s\t%s\t%s\n", e.Type, e.Reason, strings.TrimSpace(e.Message))
		if !seen[line] && !passing(e) {
			fmt.Fprint(w, line)
		}

		seen[line] = true
	}
}

// passing events are there in one run and not in the next: Crossplane's own, about its own work.
func passing(e corev1.Event) bool {
	return slices.Contains([]string{
		"BindCompositeResource", "ConfigureCompositeResource", "PropagateConnectionSecret", "SelectComposition", "ComposeResources",
		"CompositeDeletePolicyDefaulted", "CompositionUpdatePolicy",
	}, e.Reason) && e.Type == corev1.EventTypeNormal
}

// masks of what differs from run to run.
var masks = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\b(user-data|meta-data|image|vm|protects-claim)-[0-9a-f]{10}\b`), "$1-<hash>"},
	{regexp.MustCompile(`(?m)^( *(?:Hash|Pending Hash|Plan): +).*$`), "$1<hash>"},
	{regexp.MustCompile(`(spec\.adopt\.approve to )"[0-9a-f]{10}"`), `$1"<hash>"`},
}

func masked(text string) string {
	for _, m := range masks {
		text = m.what.ReplaceAllString(text, m.with)
	}

	return trailing.ReplaceAllString(text, "")
}
