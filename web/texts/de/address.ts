import type { AddressTexts } from "../en/address.ts";

export const address: AddressTexts = {
  title: "E-Mail-Adresse",
  change: "Adresse ändern",
  newAddress: "Neue E-Mail-Adresse",
  byMail: "Wir senden einen Link an die neue Adresse. Bis Sie ihn öffnen und bestätigen, ändert sich nichts.",
  atOnce: "Die Adresse ändert sich sofort. Dieser Server sendet keine E-Mails: Prüfen Sie Ihre Eingabe.",
  unproved: "Bestätigen Sie, dass die Adresse Ihnen gehört",
  unprovedText:
    "Sonst enden mit einem vergessenen Passwort auch Ihre Schlüssel, Passkeys, Webhooks, Anfragen und alles andere, was für Ihr Konto handelt.",
  submit: "Link senden",
  save: "Adresse speichern",
  saved: (email) => `Ihre Adresse ist jetzt ${email}.`,
  pending: (email) => `Wartet auf ${email}`,
  pendingText: (date) => `Öffnen Sie den Link, den wir dorthin gesendet haben. Er gilt bis ${date}.`,
  cancel: "Änderung abbrechen",
  cancelled: "Abgebrochen. Ihre Adresse bleibt dieselbe.",
  confirmTitle: "Neue Adresse bestätigen",
  confirmText: (email) => `Sie melden sich dann mit ${email} an und bekommen unsere E-Mails dorthin.`,
  confirm: "Adresse bestätigen",
  confirmed: "Adresse geändert",
  toSettings: "Zu den Einstellungen",
  ended:
    "Er wurde verwendet, abgebrochen, ist abgelaufen oder gehört zu einem anderen Konto. Melden Sie sich dort an, oder fordern Sie einen neuen an.",
  problems: {
    same: "Das ist schon Ihre Adresse.",
    taken: "Ein anderes Konto hat diese Adresse. Geben Sie eine andere ein.",
  },
};
