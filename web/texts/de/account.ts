import type { AccountTexts } from "../en/account.ts";

export const account: AccountTexts = {
  account: "Konto",
  signIn: "Anmelden",
  signUp: "Konto anlegen",
  signOut: "Abmelden",
  login: "E-Mail-Adresse oder Benutzername",
  email: "E-Mail-Adresse",
  name: "Ihr Name",
  password: "Passwort",
  newPasswordHint: (minLength) => `Mindestens ${minLength} Zeichen. Ein paar Wörter merken sich leicht.`,
  noAccount: "Noch kein Konto?",
  haveAccount: "Schon ein Konto?",
  invited: "Sie sind eingeladen",
  invitedText: "Legen Sie mit dieser einmaligen Einladung Ihr Konto an.",
  invitedAdmin: "Diesen Server einrichten",
  invitedAdminText: "Legen Sie das Konto des Administrators an. Dieser Link gilt einmal.",
  signUpIntro: "Alle Ihre Dateien an einem Ort, länger und größer als ohne Konto.",
  problems: {
    wrong: "Adresse und Passwort passen nicht zusammen. Prüfen Sie beides.",
    taken: "Zu dieser Adresse gibt es schon ein Konto. Melden Sie sich an.",
    email: "Geben Sie eine E-Mail-Adresse wie ada@example.org ein.",
    name: "Geben Sie einen Namen mit 1 bis 100 Zeichen ein.",
    password: (minLength, maxLength) => `Geben Sie ein Passwort mit ${minLength} bis ${maxLength} Zeichen ein.`,
    invite: "Diese Einladung wurde benutzt, ist abgelaufen oder gilt für eine andere Adresse. Bitten Sie um eine neue.",
    closed: "Auf diesem Server kann man kein Konto anlegen. Bitten Sie den Administrator darum.",
    currentPassword: "Das bisherige Passwort ist falsch. Geben Sie es noch einmal ein.",
    tooMany: (minutes) => `Zu viele Versuche. Versuchen Sie es in ${minutes} ${minutes === 1 ? "Minute" : "Minuten"} wieder.`,
  },
  signedInAs: (name) => `Angemeldet als ${name}`,
  sessions: "Wo Sie angemeldet sind",
  thisSession: "Dieser Browser",
  lastUsed: "Zuletzt benutzt",
  end: "Abmelden",
  sessionEnded: "Dort abgemeldet.",
  changePassword: "Passwort ändern",
  currentPassword: "Bisheriges Passwort",
  newPassword: "Neues Passwort",
  passwordChanged: (others) =>
    others === 0
      ? "Passwort geändert."
      : `Passwort geändert. An ${others} ${others === 1 ? "anderen Stelle" : "anderen Stellen"} abgemeldet.`,
};
