/** The administration of digests that no file may have. */
export const blocklist = {
  title: "Blocklist",
  intro: "Files with one of these SHA-256 digests are blocked for everybody.",
  find: "Start of a digest, or reason",
  add: "Add digests",
  addText: "One or many, one per line. Files that have them are blocked now, and whenever somebody sends them.",
  digests: "SHA-256 digests",
  reason: "Reason",
  submit: "Block them",
  added: (added: number, known: number) =>
    known === 0 ? `${added} added.` : `${added} added, ${known} ${known === 1 ? "was" : "were"} on the list already.`,
  invalid: (line: string) => `“${line}” is not a SHA-256. Enter 64 hexadecimal digits per line.`,
  missing: "Enter at least one SHA-256.",
  tooMany: (max: string) => `Enter at most ${max} digests together.`,
  empty: "Nothing is blocked",
  emptyText: "Add a digest above, or when you take a file down.",
  notFound: "No digests found",
  notFoundText: "Search for the start of another digest, or for another reason.",
  files: "Files with it",
  remove: "Remove",
  removeText: "Files that it blocked stay blocked until they are scanned again.",
  removed: "Removed from the blocklist.",
  gone: "Somebody removed this digest meanwhile.",
};

export type BlocklistTexts = typeof blocklist;
