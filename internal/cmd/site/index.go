package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"
)

// A redirect is a page that leads to another one, without a script.
type redirect struct {
	XMLName xml.Name       `xml:"html"`
	Lang    string         `xml:"lang,attr"`
	Meta    []redirectMeta `xml:"head>meta"`
	Title   string         `xml:"head>title"`
	Link    redirectLink   `xml:"body>p>a"`
}

type redirectMeta struct {
	Charset   string `xml:"charset,attr,omitempty"`
	HTTPEquiv string `xml:"http-equiv,attr,omitempty"`
	Content   string `xml:"content,attr,omitempty"`
}

type redirectLink struct {
	Href string `xml:"href,attr"`
	Text string `xml:",chardata"`
}

// writeIndex of a folder with the sites of several versions: the page that leads to one of them, and the list of all, the newest last.
func writeIndex(folder, version string) error {
	page, err := xml.Marshal(redirect{
		Lang: "en", Title: "function-proxmox-machine",
		Meta: []redirectMeta{{Charset: "utf-8"}, {HTTPEquiv: "refresh", Content: "0; url=" + version + "/"}},
		Link: redirectLink{Href: version + "/", Text: "function-proxmox-machine " + version},
	})
	if err != nil {
		return errors.Wrap(err, "cannot marshal the index")
	}

	entries, err := os.ReadDir(folder)
	if err != nil {
		return errors.Wrap(err, "cannot read the folder of the site")
	}

	versions := []string{}

	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(folder, e.Name(), "index.html")); err == nil {
			versions = append(versions, e.Name())
		}
	}

	slices.Sort(versions)

	return errors.Join(
		writeFile(filepath.Join(folder, "index.html"), append([]byte("<!doctype html>\n"), page...)),
		writeJSON(filepath.Join(folder, "versions.json"), versions),
	)
}
