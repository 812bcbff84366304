// What the two knobs of every model do.

import { useScreen } from "../screen.svelte";
import { words } from "../words";

/** Degrees that the volume knob turns from silent to loud, and between two channels. */
const sweep = 270;
const click = 22.5;

/** What a knob says and does. */
export interface Turning {
  label: string;
  value?: number | undefined;
  text?: string;
  turn: (steps: number, shift: boolean) => void;
  press: () => void;
}

export function useKnobs() {
  const screen = useScreen();
  return {
    get volume() {
      const { view } = screen;
      return {
        label: words.volumeKnob,
        angle: view.power ? (view.volume - 0.5) * sweep : -sweep / 2 - 25,
        value: Math.round(view.volume * 100),
        text: view.power ? `${Math.round(view.volume * 100)} %` : words.off,
        turn: (steps: number, shift: boolean) => view.power && screen.turn(shift ? "toneVolume" : "volume", steps),
        press: () => screen.press("power"),
      };
    },
    get channel() {
      const { view } = screen;
      const at = view.channels.findIndex((c) => c.frequency === view.channel?.frequency);
      return {
        label: words.channelKnob,
        angle: (Math.max(0, at) - (view.channels.length - 1) / 2) * click,
        value: at + 1,
        text: view.channel?.name ?? "",
        turn: (steps: number) => {
          for (let i = 0; i < Math.abs(steps); i++) screen.press(steps > 0 ? "channel_up" : "channel_down");
        },
        press: () => screen.press("channel_up"),
      };
    },
  };
}
