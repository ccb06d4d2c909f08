package provider

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Paths from this folder.
const (
	repository = "../.."
	toolsBin   = repository + "/.tools/bin"
	// simulatorSource is not part of this repository.
	simulatorSource = repository + "/../shared/tools/pvesim"
)

// buildDir holds what the tests build. TestMain makes and removes it.
var buildDir string

func TestMain(m *testing.M) {
	flag.Parse()

	os.Exit(func() int {
		// Terraform and the plugin wait for each other, and for retries, about half of the time.
		err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)

			return 1
		}

		if buildDir, err = os.MkdirTemp("", "provider-test-"); err != nil {
			fmt.Fprintln(os.Stderr, err)

			return 1
		}
		defer os.RemoveAll(buildDir)

		return m.Run()
	}())
}

// absent says what the tests lack; empty if nothing.
func absent() string {
	for _, t := range []string{"terraform", "terraform-provider-proxmox", "terraform-provider-proxmox-served"} {
		if _, err := os.Stat(filepath.Join(toolsBin, t)); err != nil {
			return "no " + t + " in .tools/bin: build it as tools/terraform/README.md says"
		}
	}

	if _, err := os.Stat(simulatorSource); err != nil {
		return "no simulated Proxmox VE, which is not part of this repository"
	}

	return ""
}

// needTerraform skips a test where what it runs is not there. In CI that is a failure.
func needTerraform(t *testing.T) Programs {
	t.Helper()

	if why := absent(); why != "" {
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}

		t.Skip(why)
	}

	p := Programs{}

	var err error
	if p.Simulator, err = builtSimulator(); err != nil {
		t.Fatal(err)
	}

	if p.Terraform, err = filepath.Abs(filepath.Join(toolsBin, "terraform")); err != nil {
		t.Fatal(err)
	}

	if p.Plugin, err = filepath.Abs(filepath.Join(toolsBin, "terraform-provider-proxmox")); err != nil {
		t.Fatal(err)
	}

	if p.Served, err = filepath.Abs(filepath.Join(toolsBin, "terraform-provider-proxmox-served")); err != nil {
		t.Fatal(err)
	}

	return p
}

var (
	builtSimulator = sync.OnceValues(func() (string, error) { return build(simulatorSource, "pvesim") })
	builtFunction  = sync.OnceValues(func() (string, error) { return build(repository, "function") })
)

func build(source, name string) (string, error) {
	program := filepath.Join(buildDir, name)
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Dir = source

	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build %s: %w\n%s", source, err, strings.TrimSpace(string(out)))
	}

	return program, nil
}

// startBench starts a cluster for the duration of a test.
func startBench(t *testing.T, c Cluster, rs ...Resource) *Bench {
	t.Helper()

	b, err := StartBench(t.Context(), needTerraform(t), t.TempDir(), c, rs)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if refused := b.SSH.Refused(); len(refused) > 0 {
			t.Errorf("the plugin sent commands that no node knows: %q", refused)
		}

		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})

	return b
}

// startFunction runs the function for the duration of a test.
func startFunction(t *testing.T) *Function {
	t.Helper()

	program, err := builtFunction()
	if err != nil {
		t.Fatal(err)
	}

	f, err := StartFunction(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})

	return f
}
