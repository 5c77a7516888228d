import { counted } from "../format.ts";
import type {
  AliasTexts,
  AllStatusTexts,
  ClaimTexts,
  ErrorTexts,
  ExpiryTexts,
  FieldErrorTexts,
  LayoutTexts,
  ListTexts,
  MessageTexts,
  NotifyTexts,
  PageTexts,
  ShowPasswordTexts,
  SignOutTexts,
  TypeTexts,
  UploadTexts,
} from "./en.ts";

export const layout: LayoutTexts = {
  send: "Senden",
  skip: "Zum Inhalt springen",
  publicPage: "Öffentliche Seite",
  help: "Hilfe und Dokumentation",
  shareYourOwn: "Eigene Dateien teilen",
  terms: "Nutzungsbedingungen",
  privacy: "Datenschutz",
  imprint: "Impressum",
  abuse: "Missbrauch melden",
  language: "Sprache",
  otherName: "Diese Seite hat eine andere Adresse. Links verwenden:",
  noUrl: "Links funktionieren nur auf dem Server selbst. Bitten Sie den Administrator, FILEHOST_URL zu setzen. Links verwenden:",
};

export const page: PageTexts = {
  copied: "Kopiert",
  selected: "Markiert",
  selectedHint: "Markiert. Drücken Sie Strg und C, um zu kopieren.",
  checking: "Wird geprüft …",
  starting: "Ihr Download beginnt.",
  downloadStarted: "Download gestartet",
  started: (left) => `Ihr Download hat begonnen. ${left}`,
  noneLeft: "Keine Downloads mehr übrig.",
};

export const fieldErrors: FieldErrorTexts = {
  missing: {
    name: "Geben Sie einen Namen ein.",
    title: "Geben Sie ein, was Sie brauchen, wie „Fotos vom Fest“.",
    label: "Geben Sie einen Namen für den Schlüssel ein.",
    username: "Geben Sie einen Benutzernamen ein.",
    login: "Geben Sie Ihre E-Mail-Adresse oder Ihren Benutzernamen ein.",
    link: "Geben Sie den Link der Dateien ein.",
    token: "Geben Sie das Konto-Token ein, das mit claim_ beginnt.",
    confirm: "Geben Sie zur Bestätigung den Text oben ein.",
    digests: "Geben Sie mindestens einen SHA-256 ein.",
    password: "Geben Sie ein Passwort ein.",
    code: "Geben Sie den Code ein.",
    unlockCode: "Geben Sie den Code ein.",
    other: "Geben Sie hier etwas ein.",
  },
  noPassword: "Geben Sie ein Passwort ein.",
  noFile: "Wählen Sie eine Datei aus.",
  notChosen: "Wählen Sie etwas aus.",
  notChecked: "Setzen Sie hier ein Häkchen, um fortzufahren.",
  email: "Geben Sie eine E-Mail-Adresse ein, wie ada@example.org.",
  url: "Geben Sie eine Webadresse ein, die mit https:// beginnt.",
  tooShort: (count) => `Geben Sie mindestens ${count.toLocaleString("de")} Zeichen ein.`,
  tooLong: (count) => `Geben Sie höchstens ${count.toLocaleString("de")} Zeichen ein.`,
  tooSmall: (least) => `Geben Sie ${least} oder mehr ein.`,
  tooLarge: (most) => `Geben Sie ${most} oder weniger ein.`,
  tooEarly: "Wählen Sie einen späteren Zeitpunkt.",
  tooLate: "Wählen Sie einen früheren Zeitpunkt.",
  notWhole: "Geben Sie eine ganze Zahl ein.",
  other: "Prüfen Sie Ihre Eingabe.",
};

