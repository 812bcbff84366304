// Whether the resource's mirror equals the service's state: every read-only export is
// asked about everybody and every channel, and compared with what the state means.
const sorted = (ids) => [...ids].sort((a, b) => a - b);

// Lua knows only tables: [true] is the table {[1] = true}, and an empty one is either.
const plain = (value) => {
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return plain(Object.fromEntries(value.map((each, i) => [i + 1, each])));
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== null && v !== undefined).map(([k, v]) => [k, plain(v)]).sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** meant is what the exports must answer, by the state alone. */
function meant(state) {
  const answers = [];
  const expect = (value, name, ...args) => answers.push({ name, args, value });
  const channels = new Map();
  for (const zone of state.config.zones) for (const channel of zone.channels) channels.set(channel.frequency, { speakers: new Set(), listeners: new Set(), talkers: new Set(), panics: new Set() });
  const base = new Map(); // working frequency -> base of its talkgroup
  const at = (frequency) => {
    if (!channels.has(frequency)) channels.set(frequency, { speakers: new Set(), listeners: new Set(), talkers: new Set(), panics: new Set() });
    return channels.get(frequency);
  };
  for (const user of state.users) {
    if (user.channel && user.controlFrequency) base.set(user.channel, user.controlFrequency);
  }
  for (const user of state.users) {
    const id = user.serverId;
    if (user.channel) at(user.channel).speakers.add(id);
    if (user.controlFrequency) at(user.controlFrequency).speakers.add(id);
    for (const frequency of user.listening ?? []) at(frequency).listeners.add(id);
    for (const frequency of user.talking ?? []) at(frequency).talkers.add(id);
    for (const frequency of user.panic ?? []) at(frequency).panics.add(id);
    expect(user.name, "getPlayerName", id);
    expect(user.nacId ?? null, "getPlayerNacId", id);
    expect(user.callsign ?? null, "getCallsign", id);
    expect(user.access, "hasRadioAccess", id);
    expect({ name: user.name, nacId: user.nacId }, "getUserInfo", id);
    expect(user.aces, "getAcePermissions", id);
    expect(user.subscriber, "getSubscriberInfo", id);
  }
  for (const [frequency, { speakers, listeners, talkers, panics }] of channels) {
    const heard = new Set(listeners);
    for (const [working, of] of base) if (of === frequency) for (const id of at(working).listeners) heard.add(id);
    expect(sorted(speakers), "getSpeakersInChannel", frequency);
    expect(sorted(heard), "getListenersInChannel", frequency);
    expect(sorted(new Set([...speakers, ...heard])), "getAllUsersInChannel", frequency);
    if (!base.has(frequency)) {
      expect(state.alerts[frequency] ?? null, "getChannelAlert", frequency);
      expect(Object.fromEntries([...panics].map((id) => [id, true])), "getChannelPanic", frequency);
    }
    for (const id of talkers) expect(true, "isUserTalking", id, frequency);
  }
  return answers;
}

/** differences are the exports that answer otherwise than the state means, as texts. */
export function differences(server, state, resource = "radio") {
  const found = [];
  for (const { name, args, value } of meant(state)) {
    const [got] = server.call(resource, name, ...args);
    const [want, have] = [JSON.stringify(plain(value)), JSON.stringify(plain(got))];
    if (want !== have) found.push(`${name}(${args}): ${have}, the service means ${want}`);
  }
  return found;
}
