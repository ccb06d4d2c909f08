package preview

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// plainCommand is the call of the crossplane command line that a page shows, as words.
func plainCommand(t *testing.T, page string) []string {
	t.Helper()

	b, err := os.ReadFile(filepath.Join(repository, page))
	if err != nil {
		t.Fatal(err)
	}

	_, rest, ok := strings.Cut(string(b), "\ncrossplane composition render ")
	if !ok {
		t.Fatalf("%s shows no call of the crossplane command line", page)
	}

	command, _, _ := strings.Cut(rest, "```")
	words := strings.Fields(strings.ReplaceAll(command, "\\\n", " "))

	return append([]string{"composition", "render"}, words...)
}

// TestPlainCommand: the real command line renders as the pages say, without Docker and without anything of ours but the function.
func TestPlainCommand(t *testing.T) {
	engine, ok := realEngine(t).(Crossplane)
	if !ok {
		t.Fatal("the real engine is none")
	}

	functions, err := os.ReadFile(filepath.Join(repository, "example", "functions.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	// The port of the pages may be taken.
	const shown = "localhost:9443"
	if !strings.Contains(string(functions), shown) {
		t.Fatalf("example/functions.yaml does not name %s", shown)
	}

	here := filepath.Join(writeTree(t, map[string]string{"functions.yaml": strings.ReplaceAll(string(functions), shown, engine.Target)}), "functions.yaml")

	for _, page := range []string{"README.md", "example/README.md"} {
		t.Run(page, func(t *testing.T) {
			args := plainCommand(t, page)
			for i, a := range args {
				if a == "example/functions.yaml" {
					args[i] = here
				}
			}

			cmd := exec.CommandContext(t.Context(), engine.CommandLine, args...)
			cmd.Dir = repository
			// Where a container engine would be looked for, there is none.
			cmd.Env = append(os.Environ(), "DOCKER_HOST=unix:///nowhere", "PATH=/nowhere")

			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "kind: Machine\n") || !strings.Contains(string(out), "kind: EnvironmentDownloadFile\n") {
				t.Errorf("crossplane %s: %v\n%s", strings.Join(args, " "), err, out)
			}
		})
	}
}
