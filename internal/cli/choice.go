package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A choice is the value of a flag that is one of some words. What is completed, what is refused and what is proposed in its place are these words.
type choice struct {
	to    *string
	words []string
}

// outputFlag adds -o, of which a command prints one of these words; the first one without the flag. The usage names them.
func outputFlag(flags *pflag.FlagSet, to *string, usage string, words ...string) {
	*to = words[0]
	flags.VarP(&choice{to: to, words: words}, "output", "o", usage)
}

// String is the word.
func (c *choice) String() string {
	if c.to == nil {
		return ""
	}

	return *c.to
}

// Set the word. It returns an error for one that is none of them; an empty value is refused with those of all flags.
func (c *choice) Set(typed string) error {
	if typed != "" && !slices.Contains(c.words, typed) {
		return unknownOutput(typed, c.words)
	}

	*c.to = typed

	return nil
}

// Type of text: the help shows the word in quotes.
func (*choice) Type() string { return "string" }

// completeWords has the shell complete the word of a flag; of several, with commas between them, the last one.
func completeWords(cmd *cobra.Command, flag string, words []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]

		return beginning(words, before, typed[len(before):]), cobra.ShellCompDirectiveNoFileComp
	})
}
