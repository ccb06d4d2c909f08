package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// Announcements says which announcements of other machines that grow are counted.
type Announcements string

// AllAnnouncements are counted before a machine grows; EarlierAnnouncements are those of machines before it in the order of their names, which says who gets
// what is left where several grow in one moment.
const (
	AllAnnouncements     Announcements = "All"
	EarlierAnnouncements Announcements = "Earlier"
)

// UsedBeside is what the other machines have beside one that exists and is to grow, as [Owner.Used] counts it, and what they have announced to grow to. All
// that wait for a VM have their share: they cannot see what an existing machine is about to ask for.
func (o Owner) UsedBeside(all Neighbours, which Announcements, own proxmox.ObservedMetadata, counts func(namespace string) bool) tenancy.Amount {
	return sum(o.counted(all, unborn, counts), func(d demand) bool { return which == AllAnnouncements || ownerOf(d.metadata) < ownerOf(own) })
}

// sum of demands, with the announcements that are counted.
func sum(demands []demand, announced func(demand) bool) (out tenancy.Amount) {
	machines := map[string]bool{}

	for _, d := range demands {
		amount := d.amount()
		if announced(d) {
			amount = d.grown()
		}

		out = out.Plus(amount)
		machines[ownerOf(d.metadata)] = true
	}

	out.Machines = int64(len(machines))

	return out
}

// grown is the amount of one VM or container once it has grown to what it has announced; what it has where it has announced nothing, or less.
func (d demand) grown() tenancy.Amount {
	out, to := d.amount(), proxmox.ReadReservation(d.metadata.Annotations[proxmox.GrowsAnnotation])
	out.Cores, out.MemoryMiB, out.DiskGiB = max(out.Cores, to.Cores), max(out.MemoryMiB, to.MemoryMiB), max(out.DiskGiB, to.DiskGiB)

	return out
}
