import type { BrowserContextOptions, Locator } from "playwright-core";

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

/** The devices on which flows are tried, with the words for test titles. */
export const DEVICES = [
  ["a phone", PHONE],
  ["a desktop", DESKTOP],
] as const;

/** Presses with a finger on a touch screen, else with the mouse. Wait for what changes: a tap does not wait for the next page as a click does. */
export const tapOrClick = (target: Locator, { hasTouch }: BrowserContextOptions): Promise<void> =>
  hasTouch ? target.tap() : target.click();
