package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/rehearse"
)

// rehearseFlags are the flags of `kubectl machine rehearse`.
type rehearseFlags struct {
	planFlags

	before  []string
	until   int
	step    int
	faults  bool
	assumed rehearse.Assumed
}

// newRehearse is `kubectl machine rehearse`.
func newRehearse(s Streams) *cobra.Command {
	f := &rehearseFlags{}

	cmd := &cobra.Command{
		Use:   "rehearse -f FILE|FOLDER|-",
		Short: "Play what edits do, step by step, until nothing changes",
		Long: `Play what edits do: what is done to which VM in which order, who is out of service meanwhile, how many members of etcd vote, who waits for
a person, and how it ends.

The function is the real one. Crossplane, the provider, Proxmox, the guests and K3s are played: nothing is written, and nobody's Proxmox is asked.
What there is comes from the cluster of the kubeconfig, from a file (--observed), or from claims as they were (--before). Where nothing is, machines are born.
How long things take is assumed, as the flags say.`,
		Example: "  kubectl machine rehearse -f machines/\n  kubectl machine rehearse -f home.yaml --before old/home.yaml\n" +
			"  kubectl machine rehearse -f machines/ --prune --fail-on quorum,data # what is no longer among the files is deleted\n" +
			"  kubectl machine rehearse -f home.yaml --observed none # a birth\n  kubectl machine rehearse -f home.yaml --boot 90s --until 5",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), s) },
	}

	f.add(cmd)

	flags := cmd.Flags()
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of the claims that name none, as kubectl apply takes it")
	flags.StringVar(&f.observed, "observed", "", "file with what there is, as kubectl get -o yaml prints it, in place of the cluster; - for standard input, none for nothing")
	flags.StringSliceVar(&f.before, "before", nil, "file or folder with the claims as they were, in place of the cluster: these are born first, and then edited")
	addKubeconfig(flags, &f.kubeconfig, &f.context)
	outputFlag(flags, &f.output, "what to print: text, json or markdown", outputText, outputJSON, outputMarkdown)
	flags.IntVar(&f.until, "until", 0, "stop after this step")
	flags.IntVar(&f.step, "step", 0, "print the world after this step only: its machines, votes, and the conditions that are not as they should be")
	flags.BoolVar(&f.faults, "faults", false, "rehearse once more for each step and each thing that can go wrong, and print what that comes to, worst first")
	flags.BoolVar(&f.delete, "delete", false, "rehearse the deletion of the claims")
	flags.BoolVar(&f.prune, "prune", false, "rehearse the deletion of the machines in the claims' namespaces that are not among the claims, as what prunes deletes them")
	flags.StringSliceVar(&f.failOn, "fail-on", nil,
		"with --faults, --delete or --prune: end with exit code 5 if a fault or the deletion does one of these: "+strings.Join(harmNames(), ", "))

	completeWords(cmd, "fail-on", harmNames())

	f.assumed = rehearse.Usual()
	for _, t := range takes(&f.assumed) {
		flags.Var((*seconds)(t.of), t.flag, "how long "+t.what+" takes")
	}

	return cmd
}

// A taking is how long something is assumed to take, and the flag that says so.
type taking struct {
	flag, what string
	of         *rehearse.Seconds
}

func takes(a *rehearse.Assumed) []taking {
	return []taking{
		{"download", "the download of an image", &a.Download},
		{"create", "the creation of a VM", &a.Create},
		{"boot", "a boot", &a.Boot},
		{"join", "the join of K3s in a VM that has booted", &a.Join},
		{"shutdown", "a shutdown", &a.Shutdown},
		{"drain", "the drain of a node", &a.Drain},
		{"upgrade", "an upgrade of K3s in place", &a.Upgrade},
		{"move", "the move of a VM to another node", &a.Move},
	}
}

// seconds are the value of a flag: a duration.
type seconds rehearse.Seconds

func (s *seconds) String() string { return (time.Duration(*s) * time.Second).String() }
func (*seconds) Type() string     { return "duration" }

func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err == nil && (d < 0 || d%time.Second != 0) {
		err = errors.Errorf("%s are no whole seconds", text)
	}

	*s = seconds(d / time.Second)

	return err
}

// check the values of flags.
func (f *rehearseFlags) check() error {
	switch {
	case len(f.files) == 0:
		return &ExitError{Code: ExitUsage, Err: errors.New("name the claims with -f")}
	case f.until < 0:
		return &ExitError{Code: ExitUsage, Err: errors.Errorf("--until %d is no step: they count from 1", f.until)}
	case f.step < 0:
		return &ExitError{Code: ExitUsage, Err: errors.Errorf("--step %d is no step: they count from 1", f.step)}
	case len(f.failOn) > 0 && !f.faults && f.deletion() == deletesNothing:
		return &ExitError{Code: ExitUsage, Err: errors.New("--fail-on is about --faults, --delete and --prune")}
	}

	if err := checkFailOn("harm", f.failOn, harmNames()); err != nil {
		return err
	}

	return f.checkSources()
}

