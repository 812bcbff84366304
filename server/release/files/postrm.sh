#!/bin/sh
# After the removal: the data stays. "apt purge squelch" deletes it and the user; an RPM
# has no such step, there delete /var/lib/squelch yourself.
set -e
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
fi
if [ "$1" = purge ]; then
    rm -rf /var/lib/squelch /etc/squelch
    if getent passwd squelch >/dev/null; then
        userdel squelch || true
    fi
fi
