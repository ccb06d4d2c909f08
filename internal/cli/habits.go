package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A flagHabit is a flag of other command lines that a command does not have.
type flagHabit struct {
	letter string // The flag of one letter that says the same; empty for none.
	flag   string // Ours; empty where none does the same.
	why    string // What to do in place of it, where there is no flag.
	// readers says who is told why: the commands that read files, or those that ask about a NAME.
	readers commands
}

// Commands are told apart by what they take.
type commands string

const (
	readFiles commands = "read files"
	takeNames commands = "take names"
)

const byEdit = "a claim has all of its values itself: edit it, or have Kustomize patch it in the folder that -f names"

// flagHabits are flags of other command lines, by their names.
var flagHabits = map[string]flagHabit{ //nolint:gochecknoglobals // A constant table.
	"filename": {flag: "file"}, "format": {flag: "output"}, "catalog": {flag: "catalogue"}, "flavor": {flag: "flavour"}, "ns": {flag: "namespace"},
	"all": {flag: "all-namespaces"}, "colour": {flag: "color"}, "cluster": {flag: "context"}, "follow": {flag: "watch"},

	"dry-run":   {why: "leave it out: no command changes anything in the cluster or in Proxmox", readers: readFiles},
	"recursive": {letter: "R", why: "leave it out: a folder of -f is read with everything below it", readers: readFiles},
	"kustomize": {letter: "k", why: "-f takes the folder of a kustomization.yaml, too", readers: readFiles},
	"namespace": {letter: "n", why: "the namespace is that of each claim: metadata.namespace", readers: readFiles},
	"set":       {why: byEdit, readers: readFiles}, "values": {why: byEdit, readers: readFiles},
	"var": {why: byEdit, readers: readFiles}, "var-file": {why: byEdit, readers: readFiles},
	"target": {why: "-f names the files that count", readers: readFiles},
	"file":   {letter: "f", flag: "config", why: "NAME asks the cluster about one machine: write its name, such as NAME hello", readers: takeNames},
}

// meantFlag is what to write in place of a flag that a command does not have, by its name or its letter, without hyphens.
func meantFlag(cmd *cobra.Command, typed string, names []string) string {
	for name, h := range flagHabits {
		if name != typed && h.letter != typed {
			continue
		}

		reads, asks := cmd.Flags().Lookup("file") != nil, strings.HasPrefix(cmd.Use, cmd.Name()+" NAME")

		switch {
		case slices.Contains(names, h.flag), h.letter == typed && cmd.Flags().Lookup(h.flag) != nil:
			return "did you mean --" + h.flag + "?"
		case h.readers == readFiles && reads, h.readers == takeNames && asks && !reads:
			return strings.ReplaceAll(h.why, "NAME", cmd.Name())
		}
	}

	if utf8.RuneCountInString(typed) == 1 {
		return meantLetter(cmd, typed)
	}

	if isOutput(cmd, typed) {
		return "did you mean -o " + typed + "?"
	}

	if meant := message.Meant(typed, names); meant != "" {
		return "did you mean --" + meant + "?"
	}

	return helpOf(cmd) + " lists the flags"
}

// isOutput says whether a command prints what a person has typed as a flag, such as --json.
func isOutput(cmd *cobra.Command, typed string) bool {
	output := cmd.Flags().Lookup("output")
	if output == nil {
		return false
	}

	value, _ := output.Value.(*onceValue)
	if value == nil {
		return false
	}

	c, ok := value.Value.(*choice)

	return ok && slices.Contains(c.words, typed)
}

// meantLetter is what to write in place of a flag of one letter.
func meantLetter(cmd *cobra.Command, typed string) string {
	other := strings.ToLower(typed)
	if other == typed {
		other = strings.ToUpper(typed)
	}

	switch {
	case cmd.Flags().ShorthandLookup(other) != nil:
		return "did you mean -" + other + "?"
	case cmd == cmd.Root():
		return "name the command first, such as lint -f FILE"
	default:
		return helpOf(cmd) + " lists the flags"
	}
}

// otherForms are what people type in another form than a command line takes it, by what it takes: the pattern of it, and what to write.
var otherForms = map[string][]struct { //nolint:gochecknoglobals // A constant table.
	pattern *regexp.Regexp
	write   string
}{
	// Word processors and chats make a dash of one hyphen or two.
	"flag": {
		{regexp.MustCompile(`^[\x{2010}-\x{2014}\x{2212}]+(.)$`), "-$1"},
		{regexp.MustCompile(`^[\x{2010}-\x{2014}\x{2212}]+(..+)$`), "--$1"},
	},
	// Such as 8.4 or pve8, of which the flag has the first number.
	"int": {{regexp.MustCompile(`^\D*(\d+).*$`), "$1"}},
}

// meantForm is what to write in place of what was typed; empty where its form does not show it.
func meantForm(takes, typed string) string {
	for _, f := range otherForms[takes] {
		if f.pattern.MatchString(typed) {
			return f.pattern.ReplaceAllString(typed, f.write)
		}
	}

	return ""
}

var oneHyphen = regexp.MustCompile(`^-([a-z][a-z-]+)(?:=.*)?$`)

// oneHyphened is the error of a long flag with one hyphen, as Terraform and Go write flags: it would be read as -f with the value ilename.
func oneHyphened(root *cobra.Command, args []string) error {
	cmd, _, err := root.Find(args)
	if err != nil || cmd == root {
		return nil //nolint:nilerr // Another error is to come, which says more.
	}

	for _, arg := range args {
		m := oneHyphen.FindStringSubmatch(arg)

		switch {
		case arg == "--":
			return nil
		case m == nil:
			continue
		}

		name := cmp.Or(flagHabits[m[1]].flag, m[1])
		if cmd.LocalFlags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil {
			text := fmt.Sprintf("%s of %s: a flag of more than one letter begins with two hyphens: write --%s", message.Excerpt(arg), cmd.Name(), name)

			return &ExitError{Code: ExitUsage, Err: errors.New(text)}
		}
	}

	return nil
}
