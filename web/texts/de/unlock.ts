import type { UnlockTexts } from "../en/unlock.ts";

export const unlock: UnlockTexts = {
  code: "Code",
  hint: "Geben Sie den 6-stelligen Code des Absenders ein.",
  unlock: "Entsperren",
  useHandoff: "Oder verwenden Sie den privaten Link.",
  tryAgain: (relative) => `Versuchen Sie es ${relative} erneut, nach`,
  tooManyWithoutScript: "Zu viele falsche Codes. Schalten Sie JavaScript ein, um es erneut zu versuchen.",
  tooMany: "Zu viele falsche Codes.",
  wrongLength: (length, entered) => `Der Code hat ${length} Zeichen; Sie haben ${entered} eingegeben.`,
  wrongCode: "Falscher Code. Prüfen Sie ihn, und versuchen Sie es erneut.",
  handoffExpired: "Dieser private Link ist abgelaufen. Bitten Sie den Absender um einen neuen.",
  tokenExpired: "Ihr Zugang ist abgelaufen, oder der Code wurde geändert. Geben Sie den aktuellen Code ein.",
  missing: "Geben Sie zuerst den Code ein.",
};
