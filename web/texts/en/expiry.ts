/** The field that chooses when a share expires. */
export const expiry = {
  never: "Never",
  latest: (time: string) => `As late as possible: ${time}`,
  other: "Another time…",
  otherLabel: "Date and time",
  set: "Set",
};

export type ExpiryTexts = typeof expiry;
