/** `1 file`, `3 files`: a count with its noun. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
