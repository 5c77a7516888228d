import type { ProfileTexts } from "../en/profile.ts";

export const profile: ProfileTexts = {
  nameHint: "Empfänger Ihrer Dateien sehen ihn.",
  save: "Speichern",
  saved: "Gespeichert.",
  username: "Öffentlicher Benutzername",
  usernameLabel: "Benutzername",
  usernameText: "Ihre öffentlichen Freigaben brauchen einen Benutzernamen. Sie können sich auch damit anmelden.",
  usernameHint: (max) => `3 bis 30 Buchstaben a–z, Ziffern, - und _. Sie können ihn ${max}-mal in 30 Tagen ändern.`,
  toPublicPage: "Öffentliche Seite ansehen",
  claim: "Benutzernamen wählen",
  change: "Benutzernamen ändern",
  remove: "Benutzernamen entfernen",
  removeText: (name) =>
    `Ihre öffentlichen Freigaben sind dann nicht mehr gelistet: Ihre Links gelten weiter. Jeder kann ${name} dann wählen.`,
  claimed: (name) => `Ihr Benutzername ist jetzt ${name}.`,
  removed: "Ihr Benutzername ist entfernt. Ihre öffentlichen Freigaben sind nicht mehr gelistet.",
  problems: {
    invalid: "Verwenden Sie 3 bis 30 Zeichen aus a–z, 0–9, - und _.",
    taken: "Dieser Benutzername ist vergeben oder gesperrt. Wählen Sie einen anderen.",
    tooMany: (date) => `Sie haben ihn zu oft geändert. Versuchen Sie es nach dem ${date} wieder.`,
  },
};
