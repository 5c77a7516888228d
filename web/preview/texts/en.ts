/** Texts of previews. */
export const preview = {
  label: (name: string) => `Preview of ${name}`,
  close: "Close",
  previous: "Previous",
  next: "Next",
  enlarge: (name: string) => `Enlarge ${name}`,
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  download: "Download",
  copy: "Copy text",
  position: (number: number, count: number) => `${number} of ${count}`,
  isCut: "This is the beginning. Download the file to see all of it.",
  firstEntries: (count: number, shown: number) => `The first ${shown.toLocaleString("en")} of ${count.toLocaleString("en")} entries`,
  noEntries: "The list of files cannot be read.",
  encrypted: "Encrypted",
  loading: "Loading…",
  needsScript: "This preview needs JavaScript. Download the file to see it.",
  pdfFailed: "This PDF cannot be shown. Download it to open it.",
  imageFailed: "This image cannot be shown. Download it to open it.",
  original: "Show the original image",
  playerFailed: "This recording cannot be played here. Download it to open it.",
  pdfPage: (number: number, count: number) => `Page ${number} of ${count}`,
  pdfCut: (shown: number, count: number) => `The first ${shown} of ${count} pages`,
};

export type PreviewTexts = typeof preview;
