package rehearse

import "testing"

// TestUnmakeable: what waits for a person is as it was; what may pass by itself is played as if it passed.
func TestUnmakeable(t *testing.T) {
	const (
		noTemplate = "create failed: apply failed: error creating container: received an HTTP 500 response - Reason: unable to create CT 150 - volume 'local:vztmpl/none.tar.zst' does not exist"
		timeout    = "observe failed: cannot run refresh: refresh failed: error retrieving VM: received an HTTP 500 response - Reason: got timeout: "
	)

	cases := map[string]struct {
		reason string
		status string
		says   string
		want   string
	}{
		"NoTemplate": {"Nobody makes a container of a template that is not there.", "False", noTemplate, noTemplate},
		"Timeout":    {"Proxmox was busy.", "False", timeout, ""},
		"Synced":     {"Nothing is wrong.", "True", "", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := unmakeable(map[string]any{
				"kind": "EnvironmentContainer", "metadata": map[string]any{"generation": 1.0},
				"status": map[string]any{"conditions": []any{map[string]any{"type": "Synced", "status": tc.status, "reason": "ReconcileError", "message": tc.says}}},
			})

			if got != tc.want {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
