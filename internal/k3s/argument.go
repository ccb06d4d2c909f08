package k3s

import "strings"

// The keys of the kubelet's and the API server's arguments.
const keyKubelet, keyAPIServer, keyScheduler = "kubelet-arg", "kube-apiserver-arg", "kube-scheduler-arg"

// itemsOf a list are its texts as they are written, also of a list with one element that stands for itself.
func itemsOf(value any) []string {
	items, isList := value.([]any)
	if !isList {
		items = []any{value}
	}

	var out []string

	for _, item := range items {
		if text, ok := item.(string); ok {
			out = append(out, text)
		}
	}

	return out
}

// argumentOf an item, as K3s cuts it: pkg/util/args.go.
func argumentOf(item string) (name, value string) {
	name, value, _ = strings.Cut(strings.TrimPrefix(item, "--"), "=")

	return strings.TrimRight(name, "-+"), value
}

// lastArgument is the value of an argument in a list of them, by the key of the list; the last one counts. Empty where there is none.
func lastArgument(config map[string]any, key, name string) string {
	var out string

	for _, item := range itemsOf(config[key]) {
		if is, value := argumentOf(item); is == name {
			out = value
		}
	}

	return out
}

// hasPart says whether a list such as a=1,b=2 has an entry of a name.
func hasPart(list, name string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if is, _, _ := strings.Cut(strings.TrimSpace(part), "="); is == name {
			return true
		}
	}

	return false
}

func programOf(key string) string {
	if key == keyKubelet {
		return "the kubelet"
	}

	return strings.TrimSuffix(key, "-arg")
}