export const messages: MessageTexts = {
  takedownReasons: {
    malware: "Der Administrator hat sie wegen Schadsoftware entfernt.",
    phishing: "Der Administrator hat sie wegen Phishing oder Betrug entfernt.",
    illegal: "Der Administrator hat sie entfernt, weil ihr Inhalt verboten ist.",
    copyright: "Der Administrator hat sie wegen einer Urheberrechtsbeschwerde entfernt.",
    personal_data: "Der Administrator hat sie entfernt, um persönliche Daten zu schützen.",
    other: "Der Administrator hat sie entfernt.",
  },
  kinds: {
    notFound: {
      title: "Seite nicht gefunden",
      text: "Prüfen Sie die Adresse. Vielleicht wurde gelöscht, was hier war.",
    },
    missing: {
      title: "Link nicht gefunden",
      text: "Unter dieser Adresse ist nichts freigegeben.",
      next: "Prüfen Sie, ob der Link vollständig ist, oder fragen Sie, von wem Sie ihn haben.",
    },
    expired: {
      title: "Dieser Link ist abgelaufen",
      text: "Unter dieser Adresse ist nichts mehr freigegeben.",
      next: "Bitten Sie den Absender, die Datei erneut freizugeben.",
    },
    usedUp: {
      title: "Dieser Link hat keine Downloads mehr",
      text: "Die Datei wurde so oft heruntergeladen, wie der Absender es erlaubt hat.",
      next: "Wenn Sie das nicht waren, bitten Sie den Absender, sie erneut freizugeben.",
    },
    blocked: {
      title: "Diese Datei ist gesperrt",
      text: "Die Prüfung fand Schadsoftware oder konnte nicht beendet werden. Niemand kann die Datei herunterladen.",
      next: "Informieren Sie den Absender. Ist die Datei harmlos, kann der Administrator das prüfen.",
    },
    blocklisted: {
      title: "Vom Administrator gesperrt",
      text: "Diese Website erlaubt diese Datei nicht. Niemand kann sie herunterladen.",
      next: "Wenn das ein Irrtum ist, fragen Sie den Administrator.",
    },
    damaged: {
      title: "Diese Datei kam beschädigt an",
      text: "Sie stimmt nicht mit der Datei des Absenders überein. Niemand kann sie herunterladen.",
      next: "Bitten Sie den Absender, sie erneut hochzuladen.",
    },
    takenDown: {
      title: "Diese Datei wurde entfernt",
      text: "Der Administrator hat sie entfernt.",
      next: "Ist das ein Irrtum? Bitten Sie den Absender, sich an den Administrator zu wenden.",
    },
    notAvailable: {
      title: "Dieser Link ist nicht verfügbar",
      text: "Die Dateien des Absenders sind zurzeit nicht verfügbar.",
      next: "Fragen Sie den Absender, oder versuchen Sie es später erneut.",
    },
    notReady: {
      title: "Noch nicht bereit",
      text: "Die Datei wird noch hochgeladen oder geprüft.",
      next: "Gehen Sie zurück und warten Sie: Die Seite zeigt, wann die Datei bereit ist.",
    },
    badSignedUrl: {
      title: "Dieser Download-Link funktioniert nicht",
      text: "Er ist abgelaufen oder unvollständig.",
      next: "Öffnen Sie den Link der Freigabe erneut, und drücken Sie „Herunterladen“.",
    },
    noHandoff: {
      title: "Dieser private Link funktioniert nicht",
      text: "Er ist abgelaufen, unvollständig oder wurde ersetzt.",
      next: "Prüfen Sie, ob der Link vollständig ist, oder bitten Sie um einen neuen.",
    },
    noDeletion: {
      title: "Nichts zu löschen",
      text: "Die Datei ist bereits gelöscht, oder der Link ist unvollständig.",
      next: "Prüfen Sie, ob im Link Zeichen fehlen oder zu viel sind.",
    },
    deleted: {
      title: "Datei gelöscht",
      text: "Ihr Link funktioniert für niemanden mehr.",
      next: "Downloads, die schon begonnen haben, können noch zu Ende gehen.",
    },
    reported: {
      title: "Meldung gesendet",
      text: "Der Administrator dieses Servers kann sie jetzt lesen.",
      next: "Wenn Sie eine E-Mail-Adresse angegeben haben, schreibt er Ihnen vielleicht.",
    },
    noRequest: {
      title: "Anfrage nicht gefunden",
      text: "Unter dieser Adresse bittet niemand um Dateien, oder der Link wurde ersetzt.",
      next: "Prüfen Sie den Link, oder bitten Sie um einen neuen.",
    },
    noPublicPage: {
      title: "Hier ist keine öffentliche Seite",
      text: "Niemand zeigt unter diesem Namen öffentliche Dateien.",
      next: "Prüfen Sie den Namen, oder fragen Sie die Person nach ihrer neuen Adresse.",
    },
    unknownApplication: {
      title: "Diese Anfrage einer Anwendung funktioniert nicht",
      text: "Die Anwendung ist hier unbekannt, oder sie will Sie an eine Adresse schicken, die sie nicht angemeldet hat.",
      next: "Gehen Sie zur Anwendung zurück und verbinden Sie sie erneut.",
    },
    requestUnavailable: {
      title: "Diese Anfrage ist nicht verfügbar",
      text: "Das Konto, das um Dateien bat, nimmt derzeit keine an.",
      next: "Fragen Sie, wer Ihnen den Link geschickt hat.",
    },
    requestClosed: {
      title: "Diese Anfrage ist geschlossen",
      text: "Hier werden keine Dateien mehr gebraucht. Was Sie gesendet haben, ist angekommen.",
      next: "Fragen Sie, wer Ihnen den Link geschickt hat.",
    },
    requestExpired: {
      title: "Diese Anfrage ist abgelaufen",
      text: "Die Zeit, hier Dateien zu senden, ist vorbei.",
      next: "Bitten Sie um einen neuen Link.",
    },
    requestUsedUp: {
      title: "Diese Anfrage hat alles, worum sie bat",
      text: "Sie nimmt keine Dateien mehr an.",
      next: "Fehlen Ihre, bitten Sie um einen neuen Link.",
    },
    requestFull: {
      title: "Derzeit ist kein Platz für Dateien",
      text: "Der Speicher der Person, die darum bittet, ist voll.",
      next: "Sagen Sie es ihr, und versuchen Sie es später erneut.",
    },
    locked: {
      title: "Dieser Link braucht einen Code",
      text: "Der Absender hat den Code oder einen privaten Link, der keinen braucht.",
      next: "Öffnen Sie den Link, und geben Sie den Code ein, oder fragen Sie den Absender.",
    },
    payment: {
      title: "Diese Datei hat einen Preis",
      text: "Nur Käufer können sie herunterladen.",
      next: "Fragen Sie den Absender, wie Sie sie kaufen können.",
    },
    crossSite: {
      title: "Öffnen Sie diese Seite unter ihrer eigenen Adresse",
      text: "Eine andere Website hat diese Anfrage gesendet. Es wurde nichts ausgeführt.",
      next: "Öffnen Sie den Link unter dieser Adresse, und versuchen Sie es erneut.",
    },
    refused: {
      title: "Das hat nicht funktioniert",
      text: "Der Server konnte Ihre Anfrage nicht annehmen.",
      next: "Gehen Sie zurück, korrigieren Sie die Eingabe, und versuchen Sie es erneut.",
    },
    tooManyRequests: {
      title: "Zu viele Anfragen",
      text: "Aus Ihrem Netz kamen in kurzer Zeit viele Anfragen.",
      next: "Warten Sie eine Minute, und versuchen Sie es dann erneut.",
    },
    busy: {
      title: "Der Server ist ausgelastet",
      text: "Er kann gerade nicht antworten. Ihr Link ist in Ordnung.",
      next: "Versuchen Sie es in einer Minute erneut.",
    },
    error: {
      title: "Etwas ist schiefgegangen",
      text: "Das Problem liegt bei uns, nicht bei Ihnen.",
      next: "Versuchen Sie es erneut. Hilft das nicht, senden Sie dem Administrator die Anfrage-ID.",
    },
  },
  requestId: "Anfrage-ID:",
  ownUsedUp: "Die Datei wurde so oft heruntergeladen, wie Sie es erlaubt haben.",
  retry: "Erneut versuchen",
  start: "Zur Startseite",
  contact: "Administrator kontaktieren",
};

