package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/adopt"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// adoptFlags are the flags of adopt.
type adoptFlags struct {
	config    string
	node      string
	outputDir string
	all       bool
	script    bool
	options   adopt.Options
}

// newAdopt is `kubectl machine adopt`.
func newAdopt(s Streams) *cobra.Command {
	f := &adoptFlags{}

	cmd := &cobra.Command{
		Use:   "adopt VMID...",
		Short: "Write the claims that adopt VMs and containers which somebody made by hand",
		Long: "Adopt writes the claims of existing VMs and containers from their configuration in Proxmox, and says what keeps one from being adopted. The claims change " +
			"nothing: apply them, read the plans in status.adoption, and approve them.\n\n" +
			"For one guest it reads what pvesh prints of its configuration; for several, what the script of --script prints on a node, which only reads. Name VMIDs, ranges " +
			"such as 101-113, or --all. The claims come in the order of the VMIDs. Guests that cannot be adopted are said on standard error, and the others are written.",
		Example: "  ssh root@pve pvesh get /nodes/pve/qemu/108/config --output-format json | kubectl machine adopt 108 > nas.yaml\n" +
			"  ssh root@pve pvesh get /nodes/pve/lxc/113/config --output-format json | kubectl machine adopt 113 --node pve > frigate.yaml\n" +
			"  kubectl machine adopt --script | ssh root@pve sh > guests.json\n" +
			"  kubectl machine adopt 101 102 110-119 --config guests.json --output-dir claims",
		RunE: func(_ *cobra.Command, args []string) error { return f.run(s, args) },
	}

	cmd.Flags().StringVar(&f.config, "config", manifest.Stdin, "file with the configuration, as pvesh or the script prints it; - for standard input")
	cmd.Flags().StringVar(&f.options.Name, "name", "", "name of the claim of a single guest; default: the guest's")
	cmd.Flags().StringVarP(&f.options.Namespace, "namespace", "n", "default", "namespace of the claims")
	cmd.Flags().StringVar(&f.options.Site, "site", "", "site of the catalogue; default: the catalogue's")
	cmd.Flags().StringVar(&f.node, "node", "", "node of a container whose configuration pvesh printed")
	cmd.Flags().StringVar(&f.outputDir, "output-dir", "", "write a file for each claim into this folder instead of printing them")
	cmd.Flags().BoolVar(&f.all, "all", false, "all VMs and containers that the script found")
	cmd.Flags().BoolVar(&f.script, "script", false, "print the script that asks Proxmox of all guests, for a shell on a node")
	cmd.Flags().BoolVar(&f.options.Stopped, "stopped", false, "keep stopped guests stopped; otherwise the provider starts one of which only the configuration is known")

	return cmd
}

func (f *adoptFlags) run(s Streams, args []string) error {
	if f.script {
		_, err := io.WriteString(s.Out, adopt.Script)

		return errors.Wrap(err, "cannot print the script")
	}

	wanted, err := f.wanted(args)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}

	data, err := readAll(f.config, s)
	if err != nil {
		return err
	}

	alone := adopt.Alone{Node: f.node}
	if len(wanted) == 1 && wanted[0].from == wanted[0].to {
		alone.ID = wanted[0].from
	}

	read, err := adopt.Read(bytes.NewReader(data), alone)
	if err != nil {
		return err
	}

	if len(read.All) == 1 && read.All[0].About().ID == 0 {
		return &ExitError{Code: ExitUsage, Err: errors.New("the configuration is that of one guest, and does not say its VMID: name one VMID, or read what --script prints on a node")}
	}

	return f.adopt(s, read, wanted)
}

// wanted are the VMIDs of the command line; nil for all.
func (f *adoptFlags) wanted(args []string) ([]vmIDs, error) {
	switch {
	case f.all && len(args) > 0:
		return nil, errors.New("--all takes no VMIDs: name them, or all")
	case !f.all && len(args) == 0:
		return nil, errors.New("name the VMIDs, such as kubectl machine adopt 108, or --all")
	}

	var out []vmIDs

	for _, arg := range args {
		v, err := vmIDsOf(arg)
		if err != nil {
			return nil, err
		}

		out = append(out, v)
	}

	if f.options.Name != "" && (f.all || len(out) != 1 || out[0].from != out[0].to) {
		return nil, errors.New("--name is for the claim of a single guest")
	}

	return out, nil
}

// vmIDs are one VMID or a range of them, both ends included.
type vmIDs struct{ from, to int64 }

func (v vmIDs) String() string {
	if v.from == v.to {
		return strconv.FormatInt(v.from, 10)
	}

	return fmt.Sprintf("%d-%d", v.from, v.to)
}

func (v vmIDs) has(id int64) bool { return v.from <= id && id <= v.to }

func vmIDsOf(arg string) (vmIDs, error) {
	first, last, isRange := strings.Cut(arg, "-")
	if !isRange {
		last = first
	}

	var out vmIDs

	for to, text := range map[*int64]string{&out.from: first, &out.to: last} {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 100 || id > 999999999 {
			return out, errors.Errorf("%q is no VMID: VMIDs are numbers from 100 to 999999999, and a range is 101-113", arg)
		}

		*to = id
	}

	if out.from > out.to {
		return out, errors.Errorf("%q is no range of VMIDs: its end is before its beginning", arg)
	}

	return out, nil
}

