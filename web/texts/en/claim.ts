/** The offer to add shares of this device to the account. */
export const claim = {
  title: (count: number) =>
    count === 1 ? "1 share of this device is not in your account" : `${count} shares of this device are not in your account`,
  note: "In your account you can extend, change and close them from any device.",
  claim: (count: number) => (count === 1 ? "Add 1 share to your account" : `Add ${count} shares to your account`),
  claiming: "Adding…",
  decline: "Not now",
  declined: "They stay as they are.",
  claimed: (count: number) => (count === 1 ? "1 share was added to your account." : `${count} shares were added to your account.`),
  ended: "It has expired or was deleted.",
  taken: "It belongs to another account.",
  offline: "No connection. Reload the page to try again.",
  failed: "That did not work. Reload the page to try again.",
  andMore: (name: string, count: number) => `${name} and ${count.toLocaleString("en")} more`,
};

export type ClaimTexts = typeof claim;