export const errors: ErrorTexts = {
  offline: "Verbindung unterbrochen. Prüfen Sie sie und versuchen Sie es noch einmal.",
  failed: "Der Server konnte das nicht ausführen. Versuchen Sie es noch einmal.",
  byCode: {
    NO_FILE: "Es wurde keine Datei gesendet. Gehen Sie zurück und wählen Sie eine aus.",
    SIZE_MISMATCH: "Die Datei ist nicht vollständig angekommen. Senden Sie sie erneut.",
    DIGEST_MISMATCH: "Die Datei ist beschädigt angekommen. Senden Sie sie erneut.",
    FILE_DIGEST_MISMATCH: "Die Datei ist beschädigt angekommen. Senden Sie sie erneut.",
    UNAUTHENTICATED: "Melden Sie sich an, und versuchen Sie es dann noch einmal.",
    FORBIDDEN: "Das können Sie hier nicht ändern.",
    PROOF_REQUIRED: "Geben Sie zuerst Ihr Passwort noch einmal ein.",
    SECOND_FACTOR_REQUIRED: "Dieses Konto braucht auch einen Code. Melden Sie sich auf der Seite dafür an.",
    WRONG_TOKEN: "Ihr Zugang zu dieser Freigabe ist beendet. Erstellen Sie eine neue.",
    SIGNATURE_INVALID: "Dieser Link ist abgelaufen oder unvollständig.",
    NOT_FOUND: "Das gibt es nicht mehr, oder die Adresse ist falsch.",
    SCAN_BLOCKED: "Die Prüfung hat Schadsoftware gefunden oder ist fehlgeschlagen. Niemand kann die Datei herunterladen.",
    SCAN_PENDING: "Die Datei wird noch geprüft.",
    METHOD_NOT_ALLOWED: "Diese Adresse ist für Programme. Hier gibt es keine Seite.",
    REQUEST_TIMEOUT: "Die Verbindung war zu langsam, der Server hat nicht länger gewartet. Senden Sie es erneut.",
    UPLOAD_INCOMPLETE: "Die Datei ist noch nicht vollständig hochgeladen. Warten Sie, bis das beendet ist.",
    PARTS_MISSING: "Teile der Datei sind nicht angekommen. Wählen Sie dieselbe Datei, um fortzufahren.",
    UPLOAD_CLOSED: "Dieses Hochladen ist beendet. Beginnen Sie von vorn.",
    UPLOAD_IN_PROGRESS: "Diese Datei wird bereits hochgeladen. Warten Sie, bis das beendet ist.",
    IDEMPOTENCY_IN_PROGRESS: "Dieselbe Anfrage läuft noch. Warten Sie einen Moment.",
    IDEMPOTENCY_KEY_REUSED: "Das wurde schon mit anderem Inhalt gesendet. Laden Sie die Seite neu und versuchen Sie es erneut.",
    HAS_BUYERS:
      "Käufer würden verlieren, was bezahlt ist oder gerade bezahlt wird. Zahlen Sie zurück, was bezahlt ist: Einstellungen, Verkaufen.",
    SELLER_NOT_READY: "Richten Sie zuerst das Verkaufen ein: Einstellungen, Verkaufen.",
    ALIAS_TAKEN: "Dieser eigene Link ist vergeben. Wählen Sie einen anderen.",
    TOO_MANY_ALIASES: "Es gibt zu viele eigene Links. Entfernen Sie zuerst einen.",
    IMMUTABLE: "Das lässt sich nicht mehr ändern.",
    FOLDER_NOT_EMPTY: "Der Ordner ist nicht leer. Löschen oder verschieben Sie zuerst seinen Inhalt.",
    FOLDER_CYCLE: "Ein Ordner kann nicht in sich selbst verschoben werden.",
    FOLDER_TOO_DEEP: "Ordner können höchstens 32 Ebenen tief sein. Wählen Sie einen höheren Ordner.",
    TOO_MANY_FOLDERS: "Ein Konto kann höchstens 10.000 Ordner haben. Löschen Sie zuerst einige.",
    USERNAME_REQUIRED: "Für eine öffentliche Seite brauchen Sie einen Benutzernamen. Wählen Sie ihn im Profil.",
    PRO_REQUIRED: "Dafür ist ein Pro-Konto nötig.",
    SHARE_EXPIRED: "Diese Freigabe ist abgelaufen. Erstellen Sie eine neue.",
    REQUEST_CLOSED: "Diese Anfrage nimmt keine Dateien mehr an. Bitten Sie um einen neuen Link.",
    CONFLICT: "Das wurde zur selben Zeit anderswo geändert. Laden Sie die Seite neu und versuchen Sie es erneut.",
    PRECONDITION_FAILED: "Die Datei hat sich geändert. Laden Sie sie erneut herunter.",
    RANGE_NOT_SATISFIABLE: "Die Datei ist kürzer. Laden Sie sie noch einmal von Anfang an herunter.",
    FILE_TOO_LARGE_FOR_DIRECT: "Die Datei ist zu groß, um am Stück gesendet zu werden.",
    BODY_TOO_LARGE: "Das war zu viel auf einmal.",
    UNSUPPORTED_MEDIA_TYPE: "Solche Inhalte nimmt der Server hier nicht an.",
    ENCRYPTED_REFUSED: "Dieser Server nimmt keine verschlüsselten Dateien an. Senden Sie die Datei unverschlüsselt.",
    ENCRYPTION_REQUIRED: "Diese Anfrage nimmt nur verschlüsselte Dateien an. Senden Sie sie auf ihrer Seite.",
    TOO_MANY_UPLOADS: "Es laufen zu viele Uploads. Warten Sie, bis einer beendet ist.",
    UNAVAILABLE: "Der Server kann gerade nicht antworten. Versuchen Sie es in einer Minute erneut.",
    INTERNAL: "Auf dem Server ist etwas schiefgegangen. Versuchen Sie es erneut.",
    STORAGE_FULL: "Der Server hat keinen Platz mehr. Versuchen Sie es später erneut, oder wenden Sie sich an den Administrator.",
  },
  byField: {
    title: "„Titel“: Erlaubt sind höchstens 120 Zeichen.",
    message: "„Nachricht“: Erlaubt sind höchstens 480 Zeichen.",
    priceCents: "„Preis in US-Dollar“: Geben Sie einen Preis ab 1,00 ein, etwa 4,99, oder nichts.",
    maxDownloads: "„Höchstzahl der Downloads“: Geben Sie eine ganze Zahl über 0 ein, oder nichts.",
    ttl: "„Link läuft ab nach“: Wählen Sie eine andere Zeit.",
    expiresAt: "„Läuft ab“: Wählen Sie eine andere Zeit.",
    alias: "„Eigener Link“: 4 bis 16 Buchstaben und Ziffern mit einem Bindestrich. Einige Namen sind reserviert.",
    maxBytes: "„Größe aller Dateien“: Geben Sie eine Größe ein, etwa 500 MB oder 2 GB.",
    maxFileBytes: "„Größte Datei“: Geben Sie eine Größe ein, etwa 500 MB oder 2 GB.",
    relativePath: "Der Name oder Pfad einer Datei ist zu lang.",
    select: "Wählen Sie mindestens eine Datei aus.",
    encryptTo: "„Ende-zu-Ende verschlüsseln“: Wählen Sie Ihren Schlüssel noch einmal, oder verzichten Sie auf die Verschlüsselung.",
  },
  fileTooLarge: (limit) => `Die Datei ist zu groß: Erlaubt sind höchstens ${limit}.`,
  storageFull: (limit) => `Ihr Speicherplatz von ${limit} ist voll. Löschen Sie Dateien, oder warten Sie, bis einige ablaufen.`,
  tooManyFiles: (limit) => `Die Grenze von ${limit} Dateien ist erreicht. Löschen Sie einige, oder warten Sie, bis einige ablaufen.`,
  hasBuyers: (count) =>
    `${count === 1 ? "1 Käufer würde" : `${count} Käufer würden`} verlieren, was bezahlt ist oder gerade bezahlt wird. Zahlen Sie zurück, was bezahlt ist: Einstellungen, Verkaufen.`,
  nevertheless: "Trotzdem fortfahren",
  shipmentFull: "Unter diesem Link ist kein Platz für weitere Dateien. Senden Sie den Rest mit einem anderen Link.",
  requestFull: "Diese Anfrage hat keinen Platz für weitere Dateien.",
  ingestFull: "Der Server nimmt gerade keine weiteren Dateien an. Versuchen Sie es später erneut.",
  keptTooLong: (longest) => `Längste Aufbewahrung von Dateien: ${longest}. Wählen Sie eine kürzere Zeit.`,
  tooManyRequests: (wait) => `Aus Ihrem Netz kamen viele Anfragen. Wartezeit: ${wait}.`,
};

