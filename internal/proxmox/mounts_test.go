package proxmox

import "testing"

// TestDiskGiB: the provider says the size of a mount point with the largest unit that fits.
func TestDiskGiB(t *testing.T) {
	for size, want := range map[string]int64{"": 8, "4G": 12, "1T": 1032, "1.5T": 1544, "3.91G": 12, "NaN": 8, "-4G": 8, "512M": 9, "1025M": 10, "1K": 9, "4": 12, "?": 8} {
		c := ContainerParameters{Disk: []RootFS{{Size: 8}}, MountPoint: []MountPoint{{Size: size}}}
		if got := c.DiskGiB(); got != want {
			t.Errorf("a mount point of %q: want %d GiB, got %d", size, want, got)
		}
	}
}
