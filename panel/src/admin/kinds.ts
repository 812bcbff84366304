// The kinds of audit entries that there are, in the groups of the filter. A test
// compares them with the sources of the core and the service.
export const kinds = {
  emergency: ["panic", "panic cleared", "emergency acknowledged", "emergency closed"],
  alert: ["alert", "alert cleared", "alert once"],
  unit: ["move", "disconnect", "callsign", "nac"],
  talk: ["override", "player.webrtc"],
  message: ["broadcast", "user alert"],
  patch: ["patch", "patch changed", "patch removed"],
  signin: ["login", "reauth", "logout", "login.refused", "login.lockedOut", "token.lockedOut", "admin.login", "admin.login.refused", "admin.login.lockedOut", "admin.logout"],
  config: ["admin.config.edit", "admin.config.reset", "admin.config.reload", "admin.radios", "config"],
  access: ["admin.session.revoke", "admin.key.create", "admin.key.revoke", "admin.account.create", "admin.account.change", "admin.account.remove", "admin.password"],
  theme: ["theme.install", "theme.remove", "theme.default"],
  recording: ["recording.list", "recording.fetch", "recording.mix", "recording.export", "recording.delete", "admin.webhook.resend", "admin.webhook.discard", "admin.webhook.test"],
  system: ["admin.script.restart", "admin.audit.download", "storage.failed", "storage.restored", "cluster.move"],
} as const;

export type Group = keyof typeof kinds;
export const groups = Object.keys(kinds) as Group[];

/** groupOf is the group of an action; undefined: a newer service's. */
export const groupOf = (action: string): Group | undefined => groups.find((g) => (kinds[g] as readonly string[]).includes(action));
