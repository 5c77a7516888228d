import { counted } from "../../site/format.ts";
import type { MailTexts } from "./en.ts";

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
  prove: {
    subject: (site) => `Bestätigen Sie Ihre Adresse bei ${site}`,
    text: (site) => `Sie haben einen Link angefordert, der die Adresse Ihres Kontos bei ${site} bestätigt.`,
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
  email: {
    subject: (site) => `Bestätigen Sie Ihre neue Adresse für ${site}`,
    text: (site) => `Jemand möchte diese Adresse für sein Konto bei ${site} verwenden. Wenn Sie das waren, bestätigen Sie sie.`,
    link: "Adresse bestätigen",
    note: (date) =>
      `Der Link gilt einmal, bis ${date}, in einem angemeldeten Browser. Wenn Sie es nicht waren, ignorieren Sie diese Nachricht.`,
  },
  addressTaken: {
    subject: (site) => `Ihre Adresse hat ein Konto bei ${site}`,
    text: (site) =>
      `Jemand möchte diese Adresse für ein weiteres Konto bei ${site} verwenden. Sie hat schon eines, deshalb hat sich nichts geändert.`,
    link: "Anmelden",
    note: "Wenn Sie das waren, melden Sie sich mit dieser Adresse an, oder setzen Sie ein neues Passwort. Wenn nicht, ignorieren Sie diese Nachricht.",
  },
  addressChanged: {
    subject: (site) => `Ihr Konto bei ${site} hat eine andere Adresse`,
    text: (site) => `Die Adresse Ihres Kontos bei ${site} wurde geändert. Mit dieser Adresse können Sie sich nicht mehr anmelden.`,
    link: (site) => `Zu ${site}`,
    note: (date) => `Das war am ${date}. Wenn Sie es nicht waren, wenden Sie sich sofort an die Verwaltung der Seite.`,
  },
  bought: {
    subject: (site: string) => `Ihr Kauf bei ${site}`,
    text: (title: string, price: string) => `Sie haben „${title}“ für ${price} gekauft. Mit diesem Link laden Sie es herunter.`,
    link: "Kauf öffnen",
    until: (date: string) => `Sie können es bis ${date} herunterladen. Wer diesen Link hat, kann das auch: Behalten Sie ihn für sich.`,
    forever: "Wer diesen Link hat, kann es herunterladen: Behalten Sie ihn für sich.",
  },
  security: {
    subject: (site) => `Ihr Konto bei ${site} wurde geändert`,
    changes: {
      password: "Das Passwort Ihres Kontos wurde geändert.",
      factorOn: "Die Anmeldung bei Ihrem Konto braucht jetzt einen zweiten Faktor.",
      factorOff: "Die Anmeldung bei Ihrem Konto braucht keinen zweiten Faktor mehr.",
      passkeyAdded: "Ihrem Konto wurde ein Passkey hinzugefügt.",
      passkeyRemoved: "Ein Passkey Ihres Kontos wurde entfernt.",
      passkeyCopied: "Ein Passkey Ihres Kontos wurde abgelehnt, weil jemand eine Kopie davon verwenden könnte. Entfernen Sie ihn.",
      provider: "Ihrem Konto wurde eine weitere Anmeldung hinzugefügt.",
      addressAsked: "In Ihrem Konto wurde eine neue Adresse eingetragen. Bis sie bestätigt ist, ändert sich nichts.",
      applicationConnected: "Ihrem Konto wurde eine Anwendung hinzugefügt. Sie kann für Sie handeln, bis Sie sie trennen.",
      applicationReplayed:
        "Eine Anwendung wurde von Ihrem Konto getrennt: Ihr Zugang wurde zweimal benutzt, vielleicht hat jemand eine Kopie davon.",
    },
    link: "Konto prüfen",
    passkeys: (names) => `Diese Passkeys gelten weiter: ${names}. Entfernen Sie die, die Sie nicht kennen.`,
    providers: (names) => `Die Anmeldung gilt weiter mit: ${names}. Trennen Sie, was Sie nicht kennen.`,
    application: (name) => `Die Anwendung: ${name}. Anwendungen wählen ihren Namen selbst.`,
    note: (date) => `Das war am ${date}. Wenn Sie es nicht waren, setzen Sie ein neues Passwort und melden Sie andere Sitzungen ab.`,
  },
  share: {
    files: (count) => counted(count, "de", "Datei", "Dateien"),
    titled: (title) => `„${title}“`,
    first: (name, others) => `„${name}“ und ${counted(others, "de", "weitere Datei", "weitere Dateien")}`,
    subject: (sender, what) => `${sender} hat Ihnen ${what} gesendet`,
    lead: (sender, what) => `${sender} hat Ihnen ${what} gesendet.`,
    reminder: {
      subject: (sender, what) => `Läuft bald ab: ${what} von ${sender}`,
      lead: (sender, what) => `${sender} hat Ihnen ${what} gesendet. Sie haben es noch nicht heruntergeladen.`,
    },
    message: "Nachricht:",
    link: "Öffnen und herunterladen",
    until: (date) => `Sie können bis ${date} herunterladen.`,
    tracked: (sender) =>
      `Dieser Link ist nur für Sie: ${sender} sieht, wann er geöffnet und damit heruntergeladen wird. Ihre Antwort geht an diese Adresse.`,
    unknown: "Wenn Sie den Absender nicht kennen, öffnen Sie den Link nicht.",
    block: "Alle E-Mails dieser Art sperren",
  },
  notices: {
    titled: (title) => `„${title}“`,
    andOthers: (sentence, count) => `${sentence}, und ${counted(count, "de", "weitere Mitteilung", "weitere Mitteilungen")}`,
    text: (site) => `Das ist mit Ihren Freigaben und Anfragen bei ${site} geschehen:`,
    link: "Alle zeigen",
    more: (count) => `Und ${count} weitere.`,
    settings: "Wählen Sie, was wir Ihnen mitteilen",
    unsubscribe: "Keine solchen E-Mails mehr",
  },
};