export const list: ListTexts = {
  allFiles: "Alle Dateien",
  path: "Ordner",
  search: "Alle Dateien durchsuchen",
  find: "Suchen",
  clear: "Suche beenden",
  found: (count) => (count === 0 ? "Nichts gefunden." : `${counted(count, "de", "Datei", "Dateien")} gefunden.`),
  sort: "Sortieren nach",
  sorts: { name: "Name", size: "Größe", newest: "Neueste" },
  view: "Ansicht",
  views: { list: "Liste", grid: "Kacheln" },
  select: "Auswählen:",
  openFolder: "Ordner öffnen",
  page: (page, pages) => `Seite ${page} von ${pages}`,
  previous: "Vorherige Seite",
  next: "Nächste Seite",
  showMore: (count) => `${count} weitere anzeigen`,
  downloadSelected: "Auswahl als ZIP herunterladen",
  clearSelection: "Auswahl aufheben",
};

export const status: AllStatusTexts = {
  uploading: {
    headline: "Wird noch hochgeladen",
    detail: "Danach können Sie die Datei herunterladen. Diese Seite aktualisiert sich von selbst.",
    word: "Wird hochgeladen …",
  },
  scanning: {
    headline: "Die Datei wird geprüft …",
    detail: "Danach können Sie die Datei herunterladen. Diese Seite aktualisiert sich von selbst.",
    word: "Wird geprüft …",
  },
  scanned: { headline: "Geprüft: keine Schadsoftware gefunden", detail: "", word: "Geprüft" },
  scannedInParts: {
    headline: "In Teilen geprüft: keine Schadsoftware gefunden",
    detail: "Die Datei ist zu groß, um sie in einem Stück zu prüfen.",
    word: "In Teilen geprüft",
  },
  unscanned: {
    headline: "Nicht auf Schadsoftware geprüft",
    detail: "Öffnen Sie die Datei nur, wenn Sie dem Absender vertrauen.",
    word: "Nicht geprüft",
  },
  encrypted: {
    headline: "Ende-zu-Ende-verschlüsselt",
    detail: "Der Server konnte sie nicht prüfen. Öffnen Sie sie nur, wenn Sie dem Absender vertrauen.",
    word: "Verschlüsselt, nicht geprüft",
  },
  infected: {
    headline: "Gesperrt: Schadsoftware gefunden",
    detail: "Sie können diese Datei nicht herunterladen. Informieren Sie den Absender.",
    word: "Gesperrt: Schadsoftware",
  },
  damaged: {
    headline: "Gesperrt: Die Datei kam beschädigt an",
    detail: "Sie können sie nicht herunterladen. Bitten Sie den Absender, sie erneut hochzuladen.",
    word: "Gesperrt: beschädigt",
  },
  blocklisted: {
    headline: "Vom Administrator gesperrt",
    detail: "Diese Website erlaubt diese Datei nicht. Wenn das ein Irrtum ist, fragen Sie den Administrator.",
    word: "Vom Administrator gesperrt",
  },
  scanFailed: {
    headline: "Gesperrt: Prüfung fehlgeschlagen",
    detail: "Versuchen Sie es später erneut, oder bitten Sie den Absender, die Datei erneut hochzuladen.",
    word: "Gesperrt: Prüfung fehlgeschlagen",
  },
};

