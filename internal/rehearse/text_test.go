package rehearse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTogether(t *testing.T) {
	of := func(machine, message string) Wait {
		return Wait{Machine: machine, Condition: "BootstrapCurrent", Reason: "BootstrapChanged", Message: message, Todo: "replace it"}
	}
	other := of("b", "long")
	other.Todo = ""

	cases := map[string]struct {
		reason      string
		waits, want []Wait
	}{
		"Nothing":   {reason: "Nobody waits."},
		"Alike":     {reason: "Said once, in the place of the first.", waits: []Wait{of("a", "long"), of("x", "other"), of("b", "long"), of("c", "long")}, want: []Wait{of("a, b, c", "long"), of("x", "other")}},
		"OtherTodo": {reason: "What is to be done differs.", waits: []Wait{of("a", "long"), other}, want: []Wait{of("a", "long"), other}},
		"NoMessage": {reason: "Nothing long is said.", waits: []Wait{of("a", ""), of("b", "")}, want: []Wait{of("a", ""), of("b", "")}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, together(tc.waits)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
