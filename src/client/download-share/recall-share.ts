import { AppError } from "../../errors.ts";
import type { DownloadRecords } from "../records/download-records.ts";
import { type OpenShare, openShare, type ShareContents, type ShareTarget } from "./open-share.ts";
import { nameAt } from "./server-name.ts";
import type { UnlockAccess } from "./unlock.ts";

/** A share with the files that an earlier try of its download saw. The server may hide some of them now. */
export interface RecalledShare extends OpenShare {
  /** Remembers a limited share before its downloads are counted. */
  remember(details: ShareContents): Promise<void>;
  /** Forgets files that are saved; all files if `ids` is undefined. */
  forget(ids: ReadonlySet<string> | undefined): Promise<void>;
}

/**
 * Opens a share. The server hides a limited file once its last download is counted, and finally the share, so an earlier try continues with the files
 * that it saw. Throws the server's error.
 */
export async function recallShare(access: UnlockAccess, target: ShareTarget, records: DownloadRecords): Promise<RecalledShare> {
  const server = await access.api.discoverServer(access.signal);
  const toSubject = (kind: string, id: string): string => nameAt(server, access, `${kind}:${id}`);
  const own = target.kind === "share" ? toSubject("share", target.shortId) : toSubject("private", target.handoffToken);
  const earlier = await records.findShare(own);
  const share = await openShare(access, target).catch((error: unknown) => {
    if (earlier === undefined || !(error instanceof AppError) || !ENDED.has(error.code)) throw error;
    return endedShare(withReadyFiles(earlier), error);
  });
  const merge = (details: ShareContents): ShareContents => (earlier === undefined ? details : withEarlierFiles(details, earlier));
  const subjects = [...new Set([own, toSubject("share", share.details.short_id)])];
  let remembered = earlier;
  return {
    ...share,
    details: merge(share.details),
    refresh: async () => merge(await share.refresh()),
    async remember(details) {
      if (!details.downloadsLimited) return;
      remembered = details;
      for (const subject of subjects) await records.saveShare(subject, details);
    },
    async forget(ids) {
      if (remembered === undefined) return;
      const files = (remembered.files ?? []).filter(({ id }) => ids !== undefined && !ids.has(id));
      const left = { ...remembered, files };
      for (const subject of subjects) await (files.length === 0 ? records.forgetShare(subject) : records.saveShare(subject, left));
    },
  };
}

/** Codes with which the server refuses an ended share and its private link. */
const ENDED = new Set(["NOT_FOUND", "UNLOCK_INVALID"]);

/** Makes a share that the server hides. Calls that need the share fail with the server's error. */
function endedShare(details: ShareContents, error: AppError): OpenShare {
  const fail = async (): Promise<never> => {
    throw error;
  };
  return { details, refresh: async () => details, credentials: async () => ({}), call: fail };
}

type SharedFile = NonNullable<ShareContents["files"]>[number];

const isReady = ({ scanStatus, uploading }: SharedFile): boolean => scanStatus === "clean" && !uploading;

const withReadyFiles = (details: ShareContents): ShareContents =>
  details.files ? { ...details, files: details.files.filter(isReady) } : details;

/** Adds the earlier files that are no longer in the share. */
function withEarlierFiles(details: ShareContents, earlier: ShareContents): ShareContents {
  if (!details.downloadsLimited || details.short_id !== earlier.short_id || !details.files || !earlier.files) return details;
  const ids = new Set(details.files.map(({ id }) => id));
  return { ...details, files: [...details.files, ...earlier.files.filter((file) => !ids.has(file.id) && isReady(file))] };
}
