// Package upgrade holds what an upgrade of the function changes in what is rendered: it sends today's function the calls that
// earlier releases were sent, compares the answers, and asks CHANGELOG.md whether each difference was announced. See
// CONTRIBUTING.md, "What an upgrade changes".
package upgrade
