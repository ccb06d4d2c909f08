# What nixpkgs' profile of this name sets, as far as it meets the example.
{
  boot.initrd.availableKernelModules = [ "virtio_net" "virtio_pci" "virtio_blk" "virtio_scsi" ];
}
