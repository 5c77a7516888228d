import { counted } from "../../format.ts";

const files = (count: number) => counted(count, "en", "file", "files");
const downloads = (count: number) => counted(count, "en", "download", "downloads");
const seconds = (count: number) => counted(count, "en", "second", "seconds");

/** The page of a share. */
export const share = {
  files,
  seconds,
  protectedTitle: "Protected share",
  waitingForFiles: "Waiting for the first file",
  waitingForFilesDetail: "The sender has not added a file yet. This page updates automatically.",
  neverExpires: "never expires",
  expires: (relative: string) => `expires ${relative}`,
  expiresAfterUpload: (duration: string) => `${duration} after the upload`,
  never: "Never",
  message: "Message from the sender",
  unlocked: "Unlocked.",
  enterCode: "Enter the code to download the file.",
  canDownload: "You can download the file now.",
  refresh: "Refresh",
  download: "Download",
  downloadAll: "Download all",
  downloadReady: (ready: number, all: number) => `Download ${ready} of ${files(all)}`,
  zip: (size: string) => `ZIP, ${size}`,
  downloadsLeft: (count: number) => (count === 0 ? "No downloads left." : `${downloads(count)} left.`),
  started: "Your download has started.",
  onceOnly: "One download only: the link stops working afterwards.",
  fileLeft: (count: number) => (count === 0 ? "no downloads left" : `${downloads(count)} left`),
  onceEach: "One download only for each file. The ZIP counts as one download of each.",
  limitedEach: "Downloads of each file are limited. The ZIP counts as one download of each.",
  canDownloadIn: "You can download in",
  readyOf: (ready: number, all: number) => `${ready} of ${files(all)} ready`,
  waiting: (waiting: number, blocked: number) =>
    `${waiting} still uploading or being scanned for malware${blocked === 0 ? "" : `, ${blocked} blocked`}. This page updates automatically.`,
  blockedOf: (blocked: number, all: number) => `${blocked} of ${files(all)} blocked`,
  blockedDetail: "Malware was found, or the scan failed. Tell the sender.",
  allScanned: (count: number) => `All ${files(count)} scanned, no malware found`,
  someInParts: (count: number) => `${count} of them in parts: too large to scan in one piece.`,
  someUnscanned: (count: number) => `${files(count)} not scanned for malware`,
  noneScanned: "Not scanned for malware",
  trustThem: "Only open them if you trust the sender.",
  received: (done: string, all: string) => `${done} of ${all} uploaded`,
  uploadingPercent: (percent: number) => `Uploading: ${percent} %`,
  details: "Details",
  type: "Type",
  size: "Size",
  expiresLabel: "Expires",
  unknownSize: "Not known yet",
  checksum: "Checksum (SHA-256)",
  checksumHint: "If it matches the sender’s checksum, the file is identical.",
  checksums: "Checksums (SHA-256)",
  checksumsHint: "Save this list beside the files and check them with “sha256sum -c”.",
  terminal: "Terminal",
  otherDevice: "Open on another device",
  qrCode: "QR code of the link",
  copy: "Copy",
  report: "Report this file",
  reportShipment: "Report these files",
};

export type ShareTexts = typeof share;
