/** Typed client of the Squelch radio service. Begin with {@link Squelch}. @module */
export { type Failing, SquelchError } from "./error.js";
export { Link, type LinkEvents, type LinkOptions } from "./link.js";
export type { Login } from "./login.js";
export { opusPackets } from "./ogg.js";
export { packetMs } from "./speech.js";
export { type CallOptions, type Input, Squelch, type SquelchOptions } from "./squelch.js";
export * from "./wire.gen.js";
