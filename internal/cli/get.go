package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/why"
)

// getFlags are the flags of get.
type getFlags struct {
	clusterFlags

	output string
	watch  bool
	every  time.Duration
}

const outputWide = "wide"

// newGet is `kubectl machine get`.
func newGet(s Streams) *cobra.Command {
	f := &getFlags{}

	cmd := &cobra.Command{
		Use:   "get",
		Short: "List machines, K3s nodes, clusters, containers and sites, and what they wait for",
		Long: "List the machines, K3s nodes, clusters, containers and sites of a namespace, or of all: phase, Proxmox node, VMID, address, and what each waits for. " +
			"It lists claims, namespaced composites, and the nodes of a claim's cluster, which have no claims of their own.",
		Example: "  kubectl machine get\n  kubectl machine get -A -o wide\n  kubectl machine get -n infra-machines --watch\n" +
			"  kubectl machine get -A -o json | jq -r '.[] | select(.waits) | .name'",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), s) },
	}

	f.add(cmd)
	f.addAll(cmd, "list those of all namespaces")
	outputFlag(cmd.Flags(), &f.output, "text, wide, json or yaml", formatText, outputWide, outputJSON, outputYAML)
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "after the list, print the line of each that changes, until you interrupt")
	cmd.Flags().DurationVar(&f.every, "interval", defaultInterval, "how often --watch reads the cluster")

	return cmd
}

// defaultInterval of --watch.
const defaultInterval = 5 * time.Second

func (f *getFlags) check() error {
	switch {
	case f.watch && f.output != formatText && f.output != outputWide:
		return &ExitError{Code: ExitUsage, Err: errors.New("--watch prints lines: leave out -o, or say -o wide")}
	case f.watch && f.every < time.Second:
		return &ExitError{Code: ExitUsage, Err: errors.Errorf("--interval %s: must be 1s or more", f.every)}
	default:
		return nil
	}
}

func (f *getFlags) run(ctx context.Context, s Streams) error {
	if err := f.check(); err != nil {
		return err
	}

	lines, err := f.lines(ctx, s)
	if err == nil && len(lines) == 0 {
		err = f.missing(ctx)
	}

	if err != nil {
		return err
	}

	switch f.output {
	case outputJSON:
		return encode(s.Out, lines)
	case outputYAML:
		b, err := yaml.Marshal(lines)
		if err == nil {
			_, err = s.Out.Write(b)
		}

		return errors.Wrap(err, "cannot print the list")
	}

	if len(lines) == 0 {
		_, _ = fmt.Fprintf(s.Err, "there is nothing%s\n", f.within())
	} else if err := f.table(s.Out, lines, s.Now(), true); err != nil {
		return err
	}

	if !f.watch {
		return nil
	}

	return f.follow(ctx, s, lines)
}

// missing says that the namespace that was named does not exist. Who may not read namespaces does not know.
func (f *getFlags) missing(ctx context.Context) error {
	if f.namespace == "" || f.all || f.observed != "" {
		return nil
	}

	if found, err := f.client().Get(ctx, "namespaces", f.namespace, "--ignore-not-found"); err != nil || len(found) > 0 {
		return nil //nolint:nilerr // Nothing was found there, which is no failure.
	}

	return errors.Errorf("there is no namespace %s in the cluster; -A lists all namespaces", f.namespace)
}

// within is where nothing was found.
func (f *getFlags) within() string {
	switch {
	case f.observed != "":
		return f.where()
	case f.all:
		return " in any namespace: docs/start.md makes a first machine"
	default:
		return f.where() + "; -A lists all namespaces"
	}
}

// lines of the cluster, or of a file.
func (f *getFlags) lines(ctx context.Context, s Streams) ([]why.Line, error) {
	objects, err := f.objects(ctx, s)
	if err != nil {
		return nil, err
	}

	lines := why.Lines(objects)

	if f.namespace != "" {
		lines = slices.DeleteFunc(lines, func(l why.Line) bool { return l.Namespace != f.namespace })
	}

	return lines, nil
}

func (f *getFlags) objects(ctx context.Context, s Streams) ([]unstructured.Unstructured, error) {
	if f.observed != "" {
		return objectsIn(f.observed, s)
	}

	var args []string

	switch {
	case f.all:
		args = append(args, "--all-namespaces")
	case f.namespace != "":
		args = append(args, "--namespace="+f.namespace)
	}

	served := f.served(ctx)
	if len(served) == 0 {
		return nil, errNoKinds
	}

	found, err := f.client().Get(ctx, strings.Join(served, ","), args...)
	if isUnknown(err) {
		found, err = f.eachOf(ctx, served, args)
	}

	if errors.Is(err, errNoKinds) {
		return nil, err
	}

	return found, errors.Wrap(err, "cannot read from the cluster")
}

