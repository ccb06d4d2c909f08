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
		synced string
		last   string // Of the last operation.
		says   string
		want   string
	}{
		"NoTemplate": {"Nobody makes a container of a template that is not there.", "False", "", noTemplate, noTemplate},
		"Timeout":    {"Proxmox was busy.", "False", "", timeout, ""},
		"Synced":     {"Nothing is wrong.", "True", "True", "", ""},
		"Retries":    {"The provider tries again, and nothing has changed.", "True", "False", noTemplate, noTemplate},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := unmakeable(map[string]any{
				"kind": "EnvironmentContainer", "metadata": map[string]any{"generation": 1.0},
				"status": map[string]any{"conditions": []any{
					map[string]any{"type": "Synced", "status": tc.synced, "reason": "ReconcileError", "message": tc.says},
					map[string]any{"type": "LastAsyncOperation", "status": tc.last, "reason": "ApplyFailure", "message": tc.says},
					map[string]any{"type": "Ready", "status": "False", "reason": "Creating"},
				}},
			})

			if got != tc.want {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
