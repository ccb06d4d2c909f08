package cli

import (
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/crossplane/function-sdk-go/errors"
)

// A colourMode says when colours are printed. The zero value is automatic: on a terminal, unless NO_COLOR is set (https://no-color.org).
type colourMode string

// The modes of --color.
const (
	colourAuto   colourMode = "auto"
	colourAlways colourMode = "always"
	colourNever  colourMode = "never"
)

func colourModes() []colourMode { return []colourMode{colourAuto, colourAlways, colourNever} }

// String is the mode as a person types it.
func (m *colourMode) String() string {
	if m == nil || *m == "" {
		return string(colourAuto)
	}

	return string(*m)
}

// Set the mode. It returns an error for a word that is none.
func (m *colourMode) Set(typed string) error {
	if !slices.Contains(colourModes(), colourMode(typed)) {
		return errors.New("must be auto, always or never")
	}

	*m = colourMode(typed)

	return nil
}

// Type is what the help shows in place of a value.
func (m *colourMode) Type() string { return "when" }

// withColour gives a command and those below it the flag --color, which the streams that are returned obey.
func withColour(s Streams) (Streams, func(cmd *cobra.Command)) {
	s.colour = new(colourMode)

	return s, func(cmd *cobra.Command) {
		cmd.PersistentFlags().Var(s.colour, "color", "auto, always or never; auto is on a terminal, unless NO_COLOR is set")
		completeWords(cmd, "color", wordsOf(colourModes()))
	}
}

// colours says whether what was asked for is printed in colours.
func (s Streams) colours() bool {
	switch s.colour.String() {
	case string(colourAlways):
		return true
	case string(colourNever):
		return false
	default:
		return isTerminal(s.Out) && os.Getenv("NO_COLOR") == "" //nolint:forbidigo // This is what a person runs, not the function.
	}
}

// A colour of a terminal.
type colour string

const (
	red    colour = "\x1b[31m"
	green  colour = "\x1b[32m"
	yellow colour = "\x1b[33m"
)

// paint a text, where there are colours.
func (s Streams) paint(c colour, text string) string {
	if c == "" || !s.colours() {
		return text
	}

	return string(c) + text + "\x1b[0m"
}

// isTerminal says whether a writer is one.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}

	info, err := file.Stat()

	return err == nil && info.Mode()&os.ModeCharDevice != 0 && file.Name() != os.DevNull
}
