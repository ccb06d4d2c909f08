package cli

import (
	"bufio"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/inventory"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/privilege"
)

// initFlags are the flags of init.
type initFlags struct {
	from    string
	script  bool
	name    string
	site    string
	sshKeys []string
	user    string
	vmIDs   string
}

// newInit is `kubectl machine init`.
func newInit(s Streams) *cobra.Command {
	f := &initFlags{}

	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a catalogue: from what Proxmox says of itself, or from your answers",
		Long: "Init writes a catalogue with comments to standard output. With --from it reads what Proxmox says of itself; otherwise it asks. " +
			"It needs no access to Proxmox of its own: --script prints a shell script of pvesh commands, which only read.\n\n" +
			"What is missing in Proxmox is said on standard error, with the commands that add it. Init fails if no machine could be created with the catalogue.",
		Example: "  kubectl machine init --script | ssh root@pve sh | kubectl machine init --from - --ssh-key ~/.ssh/id_ed25519.pub > catalogue.yaml\n" +
			"  kubectl machine init > catalogue.yaml",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return f.run(s) },
	}

	cmd.Flags().StringVar(&f.from, "from", "", "file with the answers of Proxmox, or - for standard input")
	cmd.Flags().BoolVar(&f.script, "script", false, "print the script that asks Proxmox, for a shell on a node")
	cmd.Flags().StringVar(&f.name, "catalogue-name", lint.DefaultCatalogue, "name of the EnvironmentConfig")
	cmd.Flags().StringVar(&f.site, "site", "home", "name of the site")
	cmd.Flags().StringSliceVar(&f.sshKeys, "ssh-key", nil, "file with a public key of those who may log in to machines")
	cmd.Flags().StringVar(&f.user, "admin-user", "ops", "account with the SSH keys")
	cmd.Flags().StringVar(&f.vmIDs, "vm-ids", "", "range of VMIDs for machines, such as 4100-4199")

	return cmd
}

func (f *initFlags) run(s Streams) error {
	if f.script {
		_, err := io.WriteString(s.Out, inventory.Script)

		return errors.Wrap(err, "cannot print the script")
	}

	site, err := f.inventory(s)
	if err != nil {
		return err
	}

	catalogue, err := site.Catalogue(f.name)
	if err != nil {
		return err
	}

	// What is written here must be right: a name that Proxmox takes and the catalogue does not is said now, and not with the first claim.
	report := lint.Check([]manifest.Raw{{File: "catalogue", Documents: manifest.RawDocuments(catalogue)}}, nil, lint.Options{Catalogue: f.name})
	for _, fault := range report.Faults {
		_, _ = fmt.Fprintln(s.Err, fault)
	}

	if _, err := s.Out.Write(catalogue); err != nil {
		return errors.Wrap(err, "cannot print the catalogue")
	}

	if report.Refused() > 0 {
		return &ExitError{Code: ExitFound, Err: errors.New("the catalogue has faults: correct them before you apply it")}
	}

	if err := sayLacks(s.Err, site); err != nil {
		return err
	}

	_, _ = fmt.Fprintln(s.Err, "# `kubectl machine privileges --catalogue FILE` prints the commands that give the provider's API token what this catalogue needs.")

	if r := site.VMIDs; r != [2]int64{} {
		for _, line := range privilege.NextIDAdvice([]privilege.Range{{From: r[0], To: r[1]}}) {
			_, _ = fmt.Fprintln(s.Err, "# "+line)
		}
	}

	return nil
}

// sayLacks of a site: a catalogue is redirected into a file, whose comments nobody reads before the first claim fails.
func sayLacks(w io.Writer, site inventory.Site) error {
	lacks, works := site.Lacks()
	commands := []string{}

	for _, l := range lacks {
		_, _ = fmt.Fprintln(w, "# missing: "+l.String())

		for _, c := range l.Commands {
			// A later one has what the one before adds, and more.
			commands = slices.DeleteFunc(commands, func(before string) bool { return strings.Fields(before)[2] == strings.Fields(c)[2] })
			commands = append(commands, c)
		}
	}

	if len(site.SSHKeys) == 0 {
		_, _ = fmt.Fprintln(w, "# missing: an SSH key: nobody can log in to a machine; name yours with --ssh-key ~/.ssh/id_ed25519.pub")
	}

	for _, c := range commands {
		_, _ = fmt.Fprintln(w, "# to add it, as root on a node: "+c)
	}

	if !works {
		return &ExitError{Code: ExitFound, Err: errors.New("no machine can be created with this catalogue: add what is missing in Proxmox, and run init again")}
	}

	return nil
}

