// Command observability makes what observability/ ships of one source: alerts, a dashboard, and what kube-state-metrics is to
// tell of machines. It checks them, too: `lint` alone, `scraped` against what programs really serve.
package main

import (
	"os"

	"github.com/alecthomas/kong"
)

// CLI of this command.
type CLI struct {
	Generate GenerateCommand `cmd:"" help:"Write alerts, dashboard and the configuration of kube-state-metrics."`
	Lint     LintCommand     `cmd:"" help:"Check all that is shipped, without a cluster."`
	Scraped  ScrapedCommand  `cmd:"" help:"Check that every metric and label that alerts and dashboard ask for was really scraped."`
}

// Folders that the commands work on.
type folders struct {
	Dir  string `default:"observability" help:"Folder of what is shipped."`
	Docs string `default:"docs"          help:"Folder of what alerts link to."`
}

// LintCommand checks all that is shipped.
type LintCommand struct{ folders }

// Run the command.
func (c *LintCommand) Run() error {
	return report(os.Stdout, "lint", lint(c.Dir, c.Docs))
}

// ScrapedCommand compares with scrapes.
type ScrapedCommand struct {
	folders

	Scrapes []string `arg:"" help:"Files of what programs serve at /metrics." type:"existingfile"`
}

// Run the command.
func (c *ScrapedCommand) Run() error {
	return report(os.Stdout, "scraped", scraped(c.Scrapes))
}

// GenerateCommand writes what is generated.
type GenerateCommand struct{ folders }

// Run the command.
func (c *GenerateCommand) Run() error { return generate(c.Dir) }

func main() {
	ctx := kong.Parse(&CLI{}, kong.Description("Makes and checks alerts and dashboard."))
	ctx.FatalIfErrorf(ctx.Run())
}
