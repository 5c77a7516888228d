import type { UnlockTexts } from "../en/unlock.ts";

export const unlock: UnlockTexts = {
  code: "Code",
  hint: "Saisissez le code à 6 caractères de l’expéditeur.",
  unlock: "Déverrouiller",
  useHandoff: "Sinon, utilisez le lien privé.",
  tryAgain: (relative) => `Réessayez ${relative}, après le`,
  tooManyWithoutScript: "Trop de codes erronés. Activez JavaScript pour réessayer.",
  tooMany: "Trop de codes erronés.",
  wrongLength: (length, entered) => `Le code a ${length} caractères ; vous en avez saisi ${entered}.`,
  wrongCode: "Code erroné. Vérifiez-le et réessayez.",
  handoffExpired: "Ce lien privé a expiré. Demandez-en un nouveau à l’expéditeur.",
  tokenExpired: "Votre accès a expiré ou le code a changé. Saisissez le code actuel.",
  missing: "Saisissez d’abord le code.",
};