// inventory of Proxmox's or a person's answers, with what the flags say.
func (f *initFlags) inventory(s Streams) (inventory.Site, error) {
	var (
		site inventory.Site
		err  error
	)

	switch f.from {
	case "":
		site, err = f.ask(s)
	case manifest.Stdin:
		site, err = inventory.Read(s.In)
	default:
		var file *os.File
		if file, err = os.Open(filepath.Clean(f.from)); err != nil {
			return site, errors.Wrap(err, "cannot read the answers")
		}

		defer file.Close() //nolint:errcheck // It was only read.

		site, err = inventory.Read(file)
	}

	if err != nil {
		return site, err
	}

	site.Name, site.AdminUser = f.site, f.user

	for _, path := range f.sshKeys {
		keys, err := readKeys(path)
		if err != nil {
			return site, err
		}

		site.SSHKeys = append(site.SSHKeys, keys...)
	}

	if f.vmIDs != "" {
		if site.VMIDs, err = rangeOf(f.vmIDs); err != nil {
			return site, &ExitError{Code: ExitUsage, Err: err}
		}
	}

	return site, nil
}

// readKeys are the public keys of a file. A private key is never read into a catalogue.
func readKeys(path string) ([]string, error) {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, "~/") {
		path = filepath.Join(home, path[2:])
	}

	data, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the public key")
	}

	if strings.Contains(string(data), "PRIVATE KEY") {
		return nil, errors.Errorf("%s is a private key: name the file of the public key, which ends with .pub", path)
	}

	var out []string

	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}

	return out, nil
}

// rangeOf VMIDs, as 4100-4199.
func rangeOf(text string) ([2]int64, error) {
	first, last, ok := strings.Cut(text, "-")
	from, errFrom := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
	to, errTo := strconv.ParseInt(strings.TrimSpace(last), 10, 64)

	if !ok || errFrom != nil || errTo != nil || from > to {
		return [2]int64{}, errors.Errorf("%q is no range of VMIDs: write it as 4100-4199", text)
	}

	return [2]int64{from, to}, nil
}

// questions to a person.
type questions struct {
	in  *bufio.Reader
	out func(format string, args ...any)
}

// ask until the answer is right. Without an answer, the default counts.
func (q questions) ask(question, byDefault string, right func(string) error) (string, error) {
	for {
		if byDefault == "" {
			q.out("%s: ", question)
		} else {
			q.out("%s [%s]: ", question, byDefault)
		}

		line, err := q.in.ReadString('\n')
		if err != nil && line == "" {
			// A person who ends the input wants no catalogue of defaults, and a program without a terminal answered nothing.
			q.out("\n")

			return "", errors.Errorf("nobody answers %q, and nothing is written: init asks a person, or reads with --from what Proxmox answers", question)
		}

		answer := strings.TrimSpace(line)
		if answer == "" {
			answer = byDefault
		}

		fault := right(answer)
		if fault == nil {
			return answer, nil
		}

		if err != nil {
			return "", errors.Wrapf(fault, "cannot go on without an answer to %q", question)
		}

		q.out("  %v\n", fault)
	}
}

