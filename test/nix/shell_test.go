package nix

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestShellcheck(t *testing.T) {
	needTools(t, "shellcheck")

	scripts, err := filepath.Glob("testdata/bin/*")
	if err != nil {
		t.Fatal(err)
	}

	scripts = append(scripts, filepath.Join(scriptsDir, "nix-gitops-apply"), filepath.Join(scriptsDir, "per-boot"))
	if len(scripts) < 3 {
		t.Fatalf("only %v to check", scripts)
	}

	if printed, err := exec.Command("shellcheck", scripts...).CombinedOutput(); err != nil {
		t.Errorf("shellcheck: %v\n%s", err, printed)
	}
}

// The script is started as `bash FILE` on NixOS, where /bin/bash does not exist; cloud-init executes per-boot itself.
func TestInterpreters(t *testing.T) {
	cases := map[string]struct {
		reason string
		want   string
	}{
		"nix-gitops-apply": {"The first line is for people and shellcheck; /usr/bin/env is on every NixOS.", "#!/usr/bin/env bash\n"},
		"per-boot":         {"cloud-init executes the file: NixOS has no other interpreter at a fixed path.", "#!/bin/sh\n"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if content := readFile(t, filepath.Join(scriptsDir, name)); !strings.HasPrefix(content, tc.want) {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, strings.SplitN(content, "\n", 2)[0])
			}
		})
	}
}
