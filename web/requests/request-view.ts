/** A request as the pages of its owner show it. */
export interface OwnRequest {
  readonly id: string;
  readonly requestUrl: string;
  readonly title: string;
  readonly message: string | null;
  readonly folderId: string | null;
  readonly maxFiles: number;
  readonly maxFileBytes: number | null;
  readonly maxBytes: number;
  readonly once: boolean;
  readonly notify: boolean | null;
  readonly unlockRequired: boolean;
  readonly state: "open" | "usedUp" | "expired" | "closed";
  readonly receivedFiles: number;
  readonly receivedBytes: number;
  readonly expiresAt: string;
}

export interface ReceivedFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly url: string;
  readonly shareUrl: string;
  readonly visibility: "private" | "unlisted" | "public";
  readonly scanStatus: "pending" | "scanning" | "clean" | "unavailable";
}

export interface ReceivedSubmission {
  readonly senderName: string | null;
  readonly senderNote: string | null;
  readonly createdAt: string;
  readonly files: readonly ReceivedFile[];
}

/** The unit of sizes in forms. */
export const MB = 1024 ** 2;

/** Bytes as the form of a request shows them. */
export const toMegabytes = (bytes: number): number => Math.max(1, Math.round(bytes / MB));
