#!/bin/sh
# Before the removal: the service stops. At an upgrade it goes on until the new program
# is there. Debian calls it with "remove" or "upgrade", RPM with 0, or 1 at an upgrade.
set -e
case "$1" in
remove | 0)
    if [ -d /run/systemd/system ]; then
        systemctl disable --now squelch.service || true
    fi
    ;;
esac
