import type { ClaimTexts } from "../en/claim.ts";

export const claim: ClaimTexts = {
  title: (count) =>
    count === 1
      ? "1 partage de cet appareil n’est pas dans votre compte"
      : `${count} partages de cet appareil ne sont pas dans votre compte`,
  note: "Dans votre compte, vous pouvez les prolonger, modifier et fermer depuis tout appareil.",
  claim: (count) => (count === 1 ? "Ajouter 1 partage à votre compte" : `Ajouter ${count} partages à votre compte`),
  claiming: "Ajout en cours…",
  decline: "Pas maintenant",
  declined: "Ils restent tels quels.",
  claimed: (count) => (count === 1 ? "1 partage a été ajouté à votre compte." : `${count} partages ont été ajoutés à votre compte.`),
  ended: "Il a expiré ou a été supprimé.",
  taken: "Il appartient à un autre compte.",
  offline: "Pas de connexion. Rechargez la page pour réessayer.",
  failed: "Cela n’a pas marché. Rechargez la page pour réessayer.",
  andMore: (name, count) => `${name} et ${count.toLocaleString("fr")} de plus`,
};
