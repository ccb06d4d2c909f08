package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A machineName is a machine, or a cluster, as a person names it: dns01, machine/dns01, machines.homelab.io/dns01, k3scluster/home.
type machineName struct {
	kind string // One of [claim.Kinds]; empty for any.
	name string
}

// oneName demands the name of one machine.
func oneName(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		_, err := machineNamed(args[0])

		return err
	}

	text := "name one machine, such as kubectl machine " + cmd.Name() + " dns01"
	if len(args) > 1 {
		text += ", and not " + message.Excerpt(strings.Join(args, " "))

		if kind := kindNamed(args[0]); kind != "" && len(args) == 2 {
			text = "kind and name are one word: write " + cmd.Name() + " " + strings.ToLower(kind) + "/" + message.Excerpt(args[1])
		}
	}

	return &ExitError{Code: ExitUsage, Err: errors.New(text)}
}

// machineNamed an argument.
func machineNamed(argument string) (machineName, error) {
	typed, name, slash := strings.Cut(argument, "/")
	if !slash {
		typed, name = "", argument
	}

	r := machineName{kind: kindNamed(typed), name: name}

	var kinds []string
	for _, kind := range claim.Kinds() {
		kinds = append(kinds, strings.ToLower(kind))
	}

	var text string

	switch meant := message.Meant(typed, kinds); {
	case name == "" || slash && typed == "":
		text = "write a name, such as dns01, or kind and name, such as machine/dns01"
	case !slash || r.kind != "" && !strings.Contains(name, "/"):
		return r, nil
	case r.kind != "":
		namespace, name, _ := strings.Cut(name, "/")
		text = "a namespace is named with -n: " + strings.ToLower(r.kind) + "/" + message.Excerpt(name) + " -n " + message.Excerpt(namespace)
	case kindNamed(name) != "":
		text = "the kind comes first: " + strings.ToLower(kindNamed(name)) + "/" + message.Excerpt(typed)
	case meant != "":
		text = "did you mean " + meant + "/" + message.Excerpt(name) + "?"
	default:
		text = message.Excerpt(typed) + " is none of the kinds " + strings.Join(kinds, ", ") + "; if it is a namespace, write -n " + message.Excerpt(typed)
	}

	return r, &ExitError{Code: ExitUsage, Err: errors.Errorf("%q names no machine: %s", message.Excerpt(argument), text)}
}

// shortNames of kinds, as the XRDs have them for kubectl.
var shortNames = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"mc": claim.KindMachine, "k3n": claim.KindK3sNode, "lxc": claim.KindContainer, "k3c": claim.KindK3sCluster, "pxs": claim.KindProxmoxSite,
}

// kindNamed is the kind of claims that a person calls by its name, or as kubectl does: machine, machines, machines.homelab.io, mc; or that of composites, such
// as xk3snode. It is empty for any other word.
func kindNamed(typed string) string {
	word, group, _ := strings.Cut(strings.ToLower(typed), ".")
	if group != "" && group != groupOfClaims && !strings.HasSuffix(group, "."+groupOfClaims) {
		return ""
	}

	if kind := shortNames[word]; kind != "" {
		return kind
	}

	for _, kind := range claim.Kinds() {
		for _, k := range []string{kind, "X" + kind} {
			if singular := strings.ToLower(k); word == singular || word == singular+"s" {
				return k
			}
		}
	}

	return ""
}

// groupOfClaims is the API group of claims and composites.
const groupOfClaims = "homelab.io"

// absent is the error of a machine that nobody finds among objects.
func (f *clusterFlags) absent(argument, name string, among []unstructured.Unstructured) error {
	list := "`kubectl machine get -A` lists all"
	if f.observed == manifest.Stdin {
		list = "`kubectl machine get --observed FILE` lists all of a file"
	} else if f.observed != "" {
		list = "`kubectl machine get --observed " + f.observed + "` lists all"
	}

	var names []string

	for _, o := range among {
		if group, _, _ := strings.Cut(o.GetAPIVersion(), "/"); group == groupOfClaims {
			names = append(names, o.GetName())
		}
	}

	slices.Sort(names)

	switch meant := message.Meant(name, slices.Compact(names)); {
	case slices.Contains(names, name): // Of another kind, or in another namespace.
	case manifest.IsManifest(name):
		list = "it looks like a file, and the machine in it has a name; " + list
	case meant != "":
		list = "did you mean " + meant + "?"
	}

	return errors.Errorf("there is no machine %q%s: %s", message.Excerpt(argument), f.where(), list)
}

// ambiguous is the error of a name that several machines have.
func ambiguous(name string, found []unstructured.Unstructured) error {
	var which []string

	for _, o := range found {
		text := kindOf(o) + "/" + message.Excerpt(o.GetName())
		if o.GetNamespace() != "" {
			text += " -n " + o.GetNamespace()
		}

		which = append(which, text)
	}

	return errors.Errorf("there are %d machines called %q: name one of %s", len(found), message.Excerpt(name), strings.Join(which, ", "))
}
