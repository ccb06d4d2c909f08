package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/rehearse"
)

// planFlags are the flags of `kubectl machine plan`.
type planFlags struct {
	claimFlags

	namespace  string
	observed   string
	kubeconfig string
	context    string
	output     string
	failOn     []string
	delete     bool
	prune      bool
	rehearse   bool
}

// The values of -o, beside text.
const (
	outputText     = "text"
	outputMarkdown = "markdown"
)

// newPlan is `kubectl machine plan`.
func newPlan(s Streams) *cobra.Command {
	f := &planFlags{}

	cmd := &cobra.Command{
		Use:   "plan -f FILE|FOLDER|-",
		Short: "Show what edits do to the machines that there are",
		Long: `Show what becomes of the machines that there are: what is kept, changed at once, waits for a reboot, is refused, replaced or destroyed.

What there is comes from the cluster of the kubeconfig, through kubectl, or from a file (--observed). Nothing is written.
With --catalogue and without -f it is the plan of an edit of the catalogue: for all machines that there are.`,
		Example: "  kubectl machine plan -f machines/\n  kubectl machine plan -f dns01.yaml --fail-on=reboot,replace,destroy\n" +
			"  kubectl machine plan -f dns01.yaml --delete\n  kubectl machine plan --catalogue catalogue.yaml # an edit of the catalogue, for all machines",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), s) },
	}

	f.add(cmd)

	flags := cmd.Flags()
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of the claims that name none, as kubectl apply takes it; without -f: plan the machines of this namespace only")
	flags.StringVar(&f.observed, "observed", "", "file with what there is, as kubectl get -o yaml prints it, in place of the cluster; none for nothing, - for standard input")
	addKubeconfig(flags, &f.kubeconfig, &f.context)
	outputFlag(flags, &f.output, "what to print: text, json or markdown", outputText, outputJSON, outputMarkdown)
	flags.StringSliceVar(&f.failOn, "fail-on", nil, "end with exit code 3 if the plan has one of these effects: "+strings.Join(effectNames(), ", "))
	flags.BoolVar(&f.delete, "delete", false, "plan the deletion of the claims")
	flags.BoolVar(&f.prune, "prune", false, "plan the deletion of the machines in the claims' namespaces that are not among the claims")
	flags.BoolVar(&f.rehearse, "rehearse", false, "with -o markdown: add what kubectl machine rehearse says of the edits, folded")

	flags.Lookup("flavour").Usage = usageFlavour("as what there is")

	completeWords(cmd, "fail-on", effectNames())

	return cmd
}

func effectNames() []string { return wordsOf(preview.Effects()) }

// check the values of flags.
func (f *planFlags) check() error {
	if err := checkFailOn("effect", f.failOn, effectNames()); err != nil {
		return err
	}

	if f.rehearse && f.output != outputMarkdown {
		return &ExitError{Code: ExitUsage, Err: errors.New("--rehearse is for -o markdown")}
	}

	return f.checkSources()
}

// checkSources of claims.
func (f *planFlags) checkSources() error {
	if len(f.files) == 0 && (f.catalogue == "" || f.delete || f.prune) {
		return &ExitError{Code: ExitUsage, Err: errors.New("name the claims with -f, or an edited catalogue with --catalogue for the plan of all machines")}
	}

	if err := checkNamed(f.catalogue, f.secrets); err != nil {
		return err
	}

	// Before the cluster is asked, which takes longer.
	for _, file := range f.files {
		if _, err := os.Stat(file); err != nil && file != manifest.Stdin && !manifest.IsURL(file) {
			return errors.Wrap(err, "cannot read claims")
		}
	}

	return nil
}

func (f *planFlags) run(ctx context.Context, s Streams) error {
	if err := f.check(); err != nil {
		return err
	}

	world, err := f.world(ctx, s)
	if err != nil {
		return orEmpty(err)
	}

	if f.flavour == "" {
		f.flavour = world.Flavour
	}

	p, edits, err := f.plan(ctx, world, s)
	if err != nil {
		return orEmpty(err)
	}

	if err := p.Write(s.Out, f.output, s.colours()); err != nil {
		return err
	}

	if f.rehearse {
		if err := fold(ctx, s.Out, edits); err != nil {
			return err
		}
	}

	return f.verdict(p)
}

// world that the plan is about.
func (f *planFlags) world(ctx context.Context, s Streams) (preview.World, error) {
	var k *preview.Kubectl

	if f.observed == "" {
		var err error
		if k, err = inCluster(f.kubeconfig, f.context); err != nil {
			return preview.World{}, err
		}
	}

	progress := newProgress(s.Err, "reading the cluster")
	defer progress.done()

	if k == nil {
		return preview.SourceOf(ctx, f.observed, nil, progress.tell)
	}

	progress.tell("API groups")

	groups := k.Groups(ctx)
	if groups != nil && !groups["homelab.io"] {
		progress.done()

		_, _ = fmt.Fprintf(s.Err, "# %v. Every machine of this plan is new\n", errNoKinds)
	}

	return preview.WorldIn(ctx, k.Fetch, groups, progress.tell)
}

// fold a rehearsal of edits below a plan.
func fold(ctx context.Context, to io.Writer, of edits) error {
	machines, err := of.machines()
	if err != nil {
		return err
	}

	r, err := rehearse.Rehearse(ctx, rehearse.Input{Machines: machines, Assumed: rehearse.Usual()})
	if err != nil {
		return err
	}

	return r.Folded(to)
}

