/** What the microphone check says of a voice. */
export type Verdict = "listening" | "good" | "quiet";

/** Peak of speech that is understood well: -20 dB below full scale. */
const loud = 0.1;
/** As long as a syllable, ms, so that a knock on the desk is no voice. */
const enough = 250;
/** Who has said nothing that is loud enough for so long, ms, is too quiet. */
const patience = 4000;

/** Judges a microphone by its meter. */
export class MicrophoneCheck {
  #voiced = 0;
  #listened = 0;

  /** level: the meter, 0 to 1; ms: since the last look. Good stays good. */
  hear(level: number, ms: number): Verdict {
    this.#listened += ms;
    if (level >= loud) this.#voiced += ms;
    if (this.#voiced >= enough) return "good";
    return this.#listened >= patience ? "quiet" : "listening";
  }
}
