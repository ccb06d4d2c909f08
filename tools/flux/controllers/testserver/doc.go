// Package helmtestserver stands in for the module of that name, which only source-controller's own tests import and which
// cannot be had everywhere. It lets `go mod tidy` come to an end.
package helmtestserver
