import { describe, test } from "node:test";

/**
 * Defines a suite, or one skipped test with the reason `missing`, because the runner shows nothing of a skipped suite. A reason is a text or
 * undefined, so that `??` finds the first of several.
 */
export function describeUnless(missing: string | undefined, title: string, define: () => void): void {
  if (missing) test(`${title} (skipped: ${missing})`, { skip: missing }, () => undefined);
  else describe(title, define);
}
