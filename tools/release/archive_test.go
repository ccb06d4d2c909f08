package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPack(t *testing.T) {
	at := time.Date(2026, time.November, 1, 12, 0, 0, 0, time.UTC)
	files := []file{{name: "kubectl-machine", data: []byte("program"), program: true}, {name: "LICENSE", data: []byte("text")}}
	turned := []file{files[1], files[0]}

	for _, name := range []string{"a.tar.gz", "a.zip"} {
		t.Run(name, func(t *testing.T) {
			first, err := pack(name, files, at)
			if err != nil {
				t.Fatal(err)
			}

			// In another order, and in another time zone.
			second, err := pack(name, turned, at.In(time.FixedZone("NZDT", 13*60*60)).UTC())
			if err != nil {
				t.Fatal(err)
			}

			if !bytes.Equal(first, second) {
				t.Error("two archives of the same files differ")
			}

			later, err := pack(name, files, at.Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}

			if bytes.Equal(first, later) {
				t.Error("files have another time than they are given")
			}

			got, err := unpack(name, first)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(turned, got, cmp.AllowUnexported(file{})); diff != "" {
				t.Errorf("files of the archive, by name: -want, +got:\n%s", diff)
			}

			if _, err := unpack(name, first[:len(first)/2]); err == nil {
				t.Error("half an archive was read")
			}
		})
	}
}

func TestSourceDate(t *testing.T) {
	cases := map[string]struct{ reason, epoch, want string }{
		"Commit": {"files have the time of the commit", "1790000000", "2026-09-21T14:13:20Z"},
		"None":   {"without a commit files have the earliest time that a zip archive knows", "", "1980-01-01T00:00:00Z"},
		"Zero":   {"an earlier time would be another one in a zip archive", "0", "1980-01-01T00:00:00Z"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := sourceDate(tc.epoch)
			if err != nil || got.Format(time.RFC3339) != tc.want {
				t.Errorf("%s: want %s, got %s, %v", tc.reason, tc.want, got.Format(time.RFC3339), err)
			}
		})
	}

	if _, err := sourceDate("yesterday"); err == nil {
		t.Error("a word is no SOURCE_DATE_EPOCH")
	}
}

func TestPlatforms(t *testing.T) {
	all, err := platforms("")
	if err != nil || len(all) != 6 {
		t.Errorf("want six platforms, got %v, %v", all, err)
	}

	some, err := platforms("windows/amd64, linux/arm64")
	if diff := cmp.Diff([]platform{{"linux", "arm64"}, {"windows", "amd64"}}, some, cmp.AllowUnexported(platform{})); err != nil || diff != "" {
		t.Errorf("-want, +got:\n%s%v", diff, err)
	}

	for _, list := range []string{"linux/386", "linux", "linux/amd64,plan9/amd64", "linux/amd64,linux/amd64"} {
		if _, err := platforms(list); err == nil {
			t.Errorf("platforms(%q): want an error", list)
		}
	}
}
