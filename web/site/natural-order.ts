const collator = new Intl.Collator("en", { numeric: true });

/** Compares names in natural order: `2` before `10`. */
export const compareNaturally = (one: string, other: string): number => collator.compare(one, other);
