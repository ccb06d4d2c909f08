package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// An onceValue is the value of a flag that has one: a second one that differs is refused, of which the first one would be passed over without a word.
type onceValue struct {
	pflag.Value

	flag  string
	typed *string // Nil: the flag was not there yet.
}

// Set the value. It returns an error for a second one that is not the first one.
func (o *onceValue) Set(typed string) error {
	if o.typed != nil && *o.typed != typed {
		return &ExitError{Code: ExitUsage, Err: errors.Errorf("--%s has one value, and is there with two, %q and %q: leave one of them out",
			o.flag, message.Excerpt(*o.typed), message.Excerpt(typed))}
	}

	o.typed = &typed

	return o.Value.Set(typed) //nolint:wrapcheck // The flag's own words: pflag says around them which flag it is.
}

// once has all flags of a command and of those below it refuse a second value, save those that take a list.
func once(cmd *cobra.Command) {
	refuse := func(f *pflag.Flag) {
		if _, list := f.Value.(pflag.SliceValue); !list {
			f.Value = &onceValue{Value: f.Value, flag: f.Name}
		}
	}

	cmd.PersistentFlags().VisitAll(refuse)
	cmd.LocalNonPersistentFlags().VisitAll(refuse)

	for _, sub := range cmd.Commands() {
		once(sub)
	}
}
