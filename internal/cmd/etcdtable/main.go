// Command etcdtable writes the table of K3s' releases and of the etcd that each embeds, internal/k3s/etcd.tsv, from a clone of k3s-io/k3s with its
// tags. A person runs it: CONTRIBUTING.md, The etcd of each K3s. It reads nothing but the clone.
package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

const header = `# The releases of K3s and the etcd that each embeds, sorted. CONTRIBUTING.md, The etcd of each K3s, says how to write this file anew.
# Source: go.mod of k3s-io/k3s at the tag of each release.
`

// firstMinor is the first minor release in the table. What is older has an older etcd.
const firstMinor = 28

var (
	// tag of a release that is no candidate.
	tag = regexp.MustCompile(`^v1\.\d+\.\d+\+k3s\d+$`)
	// server is etcd's server, which K3s replaces by its own.
	server = regexp.MustCompile(`(?m)^\s*(?:replace\s+)?go\.etcd\.io/etcd/server/v3(?:\s+\S+)?\s+=>\s+\S+\s+(v3\.\d+\.\d+\S*)`)
)

type cli struct {
	Clone string `arg:"" help:"Clone of k3s-io/k3s with its tags, bare or not." type:"existingdir"`
	Out   string `default:"internal/k3s/etcd.tsv" help:"The table." type:"path"`
}

func main() {
	var c cli

	ctx := kong.Parse(&c, kong.Description("Write the table of the etcd in each release of K3s."))
	ctx.FatalIfErrorf(c.Run())
}

// Run writes the table.
func (c *cli) Run() error {
	table, err := read(c.Clone)
	if err != nil {
		return err
	}

	return errors.Wrap(os.WriteFile(c.Out, table, 0o644), "cannot write the table") //nolint:gosec // A file of the repository.
}

// read the table from a clone.
func read(clone string) ([]byte, error) {
	list, err := git(clone, "tag", "--list", "v1.*")
	if err != nil {
		return nil, err
	}

	releases := slices.DeleteFunc(strings.Fields(list), func(t string) bool {
		minor, ok := k3s.MinorOf(t)

		return !ok || minor < firstMinor || !tag.MatchString(t)
	})
	if len(releases) == 0 {
		return nil, errors.Errorf("cannot find tags of K3s from v1.%d on in %s: run git fetch --tags there", firstMinor, clone)
	}

	slices.SortFunc(releases, func(a, b string) int {
		if k3s.OlderRelease(a, b) {
			return -1
		}

		return 1
	})

	out := bytes.NewBufferString(header)

	for _, release := range releases {
		mod, err := git(clone, "show", release+":go.mod")
		if err != nil {
			return nil, err
		}

		etcd := server.FindStringSubmatch(mod)
		if etcd == nil {
			return nil, errors.Errorf("cannot find the replacement of go.etcd.io/etcd/server/v3 in go.mod of %s", release)
		}

		out.WriteString(release + "\t" + etcd[1] + "\n")
	}

	return out.Bytes(), nil
}

func git(clone string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", clone}, args...)...) //nolint:noctx // A person runs the program, and stops it.

	out, err := cmd.Output()

	return string(out), errors.Wrapf(err, "cannot run git %s in %s", strings.Join(args, " "), clone)
}
