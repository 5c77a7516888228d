import type { NotifyTexts } from "../en/notify.ts";

export const notify: NotifyTexts = {
  label: "Mitteilungen zum Link",
  choices: { "": "Wie in Ihren Einstellungen", true: "Immer", false: "Nie" },
  effect: "Eine Mitteilung bei jedem Download und einen Tag vor dem Ablauf.",
};
