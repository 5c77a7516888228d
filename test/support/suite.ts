import { describe, test } from "node:test";

/**
 * A suite that needs what is `missing`, a reason; it runs if nothing is. A reason is a text or undefined, so that `??` finds the first of several.
 * Otherwise one test with its title is counted as skipped, and says why:
 * of a suite that is skipped as a whole, the runner counts and shows nothing.
 */
export function describeUnless(missing: string | undefined, title: string, define: () => void): void {
  if (missing) test(`${title} (skipped: ${missing})`, { skip: missing }, () => undefined);
  else describe(title, define);
}
