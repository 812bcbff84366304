let chosen = $state(1);

/** How many times as fast as the computer's clock it runs, or goes on after a pause. */
export const speed = (): number => chosen;

export function setSpeed(times: number): void {
  chosen = times;
}
