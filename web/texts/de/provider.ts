import type { ProviderTexts } from "../en/provider.ts";

export const provider: ProviderTexts = {
  or: "oder",
  continueWith: (provider) => `Weiter mit ${provider}`,
  leaving: (provider) => `Weiter zu ${provider}`,
  leavingText: "Sie kommen hierher zurück, sobald Sie dort angemeldet sind.",
  connections: "Mit einem anderen Dienst anmelden",
  connectionsText: "Verbinden Sie ihn, um sich hier ohne Passwort anzumelden.",
  notConnected: "Nicht verbunden",
  connectedSince: (date) => `Verbunden seit ${date}`,
  unusable: "Dieser Server verwendet ihn nicht mehr.",
  connect: (provider) => `${provider} verbinden`,
  disconnect: "Trennen",
  lastWay: "Sie können sich sonst nicht anmelden. Legen Sie zuerst ein Passwort fest.",
  problems: {
    unavailable: {
      title: (provider) => `${provider} antwortet nicht`,
      text: (provider) => `Dieser Server erreicht ${provider} nicht oder ist nicht dafür eingerichtet.`,
      next: () => "Versuchen Sie es in einer Minute erneut, oder melden Sie sich mit Ihrem Passwort an.",
      action: "Zur Anmeldung",
    },
    cancelled: {
      title: () => "Sie haben sich nicht angemeldet",
      text: (provider) => `Sie haben bei ${provider} abgebrochen. Hier hat sich nichts geändert.`,
      next: () => "Versuchen Sie es erneut, oder melden Sie sich mit Ihrem Passwort an.",
      action: "Zur Anmeldung",
    },
    invalid: {
      title: () => "Das hat nicht funktioniert",
      text: () => "Es dauerte zu lange, wurde schon verwendet oder begann in einem anderen Browser.",
      next: () => "Beginnen Sie noch einmal bei der Anmeldung.",
      action: "Zur Anmeldung",
    },
    noAddress: {
      title: () => "Ihre E-Mail-Adresse fehlt",
      text: (provider) => `${provider} hat uns Ihre E-Mail-Adresse nicht genannt.`,
      next: (provider) => `Erlauben Sie ${provider}, sie zu nennen, oder erstellen Sie ein Konto mit Passwort.`,
      action: "Zur Anmeldung",
    },
    taken: {
      title: () => "Ihre Adresse hat schon ein Konto",
      text: (provider) => `Dieses Konto ist noch nicht mit ${provider} verbunden.`,
      next: (provider) => `Melden Sie sich in diesem Konto an, und verbinden Sie ${provider} in den Einstellungen.`,
      action: "Anmelden",
    },
    elsewhere: {
      title: () => "Das ist nicht das richtige Konto",
      text: (provider) => `Das Konto bei ${provider} ist nicht mit Ihrem Konto hier verbunden.`,
      next: (provider) => `Melden Sie sich bei ${provider} mit einem anderen Konto an, und versuchen Sie es erneut.`,
      action: "Zu den Einstellungen",
    },
    closed: {
      title: () => "Auf diesem Server kann man keine Konten erstellen",
      text: (provider) => `Mit Ihrem Konto bei ${provider} ist hier kein Konto verbunden.`,
      next: () => "Bitten Sie die Administration um ein Konto oder eine Einladung.",
      action: "Zur Anmeldung",
    },
    invite: {
      title: () => "Diese Einladung funktioniert nicht",
      text: () => "Sie wurde schon verwendet, ist abgelaufen oder gilt für eine andere Adresse.",
      next: () => "Bitten Sie um eine neue.",
      action: "Zur Anmeldung",
    },
    disabled: {
      title: () => "Ihr Konto ist gesperrt",
      text: () => "Die Administration dieses Servers hat es gesperrt.",
      next: () => "Fragen Sie die Administration nach dem Grund.",
      action: "Zur Startseite",
    },
    notProved: {
      title: (provider) => `${provider} hat nicht nach Ihrem Passwort gefragt`,
      text: (provider) => `Dieser Server verlangt, dass ${provider} erneut danach fragt und das bestätigt.`,
      next: () => "Legen Sie hier ein Passwort fest, und bestätigen Sie sich damit.",
      action: "Zu den Einstellungen",
    },
  },
};