// adopt the guests that are wanted: the claims of those that are fit are written, and why the others are not is said.
func (f *adoptFlags) adopt(s Streams, read adopt.Guests, wanted []vmIDs) error {
	isWanted := func(id int64) bool {
		return wanted == nil || slices.ContainsFunc(wanted, func(v vmIDs) bool { return v.has(id) })
	}

	var fit []adopt.Guest

	unfit := f.unread(read, wanted, isWanted)

	for _, g := range read.All {
		if !isWanted(g.About().ID) {
			continue
		}

		if why := g.Unfit(); why != "" {
			unfit = append(unfit, unadoptable{g.About().ID, fmt.Sprintf("%s cannot be adopted as it is. %s", g.About(), why)})
			continue
		}

		fit = append(fit, g)
	}

	single := len(fit) == 1 && len(unfit) == 0

	faulty, err := f.write(s, fit, single)
	if err != nil {
		return err
	}

	slices.SortStableFunc(unfit, func(a, b unadoptable) int { return int(a.id - b.id) })

	if len(unfit) == 1 && len(fit) == 0 {
		return &ExitError{Code: ExitFound, Err: errors.New(unfit[0].why)}
	}

	for _, u := range unfit {
		_, _ = fmt.Fprintln(s.Err, u.why)
	}

	switch {
	case len(unfit) > 0:
		return &ExitError{Code: ExitFound, Err: errors.Errorf("%s cannot be adopted; %s written", counted(len(unfit), "guest"), counted(len(fit), "claim"))}
	case len(fit) == 0:
		return &ExitError{Code: ExitFound, Err: errors.New("there is no VM and no container to adopt")}
	case faulty && single:
		return &ExitError{Code: ExitFound, Err: errors.New("the claim has faults: correct them before you apply it")}
	case faulty:
		return &ExitError{Code: ExitFound, Err: errors.New("there are claims with faults: correct them before you apply them")}
	}

	return nil
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}

	return fmt.Sprintf("%d %ss", n, thing)
}

// An unadoptable guest, and why it is.
type unadoptable struct {
	id  int64
	why string
}

// unread are the guests that are wanted, and of which nothing is known.
func (f *adoptFlags) unread(read adopt.Guests, wanted []vmIDs, isWanted func(int64) bool) []unadoptable {
	var out []unadoptable

	for id, node := range read.Unread {
		if isWanted(id) {
			out = append(out, unadoptable{id, fmt.Sprintf("%d cannot be adopted: Proxmox does not say its configuration. Is node %s up?", id, node)})
		}
	}

	for _, v := range wanted {
		there := slices.ContainsFunc(read.All, func(g adopt.Guest) bool { return v.has(g.About().ID) })
		for id := range read.Unread {
			there = there || v.has(id)
		}

		if !there {
			out = append(out, unadoptable{v.from, fmt.Sprintf("%s cannot be adopted: there is no such VM and no such container in what was read", v)})
		}
	}

	return out
}

// write the claims, and say what a person should know of them, and their faults. It returns whether there are faults.
func (f *adoptFlags) write(s Streams, guests []adopt.Guest, single bool) (faulty bool, err error) {
	var claims [][]byte

	names := adopt.Names(guests)

	for i, g := range guests {
		o := f.options
		o.Name = cmp.Or(o.Name, names[i])

		claim, err := g.Claim(o)
		if err != nil {
			return false, err
		}

		if f.outputDir != "" {
			if err := writeClaim(f.outputDir, o.Name, claim); err != nil {
				return false, err
			}
		}

		claims = append(claims, claim)

		where := ""
		if !single {
			where = g.About().String() + ": "
		}

		faulty = sayOf(s.Err, g, where, o.Name, claim) || faulty
	}

	if f.outputDir == "" {
		if _, err := s.Out.Write(bytes.Join(claims, []byte("---\n"))); err != nil {
			return false, errors.Wrap(err, "cannot print the claims")
		}
	}

	return faulty, nil
}

// sayOf a guest what a person should know, and the faults of its claim. It returns whether there are faults.
func sayOf(w io.Writer, g adopt.Guest, where, name string, claim []byte) (faulty bool) {
	for _, caution := range g.Cautions() {
		_, _ = fmt.Fprintln(w, "# "+where+caution)
	}

	report := lint.Check([]manifest.Raw{{File: name, Documents: manifest.RawDocuments(claim)}}, nil, lint.Options{})

	for _, fault := range report.Faults {
		if fault.Severity == lint.Error {
			_, _ = fmt.Fprintln(w, fault)
		}
	}

	return report.Refused() > 0
}

// writeClaim into a folder, which is made. A file that is there is somebody's work, and stays.
func writeClaim(folder, name string, claim []byte) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return errors.Wrap(err, "cannot make the folder of the claims")
	}

	path := filepath.Join(folder, filepath.Base(name)+".yaml")

	file, err := os.OpenFile(filepath.Clean(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return errors.Wrap(err, "cannot write the claim, and no file is overwritten")
	}

	_, err = file.Write(claim)

	return errors.Wrapf(errors.Join(err, file.Close()), "cannot write %s", path)
}
