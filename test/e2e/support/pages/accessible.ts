import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { soon } from "../../../support/soon.ts";

const VIOLATIONS = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).slice(0, 3).join(" ")))`;

/** Asserts that axe finds no violation on the current page, and that the page is not wider than the window. */
export async function assertAccessible(page: Page, state: string): Promise<void> {
  await page.evaluate(axe.source);
  await soon(async () => assert.deepEqual(await page.evaluate(VIOLATIONS), [], state));
  await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), page.viewportSize()?.width, state));
}
