import type { ReportTexts } from "../en/report.ts";

export const report: ReportTexts = {
  title: "Datei melden",
  intro: "Der Administrator dieses Servers liest Ihre Meldung. Ihre IP-Adresse wird nicht mit ihr gespeichert.",
  link: "Link",
  reason: "Was stimmt nicht?",
  reasons: {
    malware: "Schadsoftware oder ein Virus",
    phishing: "Phishing oder Betrug",
    illegal: "Rechtswidriger Inhalt",
    copyright: "Verletzung von Urheberrechten",
    personal_data: "Personenbezogene Daten ohne Einwilligung",
    other: "Etwas anderes",
  },
  details: "Einzelheiten",
  optional: "(freiwillig)",
  email: "Ihre E-Mail-Adresse",
  emailUse: "(freiwillig, für Rückfragen)",
  send: "Meldung senden",
  problems: {
    reason: "Wählen Sie aus, was nicht stimmt.",
    details: "Kürzen Sie die Einzelheiten auf 1.000 Zeichen.",
    email: "Geben Sie eine E-Mail-Adresse wie ada@example.org ein, oder lassen Sie das Feld leer.",
  },
  tooMany: (minutes) =>
    `Sie haben viele Meldungen gesendet. Versuchen Sie es in ${minutes} ${minutes === 1 ? "Minute" : "Minuten"} erneut.`,
};
