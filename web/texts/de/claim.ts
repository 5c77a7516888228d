import type { ClaimTexts } from "../en/claim.ts";

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
  offline: "Keine Verbindung. Laden Sie die Seite neu.",
  failed: "Das hat nicht geklappt. Laden Sie die Seite neu.",
  andMore: (name, count) => `${name} und ${count.toLocaleString("de")} weitere`,
};
