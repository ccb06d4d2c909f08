package vm

import (
	"testing"
)

// TestNixOSFallback boots what is injected into a NixOS image that has no converge unit. The machine is a Debian with
// its programs where NixOS has them, and without Nix: how the unit gets there and starts is seen, at each boot, and that
// it goes on trying; what it does to a NixOS is not.
func TestNixOSFallback(t *testing.T) {
	s := newSubject(t, "bare")
	s.drive.VendorData = "#cloud-config\nbootcmd:\n  - mkdir -p /run/current-system/sw\n  - ln -sfn /usr/bin /run/current-system/sw/bin\n" +
		// On NixOS this program is where all are.
		"  - ln -sfn /usr/sbin/modprobe /usr/bin/modprobe\n"

	for _, boot := range []string{"first", "second"} {
		g := s.boot(t, Options{Site: &Site{}, Until: "test $(systemctl show -P NRestarts nix-gitops-apply) -ge 1"})

		if errs, ok := g.Errors(); !ok || len(errs) > 0 {
			t.Errorf("%s boot: cloud-init ended: %t, with the errors %q", boot, ok, errs)
		}

		g.is("hostname", "bare")
		// /etc/systemd/system is a link into the store on NixOS, and /run is empty at each boot.
		g.has("nix-unit", "LoadState=loaded", "FragmentPath=/run/systemd/system/nix-gitops-apply.service")
		// Inside of the boot, activation would wait for itself.
		g.is("nix-order", "starts after cloud-final.service")
		g.has("nix-journal", "git is not on PATH: taking it from the registry's nixpkgs")

		// Without Nix there is no revision.
		g.reports("nix-bad")

		if g.Fact("nix-restarts") == "0" {
			t.Errorf("%s boot: the unit does not try again", boot)
		}
	}
}
