import type { UploadTexts } from "../en/upload.ts";

export const upload: UploadTexts = {
  interrupted: "Der Upload wurde unterbrochen. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.",
  refused: "Der Server konnte den Upload nicht annehmen. Versuchen Sie es noch einmal.",
  changed: "Die Datei wurde geändert oder ist nicht lesbar. Wählen Sie sie noch einmal aus.",
  proxy: (status) =>
    `Ein Proxy vor dem Server hat den Upload abgelehnt${status === undefined ? "" : ` (Status ${status})`}. Sagen Sie dem Administrator Bescheid.`,
  unreachable: "Dieser Browser erreicht den Dateispeicher nicht.",
  notLoaded: "Ein Teil dieser Seite wurde nicht geladen. Prüfen Sie die Verbindung und laden Sie die Seite neu.",
  cancelled: "Abgebrochen",
  continues: "Es geht automatisch weiter.",
  waits: {
    lost: "Verbindung unterbrochen.",
    busy: "Der Server ist ausgelastet.",
    many: "Zu viele Anfragen; bitte warten.",
    full: "Auf dem Server ist kein Platz frei.",
    broken: "Der Server hat ein Problem.",
  },
  finals: {
    many: "Aus Ihrem Netz kamen zu viele Anfragen. Versuchen Sie es später noch einmal.",
    busy: "Der Server ist ausgelastet. Versuchen Sie es in einigen Minuten noch einmal.",
    full: "Auf dem Server ist kein Platz frei. Versuchen Sie es später noch einmal oder sagen Sie dem Administrator Bescheid.",
  },
};
