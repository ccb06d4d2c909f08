// Package playground answers what a person types into the site's playground: the same previews, plans and faults as the command line's, of
// texts and not of files. It runs in the browser, reads nothing and sends nothing.
package playground

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/lint"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/rehearse"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// Names of the texts, as faults name them.
const (
	FileClaim     = "claim.yaml"
	FileCatalogue = "catalogue.yaml"
)

// A Part of an answer. A part that nobody looks at need not be made.
type Part string

// The parts.
const (
	PartSummary   Part = "summary"
	PartPicture   Part = "picture"
	PartManifests Part = "manifests"
	PartUserData  Part = "user-data"
	PartPlan      Part = "plan"
	// PartFaults are the faults alone, which every answer has. They are there long before the rest, so the page asks for them first.
	PartFaults Part = "faults"
)

// Parts are those with a tab, in the order of the tabs.
func Parts() []Part { return []Part{PartSummary, PartPicture, PartManifests, PartUserData, PartPlan} }

// A Request is what stands in the editors.
type Request struct {
	File      string `json:"file"`      // Name of the claim's text in the answer; empty for [FileClaim].
	Claim     string `json:"claim"`     // Claims, a document each.
	Catalogue string `json:"catalogue"` // The catalogue, and Secrets, whose contents dummies stand for.
	Observed  string `json:"observed"`  // What a cluster has, as kubectl prints it; empty for nothing.
	Part      Part   `json:"part"`      // What is looked at.
}

// An Answer is what a tab shows. A part that cannot be made is empty, and Error says why.
type Answer struct {
	Text   string       `json:"text"` // Of [PartPicture] an SVG document, of [PartPlan] with the colours of a terminal.
	Error  string       `json:"error"`
	Faults []lint.Fault `json:"faults"` // Of claim and catalogue, with their lines.
}

// A Playground answers requests, one at a time.
type Playground struct {
	configurations map[string]preview.Configuration // By flavour.
	memory         *world.Memory                    // Of all rehearsals: who types edits much the same each time.
	performance    *rehearse.Performance            // The last rehearsal; nil without one.
	kept           *preview.Kept                    // Nodes of clusters: who types edits some of them.
	last           *rendering                       // Who changes the tab asks of the same texts.
}

// A rendering of some texts.
type rendering struct {
	request  Request // But for its part.
	faults   []lint.Fault
	stories  []preview.Story
	rendered []preview.Rendered // Nil as long as nobody looked at a part that needs it.
	err      error              // Why the texts cannot be read.
}

// New playground, of the Configuration for those who begin. Another one is taken where what is observed, or the catalogue's annotation, says so.
func New() (*Playground, error) {
	c, err := preview.Load(catalog.DefaultFlavour)

	return &Playground{
		configurations: map[string]preview.Configuration{catalog.DefaultFlavour: c}, memory: world.NewMemory(), kept: &preview.Kept{},
	}, err
}

// rendererOf stories: the flavour is what the command line would take.
func (p *Playground) rendererOf(stories []preview.Story) (preview.Renderer, error) {
	flavour := preview.RememberedFlavour(stories)

	c, ok := p.configurations[flavour]
	if !ok {
		var err error
		if c, err = preview.Load(flavour); err != nil {
			return preview.Renderer{}, err
		}

		p.configurations[flavour] = c
	}

	return preview.Renderer{Configuration: c, Engine: preview.InProcess{}, Explain: true, StandIns: true}, nil
}

// Schemas of claims by kind, as the XRDs have them, for completion.
func (p *Playground) Schemas() map[string]map[string]any {
	return p.configurations[catalog.DefaultFlavour].Schemas()
}

// Answer a request.
func (p *Playground) Answer(ctx context.Context, req Request) Answer {
	r := p.read(req)
	out := Answer{Faults: r.faults}

	err := r.err
	if err == nil && req.Part != PartFaults {
		out.Text, err = p.part(ctx, r, req.Part)
	}

	out.Error = text(err)
	out.inThePage()

	return out
}

// read the texts of a request, unless they are those of the last one.
func (p *Playground) read(req Request) *rendering {
	req.Part = ""

	if p.last == nil || p.last.request != req {
		r := &rendering{request: req, faults: faultsOf(req)}
		r.stories, r.err = p.stories(req)
		p.last = r
	}

	return p.last
}

// part of an answer. Of several claims it is that of those that can be rendered, with an error about the others.
func (p *Playground) part(ctx context.Context, r *rendering, part Part) (string, error) {
	if part == PartPlan {
		return p.plan(ctx, r)
	}

	if r.rendered == nil {
		renderer, err := p.rendererOf(r.stories)
		if err != nil {
			return "", err
		}

		renderer.Kept = p.kept
		p.kept.Next()

		r.rendered = renderer.RenderAll(ctx, r.stories, 1)
		for i := range r.rendered {
			r.rendered[i].Mask(r.stories[i].Required)
		}
	}

	var (
		out bytes.Buffer
		err error
	)

	switch part {
	case PartSummary:
		err = preview.WriteSummaries(&out, r.rendered)
	case PartManifests:
		err = preview.WriteYAML(&out, r.rendered)
	case PartUserData:
		err = preview.WriteUserData(&out, r.rendered)
	case PartPicture:
		var drawn string

		drawn, err = preview.PictureSVG(r.rendered)
		out.WriteString(drawn)
		err = errors.Join(err, preview.Errors(r.rendered))
	default:
		err = errors.Errorf("there is no part %q", part)
	}

	return out.String(), err
}

