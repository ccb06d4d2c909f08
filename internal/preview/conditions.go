package preview

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// condition of an object, with the generation that it is about where that is known.
func condition(typ, status, reason, message string, generation int64) map[string]any {
	c := map[string]any{"type": typ, "status": status, "reason": reason, "lastTransitionTime": someTime}
	if message != "" {
		c["message"] = message
	}

	if generation != 0 {
		c["observedGeneration"] = generation
	}

	return c
}

// conditionsOf an object, in its order.
func conditionsOf(object map[string]any) []map[string]any {
	list, _, _ := unstructured.NestedSlice(object, "status", "conditions")

	var out []map[string]any

	for _, c := range list {
		if c, ok := c.(map[string]any); ok {
			out = append(out, c)
		}
	}

	return out
}

// setCondition of an object, in place of the one of its type. One that says the same stays, with its time.
func setCondition(object, c map[string]any) {
	list, _, _ := unstructured.NestedSlice(object, "status", "conditions")
	found := false

	for i := range list {
		if was, ok := list[i].(map[string]any); ok && was["type"] == c["type"] {
			if found = true; !sameCondition(was, c) {
				list[i] = c
			}
		}
	}

	if !found {
		list = append(list, c)
	}

	status, ok := object["status"].(map[string]any)
	if !ok {
		status = map[string]any{}
		object["status"] = status
	}

	status["conditions"] = list
}

func sameCondition(a, b map[string]any) bool {
	for _, field := range []string{"status", "reason", "message"} {
		x, _ := a[field].(string)
		y, _ := b[field].(string)

		if x != y {
			return false
		}
	}

	return number(a["observedGeneration"]) == number(b["observedGeneration"])
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}

	return 0
}

// setConditionTimes of an object, so that two previews of the same claim are the same.
func setConditionTimes(object map[string]any) {
	status, _ := object["status"].(map[string]any)
	list, _ := status["conditions"].([]any)

	for _, c := range list {
		if c, ok := c.(map[string]any); ok {
			c["lastTransitionTime"] = someTime
		}
	}
}
