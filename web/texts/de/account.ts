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
    wrongOrNew: "Adresse und Passwort passen nicht zusammen. Ist Ihr Konto neu, öffnen Sie zuerst den Link in unserer E-Mail.",
    taken: "Zu dieser Adresse gibt es schon ein Konto. Melden Sie sich an.",
    email: "Geben Sie eine E-Mail-Adresse wie ada@example.org ein.",
    name: "Geben Sie einen Namen mit 1 bis 100 Zeichen ein.",
    password: (minLength, maxLength) => `Geben Sie ein Passwort mit ${minLength} bis ${maxLength} Zeichen ein.`,
    invite: "Diese Einladung wurde benutzt, ist abgelaufen oder gilt für eine andere Adresse. Bitten Sie um eine neue.",
    currentPassword: "Das bisherige Passwort ist falsch. Geben Sie es noch einmal ein.",
    tooMany: (minutes) => `Zu viele Versuche. Versuchen Sie es in ${minutes} ${minutes === 1 ? "Minute" : "Minuten"} wieder.`,
  },
  closed: {
    closed: {
      title: "Neue Konten sind nicht vorgesehen",
      text: "Auf diesem Server kann man kein Konto anlegen. Bitten Sie den Administrator darum.",
    },
    inviteOnly: {
      title: "Sie brauchen eine Einladung",
      text: "Bitten Sie den Administrator dieses Servers darum.",
    },
    inviteEnded: {
      title: "Diese Einladung gilt nicht mehr",
      text: "Sie wurde benutzt, zurückgezogen oder ist abgelaufen. Bitten Sie um eine neue.",
    },
  },
  signedInAs: (name) => `Angemeldet als ${name}`,
  sessions: "Wo Sie angemeldet sind",
  thisSession: "Dieser Browser",
  lastUsed: "Zuletzt benutzt",
  end: "Abmelden",
  sessionEnded: "Dort abgemeldet.",
  endOthers: "Überall sonst abmelden",
  othersEnded: (count) => (count === 1 ? "An 1 anderen Stelle abgemeldet." : `An ${count} anderen Stellen abgemeldet.`),
  changePassword: "Passwort ändern",
  setPassword: "Passwort setzen",
  setPasswordText: "Ihr Konto hat keines: Sie melden sich ohne an. Mit einem können Sie sich überall anmelden.",
  currentPassword: "Bisheriges Passwort",
  newPassword: "Neues Passwort",
  passwordChanged: (others) =>
    others === 0
      ? "Passwort geändert."
      : `Passwort geändert. An ${others} ${others === 1 ? "anderen Stelle" : "anderen Stellen"} abgemeldet.`,
};
