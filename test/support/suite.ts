import { describe, test } from "node:test";

/**
 * A suite that needs what is `missing`, a reason; it runs if nothing is. Otherwise one test with its title is counted as skipped, and says why:
 * of a suite that is skipped as a whole, the runner counts and shows nothing.
 */
export function describeUnless(missing: string | false | undefined, title: string, define: () => void): void {
  if (missing) test(`${title} (skipped: ${missing})`, { skip: missing }, () => undefined);
  else describe(title, define);
}
