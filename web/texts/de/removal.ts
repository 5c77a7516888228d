import { counted } from "../../site/format.ts";
import type { RemovalTexts } from "../en/removal.ts";

export const removal: RemovalTexts = {
  title: "Konto löschen",
  teaser: "Löscht Ihr Konto mit allem, was darin ist. Das lässt sich nicht rückgängig machen.",
  open: "Konto löschen …",
  heading: "Was gelöscht wird",
  now: "Sofort und für alle:",
  links: (files, size) => `${counted(files, "de", "Datei", "Dateien")} (${size}) mit allen Links und Vorschauen`,
  noFiles: "alle Links, die Sie geteilt haben",
  programs: (keys, webhooks) =>
    `${counted(keys, "de", "API-Schlüssel", "API-Schlüssel")} und ${counted(webhooks, "de", "Webhook", "Webhooks")}`,
  signIn: "Ihr Name, Ihre Adresse und Ihr Passwort; Sie werden überall abgemeldet",
  subscription: "Ihr Abonnement: Es wird nichts mehr abgebucht, der Rest des bezahlten Zeitraums endet",
  buyers: (buyers) =>
    `was ${counted(buyers, "de", "Käufer bezahlt hat und noch herunterladen kann", "Käufer bezahlt haben und noch herunterladen können")}: Erstatten Sie es zuerst`,
  soldMeanwhile: "Gerade hat jemand bei Ihnen gekauft. Lesen Sie oben, was verloren geht, und bestätigen Sie noch einmal.",
  later: "Die Bytes der Dateien werden innerhalb von Minuten entfernt.",
  stays: "Was bleibt",
  staysText: "Meldungen anderer zu Ihren Dateien und das Protokoll des Administrators. Sicherungen des Servers enden nach dessen Zeitplan.",
  uploads: "Laufende Uploads werden abgebrochen.",
  label: "Geben Sie zur Bestätigung Ihre E-Mail-Adresse ein",
  confirm: "Mein Konto löschen",
  problem: "Das ist nicht Ihre E-Mail-Adresse. Geben Sie sie wie oben gezeigt ein.",
  lastAdministrator: "Sie sind der einzige Administrator. Legen Sie zuerst einen anderen an.",
  yours: (email) => `Ihre Adresse: ${email}`,
  done: "Ihr Konto ist gelöscht",
  doneText: "Ihre Links gelten nicht mehr. Danke, dass Sie hier waren.",
};
