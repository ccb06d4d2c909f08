// Command commands writes a page for each command of kubectl machine: Markdown for docs/commands, or man pages with -man.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/cli"
)

func main() {
	man := flag.Bool("man", false, "write man pages, for man -M")
	flag.Parse()

	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "commands: name the folder to write into")
		os.Exit(1)
	}

	if err := write(flag.Arg(0), *man); err != nil {
		fmt.Fprintln(os.Stderr, "commands:", err)
		os.Exit(1)
	}
}

// write the pages into a folder, in which no other pages stay.
func write(folder string, man bool) error {
	root := pages()

	if man {
		folder = filepath.Join(folder, "man1")
		if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // Pages are for everybody.
			return err
		}

		at, err := sourceDate(os.Getenv("SOURCE_DATE_EPOCH"), time.Now())
		if err != nil {
			return err
		}

		return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &at, Source: "kubectl-machine", Manual: "kubectl machine"}, folder)
	}

	old, err := filepath.Glob(filepath.Join(folder, "kubectl_machine*.md"))
	if err != nil {
		return err
	}

	for _, page := range old {
		if err := os.Remove(page); err != nil {
			return err
		}
	}

	return doc.GenMarkdownTree(root, folder)
}

// sourceDate is the time of which man pages show the month: that of the sources, where the environment says it. It is in UTC, so that the same sources give the
// same pages everywhere.
func sourceDate(epoch string, now time.Time) (time.Time, error) {
	if epoch == "" {
		return now.UTC(), nil
	}

	seconds, err := strconv.ParseInt(epoch, 10, 64)

	return time.Unix(seconds, 0).UTC(), errors.Wrapf(err, "cannot read SOURCE_DATE_EPOCH %q", epoch)
}

// pages are the commands as their pages show them: with their exit codes, and without the day on which they were written.
func pages() *cobra.Command {
	root := cli.Commands()
	root.DisableAutoGenTag = true

	for _, cmd := range append(root.Commands(), root) {
		if cmd.Long == "" && cmd != root {
			cmd.Long = cmd.Short + "."
		}

		if codes := cli.ExitCodes(cmd); codes != "" {
			cmd.Long += "\n\nExit codes:\n\n" + list(codes)
		}
	}

	return root
}

// list the lines of a table as items.
func list(lines string) string {
	var out strings.Builder

	for line := range strings.Lines(lines) {
		code, what, _ := strings.Cut(strings.TrimSpace(line), "  ")
		fmt.Fprintf(&out, "* %s: %s\n", code, what)
	}

	return strings.TrimRight(out.String(), "\n")
}
