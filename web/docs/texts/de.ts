import type { DocsTexts } from "./en.ts";

export const docs: DocsTexts = {
  title: "Dokumentation",
  description:
    "Anleitungen, und jede Operation dieses Servers mit Feldern, Grenzen, Fehlern und einem Beispiel. Die Beschreibungen sind auf Englisch.",
  contents: "Inhalt",
  overview: "Übersicht",
  guidesTitle: "Anleitungen",
  reference: "API-Referenz",
  open: "Öffnen",
  search: "Suchen",
  searchHint: "Anleitungen, Operationen und Felder suchen",
  noResults: "Nichts enthält diese Wörter.",
  operationsOf: (count) => (count === 1 ? "1 Operation" : `${count} Operationen`),
  groupText: "Öffnen Sie eine Operation für Felder, Grenzen, Fehler und ein Beispiel. Die Beschreibungen sind auf Englisch.",
  mcpText: "Verbinden Sie einen Assistenten oder Coding-Agenten.",
  guides: {
    curl: {
      title: "curl",
      description: "Dateien in jedem Terminal senden und holen. Sie müssen nichts installieren.",
      steps: {
        send: { title: "Eine Datei senden", text: "Die Antwort ist der Link." },
        limits: { title: "Den Link begrenzen", text: "Dieser Link läuft nach einer Stunde oder einem Download ab." },
        code: {
          title: "Einen Code verlangen",
          text: "Die Antwort hat den Code als `unlockCode`, und als `handoffUrl` einen privaten Link, der keinen Code braucht. Beide erscheinen nur einmal.",
        },
        password: { title: "Ein Passwort verlangen", text: "Es hat 8 bis 128 Zeichen. Es steht in einem Header, nie in der URL." },
        several: { title: "Mehrere Dateien senden", text: "Jede Datei bekommt einen Link. Die Antwort hat einen pro Zeile." },
        pipe: { title: "Die Ausgabe eines Programms senden", text: "Das Ende der URL ist der Name der Datei." },
        account: {
          title: "Von Ihrem Konto senden",
          text: "Erstellen Sie auf `/settings/keys` einen Schlüssel und legen Sie ihn in der Shell-Variablen `KEY` ab.",
        },
        download: {
          title: "Eine Freigabe herunterladen",
          text: "Ersetzen Sie `SHORTID` durch das Ende des Links. Mehrere Dateien kommen als ein ZIP.",
        },
      },
    },
    client: {
      title: "Programm für das Terminal",
      description: "Das Programm `filehost` sendet Ordner, verschlüsselt und macht nach Unterbrechungen weiter.",
      steps: {
        server: { title: "Diesen Server wählen", text: "Ohne Konto ist das alles." },
        signIn: {
          title: "Oder sich anmelden",
          text: "Ihr Browser fragt um Erlaubnis. Über SSH zeigt der Befehl stattdessen einen Code.",
        },
        send: {
          title: "Eine Datei senden",
          text: "Zeigt den Link, den Code und einen privaten Link. Nach einer Unterbrechung macht derselbe Befehl weiter.",
        },
        folder: { title: "Einen Ordner senden", text: "Alle seine Dateien bekommen einen Link." },
        encrypt: {
          title: "Ende-zu-Ende verschlüsseln",
          text: "Nur wer den ganzen Link hat, kann die Datei entschlüsseln. Dieser Server kann es nicht.",
        },
        download: {
          title: "Eine Freigabe herunterladen",
          text: "Ersetzen Sie `SHORTID` durch das Ende des Links. Jede Datei wird mit ihrem SHA-256 geprüft.",
        },
        list: {
          title: "Sehen, was Sie gesendet haben",
          text: "Zeigt, was dieses Gerät gesendet hat. In einem Konto zeigt es die Dateien, mit `--shares` die Freigaben.",
        },
      },
    },
    "receive-webhooks": {
      title: "Webhooks empfangen",
      description: "Dieser Server meldet Ihrem Programm, wenn Dateien bereit, heruntergeladen oder abgelaufen sind.",
      steps: {
        subscribe: {
          title: "Abonnieren",
          text: "Ihr Schlüssel braucht das Recht `full`, Ihr Empfänger HTTPS. Die Antwort hat die `id`, und einmal das `secret`, das Ereignisse signiert.",
        },
        verify: {
          title: "Die Signatur prüfen",
          text: "`rawBody` ist der Inhalt, wie er ankam. Antworten Sie in 10 Sekunden mit 2xx; sonst wird das Ereignis bis zu siebenmal wiederholt.",
        },
        try: { title: "Ein Testereignis senden", text: "Legen Sie die `id` in der Shell-Variablen `WEBHOOK` ab." },
        log: { title: "Die Zustellungen sehen", text: "Jede hat ihre Versuche, mit dem Status, den Ihr Empfänger lieferte." },
      },
    },
  },
  basics: "Grundlagen",
  baseUrl: "Basis-URL",
  keys: "API-Schlüssel",
  keysText: "Senden Sie Ihren Schlüssel im Header `Authorization: Bearer bc_…`. Die Beispiele lesen ihn aus der Shell-Variablen `KEY`.",
  scopes: {
    files_read: "liest Dateien und Freigaben",
    files_write: "ändert auch Dateien, Ordner und Freigaben",
    full: "verwaltet auch Webhooks und Schlüssel",
    admin: "verwaltet auch den Server: erstellt mit `filehost keys create --admin`",
  },
  retries: "Wiederholungen",
  retriesText:
    "Senden Sie mit einer Änderung den Header `Idempotency-Key` (8 bis 200 Zeichen). Einen Tag lang liefern gleicher Schlüssel und gleicher Inhalt die erste Antwort und ändern nichts.",
  programs: "Für Programme",
  openApi: "OpenAPI-Dokument",
  llms: "llms.txt",
  mcp: "Werkzeuge für Assistenten (MCP)",
  errors: "Fehler",
  errorsText: "Jeder Fehler ist JSON mit diesen Feldern. Wiederholen Sie nur 429, 503, sowie 409 und 507 mit `Retry-After`.",
  errorFields: "Felder eines Fehlers",
  errorCodes: "Codes nach Status",
  key: { none: "Ohne Schlüssel", optional: "Schlüssel möglich", required: "Schlüssel nötig" },
  scope: "Recht",
  inputs: { path: "Pfad", query: "Abfrage", header: "Header", json: "JSON-Inhalt", multipart: "Formularfelder" },
  required: "nötig",
  oneOf: "Eines von",
  needsOneOf: "Senden Sie mindestens eines von",
  response: "Antwort",
  fieldsOf: (count) => (count === 1 ? "1 Feld" : `${count} Felder`),
  envelopes: {
    data: "In data",
    merged: "Auf oberster Ebene und in data",
    file: "In data und in file",
    events: "Jedes Server-Sent Events",
    none: "Auf oberster Ebene",
  },
  example: "Anfrage",
  copy: "Kopieren",
  linkTo: "Link zu",
};
