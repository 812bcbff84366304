// What the page says and hears, recorded from outside: the page knows nothing of it.

/**
 * listen is run in the page before its own scripts. It notes which nodes lead to the
 * loudspeaker and which to the connection, and records them with the page's own worklet.
 */
export function listen() {
  const ends = { heard: new Set(), sent: new Set() };
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode && !(this instanceof AudioWorkletNode)) ends.heard.add(this);
    if (to instanceof MediaStreamAudioDestinationNode) ends.sent.add(this);
    return connect.call(this, to, ...rest);
  };
  // NUI callbacks that Lua has not answered yet.
  window.unanswered = 0;
  const ask = window.fetch;
  window.fetch = async (...request) => {
    window.unanswered++;
    try {
      return await ask(...request);
    } finally {
      window.unanswered--;
    }
  };
  // The microphones that the page was given.
  window.microphones = [];
  const devices = navigator.mediaDevices; // there are none in an insecure context
  const take = devices?.getUserMedia.bind(devices);
  if (take) {
    devices.getUserMedia = async (wanted) => {
      const stream = await take(wanted);
      window.microphones.push(stream);
      return stream;
    };
  }
  // Files of tones that were decoded, in bytes.
  window.decoded = [];
  const decode = BaseAudioContext.prototype.decodeAudioData;
  BaseAudioContext.prototype.decodeAudioData = async function (data) {
    const bytes = data.byteLength;
    const buffer = await decode.call(this, data);
    window.decoded.push(bytes);
    return buffer;
  };
  const envelope = (frames, rate) => {
    const step = rate / 100;
    const out = [];
    for (const f of frames) {
      for (let at = 0; at + step <= f.length; at += step) {
        let sum = 0;
        for (let i = at; i < at + step; i++) sum += f[i] ** 2;
        out.push(Math.sqrt(sum / step));
      }
    }
    return out;
  };
  let recorders = {};
  /** One recorder per end: everything that leads there, RMS per 10 ms, counted from the epoch in ms. */
  window.record = (epoch) => {
    for (const [name, nodes] of Object.entries(ends)) {
      const { context } = [...nodes][0];
      const node = new AudioWorkletNode(context, "squelch-capture", { channelCount: 1, channelCountMode: "explicit" });
      const r = { frames: [], before: Math.max(0, Math.round((Date.now() - epoch) / 10)), rate: context.sampleRate, node, nodes: [...nodes] };
      node.port.onmessage = (e) => r.frames.push(e.data);
      node.port.postMessage(true);
      for (const n of nodes) connect.call(n, node);
      connect.call(node, context.destination); // silent: it has no output of its own
      recorders[name] = r;
    }
  };
  window.recorded = () =>
    Object.fromEntries(Object.entries(recorders).map(([name, r]) => [name, [...new Array(r.before).fill(0), ...envelope(r.frames, r.rate)]]));
  window.stop = () => {
    const out = window.recorded();
    for (const r of Object.values(recorders)) {
      for (const n of r.nodes) n.disconnect(r.node);
      r.node.disconnect();
    }
    recorders = {};
    return out;
  };
}
