/** What the script of the pages says. */
export const page = {
  copied: "Copied",
  selected: "Selected",
  selectedHint: "Selected. Press Ctrl and C to copy.",
  checking: "Checking…",
  starting: "Your download is starting.",
  started: (left: string) => `Your download has started. ${left}`,
  noneLeft: "No downloads left.",
};

export type PageTexts = typeof page;
