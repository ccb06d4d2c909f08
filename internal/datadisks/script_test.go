package datadisks

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

// A guest is a folder in which the script runs for real, with the real wipefs, blkid and mkfs.ext4: the disks are files.
type guest struct {
	t    *testing.T
	root string
	env  []string
}

// Stubs of what needs a kernel. A mount unit that is started mounts: it leaves a mark, unless the test says that it fails.
const (
	stubSystemctl = `#!/bin/bash
echo "systemctl $*" >>"$DATA_DISKS_ROOT/calls"
[[ $1 != start || -e $DATA_DISKS_ROOT/mount-fails ]] || touch "$DATA_DISKS_ROOT/mounted-$2"
`
	stubMountpoint = `#!/bin/bash
path=${2#"$DATA_DISKS_ROOT"}
[[ -e $DATA_DISKS_ROOT/mounted-$(systemd-escape --path --suffix=mount "$path") ]]
`
	// The signature is all that the script reads of it. blkid needs a superblock that makes sense.
	stubXFS = `#!/bin/bash
echo "mkfs.xfs $*" >>"$DATA_DISKS_ROOT/calls"
exec mkfs.ext4 -q -F "${@: -1}"
`
)

const diskBytes = 8 << 20

func newGuest(t *testing.T, table ...string) *guest {
	t.Helper()

	for _, tool := range []string{"wipefs", "blkid", "mkfs.ext4", "mkswap", "flock", "systemd-escape"} {
		if _, err := exec.LookPath(tool); err != nil && os.Getenv("CI") != "true" {
			t.Skipf("%s is missing", tool)
		}
	}

	g := &guest{t: t, root: t.TempDir()}
	g.env = []string{"PATH=" + g.root + "/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DATA_DISKS_ROOT=" + g.root, "DEVICE_TIMEOUT=0", "LC_ALL=C"}
	g.write("bin/systemctl", stubSystemctl)
	g.write("bin/mountpoint", stubMountpoint)
	g.write("bin/mkfs.xfs", stubXFS)
	g.write("data-disks", script)
	g.write("etc/fstab", "UUID=0-0 / ext4 defaults 0 1") // Without a last line end.
	g.write(TablePath, strings.Join(table, "\n")+"\n")

	return g
}

func (g *guest) write(path, content string) {
	g.t.Helper()

	file := filepath.Join(g.root, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		g.t.Fatal(err)
	}

	if err := program.Write(file, []byte(content), 0o755); err != nil {
		g.t.Fatal(err)
	}
}

func (g *guest) read(path string) string {
	data, _ := os.ReadFile(filepath.Join(g.root, path))

	return string(data)
}

// attach a disk with a serial number, as the kernel shows it.
func (g *guest) attach(block, serial string) string {
	g.t.Helper()
	g.write("sys/block/"+block+"/device/vpd_pg80", "\x00\x80\x00"+string(rune(len(serial)))+serial)
	g.write("sys/block/"+block+"/size", fmt.Sprintln(diskBytes/512))
	g.write("dev/"+block, "")

	device := filepath.Join(g.root, "dev", block)
	if err := os.Truncate(device, diskBytes); err != nil {
		g.t.Fatal(err)
	}

	return device
}

