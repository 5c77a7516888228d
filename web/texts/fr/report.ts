import type { ReportTexts } from "../en/report.ts";

export const report: ReportTexts = {
  title: "Signaler un fichier",
  intro: "L’administrateur de ce serveur lit votre signalement. Votre adresse IP n’est pas enregistrée avec lui.",
  link: "Lien",
  reason: "Quel est le problème ?",
  reasons: {
    malware: "Logiciel malveillant ou virus",
    phishing: "Hameçonnage ou fraude",
    illegal: "Contenu illégal",
    copyright: "Violation du droit d’auteur",
    personal_data: "Données personnelles sans consentement",
    other: "Autre chose",
  },
  details: "Détails",
  optional: "(facultatif)",
  email: "Votre adresse e-mail",
  emailUse: "(facultatif, pour des questions)",
  send: "Envoyer le signalement",
  problems: {
    reason: "Choisissez le problème.",
    details: "Raccourcissez les détails à 1 000 caractères.",
    email: "Saisissez une adresse e-mail comme ada@example.org, ou laissez le champ vide.",
  },
  tooMany: (minutes) => `Vous avez envoyé beaucoup de signalements. Réessayez dans ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
};