export const types: TypeTexts = {
  kinds: {
    image: (format) => `${format}-Bild`,
    video: (format) => `${format}-Video`,
    audio: (format) => `${format}-Audio`,
    document: (format) => `${format}-Dokument`,
    book: (format) => `${format}-Buch`,
    spreadsheet: (format) => `${format}-Tabelle`,
    presentation: (format) => `${format}-Präsentation`,
    text: (format) => `${format}-Text`,
    table: (format) => `${format}-Tabelle`,
    webPage: (format) => `Webseite (${format})`,
    styleSheet: (format) => `Formatvorlage (${format})`,
    calendar: (format) => `Kalender (${format})`,
    program: (language) => `${language}-Programm`,
    script: (language) => `${language}-Skript`,
    data: (format) => `${format}-Daten`,
    database: (format) => `${format}-Datenbank`,
    archive: (format) => `${format}-Archiv`,
    diskImage: (format) => `${format}-Abbild`,
    package: (format) => `${format}-Paket`,
    app: (system) => `${system}-App`,
    file: (extension) => `${extension}-Datei`,
  },
  families: {
    image: "Bild",
    video: "Video",
    audio: "Audio",
    font: "Schrift",
    text: "Text",
    model: "3D-Modell",
    message: "Nachricht",
  },
  byExtension: { key: "Schlüsseldatei", pub: "Öffentlicher Schlüssel" },
  file: "Datei",
};