// eachOf some resources, of which the cluster need not have all: who may not list CRDs does not know which ones there are.
func (f *getFlags) eachOf(ctx context.Context, resources, args []string) ([]unstructured.Unstructured, error) {
	var out []unstructured.Unstructured

	unknown := 0

	for _, r := range resources {
		found, err := f.client().Get(ctx, r, args...)
		if isUnknown(err) {
			unknown++
			continue
		}

		if err != nil {
			return nil, err
		}

		out = append(out, found...)
	}

	if unknown == len(resources) {
		return nil, errNoKinds
	}

	return out, nil
}

// errNoKinds is said of a cluster without this project.
var errNoKinds = errors.New("the cluster has none of this project's kinds (" + strings.Join(claim.Kinds(), ", ") + "): install its packages first, see docs/start.md, " +
	"or name another cluster with --context. `kubectl get xrds` lists what is installed")

// served are the resources of ours that the cluster has, as kubectl takes them. Where a person may not list CRDs, they are those of this release.
func (f *clusterFlags) served(ctx context.Context) []string {
	var ours []string
	for _, kind := range claim.Kinds() {
		ours = append(ours, claim.Resource(kind))
	}

	printed, err := f.client().Print(ctx, "customresourcedefinitions", "--output=name")
	if err != nil {
		return ours
	}

	// The nodes of a claim's cluster are composites without claims.
	ours = append(ours, claim.Resource("X"+claim.KindK3sNode))

	var there []string

	for line := range strings.Lines(string(printed)) {
		if _, name, _ := strings.Cut(strings.TrimSpace(line), "/"); slices.Contains(ours, name) {
			there = append(there, name)
		}
	}

	return there
}

// follow the cluster until the person interrupts.
func (f *getFlags) follow(ctx context.Context, s Streams, before []why.Line) error {
	ticker := time.NewTicker(f.every)
	defer ticker.Stop()

	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}

		after, err := f.lines(ctx, s)

		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			_, _ = fmt.Fprintf(s.Err, "# %v\n", err)
			continue
		}

		if news := changed(before, after); len(news) > 0 {
			if err := f.table(s.Out, news, s.Now(), false); err != nil {
				return err
			}
		}

		before = after
	}
}

// phaseGone is that of a machine that is no longer there.
const phaseGone = "Gone"

// changed are the lines that are new or that differ, and those that are gone.
func changed(before, after []why.Line) []why.Line {
	key := func(l why.Line) string { return l.Namespace + "/" + l.Kind + "/" + l.Name }
	was := map[string]why.Line{}

	for _, l := range before {
		was[key(l)] = l
	}

	var out []why.Line

	for _, l := range after {
		if b, ok := was[key(l)]; !ok || !reflect.DeepEqual(b, l) {
			out = append(out, l)
		}

		delete(was, key(l))
	}

	for _, l := range before {
		if _, gone := was[key(l)]; gone {
			l.Phase, l.Waits = phaseGone, nil
			out = append(out, l)
		}
	}

	return out
}

// maxSaid is how much of a message -o wide shows.
const maxSaid = 120

// table of lines.
func (f *getFlags) table(to io.Writer, lines []why.Line, now time.Time, head bool) error {
	w := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	row := func(l []string) {
		if !f.all && f.observed == "" {
			l = l[1:]
		}

		_, _ = fmt.Fprintln(w, strings.Join(l, "\t"))
	}

	if head {
		titles := []string{"NAMESPACE", "KIND", "NAME", "PHASE", "NODE", "VMID", "ADDRESS", "WAITS FOR"}
		if f.output == outputWide {
			titles = append(titles, "AGE", "SAYS")
		}

		row(titles)
	}

	for _, l := range lines {
		id := "-"
		if l.VMID != 0 {
			id = strconv.FormatInt(l.VMID, 10)
		}

		cells := []string{
			cmp.Or(l.Namespace, "-"), l.Kind, l.Name, l.Phase, cmp.Or(l.Node, "-"), id, cmp.Or(l.Address, "-"), waits(l, now),
		}

		if f.output == outputWide {
			cells = append(cells, age(l.Created, now), said(l))
		}

		row(cells)
	}

	return errors.Wrap(w.Flush(), "cannot print the list")
}

// waits is what a machine waits for, and how long.
func waits(l why.Line, now time.Time) string {
	if len(l.Waits) == 0 {
		return "-"
	}

	first := l.Waits[0]
	out := first.Condition + " " + cmp.Or(first.Reason, first.Status)

	if !first.Since.IsZero() {
		out += " (" + why.Age(now.Sub(first.Since)) + ")"
	}

	if n := len(l.Waits) - 1; n > 0 {
		out += fmt.Sprintf(", and %d more", n)
	}

	return out
}

// said is the first line of why a machine waits.
func said(l why.Line) string {
	if len(l.Waits) == 0 || l.Waits[0].Message == "" {
		return "-"
	}

	line, _, _ := strings.Cut(l.Waits[0].Message, "\n")
	if letters := []rune(line); len(letters) > maxSaid {
		line = string(letters[:maxSaid]) + "..."
	}

	return line
}

func age(created, now time.Time) string {
	if created.IsZero() {
		return "-"
	}

	return why.Age(now.Sub(created))
}
