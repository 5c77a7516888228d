import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { soon } from "../../../support/soon.ts";
import { until } from "../../../support/until.ts";

interface Focused {
  /** The approximate accessible name. */
  readonly name: string;
  /** The reason why the focus is not visible; empty if it is visible. */
  readonly problem: string;
}

/** A script that reads the focused element. The field of a file is visible by its label, which surrounds it. */
const READ_FOCUS = `(() => {
  const focused = document.activeElement;
  // The document in a frame has the focus then.
  if (!focused || focused === document.body || focused instanceof HTMLIFrameElement) return { name: "", problem: "" };
  const labels = [...(focused.labels ?? [])].map(({ textContent }) => textContent).join(" ");
  const name = (focused.getAttribute("aria-label") ?? (labels || focused.title || focused.textContent) ?? "").trim().replace(/\\s+/g, " ");
  const isRing = (element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none";
  };
  const { width, height, top, bottom } = focused.getBoundingClientRect();
  const isInView = width > 0 && height > 0 && bottom > 0 && top < innerHeight;
  const seen = Number(getComputedStyle(focused).opacity) === 0 ? focused.closest("label") ?? focused.parentElement : focused;
  return { name, problem: !isInView ? "not in view" : !isRing(seen) ? "no ring" : "" };
})()`;

interface Step {
  /** The focused control, as HTML without its content; empty at the end of the page. */
  readonly control: string;
  readonly problem: string;
}

/** A script that remembers the focused element, and compares its position with the previous one. */
const STEP = `(() => {
  const focused = document.activeElement;
  const walk = (window.walk ??= { passed: new Set(), last: undefined });
  if (!focused || focused === document.body) return { control: "", problem: "" };
  const { problem } = ${READ_FOCUS};
  const shown = Number(getComputedStyle(focused).opacity) === 0 ? focused.closest("label") ?? focused : focused;
  const here = shown.getBoundingClientRect();
  const place = { left: here.left, right: here.right, top: here.top + scrollY, bottom: here.bottom + scrollY };
  const { last } = walk;
  const isBefore = last && ((place.bottom <= last.top && place.left < last.right) || (place.right <= last.left && place.top < last.bottom));
  const top = document.elementFromPoint(here.left + here.width / 2, here.top + Math.min(here.height / 2, 10));
  const isCovered = here.top >= 0 && here.bottom <= innerHeight && top && !shown.contains(top) && !top.contains(shown);
  walk.passed.add(focused);
  walk.last = place;
  return {
    control: focused.cloneNode(false).outerHTML,
    problem: problem || (isBefore ? "shown before the last" : isCovered ? "covered by " + top.cloneNode(false).outerHTML : ""),
  };
})()`;

/** A script that lists the visible controls that never had the focus. One radio button of each name is enough. */
const MISSED = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((control) =>
  control.checkVisibility({ visibilityProperty: true }) && !control.disabled && !window.walk.passed.has(control) &&
  !(control.type === "radio" && [...window.walk.passed].some(({ type, name, form }) => type === "radio" && name === control.name && form === control.form)),
).map((control) => control.cloneNode(false).outerHTML)`;

/** Presses Tab from the start of a page to its end. Every control must get the focus, show it, and follow the controls before it in reading order. */
export async function walkThrough(page: Page): Promise<void> {
  for (let presses = 0; presses < 300; presses += 1) {
    await page.keyboard.press("Tab");
    const { control, problem } = await page.evaluate<Step>(STEP);
    assert.equal(problem, "", `the focus on ${control} of ${page.url()}`);
    if (control === "") break;
  }
  await soon(async () => assert.deepEqual(await page.evaluate(MISSED), [], `controls of ${page.url()} that Tab does not reach`));
}

export const focusOf = (page: Page): Promise<Focused> => page.evaluate(READ_FOCUS);

/** Presses Tab, or another key, until an element with this name has the focus. Every element before it must show the focus. */
export async function tabTo(page: Page, name: string | RegExp, key: "Tab" | "Shift+Tab" | "ArrowRight" = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press(key);
    const focused = await focusOf(page);
    assert.equal(focused.problem, "", `the focus on “${focused.name}”`);
    if (typeof name === "string" ? focused.name === name : name.test(focused.name)) return;
    passed.push(focused.name);
  }
  assert.fail(`The keyboard does not reach ${name}, but: ${passed.join(", ")}`);
}

/** Waits until an element with this name has the focus. */
export async function waitForFocus(page: Page, name: string | RegExp): Promise<void> {
  await until(`the focus is on ${name}`, async () => {
    const focused = await focusOf(page).catch(() => undefined);
    return focused !== undefined && (typeof name === "string" ? focused.name === name : name.test(focused.name));
  });
}

/** Presses Tab through a modal dialog, and asserts that nothing outside it gets the focus. */
export async function assertTrapped(page: Page): Promise<void> {
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press("Tab");
    await soon(async () =>
      assert.ok(await page.evaluate(`document.activeElement === document.body || document.activeElement.closest("dialog") !== null`)),
    );
  }
}
