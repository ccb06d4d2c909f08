package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/version"
)

// The formats in which lint prints what it found.
const (
	formatText = "text"
	formatJSON = "json"
)

// lintFlags are the flags of lint.
type lintFlags struct {
	files     []string
	catalogue string
	name      string
	output    string
	flavour   string
	strict    bool
	apiServer bool
	unused    bool
}

// A Judge holds claims against the XRDs as the API server does.
type Judge = lint.Judge

// RunLint runs lint alone, with a judge: cmd/kubectl-machine-lint.
func RunLint(ctx context.Context, args []string, s Streams, judge func() (Judge, error)) ExitCode {
	s, addColour := withColour(s)
	cmd := newLint(s, judge) //nolint:contextcheck // Cobra hands the context on.
	addColour(cmd)
	cmd.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl machine lint"}
	cmd.Version = version.String()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetFlagErrorFunc(wrongFlag)
	explain(cmd)

	return execute(ctx, cmd, args, s)
}

// newLint is `kubectl machine lint`. judge makes what holds claims against the XRDs as the API server does; nil in the program that has no
// such judge, because it would take minutes to compile.
func newLint(s Streams, judge func() (Judge, error)) *cobra.Command {
	f := lintFlags{}

	cmd := &cobra.Command{
		Use:   "lint -f FILE|FOLDER|-",
		Short: "Say what is wrong with claims and the catalogue, and where",
		Long: "Lint says what the API server or the function would refuse of claims and the catalogue, and what they accept although it has no effect: " +
			"one fault a line, as file:line:column: path: message. It follows the Kustomizations of Flux, as render does, and warns of what they do to claims.",
		Example: "  kubectl machine lint -f machines/\n  kubectl machine lint -f dns01.yaml --catalogue catalogue.yaml --strict",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}

			if judge == nil {
				return f.delegate(cmd.Context(), cmd.Flags(), s)
			}

			j, err := judge()
			if err != nil {
				return err
			}

			return f.run(cmd.Context(), s, j)
		},
	}

	cmd.Flags().StringSliceVarP(&f.files, "file", "f", nil, "file, folder or https:// URL with claims and catalogues, or - for standard input")
	cmd.Flags().StringVar(&f.catalogue, "catalogue", "", "file with the catalogue, where it is not among the files; default: the one beside the claim, or in a folder above it")
	cmd.Flags().StringVar(&f.name, "catalogue-name", lint.DefaultCatalogue, "name of the EnvironmentConfig with the catalogue")
	cmd.Flags().StringVar(&f.flavour, "flavour", "", usageFlavour("as what is observed"))
	outputFlag(cmd.Flags(), &f.output, "text or json", formatText, formatJSON)
	cmd.Flags().BoolVar(&f.strict, "strict", false, "make warnings faults: what is accepted and has no effect, and entries of a catalogue that no claim uses")
	cmd.Flags().BoolVar(&f.apiServer, apiServerFlag, false, "insist on the API server's own validation; in a checkout, Go builds the program with it first")
	cmd.Flags().BoolVar(&f.unused, "unused", false, "warn of entries of a catalogue that no claim uses; implied by --strict")

	return cmd
}

// check the flags.
func (f *lintFlags) check() error {
	if len(f.files) == 0 {
		return &ExitError{Code: ExitUsage, Err: errors.New("name files or folders with -f, such as -f machines/, or -f - for standard input")}
	}

	if _, err := f.provider(); err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}

	return nil
}

// provider is the provider's API of the flavour that a person named; empty where none is named, and each catalogue tells its own.
func (f *lintFlags) provider() (proxmox.Flavour, error) {
	if f.flavour == "" {
		return proxmox.Flavour{}, nil
	}

	return catalog.ProviderOf(f.flavour)
}

func (f *lintFlags) run(ctx context.Context, s Streams, judge Judge) error {
	if err := checkNamed(f.catalogue, ""); err != nil {
		return err
	}

	files, err := rawAt(ctx, s, f.files)
	if err != nil {
		return err
	}

	if files, err = followed(files, f.files); err != nil {
		return err
	}

	beside, err := f.beside(files)
	if err != nil {
		return err
	}

	secrets, err := secretsBeside(files)
	if err != nil {
		return err
	}

	provider, err := f.provider()
	if err != nil {
		return err
	}

	report := lint.Check(files, append(beside, secrets...), lint.Options{
		Catalogue: f.name, Judge: judge, Provider: provider, Unused: f.unused || f.strict, Named: f.catalogue, Ignored: ignoredByGit, Stat: os.Stat,
	})
	if report.Claims+report.Catalogues+len(report.Faults) == 0 {
		var in []string
		for _, path := range f.files {
			in = append(in, manifest.Shown(path))
		}

		return errors.Errorf("no claim and no catalogue in %s: %s, a catalogue an EnvironmentConfig", strings.Join(in, ", "), claim.NoneAmong(lint.KindsIn(files)))
	}

	refused := report.Refused()

	if f.strict {
		report, refused = report.Strict(), len(report.Faults)
	}

	if err := printReport(s, report, f.output); err != nil {
		return err
	}

	if refused > 0 {
		return &ExitError{Code: ExitFound}
	}

	return nil
}

