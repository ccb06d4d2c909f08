// Command runtimeimage makes the image in which Crossplane runs the function, and reads finished packages back.
//
// The image is a static binary and nothing else: no base image has to be fetched, no container engine has to run, and
// there is nothing in it that could need an update. `crossplane xpkg build --embed-runtime-image-tarball` takes it.
//
//	runtimeimage build -binary FILE -output FILE [-arch ARCH]
//	runtimeimage check -package FILE -root FOLDER [-binary FILE] [-arch ARCH]
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)

	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "runtimeimage: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errors.New("no command given: want build or check")
	}

	fs := flag.NewFlagSet("runtimeimage "+args[0], flag.ContinueOnError)
	fs.SetOutput(stderr)
	binary := fs.String("binary", "", "static function binary")
	arch := fs.String("arch", runtime.GOARCH, "architecture of the binary, as Go names it")

	switch args[0] {
	case "build":
		output := fs.String("output", "", "image tarball to write")
		if err := parse(fs, args[1:], "binary", "output"); err != nil {
			return err
		}

		return build(*binary, *arch, *output)
	case "check":
		file := fs.String("package", "", "package file (.xpkg) to check")
		root := fs.String("root", "", "folder that the package was built from")

		if err := parse(fs, args[1:], "package", "root"); err != nil {
			return err
		}

		return check(stdout, *file, *root, *binary, *arch)
	default:
		return fmt.Errorf("unknown command %q: want build or check", args[0])
	}
}

// parse reads the flags and insists on the required ones.
func parse(fs *flag.FlagSet, args []string, required ...string) error {
	if err := fs.Parse(args); err != nil {
		return err
	}

	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}

	for _, name := range required {
		if fs.Lookup(name).Value.String() == "" {
			return fmt.Errorf("-%s is required", name)
		}
	}

	return nil
}
