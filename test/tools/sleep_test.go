package tools

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// TestNobodySleeps: who sleeps waits by the clock, and a busy machine has another one. On a control plane, Motion.Until of test/controlplane/plane waits for what should
// happen, and fails when nothing moves; Rest is for what should not happen. Elsewhere a test asks again until it is so.
func TestNobodySleeps(t *testing.T) {
	// In two parts, so that this file is not found.
	out, err := exec.CommandContext(t.Context(), "git", "-C", "../..", "grep", "--line-number", "--fixed-strings", "--untracked", "time."+"Sleep(", "--", "*.go").Output()
	if err != nil && len(out) > 0 {
		t.Fatal(err)
	}

	for line := range bytes.Lines(out) {
		t.Errorf("%s: wait for something", strings.TrimSpace(string(line)))
	}
}
