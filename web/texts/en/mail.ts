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
};

export type MailTexts = typeof mail;
