import type { ReportReason } from "../../../src/contract/scalars.ts";
import type { FileStatusName } from "../file-status.ts";
import { counted } from "../format.ts";

/** Texts of the frame of every page. */
export const layout = {
  send: "Send",
  skip: "Skip to content",
  publicPage: "Public page",
  help: "Help and documentation",
  shareYourOwn: "Share your own files",
  terms: "Terms",
  privacy: "Privacy",
  imprint: "Imprint",
  abuse: "Report abuse",
  language: "Language",
  otherName: "This site has another address. Links use:",
  noUrl: "Links will only work on the server itself. Ask the administrator to set FILEHOST_URL. Links use:",
};

export type LayoutTexts = typeof layout;

/** What the script of the pages says. */
export const page = {
  copied: "Copied",
  selected: "Selected",
  selectedHint: "Selected. Press Ctrl and C to copy.",
  checking: "Checking…",
  starting: "Your download is starting.",
  downloadStarted: "Download started",
  started: (left: string) => `Your download has started. ${left}`,
  noneLeft: "No downloads left.",
};

export type PageTexts = typeof page;

/** What is wrong with a field before its form is sent. */
type MissingTexts = Readonly<Partial<Record<string, string>>> & { readonly other: string };

export const fieldErrors = {
  /** By the name of the field. */
  missing: {
    name: "Enter a name.",
    title: "Enter what you need, such as “Photos of the party”.",
    label: "Enter a name for the key.",
    username: "Enter a username.",
    login: "Enter your email address or username.",
    link: "Enter the link of the files.",
    token: "Enter the account token, which begins with claim_.",
    confirm: "Enter the text above to confirm.",
    digests: "Enter at least one SHA-256.",
    password: "Enter a password.",
    code: "Enter the code.",
    unlockCode: "Enter the code.",
    other: "Enter something here.",
  } as MissingTexts,
  noPassword: "Enter a password.",
  noFile: "Choose a file.",
  notChosen: "Choose one.",
  notChecked: "Check this box to continue.",
  email: "Enter an email address, such as ada@example.org.",
  url: "Enter a web address that begins with https://.",
  tooShort: (count: number) => `Enter at least ${count.toLocaleString("en")} characters.`,
  tooLong: (count: number) => `Enter at most ${count.toLocaleString("en")} characters.`,
  tooSmall: (least: string) => `Enter ${least} or more.`,
  tooLarge: (most: string) => `Enter ${most} or less.`,
  tooEarly: "Choose a later time.",
  tooLate: "Choose an earlier time.",
  notWhole: "Enter a whole number.",
  other: "Check what you entered.",
};

export type FieldErrorTexts = typeof fieldErrors;

