import type { ReportReason } from "../../../src/contract/scalars.ts";
import { counted } from "../../site/format.ts";

const files = (count: number) => counted(count, "en", "file", "files");
const downloads = (count: number) => counted(count, "en", "download", "downloads");

/** The page of a share. */
export const share = {
  files,
  protectedFile: "Protected file",
  protectedFiles: "Protected files",
  from: "From",
  waitingForFiles: "Waiting for the first file",
  waitingForFilesDetail: "The sender has not added a file yet. This page updates automatically.",
  neverExpires: "never expires",
  expires: (relative: string) => `expires ${relative}`,
  expiresAfterUpload: (duration: string) => `${duration} after the upload`,
  never: "Never",
  message: "Message from the sender",
  unlocked: "Unlocked.",
  senderSees: "This link is only for you. The sender sees when you open it and download.",
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
    `${waiting} still uploading or being scanned${blocked === 0 ? "" : `, ${blocked} blocked`}. This page updates automatically.`,
  blockedOf: (blocked: number, all: number) => `${blocked} of ${files(all)} blocked`,
  blockedDetail: "Malware was found, or the scan failed. Tell the sender.",
  allScanned: (count: number) => `All ${files(count)} scanned, no malware found`,
  someInParts: (count: number) => `${count} of them in parts: too large to scan in one piece.`,
  someUnscanned: (count: number) => `${files(count)} not scanned for malware`,
  noneScanned: "Not scanned for malware",
  trustThem: "Only open these files if you trust the sender.",
  someEncrypted: (count: number) => `${files(count)} end-to-end encrypted`,
  allEncrypted: "End-to-end encrypted",
  encryptedDetail: "The server could not scan these files. Only open them if you trust the sender.",
  decryptionNeedsScript: "To decrypt, turn on JavaScript, or use the program filehost:",
  received: (done: string, all: string) => `${done} of ${all} uploaded`,
  uploadingPercent: (percent: number) => `Uploading: ${percent} %`,
  details: "Details",
  type: "Type",
  size: "Size",
  expiresLabel: "Expires",
  unknownSize: "Not known yet",
  checksum: "Checksum (SHA-256)",
  checksumHint: "If it matches the sender’s checksum, the file is identical.",
  checksums: "Checksums (SHA-256)",
  checksumsHint: "Save this list beside the files and check them with “sha256sum -c”.",
  asStored: "Encrypted files",
  asStoredHint: "As the server stores them, for another program that has the key.",
  terminal: "Terminal",
  otherDevice: "Open on another device",
  qrCode: "QR code of the link",
  copy: "Copy",
  report: "Report this file",
  reportShipment: "Report these files",
};

export type ShareTexts = typeof share;

/** What the script of a shipment's list says. */
export const selection = {
  loading: "Loading…",
  failed: "Loading failed. Try again.",
  loaded: (count: number) => `${counted(count, "en", "more entry", "more entries")} shown.`,
  download: (count: number) => `Download ${counted(count, "en", "file", "files")}`,
  zip: (size: string) => `(ZIP, ${size})`,
};

export type SelectionTexts = typeof selection;

/** The form for the code of a protected share. */
export const unlock = {
  code: "Code",
  hint: "Enter the 6-character code from the sender.",
  unlock: "Unlock",
  useHandoff: "Otherwise, use the private link.",
  tryAgain: (relative: string) => `Try again ${relative}, after`,
  tooManyWithoutScript: "Too many wrong codes. Turn on JavaScript to try again.",
  tooMany: "Too many wrong codes.",
  wrongLength: (length: number, entered: number) => `The code has ${length} characters; you entered ${entered}.`,
  wrongCode: "Wrong code. Check it and try again.",
  handoffExpired: "This private link has expired. Ask the sender for a new one.",
  tokenExpired: "Your access has expired or the code has changed. Enter the current code.",
  missing: "Enter the code first.",
  busy: "The server is busy. Try again in a few seconds.",
  /** The words for a share with a password, in place of those for a code. */
  password: {
    code: "Password",
    hint: "Enter the password from the sender.",
    tooManyWithoutScript: "Too many wrong passwords. Turn on JavaScript to try again.",
    tooMany: "Too many wrong passwords.",
    wrongLength: (length: number, entered: number) => `The password has at least ${length} characters; you entered ${entered}.`,
    wrongCode: "Wrong password. Check it and try again.",
    tokenExpired: "Your access has expired or the password has changed. Enter the current password.",
    missing: "Enter the password first.",
  },
};

