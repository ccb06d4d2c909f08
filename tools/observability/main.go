// Command observability generates files in observability/: a dashboard, the configuration of kube-state-metrics for machines,
// and the alerts of alerts/rules.yaml for the operator. It also checks them: `lint` without a cluster, `scraped` against metrics of real programs.
package main

import (
	"os"

	"github.com/alecthomas/kong"
)

// CLI of this command.
type CLI struct {
	Generate GenerateCommand `cmd:"" help:"Write the dashboard, the configuration of kube-state-metrics, and the alerts as the operator reads them."`
	Lint     LintCommand     `cmd:"" help:"Check all files, without a cluster."`
	Scraped  ScrapedCommand  `cmd:"" help:"Check that real programs serve every metric and label that alerts and dashboard use."`
}

// folders are the folders of all commands.
type folders struct {
	Dir  string `default:"observability" help:"Folder with the generated and the static files."`
	Docs string `default:"docs"          help:"Folder of the pages that alerts link to."`
}

// LintCommand checks all files.
type LintCommand struct{ folders }

// Run the command.
func (c *LintCommand) Run() error {
	return report(os.Stdout, "lint", lint(c.Dir, c.Docs))
}

// ScrapedCommand compares the files with scraped metrics.
type ScrapedCommand struct {
	folders

	Scrapes []string `arg:"" help:"Files with scraped metrics of programs." type:"existingfile"`
}

// Run the command.
func (c *ScrapedCommand) Run() error {
	return report(os.Stdout, "scraped", scraped(c.Dir, c.Scrapes))
}

// GenerateCommand writes the generated files.
type GenerateCommand struct{ folders }

// Run the command.
func (c *GenerateCommand) Run() error { return generate(c.Dir) }

func main() {
	ctx := kong.Parse(&CLI{}, kong.Description("Makes and checks alerts and dashboard."))
	ctx.FatalIfErrorf(ctx.Run())
}