/** Pages that say what happened and what to do next. */
export const messages = {
  /** The texts of `takenDown` by the reason of the takedown. */
  takedownReasons: {
    malware: "The administrator removed it because of malware.",
    phishing: "The administrator removed it because of phishing or fraud.",
    illegal: "The administrator removed it because its content is illegal.",
    copyright: "The administrator removed it because of a copyright complaint.",
    personal_data: "The administrator removed it to protect personal data.",
    other: "The administrator removed it.",
  } satisfies Record<ReportReason, string>,
  kinds: {
    notFound: {
      title: "Page not found",
      text: "Check the address. What was here may have been deleted.",
    },
    missing: {
      title: "Link not found",
      text: "Nothing is shared at this address.",
      next: "Check that the link is complete, or ask the person who gave it to you.",
    },
    expired: {
      title: "This link has expired",
      text: "Nothing is shared at this address any more.",
      next: "Ask the sender to share the file again.",
    },
    usedUp: {
      title: "This link has no downloads left",
      text: "The file has been downloaded as often as the sender allowed.",
      next: "If that was not you, ask the sender to share it again.",
    },
    blocked: {
      title: "This file is blocked",
      text: "The scan found malware, or could not be completed. So nobody can download the file.",
      next: "Tell the sender. If the file is harmless, the administrator can check this.",
    },
    blocklisted: {
      title: "Blocked by the administrator",
      text: "This site does not allow this file, so nobody can download it.",
      next: "If this is a mistake, ask the administrator.",
    },
    damaged: {
      title: "This file arrived damaged",
      text: "It does not match the sender’s file, so nobody can download it.",
      next: "Ask the sender to upload it again.",
    },
    takenDown: {
      title: "This file has been taken down",
      text: "The administrator removed it.",
      next: "Is this a mistake? Ask the sender to contact the administrator.",
    },
    notAvailable: {
      title: "This link is not available",
      text: "The sender’s files are not available at the moment.",
      next: "Ask the sender, or try again later.",
    },
    notReady: {
      title: "Not ready yet",
      text: "The file is still uploading or being scanned.",
      next: "Go back and wait: the page shows when the file is ready.",
    },
    badSignedUrl: {
      title: "This download link does not work",
      text: "It has expired or is incomplete.",
      next: "Open the share’s link again and press Download.",
    },
    noHandoff: {
      title: "This private link does not work",
      text: "It has expired, is incomplete, or was replaced.",
      next: "Check that the link is complete, or ask for a new one.",
    },
    noDeletion: {
      title: "Nothing to delete",
      text: "The file is already deleted, or the link is incomplete.",
      next: "Check the link for missing or extra characters.",
    },
    deleted: {
      title: "File deleted",
      text: "Its link has stopped working for everyone.",
      next: "Downloads that have already started may still finish.",
    },
    reported: {
      title: "Report sent",
      text: "The administrator of this server can now read it.",
      next: "If you entered an email address, they may write to you.",
    },
    noRequest: {
      title: "Request not found",
      text: "Nobody asks for files at this address, or the link was replaced.",
      next: "Check the link, or ask for a new one.",
    },
    noPublicPage: {
      title: "There is no public page here",
      text: "No account shows public files under this name.",
      next: "Check the name, or ask the person for their new address.",
    },
    unknownApplication: {
      title: "This request from an application does not work",
      text: "The application is unknown here, or asks to send you to an address that it did not register.",
      next: "Go back to the application and connect it again.",
    },
    requestUnavailable: {
      title: "This request is not available",
      text: "The account that asked for files does not accept any now.",
      next: "Ask the person who sent you the link.",
    },
    requestClosed: {
      title: "This request is closed",
      text: "It accepts no more files. What you sent has arrived.",
      next: "Ask the person who sent you the link.",
    },
    requestExpired: {
      title: "This request has expired",
      text: "Files can no longer be sent here.",
      next: "Ask the person who sent you the link for a new one.",
    },
    requestUsedUp: {
      title: "This request has everything it asked for",
      text: "It accepts no more files.",
      next: "If yours are missing, ask for a new link.",
    },
    requestFull: {
      title: "There is no room for files right now",
      text: "The storage of the person who asks is full.",
      next: "Tell them, and try again later.",
    },
    locked: {
      title: "This link needs a code",
      text: "The sender has the code, or a private link that needs none.",
      next: "Open the link and enter the code, or ask the sender.",
    },
    payment: {
      title: "This file has a price",
      text: "Only buyers can download it.",
      next: "Ask the sender how to buy it.",
    },
    crossSite: {
      title: "Open this page at its own address",
      text: "Another site sent this request, so nothing was done.",
      next: "Open the link at this address and try again.",
    },
    refused: {
      title: "That did not work",
      text: "The server could not accept your request.",
      next: "Go back, correct it, and try again.",
    },
    tooManyRequests: {
      title: "Too many requests",
      text: "Too many requests from your network in a short time.",
      next: "Wait a minute, then try again.",
    },
    busy: {
      title: "The server is busy",
      text: "It cannot respond right now. Your link still works.",
      next: "Try again in a minute.",
    },
    error: {
      title: "Something went wrong",
      text: "The problem is on our side, not yours.",
      next: "Try again. If it keeps failing, send the administrator the request ID.",
    },
  },
  requestId: "Request ID:",
  ownUsedUp: "The file has been downloaded as often as you allowed.",
  retry: "Try again",
  start: "Go to the start page",
  contact: "Contact the administrator",
};

export type MessageTexts = typeof messages;

