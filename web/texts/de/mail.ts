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
  verify: {
    subject: (site) => `Bestätigen Sie Ihre Adresse für ${site}`,
    text: (site) => `Jemand hat mit dieser Adresse ein Konto bei ${site} angelegt. Wenn Sie das waren, bestätigen Sie sie.`,
    link: "Adresse bestätigen",
    note: (date) => `Der Link gilt einmal, bis ${date}. Wenn Sie es nicht waren, ignorieren Sie diese Nachricht.`,
  },
  reset: {
    subject: (site) => `Ein neues Passwort für ${site}`,
    text: (site) => `Wählen Sie ein neues Passwort für Ihr Konto bei ${site}.`,
    link: "Neues Passwort wählen",
    note: (date) =>
      `Der Link gilt einmal, bis ${date}. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Nachricht: Es ändert sich nichts.`,
  },
  security: {
    subject: (site) => `Ihr Konto bei ${site} wurde geändert`,
    changes: {
      password: "Das Passwort Ihres Kontos wurde geändert.",
      factorOn: "Die Anmeldung bei Ihrem Konto braucht jetzt einen zweiten Faktor.",
      factorOff: "Die Anmeldung bei Ihrem Konto braucht keinen zweiten Faktor mehr.",
      passkeyAdded: "Ihrem Konto wurde ein Passkey hinzugefügt.",
      passkeyRemoved: "Ein Passkey Ihres Kontos wurde entfernt.",
      provider: "Ihrem Konto wurde eine weitere Anmeldung hinzugefügt.",
    },
    link: "Konto prüfen",
    note: (date) => `Das war am ${date}. Wenn Sie es nicht waren, setzen Sie ein neues Passwort und melden Sie andere Sitzungen ab.`,
  },
  notices: {
    subject: (site) => `Neues von ${site}`,
    text: "Seit unserer letzten Nachricht:",
    link: "Alle zeigen",
    more: (count) => `Und ${count} weitere.`,
    settings: "Wählen Sie, was wir Ihnen mitteilen",
    unsubscribe: "Keine solchen E-Mails mehr",
  },
};