export const notify: NotifyTexts = {
  label: "Mitteilungen zum Link",
  choices: { "": "Wie in Ihren Einstellungen", true: "Immer", false: "Nie" },
  effects: {
    both: "In Ihren Einstellungen: eine Mitteilung bei jedem Download und einen Tag vor dem Ablauf.",
    downloaded: "In Ihren Einstellungen: eine Mitteilung bei jedem Download, keine vor dem Ablauf.",
    expiring: "In Ihren Einstellungen: eine Mitteilung einen Tag vor dem Ablauf, keine bei Downloads.",
    none: "In Ihren Einstellungen: keine Mitteilungen.",
  },
  toSettings: "Einstellungen der Mitteilungen",
};

export const alias: AliasTexts = {
  label: "Eigener Link",
  note: "Zum Beispiel reise-nach-rom. Jeder kann ihn erraten.",
  aliasedNote: "Jeder kann ihn erraten. Wenn Sie ihn leeren, funktionieren seine Links nicht mehr.",
  wrong: "Verwenden Sie 4 bis 16 Buchstaben und Ziffern mit einem Bindestrich.",
};

export const expiry: ExpiryTexts = {
  never: "Nie",
  latest: (time) => `So spät wie möglich: ${time}`,
  other: "Anderer Zeitpunkt…",
  otherLabel: "Datum und Uhrzeit",
  set: "Festlegen",
};