/** Errors that pages show, by their code (envelopes and errors, "Codes"). Those of other codes have the server's sentence, for programs. */
export const errors = {
  offline: "Connection lost. Check it and try again.",
  failed: "The server could not do this. Try again.",
  byCode: {
    NO_FILE: "No file was sent. Go back and choose one.",
    SIZE_MISMATCH: "The file did not arrive complete. Send it again.",
    DIGEST_MISMATCH: "The file arrived damaged. Send it again.",
    FILE_DIGEST_MISMATCH: "The file arrived damaged. Send it again.",
    UNAUTHENTICATED: "Sign in first, then try again.",
    FORBIDDEN: "You cannot change this here.",
    PROOF_REQUIRED: "Enter your password again first.",
    SECOND_FACTOR_REQUIRED: "This account also needs a code. Sign in on the page for it.",
    WRONG_TOKEN: "Your access to this share has ended. Open a new one.",
    SIGNATURE_INVALID: "This link has expired or is incomplete.",
    NOT_FOUND: "This does not exist any more, or the address is wrong.",
    SCAN_BLOCKED: "The scan found malware or failed, so nobody can download the file.",
    SCAN_PENDING: "The file is still being scanned.",
    METHOD_NOT_ALLOWED: "This address is for programs. There is no page here.",
    REQUEST_TIMEOUT: "The connection was too slow, so the server stopped waiting. Send it again.",
    UPLOAD_INCOMPLETE: "The upload is not complete yet. Wait until it has ended.",
    PARTS_MISSING: "Parts of the file did not arrive. Choose the same file to continue.",
    UPLOAD_CLOSED: "This upload has ended. Start a new one.",
    UPLOAD_IN_PROGRESS: "This file is already being uploaded. Wait until that has ended.",
    IDEMPOTENCY_IN_PROGRESS: "The same request is still running. Wait a moment.",
    IDEMPOTENCY_KEY_REUSED: "This was already sent with other content. Reload the page and try again.",
    HAS_BUYERS: "Buyers would lose what they paid for or are paying for. Refund paid sales first: Settings, Selling.",
    SELLER_NOT_READY: "Set up selling first: Settings, Selling.",
    ALIAS_TAKEN: "This custom link is taken. Choose another.",
    TOO_MANY_ALIASES: "There are too many custom links. Remove one first.",
    IMMUTABLE: "This cannot be changed any more.",
    FOLDER_NOT_EMPTY: "The folder is not empty. Delete or move its contents first.",
    FOLDER_CYCLE: "A folder cannot be moved into itself.",
    FOLDER_TOO_DEEP: "Folders can be at most 32 levels deep. Choose a higher folder.",
    TOO_MANY_FOLDERS: "An account can have at most 10,000 folders. Delete some first.",
    USERNAME_REQUIRED: "A public page needs a username. Choose one in your profile.",
    PRO_REQUIRED: "This needs a Pro account.",
    SHARE_EXPIRED: "This share has expired. Open a new one.",
    REQUEST_CLOSED: "This request accepts no more files. Ask for another link.",
    CONFLICT: "Something else changed this at the same time. Reload the page and try again.",
    PRECONDITION_FAILED: "The file has changed. Download it again.",
    RANGE_NOT_SATISFIABLE: "The file is too short for this request. Download it again from the beginning.",
    FILE_TOO_LARGE_FOR_DIRECT: "The file is too large to be sent in one piece.",
    BODY_TOO_LARGE: "Too much was sent in one request.",
    UNSUPPORTED_MEDIA_TYPE: "The server does not accept this kind of content here.",
    ENCRYPTED_REFUSED: "This server does not accept encrypted files. Send the file unencrypted.",
    ENCRYPTION_REQUIRED: "This request accepts only encrypted files. Send them on its page.",
    TOO_MANY_UPLOADS: "Too many uploads are running. Wait until one has ended.",
    UNAVAILABLE: "The server cannot respond right now. Try again in a minute.",
    INTERNAL: "Something went wrong on the server. Try again.",
    STORAGE_FULL: "The server has no space left. Try again later, or ask the administrator.",
  },
  /** VALIDATION_FAILED: what a field of a page's form must be. */
  byField: {
    title: "“Title”: at most 120 characters are allowed.",
    message: "“Message”: at most 480 characters are allowed.",
    priceCents: "“Price in US dollars”: enter a price of at least 1.00, such as 4.99, or nothing.",
    maxDownloads: "“Download limit”: enter a whole number above 0, or nothing.",
    ttl: "“Link expires after”: choose another time.",
    expiresAt: "“Expires”: choose another time.",
    alias: "“Custom link”: use 4 to 16 letters and digits with a hyphen. Some names are reserved.",
    maxBytes: "“Total size”: enter a size, such as 500 MB or 2 GB.",
    maxFileBytes: "“Largest file”: enter a size, such as 500 MB or 2 GB.",
    relativePath: "The name or path of a file is too long.",
    select: "Select at least one file.",
    encryptTo: "“Encrypt end to end”: choose your key again, or do without encryption.",
  },
  fileTooLarge: (limit: string) => `The file is too large: at most ${limit} are allowed.`,
  storageFull: (limit: string) => `Your storage of ${limit} is full. Delete files, or wait until some expire.`,
  tooManyFiles: (limit: string) => `You have reached the limit of ${limit} files. Delete some, or wait until some expire.`,
  /** What buyers lose by a change. `count`: how many they are. */
  hasBuyers: (count: number) =>
    `${count === 1 ? "1 buyer" : `${count} buyers`} would lose what they paid for or are paying for. Refund paid sales first: Settings, Selling.`,
  nevertheless: "Continue anyway",
  shipmentFull: "This link has no room for more files. Send the rest with another link.",
  requestFull: "This request has no room for more files.",
  ingestFull: "The server accepts no more files right now. Try again later.",
  keptTooLong: (longest: string) => `Files can be kept for at most ${longest}. Choose a shorter time.`,
  tooManyRequests: (wait: string) => `Too many requests from your network. You can continue in ${wait}.`,
};

