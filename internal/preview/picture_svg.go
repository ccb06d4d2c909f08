package preview

import (
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crossplane/function-sdk-go/errors"
)

// Measures of the picture, in pixels. A letter is as wide as one of a monospaced font of fontSize.
const (
	fontSize      = 13
	letterWidth   = 8
	lineHeight    = 19
	gap           = 14
	minGuestWidth = 200
)

// An svg is the picture's root. What is drawn has the colour of the text around it, so that the picture is readable on any background.
type svg struct {
	XMLName xml.Name  `xml:"http://www.w3.org/2000/svg svg"`
	ViewBox string    `xml:"viewBox,attr"`
	Width   int       `xml:"width,attr"`
	Height  int       `xml:"height,attr"`
	Role    string    `xml:"role,attr"`
	Font    string    `xml:"font-family,attr"`
	Size    int       `xml:"font-size,attr"`
	Fill    string    `xml:"fill,attr"`
	Title   string    `xml:"title"`
	Groups  []svgNode `xml:"g"`
}

// An svgNode is a box with its lines of text, and boxes in it.
type svgNode struct {
	Class  string    `xml:"class,attr"`
	Title  string    `xml:"title"`
	Box    svgRect   `xml:"rect"`
	Lines  []svgLine `xml:"text"`
	Groups []svgNode `xml:"g"`
}

type svgRect struct {
	X       int     `xml:"x,attr"`
	Y       int     `xml:"y,attr"`
	Width   int     `xml:"width,attr"`
	Height  int     `xml:"height,attr"`
	Corner  int     `xml:"rx,attr"`
	Opacity float64 `xml:"fill-opacity,attr"`
	Stroke  string  `xml:"stroke,attr"`
}

type svgLine struct {
	X      int    `xml:"x,attr"`
	Y      int    `xml:"y,attr"`
	Weight string `xml:"font-weight,attr,omitempty"`
	Text   string `xml:",chardata"`
}

// PictureSVG of machines: what [Picture] has, as an SVG document. The Proxmox nodes stand below each other, the VMs and containers of each side by side.
func PictureSVG(all []Rendered) (string, error) {
	nodes, err := guestsByNode(all)
	if err != nil || len(nodes) == 0 {
		return "", err
	}

	out := svg{Role: "img", Font: "ui-monospace, monospace", Size: fontSize, Fill: "currentColor", Title: "Proxmox nodes, their VMs and their containers"}
	y := 1

	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		node := drawnNode(name, nodes[name], y)
		out.Groups = append(out.Groups, node)
		y += node.Box.Height + gap
		out.Width = max(out.Width, node.Box.X+node.Box.Width+1)
	}

	out.Height = y - gap + 1
	out.ViewBox = fmt.Sprintf("0 0 %d %d", out.Width, out.Height)

	b, err := xml.Marshal(out)

	return string(b), errors.Wrap(err, "cannot marshal the picture")
}

// drawnNode is a Proxmox node at a height, with its guests.
func drawnNode(name string, guests []guest, y int) svgNode {
	x := 1 + gap
	below := y + gap + lineHeight
	out := svgNode{
		Class: "node", Title: "Proxmox node " + name,
		Lines: []svgLine{{X: x, Y: y + lineHeight, Weight: "bold", Text: name}},
	}
	height := 0

	for _, g := range guests {
		drawn := drawnGuest(g, x, below)
		out.Groups = append(out.Groups, drawn)
		x += drawn.Box.Width + gap
		height = max(height, drawn.Box.Height)
	}

	for i := range out.Groups {
		out.Groups[i].Box.Height = height
	}

	out.Box = svgRect{X: 1, Y: y, Width: max(x-1, len(name)*letterWidth+2*gap), Height: below - y + height + gap, Corner: 6, Opacity: 0.04, Stroke: "currentColor"}

	return out
}

// drawnGuest is a VM or a container at a place: its name, VMID, size and disks, and the address at each bridge.
func drawnGuest(g guest, x, y int) svgNode {
	lines := []string{g.name, g.what}
	if g.size != "" {
		lines = append(lines, g.size)
	}

	lines = append(lines, g.disks...)

	for _, n := range g.nics {
		lines = append(lines, n.bridge)

		for text := range strings.SplitSeq(strings.TrimPrefix(n.addresses, ", "), ", ") {
			if text != "" {
				lines = append(lines, "  "+text)
			}
		}
	}

	out := svgNode{Class: g.class, Title: fmt.Sprintf("%s, %s", g.name, g.what)}
	width := minGuestWidth

	for i, text := range lines {
		line := svgLine{X: x + gap, Y: y + (i+1)*lineHeight, Text: text}

		// SVG drops blanks at the beginning of a text.
		if indented := strings.TrimLeft(text, " "); indented != text {
			line.X, line.Text = line.X+(len(text)-len(indented))*letterWidth, indented
		}

		if i == 0 {
			line.Weight = "bold"
		}

		out.Lines = append(out.Lines, line)
		width = max(width, utf8.RuneCountInString(text)*letterWidth+2*gap)
	}

	out.Box = svgRect{X: x, Y: y, Width: width, Height: (len(lines) + 1) * lineHeight, Corner: 4, Opacity: 0.08, Stroke: "currentColor"}

	return out
}
