// Package quantity gives the amounts of memory and disk that a person wrote their meaning in whole MiB and GiB.
//
// The forms are those of [v1alpha1.Quantity]: `4Gi`, `4gi`, `4096`, `50G`. As everywhere in Proxmox VE, K, M, G and T count
// in steps of 1024 like Ki, Mi, Gi and Ti. A number without a unit is MiB for memory and GiB for disks.
package quantity

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Sizes in KiB, the smallest unit that can be written.
const (
	mib int64 = 1 << 10
	gib int64 = 1 << 20
	tib int64 = 1 << 30
)

// maxDigits that a number may have; more would be above every maximum with any unit.
const maxDigits = 15

// A kind of quantity is what tells memory from disks.
type kind struct {
	name    string
	unit    int64 // The unit that the result is counted in, and that a number without a unit has.
	minimum int64
	maximum int64
	// The texts of messages.
	unitName, minimumName, maximumName string
	example, plainExample              string
}

func memory() kind {
	return kind{
		name: "memory", unit: mib, minimum: 128 * mib, maximum: 2 * tib,
		unitName: "MiB", minimumName: "128 MB", maximumName: "2 TB", example: "4Gi", plainExample: "4096",
	}
}

func disk() kind {
	return kind{
		name: "disk", unit: gib, minimum: gib, maximum: 100 * tib,
		unitName: "GiB", minimumName: "1 GB", maximumName: "100 TB", example: "30Gi", plainExample: "30",
	}
}

// ofAll is a kind of quantity that counts many machines together.
func (k kind) ofAll() kind {
	k.maximum, k.maximumName = 10*1024*tib, "10 PB"

	return k
}

// Words are an amount of memory in the unit in which disks are written, where it is a whole number of these: "4 GiB", "512 MiB".
func Words(memoryMiB int64) string {
	const mibPerGiB = gib / mib
	if memoryMiB != 0 && memoryMiB%mibPerGiB == 0 {
		return fmt.Sprintf("%d GiB", memoryMiB/mibPerGiB)
	}

	return fmt.Sprintf("%d MiB", memoryMiB)
}

// MemoryMiB is an amount of memory in MiB: 128 MiB to 2 TiB, in whole MiB.
func MemoryMiB(q v1alpha1.Quantity) (int64, error) { return memory().parse(string(q)) }

// DiskGiB is the size of a disk in GiB: 1 GiB to 100 TiB, in whole GiB.
func DiskGiB(q v1alpha1.Quantity) (int64, error) { return disk().parse(string(q)) }

// TotalMemoryMiB is an amount of memory of many machines in MiB: 128 MiB to 10 PiB, in whole MiB.
func TotalMemoryMiB(q v1alpha1.Quantity) (int64, error) { return memory().ofAll().parse(string(q)) }

// TotalDiskGiB is the size of the disks of many machines in GiB: 1 GiB to 10 PiB, in whole GiB.
func TotalDiskGiB(q v1alpha1.Quantity) (int64, error) { return disk().ofAll().parse(string(q)) }

func (k kind) parse(text string) (int64, error) {
	kib, ok := parseKiB(text, k.unit)

	switch {
	case !ok:
		return 0, errors.Errorf("%s must be a whole number with a unit from Ki to Ti or K to T, such as %s, or without one in %s, such as %s%s",
			k.name, k.example, k.unitName, k.plainExample, k.meant(text))
	case kib < k.minimum && strings.Trim(text, "0123456789") == "" && kib > 0 && k.unit < gib:
		return 0, errors.Errorf("%s %s is below minimum of %s: a number without a unit is in %s, so write %sGi", k.name, text, k.minimumName, k.unitName, text)
	case kib < k.minimum:
		return 0, errors.Errorf("%s %s is below minimum of %s", k.name, text, k.minimumName)
	case kib > k.maximum:
		return 0, errors.Errorf("%s %s is above maximum of %s", k.name, message.Excerpt(text), k.maximumName)
	case kib%k.unit != 0:
		down := kib / k.unit
		return 0, errors.Errorf("%s %s is not a whole number of %s: write %s or %s",
			k.name, text, k.unitName, k.write(down), k.write(down+1))
	}

	return kib / k.unit, nil
}

