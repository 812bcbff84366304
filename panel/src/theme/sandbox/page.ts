// What a theme's test sees of the page.

/** An element that a test looks for is not there, or cannot be clicked: the test ends. */
export class Absent extends Error {
  override name = "Absent";
}

/** What Mounted knows of the theme's marks on the page. */
export interface Marks {
  readonly container: HTMLElement;
  readonly variables: Readonly<Record<string, string>>;
  readonly classes: readonly string[];
  readonly hidden: boolean;
  readonly actions: readonly string[];
  /** Runs what the theme's listeners do. */
  touch(f: () => void): void;
}

/** The page around the theme. Selectors look inside its container. */
export class Page {
  readonly #marks: Marks;

  constructor(marks: Marks) {
    this.#marks = marks;
  }

  find(selector: string): Element | null {
    return this.#marks.container.querySelector(selector);
  }

  findAll(selector: string): Element[] {
    return [...this.#marks.container.querySelectorAll(selector)];
  }

  /** "": there is no such element. */
  text(selector: string): string {
    return (this.find(selector)?.textContent ?? "").replace(/\s+/g, " ").trim();
  }

  click(selector: string): void {
    this.press(selector);
    this.release(selector);
    this.#send(selector, "click");
  }

  press(selector: string): void {
    this.#send(selector, "pointerdown", "mousedown");
  }

  release(selector: string): void {
    this.#send(selector, "pointerup", "mouseup");
  }

  #send(selector: string, ...types: string[]): void {
    const element = this.find(selector);
    if (!element) throw new Absent(`nothing in the container matches ${JSON.stringify(selector)}`);
    if (element.closest("[disabled]")) throw new Absent(`${JSON.stringify(selector)} is disabled`);
    for (const type of types) {
      const event = new Event(type, { bubbles: true, cancelable: true });
      const down = type.endsWith("down");
      Object.assign(event, { button: 0, buttons: down ? 1 : 0, pointerId: 1, pointerType: "mouse", isPrimary: true, clientX: 0, clientY: 0, detail: 1 });
      this.#marks.touch(() => element.dispatchEvent(event));
    }
  }

  get variables(): Readonly<Record<string, string>> {
    return this.#marks.variables;
  }

  get classes(): readonly string[] {
    return this.#marks.classes;
  }

  get hidden(): boolean {
    return this.#marks.hidden;
  }

  get actions(): readonly string[] {
    return this.#marks.actions;
  }
}
