package standin

import (
	"errors"
)

// A request is what a managed resource asks of Proxmox. It is used with the world's lock held.
type request struct {
	world *World
	uid   string
	// fields of forProvider, with texts as Proxmox gets them.
	fields values
	// id is the external name without a node; empty while there is none.
	id string
	// node of the external name, if it names one.
	node string
	// anywhere is true if the external name names a node, too: then Proxmox is asked for the id, wherever it is.
	anywhere bool
}

// A thing is what managed resources of one kind make in Proxmox.
type thing interface { //nolint:interfacebloat // What Terraform does with a resource.
	// look for it. Nil if it is not there.
	look(r request) values
	// hangs says whether it is there and a look at it does not end, since the look waits for its guest agent.
	hangs(r request) bool
	// begin to create it, and return its id. What it has made so far stays if the provider is stopped now.
	begin(r request) (id string, err error)
	// finish the creation.
	finish(r request) error
	// replaced is what has changed that Terraform would replace it for; empty if nothing has.
	replaced(r request) string
	// current says whether it is as asked.
	current(r request) bool
	// change it.
	change(r request) error
	// destroy it.
	destroy(r request) error
}

// taintError is a failure after which Terraform calls what it made tainted.
type taintError struct{ error }

func isTaint(err error) bool {
	var t taintError

	return errors.As(err, &t)
}

// An endedError is a failure of Terraform that was ended since it took longer than the provider allows.
type endedError struct{ error }

func isEnded(err error) bool {
	var e endedError

	return errors.As(err, &e)
}
