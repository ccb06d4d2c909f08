// Command readme keeps what the READMEs and the page of the command line show true: it runs each command that they show and puts its
// output below. With -check it writes nothing and fails where a README says something else.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
)

func main() {
	check := flag.Bool("check", false, "fail where a README is not true, instead of writing it")
	flag.Parse()

	files, err := filepath.Glob("example/*/README.md")
	files = append(files, "README.md", "docs/kubectl-machine.md")

	if err == nil && len(files) == 2 {
		err = fmt.Errorf("no README below example; run this at the top of the repository")
	}

	for _, f := range files {
		if err == nil {
			err = renew(f, *check, output)
		}
	}

	if err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}

// renew what a README shows.
func renew(file string, check bool, output func(command string) ([]byte, error)) error {
	before, err := os.ReadFile(file)
	if err != nil {
		return err
	}

	after, err := replace(before, output)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}

	if bytes.Equal(before, after) {
		return nil
	}

	if check {
		return fmt.Errorf("%s shows other output than its commands have (run `make readmes`): -shown, +true:\n%s",
			file, cmp.Diff(string(before), string(after)))
	}

	return os.WriteFile(file, after, 0o644) //nolint:gosec // A README is for everybody.
}

// built is the command line, which `make kubectl-machine` builds: people install it, or have go run compile it.
const built = "_output/bin/kubectl-machine "

// output of a command that a README shows, as a shell runs it.
func output(command string) ([]byte, error) {
	command = strings.ReplaceAll(strings.ReplaceAll(command, goRun, built), plugin, built)

	cmd := exec.CommandContext(context.Background(), "sh", "-c", command)

	var stderr bytes.Buffer

	cmd.Stderr = &stderr

	out, err := cmd.Output()

	want := exitCodeOf(command)
	if exit := (*exec.ExitError)(nil); want != 0 && errors.As(err, &exit) && exit.ExitCode() == want {
		return out, nil
	}

	if err == nil && want != 0 {
		err = fmt.Errorf("exit code 0, and the README says %d", want)
	}

	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", command, err, stderr.Bytes())
	}

	return out, nil
}

// exitCodeOf a command is what a README says that it ends with, in a comment behind it: # exit code 4. 0 where it says nothing.
func exitCodeOf(command string) int {
	_, said, _ := strings.Cut(command, " # exit code ")
	code, _ := strconv.Atoi(said)

	return code
}
