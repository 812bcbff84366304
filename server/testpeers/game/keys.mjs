// Key mappings of a client. While the page has the keyboard's focus no mapping fires,
// unless the input is kept: a "+command" may then never see its "-command".
export class Keys {
  #mappings = new Map(); // command -> { text, mapper, key }

  constructor(client) {
    this.client = client;
  }

  map(command, text, mapper, key) {
    if (!this.#mappings.has(command)) this.#mappings.set(command, { text, mapper, key: key.toUpperCase() });
  }

  get mappings() {
    return [...this.#mappings].map(([command, mapping]) => ({ command, ...mapping }));
  }

  press(key) {
    this.#fire(key, true);
  }

  release(key) {
    this.#fire(key, false);
  }

  #fire(key, down) {
    if (this.client.keyboardTaken()) return;
    for (const [command, mapping] of this.#mappings) {
      if (mapping.key !== key.toUpperCase()) continue;
      if (down) this.client.execute(command);
      else if (command.startsWith("+")) this.client.execute(`-${command.slice(1)}`);
    }
  }
}
