import type { CheckFacts } from "./share-state.ts";

export interface ShareFile extends CheckFacts {
  readonly id: string;
  readonly name: string;
  /** Where it stands in a shipment, its name included; null where the name is all. */
  readonly relativePath?: string | null;
  /** Null while an upload of unannounced length is under way. */
  readonly sizeBytes: number | null;
  readonly contentType: string | null;
  /** Hexadecimal; null until known. */
  readonly sha256: string | null;
  /** How often it can still be downloaded; null without a limit. */
  readonly downloadsLeft: number | null;
}

/** How whoever looks stands with the protection of a share. */
export type ShareAccess =
  | { readonly kind: "open" }
  /** Asks for the code; `problem` says what was wrong with the last try, `retryAtMs` when the next one is heard. */
  | { readonly kind: "locked"; readonly problem?: string; readonly retryAtMs?: number; readonly work?: UnlockWork }
  /** Every form of the page carries the token on. */
  | { readonly kind: "unlocked"; readonly field: "unlockToken" | "handoffToken"; readonly token: string };

/** The proof of work that a browser sends with the next code. */
export interface UnlockWork {
  readonly challengeId: string;
  /** Leading zero bits of SHA-256 of `challengeId:nonce`. */
  readonly difficulty: number;
}

/** How long whoever looks has to wait before a download. */
export interface ShareWait {
  /** Carries on the wait that has begun; every form and address of the page has it as `ready`. */
  readonly token: string;
  /** What is left of it; 0 when it is over. */
  readonly seconds: number;
}

export interface SharePageProps {
  readonly shortId: string;
  readonly kind: "file" | "shipment";
  /** The file's own name, or that of a shipment. */
  readonly name: string;
  /** Milliseconds since 1970; null where the share never expires. */
  readonly expiresAtMs: number | null;
  /** In place of it while an upload is under way: the time from its end to the expiry. */
  readonly expiresAfterMs?: number;
  readonly nowMs: number;
  /** Each file can be downloaded only once. */
  readonly once: boolean;
  readonly access: ShareAccess;
  /** What the sender wrote for a private delivery: plain text. */
  readonly message?: string | null;
  /** Whether this server's sponsor is shown. */
  readonly sponsored?: boolean;
  /** Undefined where nobody has to wait. */
  readonly wait?: ShareWait;
  /** At least one; of a shipment, each has its own state and download. */
  readonly files: readonly ShareFile[];
}

/** Where the forms of a share's page go. */
export const sharePath = ({ shortId }: Pick<SharePageProps, "shortId">, action: "" | "/download" | "/archive" | "/unlock" = ""): string =>
  `/d/${encodeURIComponent(shortId)}${action}`;

/** Where the page can be asked for again, its wait carried on; undefined where it is not by address alone that it was reached, or nobody waits. */
export function addressOf({ shortId, access, wait }: SharePageProps): string | undefined {
  if (wait === undefined || !isByAddress(access)) return undefined;
  const path = access.kind === "unlocked" ? `/h/${encodeURIComponent(access.token)}` : sharePath({ shortId });
  return `${path}?ready=${encodeURIComponent(wait.token)}`;
}

/** Whether the address alone shows the page: not so where a code has unlocked it. */
export const isByAddress = (access: ShareAccess): boolean => access.kind !== "unlocked" || access.field === "handoffToken";

/** Whether whoever looks could download, but for the wait. */
export const mustWait = ({ access, wait }: SharePageProps): boolean => access.kind !== "locked" && wait !== undefined && wait.seconds > 0;
