import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../errors.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import type { PurchaseProof } from "../buy/purchase-proof.ts";
import type { FileAttributes } from "../download-file/file-attributes.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import type { DownloadTarget } from "./target.ts";
import { createUnlock, type UnlockAccess } from "./unlock.ts";

export type ShareContents = Output<"getShare">;

/** A share that the caller may open. */
export interface OpenShare {
  readonly details: ShareContents;
  /** Gets the current state of the share. */
  refresh(): Promise<ShareContents>;
  /** Returns the proof that the share is unlocked; nothing for a share without a code. */
  credentials(): Promise<{ readonly unlockToken?: string }>;
  call<Name extends "authorizeDownload" | "authorizeArchive">(name: Name, input: RequestInput<Name>): Promise<string>;
}

export type ShareTarget = Extract<DownloadTarget, { readonly kind: "share" | "private" }>;

/** Opens a share by its short ID or private link, with its code if it needs one. Throws the server's error. */
export async function openShare(access: UnlockAccess, target: ShareTarget): Promise<OpenShare> {
  const { api, signal, onWait } = access;
  // The first request fails without a wait if the server does not respond.
  await api.discoverServer(signal);
  const retry = createRequestRetry(signal, onWait);
  const call = <T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    retry(({ signal }) => act(signal)).catch((error: unknown) => {
      throw withoutRetry(error);
    });
  const unlock = createUnlock(access, target);
  let shortId = target.kind === "share" ? target.shortId : (await unlock.renew()).shortId;
  const refresh = async (): Promise<ShareContents> => {
    const credentials = { ...(await unlock.credentials()), ...(await access.purchase?.credentials(shortId)) };
    return await call((signal) => api.call("getShare", { shortId, ...credentials }, { signal }));
  };
  const isClosed = ({ unlockRequired, files }: ShareContents): boolean => unlockRequired && files === null && !unlock.isUnlocked();
  let details = await refresh();
  if (isClosed(details) && (await access.purchase?.renew(shortId))) details = await refresh();
  if (isClosed(details)) {
    await unlock.renew();
    details = await refresh();
  } else if (details.unlockRequired && !unlock.isUnlocked() && !(await access.purchase?.credentials(details.short_id))?.purchaseToken)
    await unlock.renew();
  shortId = details.short_id;
  const prove = access.purchase?.prove ?? withoutPurchase;
  return {
    details,
    refresh,
    credentials: unlock.credentials,
    async call(name, input) {
      const request = (): Promise<{ readonly url: string }> =>
        prove(shortId, async (purchase) => {
          const credentials = await unlock.credentials();
          const sent = { ...input, ...credentials, ...purchase } as RequestInput<typeof name>;
          return await call((signal) => api.call(name, sent, { signal }));
        });
      try {
        return (await request()).url;
      } catch (error) {
        // A purchase token of another share does not open this one.
        if (!(error instanceof AppError) || error.code !== "UNLOCK_REQUIRED" || unlock.isUnlocked()) throw error;
        await unlock.renew();
        return (await request()).url;
      }
    },
  };
}

/** Calls without a proof of purchase, for a caller that has bought nothing. */
export const withoutPurchase: PurchaseProof["prove"] = (_, call) => call({});

interface Waiting {
  readonly signal: AbortSignal;
  readonly waitsForScan: boolean;
  onWait(reason: string): void;
}

const POLL_MS = [1000, 1000, 2000, 3000, 5000];

/**
 * Waits until every chosen file has arrived and its scan has ended. Throws SCAN_PENDING without `waitsForScan`. Resolves to the last state of the
 * share.
 */
export async function waitForScan(share: OpenShare, ids: ReadonlySet<string> | undefined, waiting: Waiting): Promise<ShareContents> {
  let { details } = share;
  for (let tries = 0; ; tries += 1) {
    const undecided = filesOf(details).filter(
      (file) => (ids?.has(file.id) ?? true) && (file.uploading || file.scanStatus === "pending" || file.scanStatus === "scanning"),
    );
    const [first] = undecided;
    if (first === undefined) break;
    const reason = first.uploading ? "The sender's upload has not finished" : "The scan of the file has not finished";
    if (!waiting.waitsForScan)
      throw new AppError("SCAN_PENDING", `${reason}. Try again in about 15 seconds.`, {
        fields: { scanPending: true },
        retryAfterSeconds: 15,
      });
    waiting.onWait(`${reason}. Waiting`);
    await sleep(POLL_MS[Math.min(tries, POLL_MS.length - 1)], undefined, { signal: waiting.signal });
    details = await share.refresh();
  }
  waiting.onWait("");
  return details;
}

export interface OfferedFile extends FileAttributes {
  readonly id: string;
  readonly name: string;
  readonly relativePath: string | null;
  readonly sizeBytes: number;
  readonly sha256: string | undefined;
  readonly scanStatus: ShareContents["scanStatus"];
  readonly uploading: boolean;
  /** Whether the sender encrypted the file. Servers of earlier versions do not say. */
  readonly isEncrypted: boolean;
}

/** Lists the files of a share, in the order of its archive. */
export function filesOf({
  kind,
  id,
  name,
  size_bytes,
  sha256,
  scanStatus,
  uploading,
  encrypted,
  files,
  ...attributes
}: ShareContents): readonly OfferedFile[] {
  const isEncrypted = encrypted === true;
  if (kind === "file")
    return [
      {
        ...{
          id: checkId(id),
          name,
          relativePath: null,
          sizeBytes: size_bytes,
          sha256: sha256 ?? undefined,
          scanStatus,
          uploading,
          isEncrypted,
        },
        ...toAttributes(attributes),
      },
    ];
  return (files ?? []).map((file) => ({
    id: checkId(file.id),
    name: file.name,
    relativePath: file.relativePath,
    sizeBytes: file.size_bytes,
    sha256: file.sha256 ?? undefined,
    scanStatus: file.scanStatus,
    uploading: file.uploading,
    isEncrypted: file.encrypted === true,
    ...toAttributes(file),
  }));
}

/** Converts the attributes of a file. Servers of earlier versions do not send them. */
function toAttributes({ modifiedAt, executable }: Partial<Pick<ShareContents, "modifiedAt" | "executable">>): FileAttributes {
  const modifiedMs = Date.parse(modifiedAt ?? "");
  return { modifiedMs: Number.isNaN(modifiedMs) ? undefined : modifiedMs, isExecutable: executable === true };
}

const SAFE_ID = /^[0-9A-Za-z]{1,64}$/;

/** Checks the ID of a file. It becomes the name of an unfinished file, so it must not be a path. Throws UNAVAILABLE. */
function checkId(id: string): string {
  if (SAFE_ID.test(id)) return id;
  throw new AppError("UNAVAILABLE", "The server sent a file ID that has other characters than letters and digits. Check its address.");
}