// rawAt are the documents of files, folders, URLs and standard input.
func rawAt(ctx context.Context, s Streams, files []string) ([]manifest.Raw, error) {
	found, err := download(ctx, s, files)
	if err != nil {
		return nil, err
	}

	raw, err := manifest.ReadRaw(found.paths, s.In)
	for i := range raw {
		raw[i].File = found.name(raw[i].File)
	}

	return raw, errors.Join(found.said(err), found.remove())
}

// followed are files, and those that the Kustomizations of Flux below some paths lead to, as render follows them.
func followed(files []manifest.Raw, paths []string) ([]manifest.Raw, error) {
	var further []string

	for _, path := range preview.Followed(paths) {
		if !slices.ContainsFunc(files, func(f manifest.Raw) bool { return mustAbs(f.File) == mustAbs(path) }) {
			further = append(further, path)
		}
	}

	more, err := manifest.ReadRaw(further, nil)

	return append(files, more...), err
}

// beside are the catalogues that are used and not reported.
func (f *lintFlags) beside(files []manifest.Raw) ([]manifest.Raw, error) {
	if f.catalogue == preview.NoFile {
		return nil, nil
	}

	if f.catalogue != "" {
		return manifest.ReadRaw([]string{f.catalogue}, nil)
	}

	var paths, read, alone []string

	for _, file := range files {
		read = append(read, filepath.Clean(file.File))
	}

	for _, file := range files {
		if file.File == manifest.Stdin || manifest.IsURL(file.File) {
			continue
		}

		above := preview.CataloguesAbove(filepath.Dir(file.File))
		if len(above) == 0 {
			alone = append(alone, file.File)
		}

		for _, path := range above {
			if !slices.Contains(read, path) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}

	// A repository for Flux has it in the folder of a layer.
	for _, path := range preview.LayerCatalogues(alone) {
		if !slices.Contains(read, filepath.Clean(path)) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}

	return manifest.ReadRaw(paths, nil)
}

// secretsBeside are the files with Secrets that render reads with claims: nobody names them, and Git takes them all the same.
func secretsBeside(files []manifest.Raw) ([]manifest.Raw, error) {
	var paths, read []string

	for _, file := range files {
		read = append(read, filepath.Clean(file.File))
	}

	for _, file := range files {
		path := filepath.Join(filepath.Dir(file.File), preview.FileSecrets)
		if _, err := os.Stat(path); err == nil && file.File != manifest.Stdin && !manifest.IsURL(file.File) && !slices.Contains(append(read, paths...), path) {
			paths = append(paths, path)
		}
	}

	return manifest.ReadRaw(paths, nil)
}

// mustAbs is a folder's whole path; the folder itself where nobody knows where it is.
func mustAbs(folder string) string {
	if abs, err := filepath.Abs(folder); err == nil {
		return abs
	}

	return folder
}

// printReport prints the faults, and beside them in how many claims they are.
func printReport(s Streams, report lint.Report, format string) error {
	if format == formatJSON {
		faults := report.Faults
		if faults == nil {
			faults = []lint.Fault{}
		}

		return encode(s.Out, faults)
	}

	for _, fault := range report.Faults {
		shade := red
		if fault.Severity == lint.Warning {
			shade = yellow
		}

		// The place, which terminals make a link of, is painted, and not the sentence.
		line := fault.String()
		place := fmt.Sprintf("%s:%d:%d:", fault.File, fault.Line, fault.Column)

		if _, err := fmt.Fprintln(s.Out, s.paint(shade, place)+strings.TrimPrefix(line, place)); err != nil {
			return errors.Wrap(err, "cannot print the faults")
		}
	}

	summary(s.Err, report)

	return nil
}

func summary(to io.Writer, report lint.Report) {
	faults := report.Refused()
	what := count(faults, "fault")

	if warnings := len(report.Faults) - faults; warnings > 0 {
		what += " and " + count(warnings, "warning")
	}

	var in []string

	if report.Claims > 0 {
		in = append(in, count(report.Claims, "claim"))
	}

	if report.Catalogues > 0 || len(report.Beside) == 0 && report.Claims > 0 {
		in = append(in, count(report.Catalogues, "catalogue"))
	}

	// Of a file that is no YAML, nobody knows what is in it.
	if len(in) > 0 {
		what += " in " + strings.Join(in, " and ")
	}

	if len(report.Beside) > 0 && report.Catalogues == 0 {
		what += ", with the catalogue in " + strings.Join(report.Beside, ", ")
	}

	_, _ = fmt.Fprintln(to, what)
}

// count things, in words: no fault, 1 fault, 2 faults.
func count(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing
	case 1:
		return "1 " + thing
	default:
		return fmt.Sprintf("%d %ss", n, thing)
	}
}
