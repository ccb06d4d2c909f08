// Package examples holds what the function makes of every example in example/: golden files, and rules that hold for everything
// that is ever rendered.
package examples
