/** The notices about one share. */
export const notify = {
  label: "Notices about the link",
  choices: { "": "As in your settings", true: "Always", false: "Never" },
  effect: "A notice when it is downloaded, and a day before it expires.",
};

export type NotifyTexts = typeof notify;
