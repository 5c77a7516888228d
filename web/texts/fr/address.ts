import type { AddressTexts } from "../en/address.ts";

export const address: AddressTexts = {
  title: "Adresse e-mail",
  change: "Changer d’adresse",
  newAddress: "Nouvelle adresse e-mail",
  byMail: "Nous envoyons un lien à la nouvelle adresse. Rien ne change avant que vous l’ouvriez et confirmiez.",
  atOnce: "L’adresse change tout de suite. Ce serveur n’envoie pas d’e-mails : vérifiez votre saisie.",
  unproved: "Confirmez que cette adresse est la vôtre",
  unprovedText:
    "Sinon, un mot de passe oublié met aussi fin à vos clés, clés d’accès, webhooks, demandes et à tout ce qui agit pour votre compte.",
  submit: "Envoyer le lien",
  save: "Enregistrer l’adresse",
  saved: (email) => `Votre adresse est désormais ${email}.`,
  pending: (email) => `En attente de ${email}`,
  pendingText: (date) => `Ouvrez le lien que nous y avons envoyé. Il fonctionne jusqu’au ${date}.`,
  cancel: "Annuler le changement",
  cancelled: "Annulé. Votre adresse reste la même.",
  confirmTitle: "Confirmer votre nouvelle adresse",
  confirmText: (email) => `Vous vous connecterez avec ${email} et y recevrez nos e-mails.`,
  confirm: "Confirmer l’adresse",
  confirmed: "Adresse changée",
  toSettings: "Aller aux paramètres",
  ended: "Il a été utilisé, annulé, a expiré ou appartient à un autre compte. Connectez-vous à celui-ci, ou demandez un nouveau lien.",
  problems: {
    same: "C’est déjà votre adresse.",
    taken: "Un autre compte a cette adresse. Saisissez-en une autre.",
  },
};
