/** Formats US cents as a price: `$4.99`. */
export const formatDollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;
