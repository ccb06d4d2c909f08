package lint

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// appliers warns of what Argo CD and Helm do to claims because of their own objects: sync options of an Application whose path has claims, and force of a
// HelmRelease whose chart has some. Of what they apply from elsewhere it says nothing.
func appliers(files []manifest.Raw) []Fault {
	var out []Fault

	for _, f := range files {
		for _, group := range []string{"argoproj.io/", "helm.toolkit.fluxcd.io/"} {
			if !slices.ContainsFunc(f.Documents, func(d manifest.Document) bool { return bytes.Contains(d.Text, []byte(group)) }) {
				continue
			}

			for _, o := range parse(f, false).objects {
				if !strings.HasPrefix(text(o.value["apiVersion"]), group) {
					continue
				}

				switch o.kind() {
				case "Application":
					out = append(out, o.replacing("spec", files)...)
				case "ApplicationSet":
					out = append(out, o.replacing("spec.template.spec", files)...)
				case "HelmRelease":
					out = append(out, o.forcing(files)...)
				}
			}
		}
	}

	return out
}

// replacing are the sync options of an Application, whose spec is at a path, that delete or double the claims in its folders.
func (o object) replacing(spec string, files []manifest.Raw) []Fault {
	said, _ := at(o.value, strings.Split(spec, ".")...).(map[string]any)

	kind := ""
	for _, source := range append(list(said["sources"]), said["source"]) {
		if path, isText := at(source, "path").(string); isText && kind == "" {
			kind = kindBelow(o.file, path, files)
		}
	}

	if kind == "" {
		return nil
	}

	var out []Fault

	for i, option := range list(at(said, "syncPolicy", "syncOptions")) {
		if why := claim.SyncOptions(text(option), kind); why != "" {
			path := fmt.Sprintf("%s.syncPolicy.syncOptions[%d]", spec, i)
			out = append(out, o.fault(position(o.node, path), path, why+" (docs/argocd.md, What protects machines)", Warning))
		}
	}

	return out
}

// forcing is the force of a HelmRelease whose chart is a folder with claims.
func (o object) forcing(files []manifest.Raw) []Fault {
	const path = "spec.upgrade.force"

	chart, _ := at(o.value, "spec", "chart", "spec", "chart").(string)
	if at(o.value, "spec", "upgrade", "force") != true || !strings.Contains(chart, "/") || kindBelow(o.file, chart, files) == "" {
		return nil
	}

	return []Fault{o.fault(keyOf(o.node, path), path, "with force, Helm "+claim.Replacing+" Remove it"+seeWrong, Warning)}
}

// kindBelow is the kind of a claim below a folder of a repository, which is the nearest one above a file that has the folder; empty where there is none. A
// file of a chart is a template, and no manifest.
func kindBelow(file, path string, files []manifest.Raw) string {
	up := filepath.Dir(filepath.Clean(file))

	for range maxFoldersUp {
		folder := filepath.Join(up, filepath.FromSlash(path))
		below := slices.DeleteFunc(slices.Clone(files), func(f manifest.Raw) bool { return !isIn(filepath.Clean(f.File), folder) })

		for _, f := range below {
			for _, d := range f.Documents {
				if kind := kindOfClaim(d.Text); kind != "" {
					return kind
				}
			}
		}

		if len(below) > 0 {
			return ""
		}

		up = filepath.Join(up, "..")
	}

	return ""
}

// kindOfClaim is the kind of the claim that a document is; empty for any other one. It may have the braces of a template.
func kindOfClaim(document []byte) string {
	ours, kind := false, ""

	for line := range bytes.Lines(document) {
		key, value, _ := bytes.Cut(bytes.TrimRight(line, " \t\r\n"), []byte(":"))
		word := strings.Trim(string(bytes.TrimSpace(value)), `"'`)

		switch string(key) {
		case "apiVersion":
			ours = strings.HasPrefix(word, "homelab.io/")
		case "kind":
			kind = word
		}
	}

	if !ours || !slices.Contains(claimKinds, kind) {
		return ""
	}

	return kind
}
