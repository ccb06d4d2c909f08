package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// What commands of other command lines do here.
const (
	byKubectl = "kubectl itself changes claims (apply, edit, delete), or Flux with a commit: `kubectl machine plan` says before what that does to machines"
	byClaim   = "a claim says what its machine does (spec.power, spec.lifecycle.reboot), and `kubectl machine plan` what an edit of it does"
	byLogin   = "log in with ssh, to the address that `kubectl machine get` shows"
	byStart   = "docs/start.md has the installation, and `kubectl machine check` says what is missing of it"
)

// otherCommands are what other command lines call a command, and what to do here: the name of a command, or a sentence.
var otherCommands = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"apply": byKubectl, "create": byKubectl, "replace": byKubectl, "patch": byKubectl, "edit": byKubectl, "delete": byKubectl, "destroy": byKubectl,
	"remove": byKubectl, "rm": byKubectl, "scale": byKubectl, "set": byKubectl, "clone": byKubectl,
	"start": byClaim, "stop": byClaim, "reboot": byClaim, "restart": byClaim, "shutdown": byClaim, "migrate": byClaim,
	"ssh": byLogin, "exec": byLogin, "console": byLogin, "shell": byLogin, "enter": byLogin, "attach": byLogin,
	"install": byStart, "uninstall": byStart, "upgrade": byStart, "bootstrap": byStart,
	"list": "get", "ls": "get", "ps": "get", "status": "get", "machines": "get",
	"describe": "why", "logs": "why", "events": "why", "debug": "why", "explain": "why",
	"doctor": "check", "health": "check", "verify": "check", "preflight": "check", "validate": "lint", "vet": "lint", "fmt": "lint",
	"diff": "plan", "preview": "plan", "template": "render", "build": "render", "generate": "render", "show": "render", "simulate": "rehearse", "import": "adopt",
	"new": "init", "setup": "init", "config": "init",
}

var (
	noCommand  = regexp.MustCompile(`^unknown command "([^"]+)" for `)
	noLetter   = regexp.MustCompile(`^unknown shorthand flag: '(.)' in `)
	noArgument = regexp.MustCompile(`^flag needs an argument: (?:'(.)' in|--(\S+))`)
)

// unknownCommand is the error of a command that there is none of, with what does here what it does elsewhere.
func unknownCommand(root *cobra.Command, err error) error {
	m := noCommand.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}

	var names []string

	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			names = append(names, cmd.Name())
		}
	}

	hint := helpOf(root) + " lists the commands"

	switch other := otherCommands[strings.ToLower(m[1])]; {
	case strings.Contains(other, " "):
		hint = other
	case other != "":
		hint = "did you mean " + other + "?"
	case manifest.IsManifest(m[1]):
		hint = "name the command first, and files with -f, such as lint -f " + message.Excerpt(m[1])
	default:
		if meant := message.Meant(m[1], names); meant != "" {
			hint = "did you mean " + meant + "?"
		} else if likely := message.Likely(strings.ToLower(message.Excerpt(m[1])), names); len(likely) > 0 {
			// Several are as near: lnit may be lint, and init.
			hint = "did you mean " + message.OneOf(likely) + "?"
		}
	}

	return errors.Errorf("unknown command %q: %s", message.Excerpt(m[1]), hint)
}

// strictly has the commands that Cobra adds refuse words that they do not know: they print their help for them, and end as if all were well.
func strictly(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()

	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if found, _, err := root.Find(args); err != nil || found == root && len(args) > 0 {
					return &ExitError{Code: ExitUsage, Err: unknownCommand(root, errors.Errorf("unknown command %q for help", args[0]))}
				}

				return nil
			}
		case "completion":
			var shells []string
			for _, shell := range cmd.Commands() {
				shells = append(shells, shell.Name())
			}

			cmd.Args = func(_ *cobra.Command, args []string) error {
				if len(args) == 0 {
					return nil
				}

				text := fmt.Sprintf("unknown shell %q of completion: want one of %s", message.Excerpt(args[0]), strings.Join(shells, ", "))

				return &ExitError{Code: ExitUsage, Err: errors.New(text)}
			}

			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }

			for _, shell := range cmd.Commands() {
				shell.Args = noArguments
			}
		}
	}
}

// helpOf a command is what prints its help.
func helpOf(cmd *cobra.Command) string {
	path := cmd.CommandPath()
	if display := cmd.Root().Annotations[cobra.CommandDisplayNameAnnotation]; display != "" {
		path = strings.Replace(path, cmd.Root().Name(), display, 1)
	}

	return fmt.Sprintf("`%s --help`", path)
}

// wrongShorthand is the error of a flag of one letter that there is none of, and of one without its value.
func wrongShorthand(cmd *cobra.Command, err error) error {
	if m := noLetter.FindStringSubmatch(err.Error()); m != nil {
		return errors.Errorf("unknown flag -%s: %s", m[1], meantFlag(cmd, m[1], nil))
	}

	if m := noArgument.FindStringSubmatch(err.Error()); m != nil {
		flag, name := cmd.Flags().Lookup(m[2]), "--"+m[2]
		if m[1] != "" {
			flag, name = cmd.Flags().ShorthandLookup(m[1]), "-"+m[1]
		}

		if flag != nil {
			return errors.Errorf("%s needs a value behind it: %s", name, flag.Usage)
		}
	}

	return err
}
