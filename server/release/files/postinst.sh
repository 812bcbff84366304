#!/bin/sh
# After the installation: the user, the rights of the files, the service.
# Debian calls it with "configure" and the former version, RPM with 1, or 2 at an upgrade.
set -e

case "$1" in
configure | 1 | 2) ;;
*) exit 0 ;;
esac
upgrade=no
if [ "$1" = 2 ] || [ -n "$2" ]; then
    upgrade=yes
fi

if ! getent passwd squelch >/dev/null; then
    getent group squelch >/dev/null || groupadd --system squelch
    useradd --system --gid squelch --home-dir /var/lib/squelch --no-create-home --shell /usr/sbin/nologin squelch
fi
# The configuration may hold secrets: the service reads it, nobody else does.
chown root:squelch /etc/squelch /etc/squelch/config.lua /etc/squelch/permissions.cfg
chmod 0750 /etc/squelch
chmod 0640 /etc/squelch/config.lua /etc/squelch/permissions.cfg
if [ ! -d /var/lib/squelch ]; then
    install -d -m 0700 -o squelch -g squelch /var/lib/squelch
fi

if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
    if [ "$upgrade" = yes ]; then
        systemctl try-restart squelch.service || echo "squelch did not start again: see journalctl -u squelch" >&2
    else
        systemctl enable --now squelch.service || echo "squelch did not start: see journalctl -u squelch" >&2
    fi
fi

if [ "$upgrade" = no ]; then
    cat <<'TEXT'
Squelch is installed, with a demo radio for this machine only.
  page:           http://127.0.0.1:7777, the administration at /admin
  login:          squelch secrets --data /var/lib/squelch
  configuration:  /etc/squelch/config.lua; for others than this machine: /etc/default/squelch
  without systemd, start what ExecStart of /usr/lib/systemd/system/squelch.service says
TEXT
fi
