import type { SaleTexts } from "./en.ts";

export const sale: SaleTexts = {
  buy: (price) => `Für ${price} kaufen`,
  goOn: (price) => `Weiter zur Zahlung: ${price}`,
  paidOnce: "Eine Zahlung, ohne Konto.",
  until: "Nach dem Kauf können Sie herunterladen bis",
  always: "Nach dem Kauf können Sie herunterladen, solange es den Link gibt.",
  oneDownload: "Sie kaufen einen Download jeder Datei.",
  soldBy: (seller) => `${seller} erhält die Zahlung. Sie zahlen auf einer Seite von Stripe und kommen dann hierher zurück.`,
  soldBySender: "Der Absender erhält die Zahlung. Sie zahlen auf einer Seite von Stripe und kommen dann hierher zurück.",
  boughtAlready: "Schon gekauft? Öffnen Sie den Link Ihres Kaufs noch einmal.",
  checkPayment: "Schon bezahlt? Zahlung prüfen",
  moreFiles: (count) => `und ${count} weitere`,
  filesTitle: "Was Sie bekommen",
  costs: (price) => `kostet ${price}`,
  problems: {
    soldOut: {
      title: "Ausverkauft",
      text: "Alle Downloads sind verkauft oder reserviert. Ein reservierter Download kann binnen einer Stunde frei werden.",
    },
    notReady: {
      title: "Gerade nicht zu kaufen",
      text: "Der Verkäufer kann keine Zahlungen annehmen. Fragen Sie den Absender, oder versuchen Sie es später.",
    },
    lastHour: {
      title: "Nicht mehr zu kaufen",
      text: "Der Link endet in weniger als einer Stunde. Bitten Sie den Absender, ihn zu verlängern.",
    },
    busy: { title: "Zahlungen gehen gerade nicht", text: "Es wurde nichts abgebucht. Versuchen Sie es in einer Minute noch einmal." },
    waiting: {
      title: "Noch nicht zu kaufen",
      text: "Die Dateien werden noch hochgeladen oder geprüft. Diese Seite aktualisiert sich von selbst.",
    },
    tooMany: {
      title: "Zu viele Zahlungen begonnen",
      text: "Sie kamen aus Ihrem Netz. Versuchen Sie es später noch einmal, spätestens morgen.",
    },
    changed: { title: "Der Preis hat sich geändert", text: "Es wurde nichts abgebucht. Prüfen Sie den neuen Preis, bevor Sie kaufen." },
  },
  own: (price) => `Empfänger zahlen ${price}, bevor sie herunterladen. Für Ihre eigenen Dateien zahlen Sie nichts.`,
  ownLink: "Ihre Verkäufe",
  bought: (price) => `Sie haben dies für ${price} gekauft am`,
  oneOfEach: "Ihr Kauf enthält einen Download jeder Datei.",
  used: "Sie haben die Downloads Ihres Kaufs genutzt.",
  keep: "Behalten Sie diesen Link, um wiederzukommen",
  keepText: "Wer ihn hat, kann auch herunterladen. Behalten Sie ihn für sich.",
  keepLabel: "Link des Kaufs",
  leaving: "Die Zahlungsseite wird geöffnet",
  leavingText: "Wenn nichts geschieht, drücken Sie den Knopf.",
  leave: "Weiter zu Stripe",
  purchase: {
    open: {
      title: "Warten auf Ihre Zahlung",
      text: "Manche Zahlungen dauern einen Moment, die einer Bank bis zu einigen Tagen. Diese Seite aktualisiert sich von selbst.",
      next: "Sie können diese Seite schließen und mit ihrem Link wiederkommen.",
    },
    unreachable: {
      title: "Ihre Zahlung wird geprüft",
      text: "Die Zahlungsseite antwortet gerade nicht. Ihre Zahlung ist sicher. Diese Seite versucht es von selbst wieder.",
      next: "Sie können diese Seite schließen und mit ihrem Link wiederkommen.",
    },
    ended: {
      title: "Diese Zahlung wurde nicht abgeschlossen",
      text: "Es wurde nichts abgebucht.",
      next: "Um zu kaufen, öffnen Sie die Freigabe und beginnen Sie neu.",
    },
    refunded: {
      title: "Dieser Kauf wurde erstattet",
      text: "Das Geld kommt auf dem Weg zurück, auf dem Sie gezahlt haben. Herunterladen geht nicht mehr.",
      next: "Wollten Sie das nicht? Fragen Sie den Absender, oder kaufen Sie noch einmal.",
    },
    disputed: {
      title: "Diese Zahlung ist strittig",
      text: "Ihre Bank prüft sie oder hat Ihnen das Geld erstattet. Herunterladen geht nur, wenn der Verkäufer recht bekommt.",
      next: "Wenn Sie das nicht veranlasst haben, fragen Sie Ihre Bank.",
    },
    gone: {
      title: "Was Sie gekauft haben, ist nicht mehr hier",
      text: "Der Link ist abgelaufen, oder die Dateien wurden entfernt.",
      next: "Konnten Sie nicht herunterladen? Bitten Sie den Absender um Ihr Geld. Die Zahlung steht im Beleg von Stripe.",
    },
    returning: {
      title: "Ihre Zahlung wird erstattet",
      text: "Was Sie gekauft haben, ist nicht mehr hier.",
      next: "Das Geld kommt auf dem Weg zurück, auf dem Sie gezahlt haben. Das kann einige Tage dauern.",
    },
    off: {
      title: "Zahlungen sind hier abgeschaltet",
      text: "Dieser Server verkauft im Moment nichts und kann Ihren Kauf nicht prüfen.",
      next: "Behalten Sie diesen Link und versuchen Sie es später, oder fragen Sie den Absender.",
    },
    used: {
      title: "Dieser Kauf ist verbraucht",
      text: "Er hatte einen Download jeder Datei, und alle wurden gemacht.",
      next: "Wenn die Datei nicht ankam, fragen Sie den Absender.",
    },
    unknown: {
      title: "Kauf nicht gefunden",
      text: "Zu dieser Adresse gehört kein Kauf.",
      next: "Prüfen Sie, ob im Link Zeichen fehlen oder zu viel sind.",
    },
  },
  force: { title: "Käufer würden verlieren, was bezahlt ist", cancel: "So lassen, wie es ist" },
  openShare: "Freigabe öffnen",
};