// Running are the objects that a cluster has once the machines of a request run, as YAML for [Request.Observed].
func (p *Playground) Running(ctx context.Context, req Request) (string, error) {
	stories, err := p.stories(req)
	if err != nil {
		return "", err
	}

	renderer, err := p.rendererOf(stories)
	if err != nil {
		return "", err
	}

	var all []unstructured.Unstructured

	for _, s := range stories {
		s.Observed = slices.Clone(all)

		objects, err := renderer.Running(ctx, s)
		if err != nil {
			return "", err
		}

		all = append(all, objects...)
	}

	items := make([]any, 0, len(all))
	for _, o := range all {
		items = append(items, o.Object)
	}

	b, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})

	return string(b), errors.Wrap(err, "cannot marshal what runs")
}

// stories of the claims of a request, with nothing observed.
func (p *Playground) stories(req Request) ([]preview.Story, error) {
	if req.File == "" {
		req.File = FileClaim
	}

	claims, err := p.configurations[catalog.DefaultFlavour].ClaimsIn(req.File, []byte(req.Claim))
	if err != nil {
		return nil, err
	}

	required, err := manifest.ObjectsOf([]byte(req.Catalogue))
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the catalogue")
	}

	out := make([]preview.Story, 0, len(claims))
	for _, c := range claims {
		out = append(out, preview.Story{Claim: c, Required: slices.Concat(c.Layout, required)})
	}

	return out, nil
}

// plan of the claims, as a terminal gets it, with its colours; what is not observed is new.
func (p *Playground) plan(ctx context.Context, r *rendering) (string, error) {
	objects, err := manifest.ObjectsOf([]byte(r.request.Observed))
	if err != nil {
		return "", errors.Wrap(err, "cannot read what is observed")
	}

	stories := slices.Clone(r.stories)
	for i := range stories {
		stories[i].Observed = objects
	}

	renderer, err := p.rendererOf(stories)
	if err != nil {
		return "", err
	}

	there := preview.WorldWith(objects)
	around := make([]preview.Story, 0, len(r.stories))

	for _, s := range r.stories {
		s.Required = withDummiesOf(s.Required, objects)
		around = append(around, there.Around(renderer.Configuration, s))
	}

	var out bytes.Buffer

	err = preview.Plan{Machines: renderer.Plan(ctx, around)}.Write(&out, "text", true)

	return out.String(), err
}

// withDummiesOf the observed objects: user-data was made of these, and not of the Secrets that the catalogue's text has.
func withDummiesOf(required, observed []unstructured.Unstructured) []unstructured.Unstructured {
	isSecret := func(o unstructured.Unstructured) bool { return o.GetAPIVersion() == "v1" && o.GetKind() == "Secret" }
	out := slices.Clone(required)

	for _, o := range observed {
		if isSecret(o) {
			out = slices.DeleteFunc(out, func(r unstructured.Unstructured) bool {
				return isSecret(r) && r.GetNamespace() == o.GetNamespace() && r.GetName() == o.GetName()
			})
		}
	}

	return out
}

// faultsOf the texts, as `kubectl machine lint` finds them without the API server's own rules. No repository has the texts of the page.
func faultsOf(req Request) []lint.Fault {
	files := []manifest.Raw{{File: FileClaim, Documents: manifest.RawDocuments([]byte(req.Claim))}}

	// Who has no catalogue leaves the page's editor of it empty.
	if strings.TrimSpace(req.Catalogue) != "" {
		files = append(files, manifest.Raw{File: FileCatalogue, Documents: manifest.RawDocuments([]byte(req.Catalogue))})
	}

	report := lint.Check(files, nil, lint.Options{Ignored: func(string) bool { return true }})

	return append([]lint.Fault{}, report.Faults...) // A list in JSON, too, where there is none.
}

// inThePage has an answer say where something is in the page, and not how a command line is told.
func (a *Answer) inThePage() {
	words := strings.NewReplacer(
		"no catalogue was read: name its file with --catalogue, or lint it together with the claims", "there is no catalogue: write one under Catalogue",
		"render it first (helm template ... | kubectl machine lint -f -)", "render it first, and paste the result",
		"(not shown: --show-secrets)", "(not shown)",
		"to OBSERVED", "to What runs",
	)

	a.Text, a.Error = words.Replace(a.Text), words.Replace(a.Error)

	// The faults are kept for the next part that is asked for.
	a.Faults = slices.Clone(a.Faults)
	for i := range a.Faults {
		a.Faults[i].Message = words.Replace(a.Faults[i].Message)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}

	return err.Error()
}
