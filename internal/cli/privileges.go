package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/access"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/privilege"
)

// The major versions of Proxmox VE with which the function is used.
const (
	oldestProxmox = 8
	newestProxmox = 9
)

// privilegesFlags are the flags of `kubectl machine privileges`.
type privilegesFlags struct {
	files      []string
	catalogue  string
	kubeconfig string
	context    string
	site       string
	proxmox    int
	pools      []string
	token      string
	separate   bool
	check      string
	options    string
}

// newPrivileges is `kubectl machine privileges`.
func newPrivileges(s Streams) *cobra.Command {
	f := &privilegesFlags{}

	cmd := &cobra.Command{
		Use:   "privileges",
		Short: "Print the commands that give the provider's API token its privileges, or check them",
		Long: `Print the pveum commands that create the role, the user and the API token of the provider, with the privileges that the catalogue needs. With -f, also
those that claims need. A person runs them as root on one node of the Proxmox cluster; this command never calls Proxmox.

What a claim could use, and nothing uses, is printed as a comment.

With --check the command prints no commands: it reads what a token has, as pveum prints it, and says what is missing (exit code 3) and what is not needed. With
--options it also reads the options of Proxmox, and says whether Proxmox proposes VMIDs that the catalogue keeps for machines (exit code 3).`,
		Example: "  kubectl machine privileges --catalogue catalogue.yaml -f machines/\n" +
			"  ssh root@pve pveum user token permissions crossplane@pve provider --output-format json | kubectl machine privileges --catalogue catalogue.yaml --check -",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), s) },
	}

	flags := cmd.Flags()
	flags.StringSliceVarP(&f.files, "file", "f", nil, "file or folder with claims that the token is for, or - for standard input")
	flags.StringVar(&f.catalogue, "catalogue", "", "file or folder with the catalogue, in place of the one beside the claims, or EnvironmentConfig "+lint.DefaultCatalogue+
		" of the cluster; none for the built-in one alone")
	addKubeconfig(flags, &f.kubeconfig, &f.context)
	flags.StringVar(&f.site, "site", "", "site of the catalogue; default: all")
	flags.IntVar(&f.proxmox, "proxmox", newestProxmox, "major version of Proxmox VE: 8 or 9")
	flags.StringSliceVar(&f.pools, "pool", nil, "resource pool of Proxmox that claims name in proxmox.pool")
	flags.StringVar(&f.token, "token", privilege.DefaultToken, "ID of the API token")
	flags.BoolVar(&f.separate, "privsep", false, "have the token have privileges of its own, beside those of its user")
	flags.StringVar(&f.check, "check", "", "file with what the token has, as pveum user token permissions prints it with --output-format json; - for standard input")

	flags.StringVar(&f.options, "options", "", "with --check: file with the options of Proxmox, as pvesh get /cluster/options prints them with --output-format json; "+
		"- for standard input")

	_ = cmd.RegisterFlagCompletionFunc("proxmox", cobra.FixedCompletions([]string{"8", "9"}, cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"pool", "token"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}

	return cmd
}

func (f *privilegesFlags) run(ctx context.Context, s Streams) error {
	token, err := privilege.ParseToken(f.token)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}

	token.Separate = f.separate

	if f.proxmox < oldestProxmox || f.proxmox > newestProxmox {
		return &ExitError{Code: ExitUsage, Err: errors.Errorf("--proxmox is %d: want %d or %d", f.proxmox, oldestProxmox, newestProxmox)}
	}

	if f.options != "" && f.check == "" {
		return &ExitError{Code: ExitUsage, Err: errors.New("--options is for --check: name a file with what the token has, too")}
	}

	sites, err := f.sites(ctx, s)
	if err != nil {
		return err
	}

	if f.check != "" {
		return f.verdict(s, sites[0])
	}

	for i, site := range sites {
		commands, err := site.Commands(f.proxmox, token)
		if err != nil {
			return err
		}

		if i > 0 {
			commands = "\n" + commands
		}

		if _, err := io.WriteString(s.Out, commands); err != nil {
			return errors.Wrap(err, "cannot print")
		}
	}

	return nil
}

// sites that a person asks for: one with --check or --pool.
func (f *privilegesFlags) sites(ctx context.Context, s Streams) ([]privilege.Site, error) {
	claims, err := f.claims(s)
	if err != nil {
		return nil, err
	}

	cat, err := f.read(ctx, s, claims)
	if err != nil {
		return nil, err
	}

	decoded := make([]claim.Claim, 0, len(claims))
	for _, c := range claims {
		decoded = append(decoded, claim.Decode(c.Object.Object))
	}

	sites, err := access.Sites(cat, decoded)
	if err != nil {
		return nil, err
	}

	if f.site != "" {
		sites = slices.DeleteFunc(sites, func(s privilege.Site) bool { return s.Name != f.site })
		if len(sites) == 0 {
			return nil, &ExitError{Code: ExitUsage, Err: errors.Errorf("there is no site %q: %s", message.Excerpt(f.site),
				message.There(slices.Collect(maps.Keys(cat.Sites)), f.site))}
		}
	}

	if len(sites) > 1 && (f.check != "" || len(f.pools) > 0) {
		return nil, &ExitError{Code: ExitUsage, Err: errors.New("the catalogue has several sites, each with a token of its own: name one with --site")}
	}

	for i := range sites {
		sites[i].Pools = append(sites[i].Pools, f.pools...)
	}

	return sites, nil
}