export type ErrorTexts = typeof errors;

/** The list of a shipment's files. */
export const list = {
  allFiles: "All files",
  path: "Folder",
  search: "Search all files",
  find: "Search",
  clear: "Clear search",
  found: (count: number) => (count === 0 ? "Nothing found." : `${counted(count, "en", "file", "files")} found.`),
  sort: "Sort by",
  sorts: { name: "Name", size: "Size", newest: "Newest" },
  view: "View",
  views: { list: "List", grid: "Grid" },
  select: "Select",
  openFolder: "Open folder",
  page: (page: number, pages: number) => `Page ${page} of ${pages}`,
  previous: "Previous page",
  next: "Next page",
  showMore: (count: number) => `Show ${count} more`,
  downloadSelected: "Download selected as ZIP",
  clearSelection: "Clear selection",
};

export type ListTexts = typeof list;

interface StatusTexts {
  readonly headline: string;
  readonly detail: string;
  /** In a list, where it differs from the other files. */
  readonly word: string;
}

/** The status of one file. */
export const status: Readonly<Record<FileStatusName, StatusTexts>> = {
  uploading: {
    headline: "Still uploading",
    detail: "You can download when it finishes. This page updates automatically.",
    word: "Uploading…",
  },
  scanning: {
    headline: "Scanning the file…",
    detail: "You can download when it finishes. This page updates automatically.",
    word: "Scanning…",
  },
  scanned: { headline: "Scanned: no malware found", detail: "", word: "Scanned" },
  scannedInParts: {
    headline: "Scanned in parts: no malware found",
    detail: "The file is too large to scan in one piece.",
    word: "Scanned in parts",
  },
  unscanned: { headline: "Not scanned for malware", detail: "Only open it if you trust the sender.", word: "Not scanned" },
  encrypted: {
    headline: "End-to-end encrypted",
    detail: "The server could not scan it. Only open it if you trust the sender.",
    word: "Encrypted, not scanned",
  },
  infected: {
    headline: "Blocked: malware found",
    detail: "You cannot download this file. Tell the sender.",
    word: "Blocked: malware",
  },
  damaged: {
    headline: "Blocked: the file arrived damaged",
    detail: "You cannot download it. Ask the sender to upload it again.",
    word: "Blocked: damaged",
  },
  blocklisted: {
    headline: "Blocked by the administrator",
    detail: "This site does not allow this file. If this is a mistake, ask the administrator.",
    word: "Blocked by the administrator",
  },
  scanFailed: {
    headline: "Blocked: scan failed",
    detail: "Try again later, or ask the sender to upload it again.",
    word: "Blocked: scan failed",
  },
};

export type AllStatusTexts = typeof status;

