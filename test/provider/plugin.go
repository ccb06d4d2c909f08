package provider

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A Plugin is a process of the plugin that outlives a run of Terraform: see tools/terraform/plugin/served.
type Plugin struct {
	// Reattach tells Terraform where it listens.
	Reattach string

	cmd *exec.Cmd
}

// StartPlugin starts the plugin with the resource types of the kinds that are known here, and waits until it says where it
// listens.
func StartPlugin(ctx context.Context, program string, env []string) (*Plugin, error) {
	var types []string
	for _, k := range kinds() {
		types = append(types, k.terraformType)
	}

	p := &Plugin{cmd: exec.CommandContext(ctx, program, types...)}
	p.cmd.Env = env

	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot read what the plugin says: %w", err)
	}

	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the plugin: %w", err)
	}

	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, quoted, ok := strings.Cut(lines.Text(), "TF_REATTACH_PROVIDERS='"); ok {
			p.Reattach = strings.TrimSuffix(quoted, "'")

			go io.Copy(io.Discard, out) //nolint:errcheck // It ends with the process.

			return p, nil
		}
	}

	return nil, errors.Join(errors.New("the plugin does not say where it listens"), p.Close())
}

// Close stops the plugin.
func (p *Plugin) Close() error {
	if p == nil {
		return nil
	}

	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("cannot stop the plugin: %w", err)
	}

	_ = p.cmd.Wait() // It was killed, and says so.

	return nil
}
