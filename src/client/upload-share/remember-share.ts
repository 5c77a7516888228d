import type { Output } from "../../service/contract.ts";
import type { ShareRecords } from "../records/share-records.ts";
import type { BegunUpload } from "../upload-file/active-upload.ts";
import type { LocalFile } from "../upload-file/local-file.ts";
import type { UpContext, UpOptions } from "./up-options.ts";

/** Remembers an anonymous file whose upload has begun, so that the share of an interrupted upload can be listed and removed. */
export async function rememberUnfinished(
  open: BegunUpload,
  file: LocalFile,
  { into, transform }: UpOptions,
  context: UpContext,
): Promise<void> {
  if (context.hasKey || into !== undefined) return;
  const { shortId, shareUrl, fileId, expiresAt, uploadId, key } = open;
  await remember(context, {
    ...{ shortId, url: shareUrl, name: file.name, sizeBytes: file.sizeBytes, expiresAt, fileIds: [fileId] },
    ...{ fragmentKey: transform?.fragmentKey, unfinishedUpload: { uploadId, key } },
  });
}

/** Remembers a stored anonymous file, or its membership in a share of this device. */
export async function rememberFile(uploaded: Output<"uploadFile">, { into, transform }: UpOptions, context: UpContext): Promise<void> {
  const { id, shortId, name, size, expiresAt, claimToken, deletionToken } = uploaded;
  if (into !== undefined) await rememberAdded(context, into.shortId, [{ id, sizeBytes: size }]);
  if (uploaded.isAnonymous && into === undefined)
    await remember(context, {
      ...{ shortId, name, sizeBytes: size, expiresAt, fileIds: [id], claimToken, deletionToken },
      ...{ url: uploaded.shareUrl, fragmentKey: transform?.fragmentKey },
    });
}

export type Remembered = Omit<Parameters<ShareRecords["add"]>[0], "server" | "createdAt">;

export async function remember({ shares, url, events }: UpContext, share: Remembered): Promise<void> {
  try {
    await shares.add({ ...share, server: url, createdAt: new Date().toISOString() });
  } catch {
    events.onNote("The share could not be remembered on this device, so other commands cannot change or delete it.");
  }
}

/** Adds files to the remembered share of this device to which they were sent. */
export async function rememberAdded(
  { shares, url }: UpContext,
  shortId: string,
  added: readonly { readonly id: string; readonly sizeBytes: number }[],
): Promise<void> {
  const share = await shares.find(shortId, url);
  if (share === undefined) return;
  await shares.update(share, ({ fileIds, sizeBytes }) => {
    const fresh = added.filter(({ id }) => !fileIds.includes(id));
    return {
      fileIds: [...fileIds, ...fresh.map(({ id }) => id)],
      sizeBytes: fresh.reduce((sum, file) => sum + file.sizeBytes, sizeBytes),
    };
  });
}
