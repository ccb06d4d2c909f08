package proxmox

import (
	"github.com/crossplane/function-sdk-go/errors"
)

// A State is all that was found of one composite's managed resources, by composed resource name.
type State struct {
	VMs           map[string]ObservedVM
	Files         map[string]ObservedFile
	DownloadFiles map[string]ObservedDownloadFile
}

// ReadState sorts observed composed resources by kind. Other kinds are passed over.
func ReadState(observed map[string]map[string]any) (State, error) {
	s := State{
		VMs:           map[string]ObservedVM{},
		Files:         map[string]ObservedFile{},
		DownloadFiles: map[string]ObservedDownloadFile{},
	}

	for name, content := range observed {
		var err error

		switch content["kind"] {
		case VMKind:
			s.VMs[name], err = ObserveVM(content)
		case FileKind:
			s.Files[name], err = ObserveFile(content)
		case DownloadFileKind:
			s.DownloadFiles[name], err = ObserveDownloadFile(content)
		}

		if err != nil {
			return State{}, errors.Wrapf(err, "composed resource %q", name)
		}
	}

	return s, nil
}
