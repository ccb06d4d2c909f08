// Command preview shows what Crossplane makes of a claim, before the claim is committed.
//
// It starts the function of this repository on a free loopback port and runs the real crossplane command line with the
// real render engine against it. What it adds is what a person would otherwise do by hand: it turns a claim into the
// composite resource that Crossplane would make of it, finds the XRD and the Composition of its kind, and passes the
// catalogue.yaml, secrets.yaml and observed.yaml beside the claim. Where nothing was observed it plays a provider that makes
// what it may create, and finds nothing where it may only observe. It knows nothing of what the function renders.
//
// Below the manifests stands the plan: what the function says that it does, since the preview asks it to explain itself.
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
	"runtime"
	"syscall"
)

// options are the flags of the command.
type options struct {
	claim      string // File or folder with claims; empty means the default example.
	catalogue  string // Required resources in place of the claim's catalogue.yaml; noFile for none.
	observed   string // What the cluster has, in place of the claim's observed.yaml; noFile for nothing.
	flavour    string // Key of flavours.
	root       string // Repository, which holds package, package-v2 and example.
	function   string // Function binary.
	crossplane string // crossplane command line, v2.3 or later.
	engine     string // crossplane core binary that answers `internal render`.
	output     string // Folder to write into; empty means standard output.
	first      bool   // Whether to show Crossplane's first turn only.
	full       bool   // Whether the composite is shown with its spec.
	debug      bool   // Whether the function's log is shown.
}

// noFile asks for a render without a file that would be found beside the claim.
const noFile = "none"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)

	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)

	stop()

	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "preview: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}

	pkg, err := loadPackage(o.root, o.flavour)
	if err != nil {
		return err
	}

	if o.claim == "" {
		if o.claim, err = defaultClaim(o.root, pkg); err != nil {
			return err
		}

		_, _ = fmt.Fprintf(stderr, "# no CLAIM given: %s\n", o.claim)
	}

	claims, err := readClaims(o.claim, pkg)
	if err != nil {
		return err
	}

	fn, err := startFunction(ctx, o.function, o.debug, stderr)
	if err != nil {
		return err
	}
	defer fn.stop()

	r := renderer{options: o, pkg: pkg, target: fn.address}
	results := r.renderAll(ctx, claims, runtime.NumCPU())

	if o.output != "" {
		return writeFolder(o.output, results)
	}

	return writeStream(stdout, results)
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	o := options{}

	fs := flag.NewFlagSet("preview", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.claim, "claim", "", "file or folder with the claims to render; default: an example")
	fs.StringVar(&o.catalogue, "catalogue", "", "required resources in place of the catalogue.yaml beside the claim; "+noFile+" for none")
	fs.StringVar(&o.observed, "observed", "", "what the cluster has, as kubectl prints it, in place of the observed.yaml beside the claim; "+noFile+" for nothing")
	fs.StringVar(&o.flavour, "flavour", flavourClaims, "what to render with: "+flavourNames())
	fs.StringVar(&o.root, "root", ".", "folder of the repository")
	fs.StringVar(&o.function, "function", filepath.Join("_output", "bin", "function-proxmox-machine"), "function binary")
	fs.StringVar(&o.crossplane, "crossplane", filepath.Join(".tools", "bin", "crossplane"), "crossplane command line, v2.3 or later")
	fs.StringVar(&o.engine, "engine", filepath.Join(".tools", "bin", "crossplane-core"), "crossplane core binary, the render engine")
	fs.StringVar(&o.output, "output", "", "write claims and what is rendered into this folder instead of printing it")
	fs.BoolVar(&o.first, "first", false, "show only what Crossplane asks for at first, before any of it is made")
	fs.BoolVar(&o.full, "full", false, "show the composite with its spec")
	fs.BoolVar(&o.debug, "debug", false, "show the function's log")

	if err := fs.Parse(args); err != nil {
		return o, err
	}

	if fs.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: name the claim with -claim", fs.Arg(0))
	}

	return o, nil
}
