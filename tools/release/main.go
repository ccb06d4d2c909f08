// Command release builds all that a release consists of, reads it back, and pushes its packages.
//
// The same source and the same SOURCE_DATE_EPOCH give the same bytes, in whatever folder. Nothing that it builds is downloaded: programs
// are compiled, packages are made by the crossplane command line, and their digests are those of a registry in this process.
//
//	release version [-root FOLDER]
//	release build -version VERSION -output FOLDER [-root FOLDER] [-unreleased] [-platforms LIST]
//	release check -version VERSION -output FOLDER [-platforms LIST]
//	release push -version VERSION -output FOLDER -registry HOST/ORGANISATION
//	release prepare -version VERSION [-root FOLDER]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)

	stop()

	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// options of all commands.
type options struct {
	version, output, root, registry string

	platforms  []platform
	unreleased bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errors.New("no command given: want version, build, check, push or prepare")
	}

	o := options{}
	fs := flag.NewFlagSet("release "+args[0], flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.version, "version", "", "version of the release, such as v0.2.0")
	fs.StringVar(&o.output, "output", "", "folder of the release")
	fs.StringVar(&o.root, "root", ".", "folder of the repository")
	fs.StringVar(&o.registry, "registry", "", "where to push packages, such as ghcr.io/homelab-io")
	only := fs.String("platforms", "", "platforms of archives, such as linux/amd64,darwin/arm64 (default all)")
	fs.BoolVar(&o.unreleased, "unreleased", false, "take the notes of Unreleased where CHANGELOG.md has none of the version")

	if err := fs.Parse(args[1:]); err != nil {
		return err
	}

	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}

	var err error
	if o.platforms, err = platforms(*only); err != nil {
		return err
	}

	if args[0] == "version" {
		return printNewest(stdout, o.root)
	}

	if err := checkVersion(o.version); err != nil {
		return err
	}

	return o.command(ctx, args[0], stdout)
}

func (o options) command(ctx context.Context, name string, stdout io.Writer) error {
	if name != "prepare" && o.output == "" {
		return errors.New("-output is required")
	}

	switch name {
	case "build":
		at, err := sourceDate(os.Getenv("SOURCE_DATE_EPOCH"))
		if err != nil {
			return err
		}

		return build(ctx, o, at)
	case "check":
		return check(ctx, stdout, o)
	case "push":
		if o.registry == "" {
			return errors.New("-registry is required")
		}

		return push(ctx, stdout, o)
	case "prepare":
		return prepare(o.root, o.version, time.Now().UTC().Format(time.DateOnly))
	default:
		return fmt.Errorf("unknown command %q: want version, build, check, push or prepare", name)
	}
}

// The folders of a release: what people download, and packages as OCI image layouts.
func assets(output string) string   { return filepath.Join(output, "assets") }
func packages(output string) string { return filepath.Join(output, "packages") }

// notesFile is beside the assets: the release shows it.
func notesFile(output string) string { return filepath.Join(output, "notes.md") }

// sourceDate is the time that files of archives have. A zip archive knows none before 1980.
func sourceDate(epoch string) (time.Time, error) {
	earliest := time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)
	if epoch == "" {
		return earliest, nil
	}

	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("cannot read SOURCE_DATE_EPOCH %q: want seconds since 1970", epoch)
	}

	if at := time.Unix(seconds, 0).UTC(); at.After(earliest) {
		return at, nil
	}

	return earliest, nil
}
