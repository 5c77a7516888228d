import type { MessageTexts } from "../en/messages.ts";

export const messages: MessageTexts = {
  kinds: {
    missing: {
      title: "Link nicht gefunden",
      text: "Unter dieser Adresse ist nichts freigegeben.",
      next: "Prüfen Sie den Link, oder bitten Sie den Absender um einen neuen.",
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
      text: "Die Prüfung fand Schadsoftware oder schlug fehl. Niemand kann die Datei herunterladen.",
      next: "Informieren Sie den Absender. Er kann die Datei erneut hochladen.",
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
      text: "Der Administrator hat sie nach einer rechtlichen Beschwerde entfernt.",
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
      text: "Er ist abgelaufen, unvollständig oder wurde vom Absender ersetzt.",
      next: "Prüfen Sie den Link, oder bitten Sie den Absender um einen neuen.",
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
  retry: "Erneut versuchen",
  start: "Zur Startseite",
  contact: "Administrator kontaktieren",
};