// plan of the claims, or of all machines with another catalogue.
func (f *planFlags) plan(ctx context.Context, world preview.World, s Streams) (preview.Plan, edits, error) {
	// All flavours have the same kinds of claims.
	configuration, err := preview.Load(cmp.Or(f.flavour, catalog.DefaultFlavour))
	if err != nil {
		return preview.Plan{}, edits{}, &ExitError{Code: ExitUsage, Err: err}
	}

	var claims []preview.Claim

	if len(f.files) > 0 {
		claims, err = f.claims(ctx, s, configuration, f.files)
	} else {
		claims, err = f.within(configuration, world.Composites(configuration))
	}

	if err != nil {
		return preview.Plan{}, edits{}, err
	}

	configuration, wanted, err := f.remembered(ctx, world, configuration, claims)
	if err != nil {
		return preview.Plan{}, edits{}, err
	}

	gone := world.Gone(configuration, claims)

	leaving, err := f.stories(ctx, world, configuration, gone)
	if err != nil {
		return preview.Plan{}, edits{}, err
	}

	r := preview.Renderer{Configuration: configuration, Engine: preview.InProcess{}, Explain: true}

	var deleted preview.Plan

	switch {
	case f.delete:
		deleted.Machines = r.PlanDeletion(wanted)
	case f.prune:
		deleted.Machines = append(r.Plan(ctx, wanted), r.PlanDeletion(leaving)...)
	}

	of := edits{configuration: configuration, named: wanted, unnamed: leaving, deletes: f.deletion()}

	if f.delete || f.prune {
		r.CountServers(&deleted, slices.Concat(wanted, leaving))
		r.TellRenames(&deleted, slices.Concat(wanted, leaving))

		return deleted, of, nil
	}

	p := preview.Plan{Machines: r.Plan(ctx, wanted)}
	f.locate(p.Machines, wanted)

	if len(f.files) > 0 {
		for _, c := range gone {
			p.NotNamed = append(p.NotNamed, configuration.NameOf(c))
		}
	}

	return p, of, nil
}

// remembered are the stories of claims, with the Configuration that a catalogue remembers where neither a person nor what there is tells the flavour.
func (f *planFlags) remembered(
	ctx context.Context, world preview.World, configuration preview.Configuration, claims []preview.Claim,
) (preview.Configuration, []preview.Story, error) {
	stories, err := f.stories(ctx, world, configuration, claims)
	if err != nil || f.flavour != "" {
		return configuration, stories, err
	}

	flavour := preview.RememberedFlavour(stories)
	if flavour == catalog.DefaultFlavour {
		return configuration, stories, nil
	}

	if configuration, err = preview.Load(flavour); err != nil {
		return configuration, nil, &ExitError{Code: ExitUsage, Err: err}
	}

	stories, err = f.stories(ctx, world, configuration, claims)

	return configuration, stories, err
}

// claims of files, in the namespace that -n names.
func (f *planFlags) claims(ctx context.Context, s Streams, configuration preview.Configuration, files []string) ([]preview.Claim, error) {
	claims, err := claimsAt(ctx, s, configuration, files, f.catalogue)
	if err != nil {
		return nil, err
	}

	return f.within(configuration, claims)
}

// within are the claims in the namespace that a person names: those of files that name none are put there, and one that names another is an error; of the
// cluster's, those of others are left out.
func (f *planFlags) within(configuration preview.Configuration, claims []preview.Claim) ([]preview.Claim, error) {
	if f.namespace == "" {
		return claims, nil
	}

	var out []preview.Claim

	for _, c := range claims {
		has := c.Object.GetNamespace()

		switch {
		case len(f.files) == 0 && configuration.NamespaceOf(c) != f.namespace:
			continue
		case len(f.files) > 0 && has != "" && has != f.namespace:
			return nil, &ExitError{Code: ExitUsage, Err: errors.Errorf("%s is in namespace %s, and not in %s, which -n names", c, has, message.Excerpt(f.namespace))}
		case len(f.files) > 0:
			c.Object.SetNamespace(f.namespace)
		}

		out = append(out, c)
	}

	return out, nil
}

// stories of claims in the world.
func (f *planFlags) stories(ctx context.Context, world preview.World, configuration preview.Configuration, claims []preview.Claim) ([]preview.Story, error) {
	out := make([]preview.Story, 0, len(claims))
	files := preview.Files{Catalogue: f.catalogue, Secrets: f.secrets}

	for _, c := range claims {
		story, err := world.Story(ctx, configuration, files, c)
		if err != nil {
			return nil, err
		}

		out = append(out, story)
	}

	return out, nil
}

// verdict on a plan: the exit code.
func (f *planFlags) verdict(p preview.Plan) error {
	refused := func(m preview.MachinePlan) bool { return len(m.Refused) > 0 } // As lint, render and a rehearsal say of the same claim.

	if faulty := p.Count(preview.StateFaulty); faulty > 0 || slices.ContainsFunc(p.Machines, refused) {
		return &ExitError{Code: ExitFailed}
	}

	for _, e := range f.failOn {
		if p.Has(preview.Effect(e)) {
			return &ExitError{Code: ExitFound}
		}
	}

	return nil
}

// A progress tells on a terminal what a long work is at, on one line that goes when it is done.
type progress struct {
	w    io.Writer
	what string
}

func newProgress(w io.Writer, what string) *progress {
	if !isTerminal(w) || os.Getenv("NO_COLOR") != "" { //nolint:forbidigo // This is what a person runs, not the function.
		w = io.Discard
	}

	return &progress{w: w, what: what}
}

// clearLine of a terminal.
const clearLine = "\r\x1b[K"

func (p *progress) tell(what string) { _, _ = fmt.Fprintf(p.w, "%s%s: %s", clearLine, p.what, what) }

func (p *progress) done() { _, _ = io.WriteString(p.w, clearLine) }
