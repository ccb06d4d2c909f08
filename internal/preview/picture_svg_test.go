package preview

import (
	"encoding/xml"
	"strings"
	"testing"
)

// TestPictureSVG holds the drawn picture against the typed one: both have the same nodes, VMs and addresses; and no box leaves the one around it.
func TestPictureSVG(t *testing.T) {
	p, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	r := Renderer{Configuration: p, Engine: InProcess{}, Explain: true, StandIns: true}

	for _, path := range []string{"cluster", "k3s-cluster", "plain-debian", "homelab-k3s", "container"} {
		rendered := r.RenderAll(t.Context(), storiesOf(t, p, "../../example/"+path), 1)

		text, err := Picture(rendered)
		if err != nil {
			t.Fatal(err)
		}

		drawn, err := PictureSVG(rendered)
		if err != nil {
			t.Fatal(err)
		}

		var picture svg
		if err := xml.Unmarshal([]byte(drawn), &picture); err != nil {
			t.Fatalf("%s: the picture is no XML: %v", path, err)
		}

		var words []string

		around := svgRect{Width: picture.Width, Height: picture.Height}

		for _, node := range picture.Groups {
			words = append(words, node.Lines[0].Text)
			inside(t, path, around, node.Box)

			for _, vm := range node.Groups {
				inside(t, path, node.Box, vm.Box)

				for _, line := range vm.Lines {
					if strings.Contains(line.Text, "GiB on ") {
						continue // The typed one has no disks.
					}

					words = append(words, line.Text)

					if line.X < vm.Box.X || line.X+len(line.Text)*letterWidth > vm.Box.X+vm.Box.Width || line.Y > vm.Box.Y+vm.Box.Height {
						t.Errorf("%s: %q leaves its box", path, line.Text)
					}
				}
			}
		}

		if len(words) == 0 {
			t.Errorf("%s: nothing is drawn", path)
		}

		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s: the typed picture has no %q", path, word)
			}
		}

		for word := range strings.FieldsSeq(text) {
			if word = strings.Trim(word, "├─└│,:"); !strings.Contains(strings.Join(words, " "), word) {
				t.Errorf("%s: the drawn picture has no %q", path, word)
			}
		}
	}
}

func inside(t *testing.T, path string, outer, inner svgRect) {
	t.Helper()

	if inner.X < outer.X || inner.Y < outer.Y || inner.X+inner.Width > outer.X+outer.Width || inner.Y+inner.Height > outer.Y+outer.Height {
		t.Errorf("%s: box %+v leaves %+v", path, inner, outer)
	}
}

// TestPictureSVGOfNothing draws nothing where nothing was rendered.
func TestPictureSVGOfNothing(t *testing.T) {
	if out, err := PictureSVG(nil); out != "" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}