// ask a person for what Proxmox would say.
func (f *initFlags) ask(s Streams) (inventory.Site, error) {
	q := questions{bufio.NewReader(s.In), func(format string, args ...any) { _, _ = fmt.Fprintf(s.Err, format, args...) }}

	var (
		site inventory.Site
		err  error
	)

	answer := func(question, byDefault string, right func(string) error) string {
		if err != nil {
			return ""
		}

		var a string

		a, err = q.ask(question, byDefault, right)

		return a
	}

	nodes := words(answer("Nodes of the Proxmox cluster, as `pvecm nodes` lists them", "pve", nodeNames))
	site.Bridge = answer("Bridge of the machines", "vmbr0", taken(func(s *inventory.Site, a string) { s.Bridge = a }))
	disks := answer("Datastore for disks (`pvesm status --content images` lists them)", "local-lvm", datastore)
	images := answer("Datastore for cloud images (`pvesm status --content import`)", "local", datastore)
	snippets := answer("Datastore for cloud-init snippets (`pvesm status --content snippets`)", "local", datastore)
	network := answer("Gateway and prefix length of fixed addresses, such as 192.168.4.1/24; empty if all machines use DHCP", "", gateway)
	site.DNS = words(answer("Name servers; empty for the DHCP server's, or the node's", "", addresses))
	site.Domain = answer("Search domain; may be empty", "", taken(func(s *inventory.Site, a string) { s.Domain = a }))

	if len(f.sshKeys) == 0 {
		f.sshKeys = words(answer("File with your public SSH key; may be empty", firstKey(), readable))
	}

	if f.vmIDs == "" {
		f.vmIDs = answer("Range of VMIDs for machines, such as 4100-4199; empty for the next free VMID", "", func(a string) error {
			if a == "" {
				return nil
			}

			_, err := rangeOf(a)

			return err
		})
	}

	if err != nil {
		return site, err
	}

	if prefix, err := netip.ParsePrefix(network); err == nil {
		site.Gateway, site.CIDR = prefix.Addr().String(), int64(prefix.Bits())
	}

	slices.Sort(nodes)

	for _, n := range slices.Compact(nodes) {
		site.Nodes = append(site.Nodes, inventory.Node{Name: n, Disks: disks, Images: images, Snippets: snippets})
	}

	return site, nil
}

// words of an answer, between blanks and commas.
func words(answer string) []string {
	return strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
}

// taken says whether a catalogue takes an answer: one that has this answer alone is checked as the whole one is. A person is asked again at once, and
// not for all answers at the end.
func taken(set func(site *inventory.Site, answer string)) func(string) error {
	return func(answer string) error {
		site := inventory.Site{Name: "home", AdminUser: "ops", Nodes: []inventory.Node{{Name: "pve"}}}
		set(&site, answer)

		catalogue, err := site.Catalogue(lint.DefaultCatalogue)
		if err != nil {
			return err
		}

		report := lint.Check([]manifest.Raw{{File: "catalogue", Documents: manifest.RawDocuments(catalogue)}}, nil, lint.Options{Catalogue: lint.DefaultCatalogue})
		for _, fault := range report.Faults {
			if fault.Severity == lint.Error {
				return errors.New(fault.Message)
			}
		}

		return nil
	}
}

// datastore is an answer that must be the name of one.
func datastore(answer string) error {
	return taken(func(s *inventory.Site, a string) { s.Nodes[0].Disks = a })(answer)
}

// nodeNames is an answer that must name nodes, one at least.
func nodeNames(answer string) error {
	if len(words(answer)) == 0 {
		return errors.New("name a node")
	}

	for _, name := range words(answer) {
		if err := taken(func(s *inventory.Site, a string) { s.Nodes[0].Name = a })(name); err != nil {
			return err
		}
	}

	return nil
}

func gateway(answer string) error {
	if answer == "" {
		return nil
	}

	if p, err := netip.ParsePrefix(answer); err != nil || !p.Addr().Is4() {
		return errors.New("write the gateway's address and the prefix length, such as 192.168.4.1/24")
	}

	return nil
}

func addresses(answer string) error {
	for _, a := range words(answer) {
		if _, err := netip.ParseAddr(a); err != nil {
			return errors.Errorf("%s is no address: write such as 192.168.4.1", a)
		}
	}

	return nil
}

func readable(answer string) error {
	for _, path := range words(answer) {
		if _, err := readKeys(path); err != nil {
			return err
		}
	}

	return nil
}

// firstKey is a public key of the person who asks, as ssh itself looks for them.
func firstKey() string {
	for _, name := range []string{"id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub"} {
		path := "~/.ssh/" + name
		if _, err := readKeys(path); err == nil {
			return path
		}
	}

	return ""
}
