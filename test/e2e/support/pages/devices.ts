import type { BrowserContextOptions, Locator } from "playwright-core";
import { longSkipped } from "../../../support/long.ts";

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

const ON_A_PHONE = ["a phone", PHONE] as const;

/** The devices on which flows are tested, with the words for test titles: a phone, and in `./scripts/test --long` also a desktop. */
export const DEVICES = longSkipped === undefined ? ([ON_A_PHONE, ["a desktop", DESKTOP]] as const) : ([ON_A_PHONE] as const);

/** Taps on a touch screen, otherwise clicks. The caller must wait for the effect, because a tap does not wait for the next page as a click does. */
export const tapOrClick = (target: Locator, { hasTouch }: BrowserContextOptions): Promise<void> =>
  hasTouch ? target.tap() : target.click();
