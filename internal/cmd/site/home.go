package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/playground"
)

// A homeMachine stands on the home page: a claim, and what the function makes of it.
type homeMachine struct {
	Name    string `json:"name"`
	Label   string `json:"label"`   // Of its tab.
	File    string `json:"file"`    // In the repository.
	Claim   string `json:"claim"`   // Without the comments above it.
	Summary string `json:"summary"` // As kubectl machine prints it, without what a preview does not know.
	Picture string `json:"picture"` // An SVG document.
}

// homeMachines are those of the home page, rendered as the playground renders them.
func homeMachines(root string) ([]homeMachine, error) {
	p, err := playground.New()
	if err != nil {
		return nil, err
	}

	all, err := examples(root)
	if err != nil {
		return nil, err
	}

	out := []homeMachine{
		{Name: "node", Label: "A K3s node", File: "example/k3s-cluster/server-2.yaml"},
		{Name: "cluster", Label: "A K3s cluster", File: "example/cluster/home.yaml"},
		{Name: "vm", Label: "A Debian VM", File: "example/plain-debian/files01.yaml"},
		{Name: "container", Label: "A container", File: "example/container/dns01.yaml"},
	}

	for i := range out {
		if err := out[i].render(p, all); err != nil {
			return nil, errors.Wrapf(err, "cannot show %s on the home page", out[i].File)
		}
	}

	return out, nil
}

func (m *homeMachine) render(p *playground.Playground, all []example) error {
	for _, e := range all {
		if e.File != m.File {
			continue
		}

		req := playground.Request{File: filepath.Base(e.File), Claim: e.Claim, Catalogue: e.Catalogue}

		for part, into := range map[playground.Part]*string{playground.PartSummary: &m.Summary, playground.PartPicture: &m.Picture} {
			req.Part = part

			a := p.Answer(context.Background(), req)
			if a.Error != "" {
				return errors.New(a.Error)
			}

			*into = a.Text
		}

		m.Claim = withoutHeader(e.Claim)
		m.Summary = inShort(m.Summary)

		return nil
	}

	return errors.New("there is no such example")
}

// withoutHeader is a claim without the comments above it.
func withoutHeader(claim string) string {
	for strings.HasPrefix(claim, "#") {
		_, claim, _ = strings.Cut(claim, "\n")
	}

	return strings.TrimSpace(claim)
}

// inShort is a summary without its files and images, whose names say nothing to who sees one for the first time, without the reasons of a
// placement, and without remarks.
func inShort(summary string) string {
	var out []string

	for line := range strings.Lines(summary) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")

		switch word {
		case "file", "image", "template", "node:", "warning:", "A", "The":
		default:
			out = append(out, strings.TrimRight(line, "\n"))
		}
	}

	return strings.TrimSpace(strings.Join(out, "\n"))
}
