package adopt

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/document"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Container as Proxmox has it configured.
type Container struct {
	ID     int64
	Node   string
	State  State
	Config map[string]string // The options as `pct config` prints them.
}

// About the container.
func (c Container) About() About {
	return About{ID: c.ID, Kind: KindContainer, Name: c.Config["hostname"]}
}

// Unfit says why the function could not adopt the container, and what to do; empty where it can.
func (c Container) Unfit() string {
	switch {
	case c.Config["template"] == "1":
		return "It is a template, not a container."
	case c.Node == "":
		return "Its node is not known, and the provider finds a container on its own node only: name it with --node."
	}

	return ""
}

// Cautions are what a person should know before the adoption, a sentence each.
func (c Container) Cautions() []string {
	w := c.write(Options{})
	out := slices.Clone(w.unsaid)

	if c.Config["lock"] != "" {
		out = append(out, fmt.Sprintf("The container is locked (%s): wait for the end of the task that locked it.", message.Excerpt(c.Config["lock"])))
	}

	return out
}

// Claim that adopts the container, with comments. It says all that the container has and a claim can say: the plan of the adoption is empty, but for
// tags that no claim can have.
func (c Container) Claim(o Options) ([]byte, error) {
	w := c.write(o)

	head := []string{
		document.Modeline("container.json"),
		fmt.Sprintf("Adopts container %d. Nothing in Proxmox changes before you approve the plan in status.adoption: docs/containers.md, \"Adopting a container\".", c.ID),
	}

	if c.Config["lock"] != "" {
		head = append(head, c.Cautions()[len(w.unsaid):]...)
	}

	return document.Marshal(envelope("Container", nameOr(o.Name, c), o.Namespace, w.spec), strings.Join(head, "\n")+"\n")
}

// write the spec, from the top to the bottom.
func (c Container) write(o Options) *writer {
	w := &writer{c: c}
	w.say(document.Entry("adopt", document.Flow(document.Object(document.Entry("vmId", document.Number(c.ID))))))

	if host := c.Config["hostname"]; host != "" && host != nameOr(o.Name, c) {
		w.say(document.Entry("hostname", document.Text(host), "The container's name in Proxmox."))
	}

	tags, lost := tagsOf(c.Config["tags"])
	for _, tag := range lost {
		w.keep("The adoption removes tag %s: no claim can say it.", message.Excerpt(tag))
	}

	if len(tags) > 0 {
		w.say(document.Entry("tags", document.List(tags, true), "The claim replaces the container's tags, so they are here."))
	}

	w.power(o)
	w.boot()
	w.size()
	w.features()
	w.disks()
	w.network()
	w.further()
	w.notes()
	w.rest()
	w.placement(o)
	w.say(document.Entry("deletionPolicy", document.Text("Orphan"), "The container stays when the claim is deleted."))

	return w
}

// power says that a stopped container stays stopped.
func (w *writer) power(o Options) {
	if o.Stopped || w.c.State == StateStopped {
		w.say(document.Entry("power", document.Text("Stopped"), "Without this the provider starts the container."))
	}
}

// boot says whether and when the node starts the container.
func (w *writer) boot() {
	w.say(document.Entry("onBoot", document.Bool(w.c.Config["onboot"] == "1")))

	if startup := w.c.Config["startup"]; startup != "" {
		said, unknown := options(startup, "order"), false

		var place []document.Field

		for _, o := range []struct{ option, field string }{{"order", "order"}, {"up", "upDelaySeconds"}, {"down", "downDelaySeconds"}} {
			if said[o.option] == "" {
				continue
			}

			n, err := strconv.ParseInt(said[o.option], 10, 64)
			if err != nil {
				unknown = true
			}

			place = append(place, document.Entry(o.field, document.Number(n)))
		}

		if unknown || len(place) == 0 {
			w.keep("startup: the container keeps %s, which a claim cannot say.", message.Excerpt(startup))
		} else {
			w.say(document.Entry("startup", document.Flow(document.Object(place...))))
		}
	}
}

// size says cores, memory, swap and root file system. What is nowhere in the configuration has Proxmox's defaults, which the container keeps.
func (w *writer) size() {
	var size []document.Field

	add := func(name, option string, value func(int64) document.Field) {
		n, err := strconv.ParseInt(w.c.Config[option], 10, 64)

		switch {
		case w.c.Config[option] == "":
			w.keep("size.%s: not in the configuration, so the container keeps Proxmox's default.", name)
		case err != nil || w.fault(document.Entry("size", document.Object(value(n)))) != "":
			w.keep("size.%s: the container keeps %s, which a claim cannot say.", name, message.Excerpt(w.c.Config[option]))
		default:
			size = append(size, value(n))
		}
	}

	mib := func(name string) func(int64) document.Field {
		return func(n int64) document.Field { return document.Entry(name, document.Text(inMiB(n))) }
	}

	add("cores", "cores", func(n int64) document.Field { return document.Entry("cores", document.Number(n)) })
	add("memory", "memory", mib("memory"))
	add("swap", "swap", mib("swap"))

	_, rootfs, _ := strings.Cut(w.c.Config["rootfs"], ",")
	if gib := wholeGiB(options(rootfs, "")["size"]); gib > 0 {
		size = append(size, document.Entry("disk", document.Text(fmt.Sprintf("%dGi", gib))))
	} else {
		w.keep("size.disk: the container keeps its root file system, whose size is no whole number of GiB.")
	}

	w.left("rootfs", options(rootfs, ""), "size")

	if len(size) > 0 {
		w.say(document.Entry("size", document.Flow(document.Object(size...))))
	}
}

