package cli

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// renderFlags are the flags of `kubectl machine render`.
type renderFlags struct {
	claimFlags
	engineFlags

	observed  string
	output    string
	outputDir string
	first     bool
	full      bool

	showSecrets bool
}

// newRender is `kubectl machine render`.
func newRender(s Streams) *cobra.Command {
	f := &renderFlags{}

	cmd := &cobra.Command{
		Use:   "render -f FILE|FOLDER|-",
		Short: "Show what claims make",
		Example: "  kubectl machine render -f dns01.yaml\n  kubectl machine render -f machines/ -o picture\n" +
			"  kubectl machine render -f dns01.yaml -o user-data\n  kubectl machine render -f dns01.yaml --flavour claims -o yaml",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), s) },
	}

	f.claimFlags.add(cmd)
	f.engineFlags.add(cmd)
	outputFlag(cmd.Flags(), &f.output, "what to print: "+strings.Join(outputs(), ", "), outputs()...)
	cmd.Flags().StringVar(&f.observed, "observed", "", "what the cluster has, as kubectl prints it, in place of the observed.yaml beside the claim; none for nothing")
	cmd.Flags().StringVar(&f.outputDir, "output-dir", "", "write claims and what is rendered into this folder instead of printing it")
	cmd.Flags().BoolVar(&f.first, "first", false, "show only what Crossplane asks for at first, before any of it is made")
	cmd.Flags().BoolVar(&f.showSecrets, "show-secrets", false, "render with the real content of Secrets: what is printed then has tokens in plain text")
	cmd.Flags().BoolVar(&f.full, "full", false, "show the composite with its spec")

	return cmd
}

// The values of -o.
const (
	outputSummary  = "summary"
	outputYAML     = "yaml"
	outputJSON     = "json"
	outputUserData = "user-data"
	outputPicture  = "picture"
)

func outputs() []string {
	return []string{outputSummary, outputWide, outputYAML, outputJSON, outputUserData, outputPicture}
}

func (f *renderFlags) run(ctx context.Context, s Streams) error {
	configuration, claims, err := f.read(ctx, s)
	if err != nil {
		return err
	}

	engine, stop, err := f.engine(ctx, s.Err)
	if err != nil {
		return err
	}
	defer stop()

	files := preview.Files{Catalogue: f.catalogue, Secrets: f.secrets, Observed: f.observed}
	stories := make([]preview.Story, 0, len(claims))

	for _, c := range claims {
		story, err := files.Story(ctx, c)
		if err != nil {
			return err
		}

		stories = append(stories, story)
	}

	if f.flavour == "" {
		if configuration, err = preview.Load(preview.RememberedFlavour(stories)); err != nil {
			return &ExitError{Code: ExitUsage, Err: err}
		}
	}

	r := preview.Renderer{
		Configuration: configuration, Engine: engine, First: f.first, Full: f.full || f.outputDir != "", Explain: f.outputDir == "", StandIns: !f.showSecrets,
	}
	rendered := r.RenderAll(ctx, stories, runtime.NumCPU())

	if !f.showSecrets {
		for i := range rendered {
			rendered[i].Mask(stories[i].Required)
		}
	}

	f.locate(rendered)

	if f.outputDir != "" {
		return preview.WriteFolder(f.outputDir, rendered)
	}

	return f.print(s.Out, rendered)
}

// print what was rendered, and return the errors of the claims of which nothing was.
func (f *renderFlags) print(w io.Writer, rendered []preview.Rendered) error {
	switch f.output {
	case outputWide:
		return preview.WriteWide(w, rendered)
	case outputYAML:
		return preview.WriteYAML(w, rendered)
	case outputJSON:
		return preview.WriteJSON(w, rendered)
	case outputUserData:
		return preview.WriteUserData(w, rendered)
	case outputPicture:
		text, err := preview.Picture(rendered)
		if err == nil {
			_, err = io.WriteString(w, text)
		}

		return errors.Join(err, preview.Errors(rendered))
	}

	return preview.WriteSummaries(w, rendered)
}

// claimFlags name claims, and what goes with them.
type claimFlags struct {
	files     []string
	flavour   string
	catalogue string
	secrets   string
}

func (f *claimFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVarP(&f.files, "file", "f", nil, "file, folder or https:// URL with claims, or - for standard input")
	cmd.Flags().StringVar(&f.flavour, "flavour", "", usageFlavour("as what is observed"))
	cmd.Flags().StringVar(&f.catalogue, "catalogue", "", "file with the catalogue, in place of the catalogue.yaml beside the claim; none for the built-in one alone")
	cmd.Flags().StringVar(&f.secrets, "secrets", "", "file with Secrets, in place of the secrets.yaml beside the claim; none for no Secrets")
}

// usageFlavour says of --flavour what it means, and what shows it before the catalogue does.
func usageFlavour(shows string) string {
	return "how the project is installed: " + strings.Join(catalog.Flavours(), ", ") + "; by default " + shows + ", else as the catalogue's annotation " +
		catalog.AnnotationFlavour + " says, else " + catalog.DefaultFlavour
}