// claims of the files that a person names.
func (f *privilegesFlags) claims(s Streams) ([]preview.Claim, error) {
	if len(f.files) == 0 {
		return nil, nil
	}

	// A claim is the same in all flavours.
	configuration, err := preview.Load(catalog.DefaultFlavour)
	if err != nil {
		return nil, err
	}

	return readClaims(configuration, f.files, f.catalogue, s.In)
}

// read the catalogue: the file that a person names, else what the claims have beside them, else the cluster's.
func (f *privilegesFlags) read(ctx context.Context, s Streams, claims []preview.Claim) (catalog.Catalog, error) {
	switch f.catalogue {
	case preview.NoFile:
		return catalog.Catalog{}, nil
	case "":
	default:
		return catalogueAt(f.catalogue, s)
	}

	var found []unstructured.Unstructured

	for _, c := range claims {
		story, err := preview.Files{Secrets: preview.NoFile, Observed: preview.NoFile}.Story(ctx, c)
		if err != nil {
			return catalog.Catalog{}, err
		}

		// The nearest is the last.
		slices.Reverse(story.Required)

		i := slices.IndexFunc(story.Required, func(o unstructured.Unstructured) bool { return o.GetKind() == catalogueKind })
		if i >= 0 && !slices.ContainsFunc(found, func(o unstructured.Unstructured) bool {
			return equality.Semantic.DeepEqual(o.Object, story.Required[i].Object)
		}) {
			found = append(found, story.Required[i])
		}
	}

	switch len(found) {
	case 0:
	case 1:
		return catalogueOf(found[0])
	default:
		return catalog.Catalog{}, errors.Errorf("the claims have %d different catalogues beside them: name one with --catalogue", len(found))
	}

	k, err := inCluster(f.kubeconfig, f.context)
	if err != nil {
		return catalog.Catalog{}, errors.New("there is no kubectl to read the catalogue of a cluster with: name a file with --catalogue, or --catalogue none for the built-in one alone")
	}

	objects, err := catalogueObjects(ctx, k)
	if err != nil {
		return catalog.Catalog{}, errors.Wrap(err, "without a file in --catalogue, the cluster's catalogue is asked for")
	}

	return catalogueIn(objects, lint.DefaultCatalogue, "the cluster")
}

// verdict on what a token has.
func (f *privilegesFlags) verdict(s Streams, site privilege.Site) error {
	data, err := readAll(f.check, s)
	if err != nil {
		return err
	}

	has, err := privilege.ReadPermissions(data)
	if err != nil {
		return err
	}

	v := site.Check(f.proxmox, has)

	var out strings.Builder

	for _, part := range []struct {
		words, before string
		findings      []privilege.Finding
	}{{"missing", "for ", v.Missing}, {"replaced by a role of its own", "", v.Replaced}, {"not needed", "", v.Surplus}} {
		for _, finding := range part.findings {
			fmt.Fprintf(&out, "%s on %s: %s", part.words, finding.Path, strings.Join(finding.Privileges, ", "))

			if finding.For != "" {
				fmt.Fprintf(&out, " (%s%s)", part.before, finding.For)
			}

			out.WriteString("\n")
		}
	}

	switch {
	case len(has) == 0:
		out.WriteString("The token has no privileges at all: is there a token of this name? `pveum user token list <user@realm>` lists them.\n")
	case len(v.Missing) > 0:
		out.WriteString("To do: run what `kubectl machine privileges` prints, with the same flags and without --check, as root on one node.\n")
	default:
		out.WriteString("The token has every privilege that it needs.\n")
	}

	line, right, err := f.nextID(s, site)
	if err != nil {
		return err
	}

	out.WriteString(line)

	if _, err := io.WriteString(s.Out, out.String()); err != nil {
		return errors.Wrap(err, "cannot print")
	}

	if len(v.Missing) > 0 || !right {
		return &ExitError{Code: ExitFound}
	}

	return nil
}

// nextID says whether Proxmox proposes VMIDs of the catalogue to persons, as far as its options are known; right is false where it does. Without them it
// says how Proxmox proposes none.
func (f *privilegesFlags) nextID(s Streams, site privilege.Site) (text string, right bool, err error) {
	if f.options == "" {
		if advice := privilege.NextIDAdvice(site.VMIDs); len(advice) > 0 {
			text = "not checked without --options: next-id. " + strings.Join(advice, " ") + "\n"
		}

		return text, true, nil
	}

	data, err := readAll(f.options, s)
	if err != nil {
		return "", false, err
	}

	has, err := privilege.ReadNextID(data)
	if err != nil {
		return "", false, err
	}

	if text, right = site.CheckNextID(has); text != "" {
		text += "\n"
	}

	return text, right, nil
}
