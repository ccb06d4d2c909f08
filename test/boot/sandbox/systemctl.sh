#!/bin/sh
# Stands where systemctl is in a sandbox without a systemd: writes each call down and says yes.
echo "systemctl $*" >>/mnt/record/calls
