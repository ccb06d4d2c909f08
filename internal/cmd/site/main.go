// Command site writes what the site is built of into a folder: the repository's Markdown pages, in the layout of the repository, and the
// playground's examples.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "site/pages", "folder to write into")
	version := flag.String("version", "main", "version that the site shows")
	index := flag.String("index", "", "write the page that leads to the version, and the list of versions, into this folder instead")

	flag.Parse()

	do := func() error { return write(".", *out, *version) }
	if *index != "" {
		do = func() error { return writeIndex(*index, *version) }
	}

	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}
