package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/crossplane/function-sdk-go/errors"
)

// lintProgram is the program that lints with the API server's validation. kubectl itself prefers it for `kubectl machine lint`, where it is
// in PATH, since plugins are found by their longest name.
const lintProgram = "kubectl-machine-lint"

// apiServerFlag asks for that program, which need not be told.
const apiServerFlag = "api-server"

// delegate to the program with the API server's validation: beside this one, in PATH, or, with --api-server in a checkout, built first.
// Without it, lint runs here with the function's own checks, which refuse whatever the XRDs refuse, and says so.
func (f *lintFlags) delegate(ctx context.Context, flags *pflag.FlagSet, s Streams) error {
	program := findLintProgram()

	if program == "" && f.apiServer {
		var err error
		if program, err = buildLintProgram(ctx, s); err != nil {
			return err
		}
	}

	if program == "" {
		_, _ = fmt.Fprintf(s.Err, "# The rules of the API server were not checked, only the function's: the program %s, which has both, is neither beside this program "+
			"nor in PATH. In a checkout of the project, --api-server builds it.\n", lintProgram)

		return f.run(ctx, s, nil)
	}

	cmd := exec.CommandContext(ctx, program, arguments(flags)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.In, s.Out, s.Err

	err := cmd.Run()

	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &ExitError{Code: ExitCode(exit.ExitCode())}
	}

	return errors.Wrapf(err, "cannot run %s", program)
}

// arguments that make the other program do the same: the flags that a person typed. What nobody typed, the other program may be too old to know, and it
// refuses a flag with nothing behind it.
func arguments(flags *pflag.FlagSet) []string {
	var out []string

	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}

		for _, v := range values {
			if f.Name != apiServerFlag {
				out = append(out, "--"+f.Name+"="+v)
			}
		}
	})

	return out
}

// findLintProgram beside this program, else in PATH; empty where it is nowhere.
func findLintProgram() string {
	if own, err := os.Executable(); err == nil {
		if program := lintProgramBeside(own); program != "" {
			return program
		}
	}

	path, err := exec.LookPath(lintProgram)
	if err != nil {
		return ""
	}

	return path
}

// lintProgramBeside another program; empty where there is none. krew installs a plugin as a link to its folder, which has the other files.
func lintProgramBeside(own string) string {
	if target, err := filepath.EvalSymlinks(own); err == nil {
		own = target
	}

	// LookPath knows what a program is on Windows, where its name ends with .exe and no mode says so.
	program, err := exec.LookPath(filepath.Join(filepath.Dir(own), lintProgram))
	if err != nil {
		return ""
	}

	return program
}

// buildLintProgram with the Go tool, in a checkout of this repository.
func buildLintProgram(ctx context.Context, s Streams) (string, error) {
	const source = "./cmd/" + lintProgram

	if _, err := os.Stat(filepath.Join("cmd", lintProgram, "main.go")); err != nil {
		return "", errors.Errorf("cannot find %s: install it beside kubectl-machine, or run this in a checkout of the repository, where Go can build it", lintProgram)
	}

	program := filepath.Join("_output", "bin", lintProgram)
	_, _ = fmt.Fprintf(s.Err, "# go build -o %s %s (the first time takes some minutes)\n", program, source)

	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, source)
	cmd.Stdout, cmd.Stderr = s.Err, s.Err

	return program, errors.Wrapf(cmd.Run(), "cannot build %s", source)
}