func (f *rehearseFlags) run(ctx context.Context, s Streams) error {
	if err := f.check(); err != nil {
		return err
	}

	in, err := f.input(ctx, s)
	if err != nil {
		return orEmpty(err)
	}

	switch {
	case f.faults:
		return f.runFaults(ctx, s, in)
	case f.step > 0:
		m, err := rehearse.At(ctx, in, f.step)
		if err != nil {
			return err
		}

		return f.print(s, m)
	}

	r, err := rehearse.Rehearse(ctx, in)
	if err != nil {
		return orEmpty(err)
	}

	if err := f.print(s, r); err != nil {
		return err
	}

	return f.exit(r.Does, r.Verdict.Outcome)
}

// exit with what a rehearsal does that a person wants none to do, and else with its verdict.
func (f *rehearseFlags) exit(does func(rehearse.Harm) bool, outcome rehearse.Outcome) error {
	for _, h := range f.failOn {
		if does(rehearse.Harm(h)) {
			return exitWith(ExitHarm)
		}
	}

	return exitWith(exitOf[outcome])
}

// A rehearsed thing is printed in each way.
type rehearsed interface {
	Text(to io.Writer) error
	Markdown(to io.Writer) error
}

func (f *rehearseFlags) print(s Streams, r rehearsed) error {
	switch f.output {
	case outputJSON:
		return encode(s.Out, r)
	case outputMarkdown:
		return r.Markdown(s.Out)
	default:
		return r.Text(s.Out)
	}
}

// runFaults rehearses with faults.
func (f *rehearseFlags) runFaults(ctx context.Context, s Streams, in rehearse.Input) error {
	progress := newProgress(s.Err, "rehearsing faults")

	r, err := rehearse.WithFaults(ctx, in, func(played, of int) { progress.tell(fmt.Sprintf("%d of %d worlds", played, of)) })
	progress.done()

	if err != nil {
		return err
	}

	if err := f.print(s, r); err != nil {
		return err
	}

	return f.exit(r.Does, r.Rehearsal.Verdict.Outcome)
}

func exitWith(code ExitCode) error {
	if code == ExitOK {
		return nil
	}

	return &ExitError{Code: code}
}

func harmNames() []string { return wordsOf(rehearse.Harms()) }

// exitOf a verdict.
var exitOf = map[rehearse.Outcome]ExitCode{ //nolint:gochecknoglobals // A constant table.
	rehearse.Done: ExitOK, rehearse.Stopped: ExitOK, rehearse.Refused: ExitFailed, rehearse.Stuck: ExitFound, rehearse.Waits: ExitWaits,
}

// input of the rehearsal: the claims with what there is of them.
func (f *rehearseFlags) input(ctx context.Context, s Streams) (rehearse.Input, error) {
	out := rehearse.Input{Assumed: f.assumed, Until: f.until}
	there := preview.World{}

	if len(f.before) == 0 && f.observed != preview.NoFile {
		var err error
		if there, err = f.world(ctx, s); err != nil {
			return out, err
		}
	}

	if f.flavour == "" {
		f.flavour = there.Flavour
	}

	configuration, err := preview.Load(cmp.Or(f.flavour, catalog.DefaultFlavour))
	if err != nil {
		return out, &ExitError{Code: ExitUsage, Err: err}
	}

	claims, err := f.claims(ctx, s, configuration, f.files)
	if err != nil {
		return out, err
	}

	configuration, stories, err := f.remembered(ctx, there, configuration, claims)
	if err != nil {
		return out, err
	}

	if there.Fetch == nil && len(there.Objects) > 0 && f.deletion() != deletesNamed {
		f.tellUnobserved(s, stories)
	}

	of := edits{configuration: configuration, named: stories, deletes: f.deletion()}

	if of.deletes != deletesNothing {
		if of.unnamed, err = f.stories(ctx, there, configuration, there.Gone(configuration, claims)); err != nil {
			return out, err
		}
	}

	if out.Machines, err = of.machines(); err != nil {
		return out, err
	}

	err = f.bear(ctx, s, preview.Renderer{Configuration: configuration}, claims, &out)

	return out, err
}

