/** The reason why tests that need minutes or gigabytes are skipped; undefined in `./scripts/test --long`. */
export const longSkipped: string | undefined = process.env.TEST_LONG === "1" ? undefined : "takes long: ./scripts/test --long runs it";

/**
 * Returns the reason why the step at `index` of a table of kill points is skipped. Every third one is tested, and all of them in `./scripts/test
 * --long`.
 */
export const stepSkipped = (index: number): string | undefined => (index % 3 === 0 ? undefined : longSkipped);

/** Returns every `step`th of many cases, from the one at `offset`; all of them in `./scripts/test --long`. */
export const sampled = <T>(cases: readonly T[], step: number, offset = 0): readonly T[] =>
  longSkipped === undefined ? cases : cases.filter((_, index) => (index + offset) % step === 0);
