// Package site tests the built site in headless Chromium, and its pages without one. make test-site builds what it needs.
package site