export type UnlockTexts = typeof unlock;

/** The page of a deletion link. */
export const deletion = {
  question: { file: "Delete this file?", shipment: "Delete this shipment and all its files?" },
  consequence: "Its link stops working for everyone. You cannot undo this.",
  submit: "Delete permanently",
};

export type DeletionTexts = typeof deletion;

/** Texts of the form that reports a share. */
export const report = {
  title: "Report a file",
  intro: "The administrator of this server reads your report. Your IP address is not stored with it.",
  link: "Link",
  reason: "What is wrong?",
  reasons: {
    malware: "Malware or a virus",
    phishing: "Phishing or fraud",
    illegal: "Illegal content",
    copyright: "Copyright infringement",
    personal_data: "Personal data without consent",
    other: "Something else",
  } satisfies Record<ReportReason, string>,
  details: "Details",
  optional: "(optional)",
  email: "Your email address",
  emailUse: "(optional, for questions)",
  send: "Send report",
  problems: {
    reason: "Choose what is wrong.",
    details: "Shorten the details to 1,000 characters.",
    email: "Enter an email address such as ada@example.org, or leave it empty.",
  },
  tooMany: (minutes: number) => `Too many reports. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
};

export type ReportTexts = typeof report;

/** The frame below shares. */
export const sponsor = { label: "From this server’s sponsor" };

export type SponsorTexts = typeof sponsor;

/** Texts of the bar that the sender of a share sees above its page. */
export const senderBar = {
  label: "Your share",
  yours: "You sent this.",
  downloads: (count: number) => (count === 0 ? "No downloads yet" : count === 1 ? "1 download" : `${count.toLocaleString("en")} downloads`),
  downloadsLeft: (count: number) => (count === 1 ? "1 download left" : `${count.toLocaleString("en")} downloads left`),
  alsoIn: (count: number) => `also in ${counted(count, "en", "other link", "other links")}`,
  share: "Share",
  shareSheet: "Share with…",
  mail: "Write an email",
  mailBody: (url: string) => `Download it here: ${url}`,
  qrLabel: "QR code of the link",
  qrHint: "Scan the code to open the link on another device.",
  addFiles: "Add files",
  edit: "Edit",
  delete: "Delete",
  unknownCode: "A code is required, but this device does not have it.",
  encrypted: "End-to-end encrypted. The key is part of the link.",
  incomplete: "Not all files are sent.",
  continue: "Continue on the front page",
  drop: "Drop files or folders here",
  chooseFiles: "Choose files",
  chooseFolder: "Choose a folder",
  added: (count: number) => (count === 1 ? "1 file was added." : `${count.toLocaleString("en")} files were added.`),
  known: "These files are already in the share.",
  closeSheet: "Close",
  deleted: "Deleted",
  deletedNote: "The link no longer works.",
  deleting: "Deleted.",
  deletingCanUndo: "Deleted. You can undo this for 10 seconds.",
  linksStay: (count: number) => `${counted(count, "en", "other link with its files keeps", "other links with its files keep")} working.`,
  notDeleted: "Not deleted.",
  undo: "Undo",
  keep: "Keep it",
  again: "Try again",
  sendMore: "Send something else",
  forget: "Remove from this device",
  forgotten: "Removed from this device",
  ends: { ended: "This share has ended.", claimed: "This share belongs to an account." },
  endNotes: { ended: "It expired, was used up or was deleted.", claimed: "Sign in to that account to change it." },
  /** By the reason that the page of the share gives. */
  endReasons: {
    expired: "It expired.",
    usedUp: "All its downloads were used.",
    missing: "It was deleted, or ended more than 30 days ago.",
    takenDown: "The administrator took it down.",
  },
};

export type SenderBarTexts = typeof senderBar;

/** The names of settings that the options of the front page have too. */
export const shareFields = {
  title: "Title",
  message: "Message",
  downloads: "Download limit",
};

export type ShareFieldTexts = typeof shareFields;

/** The settings of a share that was sent. */
export const shareSettings = {
  loading: "Loading the settings…",
  savedAsChanged: "Each change is saved immediately.",
  saving: "Saving…",
  saved: "Saved",
  more: "More settings",
  done: "Done",
  fields: {
    expires: "Expires",
    protect: "Require a code",
    password: "Password of your own",
    handoffMessage: "Note for the private link",
    price: "Price in US dollars",
    thumbnails: "Show thumbnails before the payment",
    visibility: "Show it on your public page",
    retention: "Never expires",
    direct: "Start the download immediately",
    immutable: "Immutable",
  },
  effects: {
    title: "Recipients see it above the files.",
    message: "Recipients see it with the files.",
    expires: "The link then stops working, and the files are deleted.",
    downloads: "The link stops working after this number of downloads.",
    protect: "We create a code and a private link.",
    protected: "If you replace or remove it, the old code and private link stop working.",
    passwordProtected: "Protected with a password. If you replace or remove it, the private link stops working too.",
    password: "Recipients enter it in place of a code. We cannot show it again.",
    handoffMessage: "Only recipients who open the private link see it.",
    price: "Recipients pay before they can download. Empty: no price.",
    thumbnails: "Anyone with the link sees thumbnails of the images.",
    visibility: "Anyone can find it there.",
    retention: "Only for public files.",
    direct: "Opening the link downloads the file, without a page.",
    immutable: "Nobody can change or delete it until you turn this off.",
  },
  noLimit: "No limit",
  lowLimit: (count: number) => `Enter a number above ${count.toLocaleString("en")}, or nothing.`,
  makeCode: "Create a new code",
  replaceCode: "Replace the code",
  newCode: "The new code is shown. Earlier codes and private links no longer work.",
  requirePassword: "Require your password",
  usePassword: "Set password",
  newPassword: "The password is set. Earlier codes, passwords and private links no longer work.",
  priceFee: {
    ofPrice: (price: string, seller: string, fee: string) => `Of ${price} you get ${seller}. The operator of this site keeps ${fee}.`,
    ofEach: (fee: string) => `The operator of this site keeps ${fee} of each sale.`,
    none: "You get the whole price.",
    and: (percent: string, fixed: string) => `${percent} and ${fixed}`,
  },
  wrongPrice: "Enter a price of at least 1.00, such as 4.99, or nothing.",
  priceEncrypted: "Encrypted files cannot be sold: buyers would lose the key in the link.",
};

export type ShareSettingsTexts = typeof shareSettings;

/** Texts of the script that decrypts files. */
export const encryption = {
  key: "Passphrase or key",
  keyHint: "You get it from the sender. It stays on this device.",
  keyMissing: "Enter the passphrase or the key first.",
  decryptNames: "Decrypt",
  decrypt: "Decrypt and download",
  decryptAll: "Decrypt and download all",
  downloadEncrypted: "Download encrypted",
  copy: "Copy",
  cancel: "Cancel",
  cancelled: "Cancelled. Nothing was saved.",
  loading: "Loading…",
  tryingKey: "Trying the key…",
  decrypting: "Decrypting…",
  saved: "Decrypted. Your browser saves the file.",
  savedNamed: (name: string) => `Decrypted and saved. The sender calls the file “${name}”.`,
  wrongKey: "The passphrase or key does not match this file. Nothing was saved.",
  wrongLinkKey: "The key in the link does not match this file. Open the whole link from the sender again.",
  damaged: "The file is damaged or incomplete. Nothing was saved. Try again, or ask the sender.",
  unsupported: "Opening this file needs more time or memory than this page allows. Decrypt it with the program age.",
  notStored: "The browser could not store the file. Free some space, and try again.",
  broken: "The connection was lost. Nothing was saved. Try again.",
  tooLarge: "This browser cannot decrypt a file of this size. Use the program filehost:",
  linkKeyUnfit: "The key in the link does not fit. Open the whole link from the sender again.",
  linkKeyBroken: "The key in the link is incomplete. Open the whole link from the sender again.",
  enteredKeyUnfit: "This passphrase or key does not fit. Check it and try again.",
  namesAfterDownload: "Names are shown after downloading, because downloads are limited.",
  play: "Play",
  showPreview: "Show preview",
  previewFailed: "The preview failed. Download the file to open it.",
};

export type EncryptionTexts = typeof encryption;