// features says nesting, and whether the container is unprivileged. Only root@pam sets features of a privileged container.
func (w *writer) features() {
	unprivileged := w.c.Config["unprivileged"] == "1"
	w.say(document.Entry("unprivileged", document.Bool(unprivileged)))

	features := options(w.c.Config["features"], "")

	var others []string

	for _, name := range sorted(features) {
		if features[name] != "0" && (name != "nesting" || !unprivileged) {
			others = append(others, message.Key(name))
		}
	}

	if len(others) > 0 {
		w.keep("features: the container keeps %s, which only root@pam may set.", strings.Join(others, ", "))
	}

	if unprivileged && features["nesting"] == "1" {
		w.say(document.Entry("features", document.Flow(document.Object(document.Entry("nesting", document.Bool(true))))))
	}
}

var mountName = regexp.MustCompile(`^mp([0-9]+)$`)

// disks says the mount points, in the order in which Proxmox mounts them: all of them or none, because a list without one of them would be another one.
func (w *writer) disks() {
	var (
		list []string
		node = document.Items()
	)

	for _, name := range numbered(w.c.Config, mountName) {
		volume, rest, _ := strings.Cut(w.c.Config[name], ",")
		said := options(rest, "")
		datastore, _, isVolume := strings.Cut(volume, ":")
		size := said["size"]

		disk := document.Flow(document.Object(
			document.Entry("path", document.Text(said["mp"])), document.Entry("size", document.Text(size+"i")),
			document.Entry("storage", document.Text(datastore)), document.Entry("backup", document.Bool(said["backup"] == "1")),
		))

		// A size in another unit is another one to the function, which compares it as the provider reports it.
		if !isVolume || strings.HasPrefix(volume, "/") || !strings.HasSuffix(size, "G") || w.fault(document.Entry("disks", document.Items(disk))) != "" {
			list = append(list, fmt.Sprintf("%s (%s)", name, message.Excerpt(said["mp"])))
		}

		node.Content = append(node.Content, disk)
		w.left(name, said, "mp", "size", "backup")
	}

	field := document.Entry("disks", node)

	switch {
	case len(node.Content) == 0:
	case len(list) > 0:
		w.keep("disks: the container keeps all of its mount points; a claim cannot say %s.", strings.Join(list, ", "))
	default:
		w.say(field)
	}
}

// notes are kept: with notes, the claim would write a line that names it.
func (w *writer) notes() {
	if w.c.Config["description"] != "" {
		w.keep("notes: the container keeps its own as they are. Notes here would replace them.")
	}
}

// isKnown says whether an option is one that a claim says, or that is said of elsewhere.
func isKnown(option string) bool {
	return mountName.MatchString(option) || interfaceName.MatchString(option) || slices.Contains([]string{
		"arch", "cores", "description", "digest", "features", "hostname", "lock", "memory", "nameserver", "onboot", "ostype", "protection", "rootfs", "searchdomain",
		"startup", "swap", "tags", "template", "unprivileged",
	}, option)
}

// rest names what no claim can say.
func (w *writer) rest() {
	var names []string

	for _, name := range sorted(w.c.Config) {
		if !isKnown(name) {
			names = append(names, message.Key(name))
		}
	}

	if len(names) > 0 {
		w.keep("The container keeps what no claim can say: %s.", strings.Join(names, ", "))
	}
}

// placement says node and datastore, and Proxmox's protection.
func (w *writer) placement(o Options) {
	var at []document.Field
	if o.Site != "" {
		at = append(at, document.Entry("site", document.Text(o.Site)))
	}

	at = append(at, document.Entry("node", document.Text(w.c.Node)))

	if datastore, _, ok := strings.Cut(w.c.Config["rootfs"], ":"); ok && !strings.HasPrefix(datastore, "/") {
		at = append(at, document.Entry("storage", document.Text(datastore)))
	}

	if w.c.Config["protection"] == "1" {
		at = append(at, document.Entry("protection", document.Bool(true)))
	}

	w.add(document.Entry("proxmox", document.Flow(document.Object(at...))))
}
