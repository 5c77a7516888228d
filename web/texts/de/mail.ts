import type { MailTexts } from "../en/mail.ts";

export const mail: MailTexts = {
  test: {
    subject: (site) => `Testnachricht von ${site}`,
    text: "E-Mail funktioniert: Diese Nachricht kommt von Ihrem Server.",
  },
  invite: {
    subject: (site) => `Ihre Einladung zu ${site}`,
    text: (site) => `Sie sind zu ${site} eingeladen. Legen Sie Ihr Konto mit diesem Link an.`,
    link: "Konto anlegen",
    note: (date) => `Er gilt einmal, bis ${date}. Wenn Sie diese Nachricht nicht erwartet haben, ignorieren Sie sie.`,
  },
};
