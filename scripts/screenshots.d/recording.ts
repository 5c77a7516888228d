import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";

const FRAME_MS = 60;
const STEPS_OF_A_MOVE = 9;

/** A pointer, which screenshots do not have, and a caption. Neither can be focused or clicked. */
const OVERLAY = `(() => {
  const add = (style) => {
    const element = document.body.appendChild(document.createElement("div"));
    element.popover = "manual";
    Object.assign(element.style, { position: "fixed", margin: "0", border: "0", padding: "0", background: "none", overflow: "visible", pointerEvents: "none", ...style });
    return element;
  };
  const caption = add({
    inset: "auto", left: "50%", top: "auto", bottom: "16px", transform: "translateX(-50%)", padding: "10px 22px", borderRadius: "999px", whiteSpace: "nowrap",
    font: "600 20px Inter, sans-serif", color: "#fff", background: "rgb(15 23 42 / 0.92)",
  });
  const pointer = add({ inset: "0 auto auto 0", filter: "drop-shadow(0 1px 2px rgb(0 0 0 / 0.5))" });
  Object.assign(pointer.appendChild(document.createElement("div")).style, {
    width: "22px", height: "31px", background: "linear-gradient(#0f172a, #334155)",
    clipPath: "polygon(0 0, 0 78%, 22% 62%, 40% 100%, 56% 92%, 39% 56%, 66% 54%)",
  });
  window.overlay = {
    show: (text, x, y) => {
      caption.textContent = text;
      // Shown again each time, because a dialog that opened in between would cover them.
      for (const element of [caption, pointer]) element.hidePopover();
      if (text !== "") caption.showPopover();
      pointer.showPopover();
      pointer.style.transform = "translate(" + x + "px, " + y + "px)";
    },
  };
})()`;

/**
 * A recording of one page after another, in a time of its own: a frame is shown as long as it is told, however long it took to make. So the same
 * steps make the same animation on a fast and a slow machine.
 */
export class Recording {
  readonly #folder: string;
  readonly #frames: { readonly path: string; durationMs: number }[] = [];
  #pointer = { x: 400, y: 560 };
  #caption = "";

  /** @param folder where the frames are kept until they are encoded */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Says what the following frames show. */
  async say(page: Page, caption: string): Promise<void> {
    this.#caption = caption;
    await this.#prepare(page);
  }

  /** Adds the page as it is, for some milliseconds. */
  async hold(page: Page, durationMs: number): Promise<void> {
    await this.#prepare(page);
    const path = join(this.#folder, `${this.#frames.length}.png`);
    await writeFile(path, await page.screenshot());
    this.#frames.push({ path, durationMs });
  }

  /** Moves the pointer to the middle of an element, and clicks if asked. */
  async moveTo(page: Page, target: Locator, { click = false } = {}): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    const box = await target.boundingBox();
    if (box === null) throw new Error("The element to point at is not visible.");
    const from = this.#pointer;
    const to = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    for (let step = 1; step <= STEPS_OF_A_MOVE; step += 1) {
      const part = easeInOut(step / STEPS_OF_A_MOVE);
      this.#pointer = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      await page.mouse.move(this.#pointer.x, this.#pointer.y);
      await this.hold(page, FRAME_MS);
    }
    if (click) await page.mouse.click(this.#pointer.x, this.#pointer.y);
  }

  /** Encodes the frames as an animated WebP that repeats. Needs `img2webp` of Debian's package `webp`. Resolves to its length in milliseconds. */
  async save(path: string): Promise<number> {
    const frames = this.#frames.flatMap((frame) => ["-lossy", "-q", "72", "-d", String(frame.durationMs), frame.path]);
    await promisify(execFile)("img2webp", ["-loop", "0", "-kmax", "60", "-mixed", ...frames, "-o", path]);
    return this.#frames.reduce((sum, { durationMs }) => sum + durationMs, 0);
  }

  /** Gives a page that has just been opened the pointer and the caption. */
  async #prepare(page: Page): Promise<void> {
    await page.evaluate(`void (window.overlay ?? ${OVERLAY})`);
    await page.evaluate(`overlay.show(${JSON.stringify(this.#caption)}, ${this.#pointer.x}, ${this.#pointer.y})`);
  }
}

const easeInOut = (part: number): number => (part < 0.5 ? 2 * part * part : 1 - (2 - 2 * part) ** 2 / 2);
