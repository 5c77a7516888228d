/** Mails. */
export const mail = {
  test: {
    subject: (site: string) => `Test mail from ${site}`,
    text: "Mail works: this test came from your server.",
  },
  invite: {
    subject: (site: string) => `Your invite to ${site}`,
    text: (site: string) => `You are invited to ${site}. Create your account with this link.`,
    link: "Create your account",
    note: (date: string) => `It works once, until ${date}. If you did not expect this mail, ignore it.`,
  },
  verify: {
    subject: (site: string) => `Verify your address for ${site}`,
    text: (site: string) => `Somebody created an account at ${site} with this address. If that was you, verify it.`,
    link: "Verify the address",
    note: (date: string) => `The link works once, until ${date}. If it was not you, ignore this mail.`,
  },
  reset: {
    subject: (site: string) => `A new password for ${site}`,
    text: (site: string) => `Choose a new password for your account at ${site}.`,
    link: "Choose a new password",
    note: (date: string) => `The link works once, until ${date}. If you did not ask for it, ignore this mail: nothing changes.`,
  },
  security: {
    subject: (site: string) => `Your account at ${site} has changed`,
    changes: {
      password: "The password of your account was changed.",
      factorOn: "Signing in to your account now needs a second factor.",
      factorOff: "Signing in to your account no longer needs a second factor.",
      passkeyAdded: "A passkey was added to your account.",
      passkeyRemoved: "A passkey was removed from your account.",
      provider: "Another way to sign in was added to your account.",
    },
    link: "Check your account",
    note: (date: string) => `This was on ${date}. If it was not you, set a new password and sign out other sessions.`,
  },
  notices: {
    subject: (site: string) => `News from ${site}`,
    text: "Since our last mail:",
    link: "Show all",
    more: (count: number) => `And ${count} more.`,
    settings: "Choose what you are told",
    unsubscribe: "No more of these mails",
  },
};

export type MailTexts = typeof mail;
