package properties

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// ofContainersMaking are what no edit changes of a container that lives: the provider would destroy it.
var ofContainersMaking = []string{"vmId", "nodeName", "operatingSystem", "unprivileged", "mountPoint", "clone"}

// restartsContainer are what the provider restarts a container for that is to run (internal/world has where it does).
var restartsContainer = []string{"memory", "initialization", "networkInterface", "mountPoint"}

// containerFaults compares what is wanted of a container that exists with what is observed of it.
func containerFaults(m *world.Machine, o, d map[string]any) (out []string) {
	if onlyObserved(o) {
		return nil
	}

	fault := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	was, is := world.Object(world.Object(o["spec"])["forProvider"]), world.Object(world.Object(d["spec"])["forProvider"])
	at := world.Object(world.Object(o["status"])["atProvider"])

	if was, is := world.Annotation(o, world.ExternalName), world.Annotation(d, world.ExternalName); was != "" && is != was {
		fault("external name is %q and was %q", is, was)
	}

	for _, f := range ofContainersMaking {
		if world.Compact(was[f]) != world.Compact(is[f]) {
			fault("%s is %.200s and was %.200s", f, world.Compact(is[f]), world.Compact(was[f]))
		}
	}

	// No two containers of a claim run, as far as the provider has seen.
	if is["started"] == true && at["started"] != true {
		for _, name := range world.Keys(m.Observed) {
			other := m.Observed[name]
			if other["kind"] == world.ContainerKind && !onlyObserved(other) && world.Object(world.Object(other["status"])["atProvider"])["started"] == true {
				fault("it starts beside %s, which runs", name)
			}
		}
	}

	if at["started"] != true || !strings.Contains(world.Policies(d), "Update") {
		return out
	}

	if is["started"] != true && !tried(o) && !asksOutage(m.Spec()) {
		fault("it is stopped, and nobody asked")
	}

	for _, f := range restartsContainer {
		if is["started"] == true && !reflect.DeepEqual(world.Copy(at[f]), world.Copy(is[f])) {
			fault("the provider restarts it for %s, which is %.200s and was %.200s", f, world.Compact(is[f]), world.Compact(at[f]))
		}
	}

	return out
}

// asksOutage says whether the claim of a container asks for anything that stops it.
func asksOutage(spec map[string]any) bool {
	l := world.Object(spec["lifecycle"])

	return l["reboot"] != nil || l["replace"] != nil || l["rebootPolicy"] == "WhenNeeded" || spec["power"] == "Stopped"
}

// mayDropContainer says whether a container may go: a check, an attempt that was called off, and an old one when the new one was ready.
func mayDropContainer(m *world.Machine, rsp *fnv1.RunFunctionResponse, name string) bool {
	o := m.Observed[name]
	if onlyObserved(o) || world.Policies(o) == "Observe,Create" && !madeContainer(m, o) {
		return true
	}

	if tried(o) {
		triggers := strings.Split(world.Annotation(o, proxmox.ReplaceTriggersAnnotation), ",")

		return world.Object(m.Spec()["lifecycle"])["replace"] != triggers[len(triggers)-1]
	}

	return slices.ContainsFunc(world.Keys(m.Observed), func(other string) bool {
		c := m.Observed[other]
		_, stays := rsp.GetDesired().GetResources()[other]

		return other != name && stays && c["kind"] == world.ContainerKind && !onlyObserved(c) && !tried(c) && isReady(c) && world.Annotation(c, proxmox.ReplaceTriggersAnnotation) != ""
	})
}

// madeContainer says whether Proxmox has the container of a managed resource, and not somebody else's with its VMID.
func madeContainer(m *world.Machine, o map[string]any) bool {
	id, err := strconv.Atoi(world.Annotation(o, world.ExternalName))
	c := m.Proxmox.Containers[id]

	return err == nil && c != nil && claimOf(c) != ""
}