/** What files are, by kind and format. */
export const types = {
  kinds: {
    image: (format: string) => `${format} image`,
    video: (format: string) => `${format} video`,
    audio: (format: string) => `${format} audio`,
    document: (format: string) => `${format} document`,
    book: (format: string) => `${format} book`,
    spreadsheet: (format: string) => `${format} spreadsheet`,
    presentation: (format: string) => `${format} presentation`,
    text: (format: string) => `${format} text`,
    table: (format: string) => `${format} table`,
    webPage: (format: string) => `Web page (${format})`,
    styleSheet: (format: string) => `Style sheet (${format})`,
    calendar: (format: string) => `Calendar (${format})`,
    program: (language: string) => `${language} program`,
    script: (language: string) => `${language} script`,
    data: (format: string) => `${format} data`,
    database: (format: string) => `${format} database`,
    archive: (format: string) => `${format} archive`,
    diskImage: (format: string) => `${format} disk image`,
    package: (format: string) => `${format} package`,
    app: (system: string) => `${system} app`,
    file: (extension: string) => `${extension} file`,
  },
  /** Names for media types that have none in this list. */
  families: {
    image: "Image",
    video: "Video",
    audio: "Audio",
    font: "Font",
    text: "Plain text",
    model: "3D model",
    message: "Message",
  },
  byExtension: { key: "Key file", pub: "Public key" },
  file: "File",
};

export type TypeTexts = typeof types;

/** The notices about one share. */
export const notify = {
  label: "Notices about the link",
  choices: { "": "As in your settings", true: "Always", false: "Never" },
  /** What "As in your settings" means. */
  effects: {
    both: "In your settings: a notice of each download, and a day before the link expires.",
    downloaded: "In your settings: a notice of each download, none before the link expires.",
    expiring: "In your settings: a notice a day before the link expires, none of downloads.",
    none: "In your settings: no notices.",
  },
  toSettings: "Settings of notices",
};

export type NotifyTexts = typeof notify;

/** The field of a share's alias. */
export const alias = {
  label: "Custom link",
  note: "Such as trip-to-rome. Anyone can guess it.",
  aliasedNote: "Anyone can guess it. If you clear it, its links stop working.",
  wrong: "Use 4 to 16 letters and digits with a hyphen.",
};

export type AliasTexts = typeof alias;

/** The field that chooses when a share expires. */
export const expiry = {
  never: "Never",
  latest: (time: string) => `Latest possible: ${time}`,
  other: "Another time…",
  otherLabel: "Date and time",
  set: "Set",
};

export type ExpiryTexts = typeof expiry;

/** The button that shows a typed password. */
export const showPassword = {
  show: { short: "Show", long: "Show password" },
  hide: { short: "Hide", long: "Hide password" },
  shown: "The password is visible.",
  hidden: "The password is hidden.",
};

export type ShowPasswordTexts = typeof showPassword;

/** The offer to add shares of this device to the account. */
export const claim = {
  title: (count: number) =>
    count === 1 ? "1 share of this device is not in your account" : `${count} shares of this device are not in your account`,
  note: "In your account you can extend, change and close them from any device.",
  claim: (count: number) => (count === 1 ? "Add 1 share to your account" : `Add ${count} shares to your account`),
  claiming: "Adding…",
  decline: "Not now",
  declined: "They stay as they are.",
  claimed: (count: number) => (count === 1 ? "1 share was added to your account." : `${count} shares were added to your account.`),
  ended: "It has expired or was deleted.",
  taken: "It belongs to another account.",
  andMore: (name: string, count: number) => `${name} and ${count.toLocaleString("en")} more`,
};

export type ClaimTexts = typeof claim;

/** Texts of the upload itself, on the front page and on share pages. */
export const upload = {
  interrupted: "The upload was interrupted. Check your connection and try again.",
  refused: "The server could not accept the upload. Try again.",
  changed: "The file has changed or cannot be read. Choose it again.",
  notRemembered: "This browser could not save the progress of the encrypted upload. Free up storage and try again.",
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

/** The question before signing out forgets keys. */
export const signOut = {
  title: "Keep the keys on this device?",
  keys: (count: number) =>
    `This device has the ${count === 1 ? "key of an encrypted share" : `keys of ${count.toLocaleString("en")} encrypted shares`}. The server does not. Without the key, you cannot copy the link again.`,
  requestKeys: (count: number) =>
    `This device has your ${count === 1 ? "key" : `${count.toLocaleString("en")} keys`} for encrypted requests, locked with your passphrase. Without it, you need the recovery file to open what you received.`,
  keep: "Sign out, keep the keys",
  forget: "Sign out and forget them",
  stay: "Cancel",
};

export type SignOutTexts = typeof signOut;