func (g *guest) tool(name string, args ...string) {
	g.t.Helper()

	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "PATH=/usr/sbin:/usr/bin:/sbin:/bin")

	if out, err := cmd.CombinedOutput(); err != nil {
		g.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

func (g *guest) run() (string, error) {
	cmd := exec.Command("/bin/bash", filepath.Join(g.root, "data-disks"))
	cmd.Env = g.env
	out, err := cmd.CombinedOutput()

	return string(out), err
}

func typeOf(t *testing.T, device string) string {
	t.Helper()

	out, _ := exec.Command("/usr/sbin/blkid", "--probe", "--match-tag", "TYPE", "--output", "value", device).Output()

	return strings.TrimSpace(string(out))
}

// mbrTable is one Linux partition and the signature of a table of partitions.
const mbrTable = "\x00\x20\x21\x00\x83\x20\x20\x00\x00\x08\x00\x00\x00\x08\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x55\xaa"

// gptHeaders are the two heads of a table without partitions, each one sector. The backup is in the last sector of the disk.
func gptHeaders() (primary, backup string) {
	const last, entries = diskBytes/512 - 1, 128 * 128

	header := func(own, other, table uint64) string {
		h := make([]byte, 92)
		copy(h, "EFI PART\x00\x00\x01\x00\x5c\x00\x00\x00")
		le := binary.LittleEndian
		le.PutUint64(h[24:], own)
		le.PutUint64(h[32:], other)
		le.PutUint64(h[40:], 34)
		le.PutUint64(h[48:], last-33)
		copy(h[56:], "0123456789abcdef")
		le.PutUint64(h[72:], table)
		le.PutUint32(h[80:], 128)
		le.PutUint32(h[84:], 128)
		le.PutUint32(h[88:], crc32.ChecksumIEEE(make([]byte, entries)))
		le.PutUint32(h[16:], crc32.ChecksumIEEE(h))

		return string(h)
	}

	return header(1, last, 2), header(last, 1, last-32)
}

func TestEmptyDiskIsFormattedAndMounted(t *testing.T) {
	g := newGuest(t, "data ext4 /srv/data")
	g.attach("sda", "") // The boot disk has no serial number.
	device := g.attach("sdb", "data")

	out, err := g.run()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	if got := typeOf(t, device); got != "ext4" {
		t.Errorf("the disk has the file system %q", got)
	}

	fstab := g.read("etc/fstab")
	for _, want := range []string{"UUID=0-0 / ext4 defaults 0 1\n", " /srv/data ext4 defaults,nofail,", "x-systemd.growfs", " 0 2\n"} {
		if !strings.Contains(fstab, want) {
			t.Errorf("/etc/fstab lacks %q:\n%s", want, fstab)
		}
	}

	if got, want := g.read("calls"), "systemctl daemon-reload\nsystemctl start srv-data.mount\n"; got != want {
		t.Errorf("called\n%swant\n%s", got, want)
	}

	// Again, at the next boot: nothing is written any more.
	before, _ := os.ReadFile(device)
	if err := os.Remove(filepath.Join(g.root, "mounted-srv-data.mount")); err != nil {
		t.Fatal(err)
	}

	if out, err := g.run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	if after, _ := os.ReadFile(device); !bytes.Equal(before, after) || g.read("etc/fstab") != fstab {
		t.Error("the second run wrote to the disk or to /etc/fstab")
	}
}

// TestDataIsNeverFormatted puts on a disk what people have on disks. Not one byte of it may change.
func TestDataIsNeverFormatted(t *testing.T) {
	at := func(offset int, data string) func(g *guest, device string) {
		return func(g *guest, device string) {
			f, err := os.OpenFile(device, os.O_WRONLY, 0)
			if err != nil {
				g.t.Fatal(err)
			}
			defer f.Close() //nolint:errcheck // A test.

			if _, err := f.WriteAt([]byte(data), int64(offset)); err != nil {
				g.t.Fatal(err)
			}
		}
	}
	tool := func(name string, args ...string) func(g *guest, device string) {
		return func(g *guest, device string) { g.tool(name, append(args, device)...) }
	}
	gpt := func(g *guest, device string) {
		primary, backup := gptHeaders()
		at(512, primary)(g, device)
		at(diskBytes-512, backup)(g, device)
	}

	cases := map[string]struct {
		reason string
		put    func(g *guest, device string)
		table  string
		fstab  string // What /etc/fstab gets; empty: the run fails.
		says   string
	}{
		"Ext4":            {"A disk of an earlier VM.", tool("mkfs.ext4", "-q"), "data ext4 /srv/data", " /srv/data ext4 ", "not formatted"},
		"OtherFilesystem": {"The claim says xfs, and the disk has data in ext4.", tool("mkfs.ext4", "-q"), "data xfs /srv/data", " /srv/data ext4 ", "not formatted"},
		"Ext2":            {"Nobody said that it may be mounted as ext4.", tool("mke2fs", "-q", "-t", "ext2"), "data ext4 /srv/data", "", "holds something (ext2)"},
		"GPT":             {"x-systemd.makefs would format it.", gpt, "data ext4 /srv/data", "", "holds something (gpt"},
		"MBR":             {"The older table.", at(446, mbrTable), "data ext4 /srv/data", "", "holds something (dos"},
		"GPTAtItsEndOnly": {"The head was overwritten; the backup is there.", func(g *guest, device string) {
			_, backup := gptHeaders()
			at(diskBytes-512, backup)(g, device)
		}, "data ext4 /srv/data", "", "holds something"},
		"Swap":     {"mkswap leaves the first sector empty.", tool("mkswap", "-q"), "data ext4 /srv/data", "", "holds something (swap)"},
		"LUKS":     {"An encrypted disk.", at(0, "LUKS\xba\xbe\x00\x01"), "data ext4 /srv/data", "", "holds something (crypto_LUKS)"},
		"LVM":      {"A physical volume; its label is in the second sector.", at(512, "LABELONE\x01\x00\x00\x00\x00\x00\x00\x00\x4b\xe1\xb5\xad\x20\x00\x00\x00LVM2 001abcdefghijklmnopqrstuvwxyz012345"), "data ext4 /srv/data", "", "holds something"},
		"Btrfs":    {"A file system that the claim cannot name.", at(0x10040, "_BHRfS_M"), "data ext4 /srv/data", "", "holds something (btrfs)"},
		"Unknown":  {"A database on the raw disk, or plain dm-crypt.", at(100, "my data"), "data ext4 /srv/data", "", "no known file system"},
		"Middle":   {"The head was overwritten with zeros.", at(diskBytes/2, "x"), "data ext4 /srv/data", "", "no known file system"},
		"End":      {"The last byte of the disk.", at(diskBytes-1, "x"), "data ext4 /srv/data", "", "wipefs --all "},
		"Beyond4K": {"What a program wrote behind an empty head.", at(8192, "x"), "data ext4 /srv/data", "", "&& mkfs.ext4 "},
		"Quarter":  {"Some of it is enough.", at(diskBytes/4+100, strings.Repeat("x", 1<<16)), "data ext4 /srv/data", "", "no known file system"},
		"WipedExt4": {"wipefs takes the signature alone, and the files are there.", func(g *guest, device string) {
			g.tool("mkfs.ext4", "-q", device)
			g.tool("wipefs", "--quiet", "--all", device)
		}, "data ext4 /srv/data", "", "no known file system"},
		"NoSize": {"What cannot be read is not formatted.", func(g *guest, _ string) { g.write("sys/block/sdb/size", "") }, "data ext4 /srv/data", "", "cannot be read"},
		"Short": {"The disk has errors: it ends before its end.", func(g *guest, device string) {
			g.write("sys/block/sdb/size", "0\n")
			at(100, "my data")(g, device)
		}, "data ext4 /srv/data", "", "cannot be read"},
		"CutOff": {"An earlier run began to format it; nobody knows whether it is the same disk.", func(g *guest, device string) {
			g.write("var/lib/data-disks/formats-data", "2026-11-20T10:00:00Z\n")
			at(diskBytes/2, "x")(g, device)
		}, "data ext4 /srv/data", "", "was empty when this machine began to format it at 2026-11-20T10:00:00Z, and was cut off"},
		"Partition": {"The kernel knows partitions, though the table is gone.", func(g *guest, _ string) { g.write("sys/block/sdb/sdb1/size", "1") }, "data ext4 /srv/data", "", "has partitions"},
		"Holder":    {"The disk is part of a RAID or of a volume group that runs.", func(g *guest, _ string) { g.write("sys/block/sdb/holders/dm-0/x", "") }, "data ext4 /srv/data", "", "is part of dm-0"},
		"TwoDisks": {
			"A copy of the disk is attached beside it.", func(g *guest, _ string) { g.attach("sdc", "data") },
			"data ext4 /srv/data", "", "several disks have the serial number data: sdb, sdc",
		},
		"OtherDisk":   {"The name is not there: no other disk is taken for it.", func(*guest, string) {}, "logs ext4 /srv/logs", "", "no disk of this machine has the serial number logs"},
		"FolderInUse": {"A mount would hide what is in its folder.", func(g *guest, _ string) { g.write("srv/data/app.db", "x") }, "data ext4 /srv/data", "", "is not empty on the boot disk"},
		"File":        {"There is a file where the folder is to be.", func(g *guest, _ string) { g.write("srv/data", "x") }, "data ext4 /srv/data", "", "is not a folder"},
		"InFstab": {"A person has mounted it, or the disk was emptied since: the line counts.", func(g *guest, _ string) {
			g.write("etc/fstab", "UUID=1-1 /srv/data xfs defaults 0 0\n")
		}, "data ext4 /srv/data", "UUID=1-1 /srv/data xfs defaults 0 0\n", "is mounted"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			g := newGuest(t, tc.table)
			device := g.attach("sdb", "data")
			tc.put(g, device)

			before, err := os.ReadFile(device)
			if err != nil {
				t.Fatal(err)
			}

			fstab := g.read("etc/fstab")
			out, err := g.run()

			if after, _ := os.ReadFile(device); !bytes.Equal(before, after) {
				t.Errorf("the disk was written to: %s\n%s", tc.reason, out)
			}

			if !strings.Contains(out, tc.says) {
				t.Errorf("says\n%swant %q: %s", out, tc.says, tc.reason)
			}

			switch {
			case tc.fstab == "" && (err == nil || g.read("etc/fstab") != fstab || strings.Contains(g.read("calls"), "start")):
				t.Errorf("the run does not fail, or leaves something: %v\n%s%s", err, g.read("etc/fstab"), g.read("calls"))
			case tc.fstab != "" && (err != nil || !strings.Contains(g.read("etc/fstab"), tc.fstab)):
				t.Errorf("%v, want %q in /etc/fstab:\n%s%s", err, tc.fstab, g.read("etc/fstab"), out)
			}
		})
	}
}