// read the Configuration and the claims.
func (f *claimFlags) read(ctx context.Context, s Streams) (preview.Configuration, []preview.Claim, error) {
	if len(f.files) == 0 {
		return preview.Configuration{}, nil, &ExitError{Code: ExitUsage, Err: errors.New("name the claims with -f: a file, a folder, or - for standard input")}
	}

	// All flavours have the same kinds of claims.
	configuration, err := preview.Load(cmp.Or(f.flavour, catalog.DefaultFlavour))
	if err != nil {
		return configuration, nil, &ExitError{Code: ExitUsage, Err: err}
	}

	if err := checkNamed(f.catalogue, f.secrets); err != nil {
		return configuration, nil, err
	}

	claims, err := claimsAt(ctx, s, configuration, f.files, f.catalogue)

	return configuration, claims, err
}

// claimsAt are the claims of files, folders, URLs and standard input. catalogue is the one that a person names.
func claimsAt(ctx context.Context, s Streams, configuration preview.Configuration, files []string, catalogue string) ([]preview.Claim, error) {
	found, err := download(ctx, s, files)
	if err != nil {
		return nil, err
	}

	claims, err := readClaims(configuration, found.paths, catalogue, s.In)
	for i := range claims {
		claims[i].File = found.name(claims[i].File)
	}

	sayRepeated(s.Err, configuration, claims)

	return claims, errors.Join(found.said(err), found.remove())
}

// readClaims of files, folders and standard input. What keeps a document from being a claim is said in lint's words, with its place.
func readClaims(configuration preview.Configuration, files []string, catalogue string, stdin io.Reader) ([]preview.Claim, error) {
	var typed []byte

	if slices.Contains(files, manifest.Stdin) && stdin != nil {
		data, err := io.ReadAll(stdin)
		if err != nil {
			return nil, errors.Wrap(err, "cannot read standard input")
		}

		typed = data
	}

	claims, err := configuration.ReadClaims(files, bytes.NewReader(typed))

	raw, unread := manifest.ReadRaw(files, bytes.NewReader(typed))
	if unread != nil {
		return claims, err
	}

	faults := lint.Form(raw, lint.Options{})
	if len(faults) == 0 {
		beside, _ := (&lintFlags{catalogue: catalogue}).beside(raw) // Who reads the catalogue says what is wrong with it.
		faults = lint.Doubled(raw, beside)
	}

	var said []string

	for _, fault := range faults {
		said = append(said, fault.String())
	}

	if len(said) > 0 {
		return nil, errors.Errorf("cannot read the claims:\n  %s", strings.Join(said, "\n  "))
	}

	return claims, err
}

// engineFlags choose who does what Crossplane does.
type engineFlags struct {
	name        string
	function    string
	commandLine string
	core        string
	debug       bool
}

// The values of --engine.
const (
	engineInProcess  = "in-process"
	engineCrossplane = "crossplane"
)

// add the flags. They are for those who develop the function, who have the programs.
func (f *engineFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "engine", engineInProcess, "who calls the function: in-process, or crossplane for the real render engine")
	flags.StringVar(&f.function, "function", filepath.Join("_output", "bin", "function-proxmox-machine"), "function binary, for --engine crossplane")
	flags.StringVar(&f.commandLine, "crossplane", filepath.Join(".tools", "bin", "crossplane"), "crossplane command line, v2.3 or later, for --engine crossplane")
	flags.StringVar(&f.core, "crossplane-core", filepath.Join(".tools", "bin", "crossplane-core"), "crossplane core binary, for --engine crossplane")
	flags.BoolVar(&f.debug, "debug", false, "show the function's log, with --engine crossplane")

	for _, name := range []string{"engine", "function", "crossplane", "crossplane-core", "debug"} {
		_ = flags.MarkHidden(name)
	}
}

// engine that the flags name, and what ends it.
func (f *engineFlags) engine(ctx context.Context, stderr io.Writer) (preview.Engine, func(), error) {
	switch f.name {
	case engineInProcess:
		return preview.InProcess{}, func() {}, nil
	case engineCrossplane:
	default:
		return nil, nil, &ExitError{Code: ExitUsage, Err: errors.Errorf("unknown engine %q: want %s or %s", f.name, engineInProcess, engineCrossplane)}
	}

	for _, file := range []string{f.function, f.commandLine, f.core} {
		if _, err := os.Stat(file); err != nil {
			return nil, nil, errors.Wrap(err, "cannot render with Crossplane")
		}
	}

	fn, err := preview.StartFunction(ctx, f.function, f.debug, stderr)
	if err != nil {
		return nil, nil, err
	}

	return preview.Crossplane{CommandLine: f.commandLine, Core: f.core, Target: fn.Address}, fn.Stop, nil
}
