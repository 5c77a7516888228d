/** Texts of the upload itself, on the front page and on share pages. */
export const upload = {
  interrupted: "The upload was interrupted. Check your connection and try again.",
  refused: "The server could not accept the upload. Try again.",
  changed: "The file has changed or cannot be read. Choose it again.",
  /** `status` is undefined if it closed the connection. */
  proxy: (status: number | undefined) =>
    `A proxy in front of the server refused the upload${status === undefined ? "" : ` (status ${status})`}. Tell the administrator.`,
  unreachable: "This browser cannot reach the file store.",
  notLoaded: "Part of this page did not load. Check your connection and reload the page.",
  cancelled: "Cancelled",
  continues: "We’ll continue automatically.",
  /** Before `continues`. */
  waits: {
    lost: "Connection lost.",
    busy: "Server is busy; waiting.",
    many: "Too many requests; waiting.",
    full: "Server is out of space; waiting.",
    broken: "Server has a problem; waiting.",
  },
  finals: {
    many: "Too many requests came from your network. Try again later.",
    busy: "The server is busy. Try again in a few minutes.",
    full: "The server is out of space. Try again later, or tell the administrator.",
  },
};

export type UploadTexts = typeof upload;