func TestOneDiskFailsAndTheOthersAreMounted(t *testing.T) {
	g := newGuest(t, "data ext4 /srv", "gone ext4 /srv/gone", "inner ext4 /srv/inner")
	g.attach("sdb", "data")
	inner := g.attach("sdc", "inner")

	out, err := g.run()
	if err == nil || !strings.Contains(out, "not mounted: gone;") {
		t.Errorf("%v\n%s", err, out)
	}

	if got := typeOf(t, inner); got != "ext4" {
		t.Errorf("the third disk has the file system %q\n%s", got, out)
	}

	if calls := g.read("calls"); !strings.Contains(calls, "srv.mount") || !strings.Contains(calls, "srv-inner.mount") {
		t.Errorf("called\n%s", calls)
	}

	// The disk is attached after a while: the next run sets it up, and leaves the others.
	g.attach("sdd", "gone")

	if out, err := g.run(); err != nil || strings.Count(out, "formats disk") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNoMountIsNoSuccess: K3s would write to the boot disk.
func TestNoMountIsNoSuccess(t *testing.T) {
	g := newGuest(t, "data ext4 /srv/data")
	g.attach("sdb", "data")
	g.write("mount-fails", "")

	out, err := g.run()
	if err == nil || !strings.Contains(out, "/srv/data cannot be mounted as /etc/fstab says (disk data)") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestDetachedDisk: somebody detached a disk in Proxmox, and the provider put an empty one with the same serial number in its place. The guest begins nothing on it
// before a person says so.
func TestDetachedDisk(t *testing.T) {
	g := newGuest(t, "data ext4 /srv/data")
	device := g.attach("sdb", "data")

	if out, err := g.run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	former, err := os.ReadFile(device)
	if err != nil {
		t.Fatal(err)
	}

	boot := func() {
		if err := os.RemoveAll(filepath.Join(g.root, "mounted-srv-data.mount")); err != nil {
			t.Fatal(err)
		}
	}

	boot()
	g.attach("sdb", "data")
	g.write("mount-fails", "")

	out, err := g.run()
	if err == nil || !strings.Contains(out, "is empty, and is not the one that was mounted at /srv/data") || strings.Contains(out, "systemctl status") {
		t.Errorf("an empty disk in the place of a former one: %v\n%s", err, out)
	}

	if got := typeOf(t, device); got != "" {
		t.Errorf("the empty disk was formatted with %s\n%s", got, out)
	}

	// The former one is attached again, and cannot be mounted for another reason: nothing is said of detached disks.
	if err := os.WriteFile(device, former, 0o600); err != nil {
		t.Fatal(err)
	}

	if out, err := g.run(); err == nil || strings.Contains(out, "detached") {
		t.Errorf("the former disk that cannot be mounted: %v\n%s", err, out)
	}

	if err := os.Remove(filepath.Join(g.root, "mount-fails")); err != nil {
		t.Fatal(err)
	}

	if out, err := g.run(); err != nil || strings.Contains(out, "formats disk") {
		t.Errorf("the former disk: %v\n%s", err, out)
	}

	// A person wants the empty one.
	boot()
	g.attach("sdb", "data")
	g.write("etc/fstab", "UUID=0-0 / ext4 defaults 0 1\n")

	if out, err := g.run(); err != nil || typeOf(t, device) != "ext4" {
		t.Errorf("the empty disk that a person consented to: %v\n%s", err, out)
	}
}

// TestSerialNumbers are read as VirtIO disks and SCSI disks show them.
func TestSerialNumbers(t *testing.T) {
	g := newGuest(t, "data ext4 /srv/data")
	g.attach("sdb", "data-2") // Another name that begins alike.

	device := g.attach("vdb", "")
	if err := os.RemoveAll(filepath.Join(g.root, "sys/block/vdb")); err != nil {
		t.Fatal(err)
	}

	g.write("sys/block/vdb/serial", "data")
	g.write("sys/block/vdb/size", fmt.Sprintln(diskBytes/512))

	if out, err := g.run(); err != nil || typeOf(t, device) != "ext4" {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestXFS has no fsck at boot, and installs what cloud-init did not.
func TestXFS(t *testing.T) {
	g := newGuest(t, "data xfs /srv/data")
	g.attach("sdb", "data")

	if out, err := g.run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	if fstab := g.read("etc/fstab"); !strings.Contains(fstab, " /srv/data xfs ") || !strings.HasSuffix(fstab, " 0 0\n") {
		t.Errorf("/etc/fstab is\n%s", fstab)
	}

	if calls := g.read("calls"); !strings.Contains(calls, fmt.Sprintf("mkfs.xfs -q %s/dev/sdb\n", g.root)) {
		t.Errorf("called\n%s", calls)
	}
}