// storyBefore the edit of a claim as it was: with the catalogue that a person names, as the edited claims, else with the one beside it, else with that of the
// edited claims.
func (f *rehearseFlags) storyBefore(ctx context.Context, was preview.Claim, edited []preview.Claim) (preview.Story, error) {
	files := preview.Files{Catalogue: f.catalogue, Secrets: f.secrets, Observed: preview.NoFile}

	story, err := files.Story(ctx, was)
	if err != nil || f.catalogue != "" || slices.ContainsFunc(story.Required, isCatalogue) {
		return story, err
	}

	for _, c := range edited {
		with, err := files.Story(ctx, c)
		if err != nil {
			return story, err
		}

		if i := slices.IndexFunc(with.Required, isCatalogue); i >= 0 {
			story.Required = append(story.Required, with.Required[i])

			break
		}
	}

	return story, nil
}

func isCatalogue(o unstructured.Unstructured) bool { return o.GetKind() == catalogueKind }

// tellUnobserved says that what was observed has no catalogue of the name that the claims' has: who wanted to rehearse an edit of the catalogue rehearses none.
func (f *rehearseFlags) tellUnobserved(s Streams, stories []preview.Story) {
	for _, story := range stories {
		i := slices.IndexFunc(story.Required, isCatalogue)
		if i < 0 || slices.ContainsFunc(story.Former, isCatalogue) {
			continue
		}

		_, _ = fmt.Fprintf(s.Err, "# --observed %s has no %s %s: the one of the claims counts before and after the edit. To rehearse an edit of the catalogue, add what "+
			"kubectl get environmentconfigs.apiextensions.crossplane.io %s -o yaml prints\n",
			f.observed, catalogueKind, story.Required[i].GetName(), story.Required[i].GetName())

		return
	}
}

// tellReplaced says that the claims as they were have a catalogue beside them, and are rehearsed with another one that a person names: who wanted to rehearse
// an edit of the catalogue rehearses none.
func (f *rehearseFlags) tellReplaced(ctx context.Context, s Streams, before []preview.Claim) {
	if f.catalogue == "" {
		return
	}

	data := func(catalogue string, of preview.Claim) (out []any) {
		story, err := preview.Files{Catalogue: catalogue, Secrets: preview.NoFile, Observed: preview.NoFile}.Story(ctx, of)
		for _, o := range story.Required {
			if err == nil && isCatalogue(o) {
				out = append(out, o.GetName(), o.Object["data"])
			}
		}

		return out
	}

	for _, c := range before {
		if beside := data("", c); len(beside) > 0 && !reflect.DeepEqual(beside, data(f.catalogue, c)) {
			_, _ = fmt.Fprintf(s.Err, "# --catalogue %s counts before and after the edit, and the catalogue beside the claims of --before %s does not count: to rehearse an edit "+
				"of the catalogue, leave out --catalogue, and have one beside the claims of -f and one beside those of --before\n", f.catalogue, strings.Join(f.before, ", "))

			return
		}
	}
}

// bear the claims as they were. What is not among the edited ones stays as it is, or is pruned.
func (f *rehearseFlags) bear(ctx context.Context, s Streams, r preview.Renderer, edited []preview.Claim, in *rehearse.Input) error {
	if len(f.before) == 0 {
		return nil
	}

	claims, err := f.claims(ctx, s, r.Configuration, f.before)
	if err != nil {
		return err
	}

	f.tellReplaced(ctx, s, claims)

	gone := map[string]bool{}
	for _, c := range r.Configuration.Gone(claims, edited) {
		gone[r.Configuration.NameOf(c)] = true
	}

	// Of one that has a name of these, the rehearsal itself says that it is no longer the same.
	sharesName := func(c preview.Claim) bool {
		return slices.ContainsFunc(edited, func(e preview.Claim) bool {
			return e.Object.GetName() == c.Object.GetName() && e.Object.GetKind() == c.Object.GetKind()
		})
	}

	if !f.prune && !slices.ContainsFunc(claims, sharesName) {
		_, _ = fmt.Fprintf(s.Err, "# --before %s has none of the claims of -f, so each of these is new: a claim is the same if kind, namespace and name are\n", strings.Join(f.before, ", "))
	}

	for _, c := range claims {
		story, err := f.storyBefore(ctx, c, edited)
		if err != nil {
			return err
		}

		scene, err := r.Scene(story)
		if err != nil {
			return err
		}

		name := r.Configuration.NameOf(c)
		i := slices.IndexFunc(in.Machines, func(m rehearse.Machine) bool { return m.Name == name })

		switch {
		case i >= 0:
			in.Machines[i].Was = &scene
		case gone[name] && f.prune:
			in.Machines = append(in.Machines, rehearse.Machine{Name: name, Was: &scene, Is: scene, Fate: rehearse.Deleted})
		default:
			in.Machines = append(in.Machines, rehearse.Machine{Name: name, Was: &scene, Is: scene, Fate: rehearse.Left})
		}
	}

	return nil
}
