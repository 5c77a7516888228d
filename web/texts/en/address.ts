/** The settings' pages on which the address of an account is changed. */
export const address = {
  title: "Email address",
  change: "Change address",
  newAddress: "New email address",
  byMail: "We send a link to the new address. Until you open it and confirm, nothing changes.",
  atOnce: "The address changes immediately. This server sends no mail, so check what you type.",
  unproved: "Confirm that this address is yours",
  unprovedText:
    "Otherwise a forgotten password also ends your keys, passkeys, webhooks, requests and everything else that acts for your account.",
  submit: "Send the link",
  save: "Save the address",
  saved: (email: string) => `Your address is now ${email}.`,
  pending: (email: string) => `Waiting for ${email}`,
  pendingText: (date: string) => `Open the link that we sent there. It works until ${date}.`,
  cancel: "Cancel the change",
  cancelled: "Cancelled. Your address stays the same.",
  confirmTitle: "Confirm your new address",
  confirmText: (email: string) => `You then sign in with ${email}, and receive our mail there.`,
  confirm: "Confirm the address",
  confirmed: "Address changed",
  toSettings: "Go to your settings",
  ended: "It was used, cancelled or has expired, or it belongs to another account. Sign in to that one, or ask for a new link.",
  problems: {
    same: "This is your address already.",
    taken: "Another account has this address. Enter another one.",
  },
};

export type AddressTexts = typeof address;