// meant is how an amount with a blank or with another spelling of its unit is written, such as 4 GB and 4gib; empty where nobody knows.
func (k kind) meant(text string) string {
	if size, ok := ofVolume(text); ok && k.unit == gib {
		return ": write " + size + "Gi, and the datastore into the field storage"
	}

	digits := strings.TrimRight(strings.ReplaceAll(text, " ", ""), "kKmMgGtTiIbByYeEsS")
	unit := strings.ToLower(strings.ReplaceAll(text, " ", ""))[len(digits):]

	if whole, isFraction := fraction(digits, unit); isFraction {
		return ": write " + whole
	}

	if digits == "" || len(digits) > maxDigits || strings.Trim(digits, "0123456789") != "" || unit == "" {
		return ""
	}

	switch unit {
	case "kb", "kib", "mb", "mib", "gb", "gib", "tb", "tib", "k", "m", "g", "t", "ki", "mi", "gi", "ti":
		return ": write " + digits + strings.ToUpper(unit[:1]) + "i"
	default:
		return ""
	}
}

// ofVolume is the size in GiB of a new volume as qm and pct write it, such as 40 of local-zfs:40.
func ofVolume(text string) (string, bool) {
	datastore, size, ok := strings.Cut(text, ":")
	if !ok || datastore == "" || size == "" || len(size) > maxDigits || strings.Trim(size, "0123456789") != "" {
		return "", false
	}

	return size, true
}

// fraction is an amount such as 1.5 Gi in the next smaller unit, where it is a whole number of that.
func fraction(digits, unit string) (string, bool) {
	smaller := map[string]string{"m": "Ki", "g": "Mi", "t": "Gi"}[strings.TrimSuffix(strings.TrimSuffix(unit, "b"), "i")]

	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || smaller == "" || !strings.Contains(digits, ".") || len(digits) > maxDigits || n*1024 != math.Trunc(n*1024) {
		return "", false
	}

	return strconv.FormatInt(int64(n*1024), 10) + smaller, true
}

// write is a number of the kind's units as a person would write it.
func (k kind) write(n int64) string {
	return fmt.Sprintf("%d%s", n, strings.TrimSuffix(k.unitName, "B"))
}

// parseKiB reads digits and a unit. A number too large to hold is as large as can be, which is above any maximum.
func parseKiB(text string, plain int64) (int64, bool) {
	digits := strings.TrimRight(text, "kKmMgGtTiI")
	unit, ok := unitKiB(text[len(digits):], plain)

	if !ok || digits == "" || len(digits) > maxDigits || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}

	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, false
	}

	if n > math.MaxInt64/unit {
		return math.MaxInt64, true
	}

	return n * unit, true
}

// ShownGiB is the size of a volume in GiB as Proxmox VE shows it, such as 32G or 512M, or as a number of bytes. whole says that it is a whole number of GiB:
// nothing was cut off; what is no size is 0, and not whole.
func ShownGiB(text string) (n int64, whole bool) {
	if bytes, err := strconv.ParseInt(text, 10, 64); err == nil {
		return bytes >> 30, bytes%(1<<30) == 0
	}

	kib, ok := parseKiB(text, gib)

	return kib / gib, ok && kib%gib == 0
}

// unitKiB is the size of a unit.
func unitKiB(unit string, plain int64) (int64, bool) {
	switch strings.ToLower(unit) {
	case "":
		return plain, true
	case "k", "ki":
		return 1, true
	case "m", "mi":
		return mib, true
	case "g", "gi":
		return gib, true
	case "t", "ti":
		return tib, true
	default:
		return 0, false
	}
}

// SwapMiB is an amount of swap space in MiB: 0 to 2 TiB, in whole MiB.
func SwapMiB(q v1alpha1.Quantity) (int64, error) {
	k := memory()
	k.name, k.minimum, k.minimumName, k.example, k.plainExample = "swap", 0, "0", "512Mi", "512"

	return k.parse(string(q))
}
