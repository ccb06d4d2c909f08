package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// Fences of Markdown: a command of ours, and its output.
const (
	fence        = "```"
	commandFence = "```shell"
)

// outputFences begin a block that can be an output.
func outputFences() []string { return []string{"```yaml", "```text", "```json", "```markdown"} }

// isOurs says whether a line of a shell block is a command whose output is shown below: a preview, the command line with an example, maybe of one that sed
// edits, or a claim.
func isOurs(line string) bool {
	if _, piped, is := strings.Cut(line, "| "); is && strings.HasPrefix(line, "sed ") {
		return strings.HasPrefix(piped, plugin) && strings.Contains(line, " example/")
	}

	return strings.HasPrefix(line, "make -s preview ") || strings.HasPrefix(line, "cat example/") || strings.HasPrefix(line, goRun) || strings.HasPrefix(line, plugin) && strings.Contains(line, " example/")
}

// How people call the command line.
const (
	goRun  = "go run ./cmd/kubectl-machine "
	plugin = "kubectl machine "
)

// replace the output below each command. A command is the first line of a shell block; the next block of an output is its output, and
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
		case i > 0 && strings.TrimRight(lines[i-1], "\n") == commandFence && isOurs(text):
			if command != "" {
				return nil, errors.New("no output is shown for: " + command)
			}

			command = text
		case command != "" && slices.Contains(outputFences(), text):
			got, err := output(command)
			if err != nil {
				return nil, err
			}

			inside, command = true, ""

			out.WriteString(line)
			out.Write(bytes.TrimRight(bytes.TrimLeft(got, "\n"), " \n"))

			line = "\n"
		}

		out.WriteString(line)
	}

	if command != "" || inside {
		return nil, errors.New("the last command has no output, or its block does not end")
	}

	return out.Bytes(), nil
}
