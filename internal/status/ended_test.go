package status

import (
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestNothingIsSaidForEver: a condition that Crossplane has written stays until a function says something else. So each one that a claim has had is said again,
// whatever the machine is now.
func TestNothingIsSaidForEver(t *testing.T) {
	lacks := map[string][]string{}

	for name, s := range scenarios() {
		in := s.in(t)
		for _, typ := range []string{
			TypeNodeDrained, TypeZoneLabelled, TypeApproved, TypeRolloutFinished, TypeHighlyAvailable, TypeFirewallApplied, TypeDNSRecorded, TypeSpreadBroken, TypeConverged,
		} {
			if meta.FindStatusCondition(in.Previous.Conditions, typ) == nil {
				in.Previous.Conditions = append(in.Previous.Conditions, metav1.Condition{Type: typ, Status: metav1.ConditionFalse, Reason: "Before"})
			}
		}

		out := Machine(in)
		for _, c := range in.Previous.Conditions {
			if !slices.ContainsFunc(out.Conditions, func(o Condition) bool { return o.Type == c.Type }) {
				lacks[c.Type] = append(lacks[c.Type], name)
			}
		}
	}

	for _, typ := range slices.Sorted(maps.Keys(lacks)) {
		t.Errorf("%s of before is not said again in %d scenarios, such as %q", typ, len(lacks[typ]), lacks[typ][:1])
	}
}
