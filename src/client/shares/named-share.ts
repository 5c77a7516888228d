import { readAlias } from "../../contract/alias-form.ts";
import { AppError } from "../../errors.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import { ClientError } from "../client-error.ts";
import type { AnonymousShare, ShareRecords } from "../records/share-records.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { parseShareSubject, shareLinkOf } from "./subject.ts";

/** A caller at one server: with a key, with remembered tokens, or without either. */
export interface SharingCaller {
  readonly api: RemoteApi;
  /** The address of the server. */
  readonly url: string;
  readonly hasKey: boolean;
  readonly shares: ShareRecords;
}

/** A share, or a file of it, that an ID or a link names. */
export interface NamedShare {
  /** The name of the share or the file in the inputs of operations. */
  readonly name: { readonly shortId: string } | { readonly fileId: string };
  /** The share as this device remembers it. */
  readonly remembered: AnonymousShare | undefined;
}

/**
 * Finds the share that an ID or a link names. Throws VALIDATION_FAILED for a folder, and the server's error for a private link that opens nothing.
 */
export async function findNamedShare({ api, url, shares }: SharingCaller, text: string): Promise<NamedShare> {
  const subject = parseShareSubject(text);
  if (subject.kind === "folder")
    throw new ClientError("VALIDATION_FAILED", `${subject.folderId} is the ID of a folder.`, {
      advice: [{ kind: "listFolder", folderId: subject.folderId }],
    });
  if (subject.kind === "private") {
    const { shortId } = await api.call("unlockDownload", { handoffToken: subject.handoffToken });
    return { name: { shortId }, remembered: await shares.find(shortId, url) };
  }
  if (subject.kind === "file") return { name: { fileId: subject.fileId }, remembered: await shares.find(subject.fileId, url) };
  const shortId = await findShortId(api, subject.shortId);
  return { name: { shortId }, remembered: await shares.find(shortId, url) };
}

/** Finds the short ID of an alias, because this device remembers shares by their short IDs. Rejects with NOT_FOUND for an unknown alias. */
async function findShortId(api: Pick<RemoteApi, "call">, id: string): Promise<string> {
  return readAlias(id) === undefined ? id : (await api.call("getShare", { shortId: id })).short_id;
}

export type ShareSettings = Output<"updateShareSettings">;
export type SettingsChange = Omit<RequestInput<"updateShareSettings">, "fileId" | "shortId" | "claimToken">;

/**
 * Changes settings of a share and resolves to its current ones; without a change, only reads them. `token` is its claim token; default: the
 * remembered one, otherwise the key. Rejects with the server's error.
 */
export async function changeShareSettings(
  caller: SharingCaller,
  { name, remembered }: NamedShare,
  change: SettingsChange,
  token?: string,
): Promise<ShareSettings> {
  if (token === undefined && remembered?.unfinishedUpload)
    throw new ClientError("CONFLICT", "The upload of this share has not finished.", {
      advice: [{ kind: "finishUpload", shortId: remembered.shortId }],
    });
  const input = remembered === undefined ? name : { shortId: remembered.shortId };
  const claimToken = token ?? remembered?.claimToken;
  const call = (proof: { readonly claimToken?: string | undefined }): Promise<ShareSettings> =>
    caller.api.call("updateShareSettings", { ...input, ...change, ...proof });
  try {
    const settings = await call({ claimToken });
    // The settings may contain a code that is shown once, so a record that cannot be written must not hide them.
    if (remembered) await caller.shares.update(remembered, { expiresAt: settings.expiresAt }).catch(() => undefined);
    return settings;
  } catch (error) {
    const wasClaimed = token === undefined && remembered !== undefined && error instanceof AppError && error.code === "CONFLICT";
    if (!wasClaimed || !caller.hasKey) throw error;
    return await call({});
  }
}

/** Finds the link of the share that an ID names. The link of an encrypted share that this device sent has its key. Throws NOT_FOUND. */
export async function getShareLink(caller: SharingCaller, text: string): Promise<string> {
  const { name, remembered } = await findNamedShare(caller, text);
  if (remembered) return withFragment(remembered.url, remembered);
  if ("shortId" in name) return await shareLinkOf(caller.api, name.shortId);
  return (await caller.api.call("getFile", name)).shareUrl;
}

/** Adds the key of an encrypted share to its link, if this device remembers the key. */
export const withFragment = (link: string, remembered: AnonymousShare | undefined): string =>
  remembered?.fragmentKey === undefined ? link : `${link}#${remembered.fragmentKey}`;