/** The button that shows a typed password. */
export const showPassword: ShowPasswordTexts = {
  show: { short: "Anzeigen", long: "Passwort anzeigen" },
  hide: { short: "Verbergen", long: "Passwort verbergen" },
  shown: "Das Passwort ist sichtbar.",
  hidden: "Das Passwort ist verborgen.",
};

export const claim: ClaimTexts = {
  title: (count) =>
    count === 1 ? "1 Freigabe dieses Geräts ist nicht in Ihrem Konto" : `${count} Freigaben dieses Geräts sind nicht in Ihrem Konto`,
  note: "In Ihrem Konto können Sie sie von jedem Gerät aus verlängern, ändern und schließen.",
  claim: (count) => (count === 1 ? "1 Freigabe zum Konto hinzufügen" : `${count} Freigaben zum Konto hinzufügen`),
  claiming: "Wird hinzugefügt …",
  decline: "Nicht jetzt",
  declined: "Sie bleiben, wie sie sind.",
  claimed: (count) => (count === 1 ? "1 Freigabe wurde hinzugefügt." : `${count} Freigaben wurden hinzugefügt.`),
  ended: "Sie ist abgelaufen oder wurde gelöscht.",
  taken: "Sie gehört zu einem anderen Konto.",
  andMore: (name, count) => `${name} und ${count.toLocaleString("de")} weitere`,
};

export const upload: UploadTexts = {
  interrupted: "Der Upload wurde unterbrochen. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.",
  refused: "Der Server konnte den Upload nicht annehmen. Versuchen Sie es noch einmal.",
  changed: "Die Datei wurde geändert oder ist nicht lesbar. Wählen Sie sie noch einmal aus.",
  notRemembered:
    "Dieser Browser konnte den Fortschritt des verschlüsselten Uploads nicht speichern. Geben Sie Speicherplatz frei und versuchen Sie es noch einmal.",
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

export const signOut: SignOutTexts = {
  title: "Schlüssel auf diesem Gerät behalten?",
  keys: (count) =>
    `Dieses Gerät hat ${count === 1 ? "den Schlüssel einer verschlüsselten Freigabe" : `die Schlüssel von ${count.toLocaleString("de")} verschlüsselten Freigaben`}. Der Server hat sie nicht. Ohne den Schlüssel können Sie den Link nicht noch einmal kopieren.`,
  requestKeys: (count) =>
    `Dieses Gerät hat ${count === 1 ? "Ihren Schlüssel" : `Ihre ${count.toLocaleString("de")} Schlüssel`} für verschlüsselte Anfragen, mit Ihrer Passphrase gesperrt. Sonst brauchen Sie die Wiederherstellungsdatei, um zu öffnen, was ankam.`,
  keep: "Abmelden, Schlüssel behalten",
  forget: "Abmelden und vergessen",
  stay: "Abbrechen",
};
