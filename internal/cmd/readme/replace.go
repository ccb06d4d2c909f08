package main

import (
	"bytes"
	"errors"
	"strings"
)

// Fences of Markdown: a command of ours, and its output.
const (
	fence        = "```"
	commandFence = "```shell"
	outputFence  = "```yaml"
	ours         = "make -s preview "
)

// replace the output below each command. A command stands alone in a shell block; the next yaml block is its output, and
// has to come before the next command.
func replace(readme []byte, output func(command string) ([]byte, error)) ([]byte, error) {
	var (
		out     bytes.Buffer
		command string
		inside  bool
	)

	lines := strings.SplitAfter(string(readme), "\n")

	for i, line := range lines {
		text := strings.TrimRight(line, "\n")

		switch {
		case inside && text == fence:
			inside = false
		case inside:
			continue
		case i > 0 && strings.TrimRight(lines[i-1], "\n") == commandFence && strings.HasPrefix(text, ours):
			if command != "" {
				return nil, errors.New("no output is shown for: " + command)
			}

			command = text
		case command != "" && text == outputFence:
			got, err := output(command)
			if err != nil {
				return nil, err
			}

			inside, command = true, ""

			out.WriteString(line)
			out.Write(bytes.TrimSpace(got))

			line = "\n"
		}

		out.WriteString(line)
	}

	if command != "" || inside {
		return nil, errors.New("the last command has no output, or its block does not end")
	}

	return out.Bytes(), nil
}
