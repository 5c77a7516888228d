import { AppError } from "../../errors.ts";
import type { Output } from "../../service/contract.ts";
import {
  changeShareSettings,
  findNamedShare,
  type NamedShare,
  type ShareSettings,
  type SharingCaller,
  withFragment,
} from "./named-share.ts";
import { parseShareSubject, shareLinkOf } from "./subject.ts";

type Info = Extract<Output<"getFileInfo">["result"][number], { status: 200 }>;

/** The data of a share that a caller may see. */
export interface ShareDescription {
  readonly shortId: string;
  readonly link: string;
  /** The share; null if it has ended. */
  readonly share: Output<"getShare"> | null;
  /** The response of `GET /files/info`; null if it does not know the share. */
  readonly info: Info | null;
  /** The settings, for the owner or the holder of the claim token; null for others. */
  readonly settings: ShareSettings | null;
  /** The last downloads, newest first, for the owner. Null for others. */
  readonly downloads: Output<"listShareDownloads">["data"] | null;
  /** The number of sales without refunded ones, for the owner; at most 200 are counted. Null for others, and for a share without a price. */
  readonly sales: number | null;
  /** The named file, for its owner. Null for others, and for a share. */
  readonly file: Output<"getFile"> | null;
}

/** The unlock code and the claim token with which a caller sees a share that is not its own. */
export interface ShareCredentials {
  readonly code?: string | undefined;
  /** A claim token. */
  readonly token?: string | undefined;
}

const DOWNLOADS = 10;
const MAX_SALES = 200;

/**
 * Describes the share or file that an ID or a link names. Throws NOT_FOUND if the caller may not see any of its data, and the error of a wrong code
 * or token.
 */
export async function describeShare(
  caller: SharingCaller,
  text: string,
  { code, token }: ShareCredentials = {},
): Promise<ShareDescription> {
  const { api } = caller;
  const subject = parseShareSubject(text);
  const unlocked = subject.kind === "private" ? await api.call("unlockDownload", { handoffToken: subject.handoffToken }) : undefined;
  const named: NamedShare =
    unlocked === undefined
      ? await findNamedShare(caller, text)
      : { name: { shortId: unlocked.shortId }, remembered: await caller.shares.find(unlocked.shortId, caller.url) };
  const file = "fileId" in named.name && caller.hasKey ? await ifAllowed(api.call("getFile", named.name)) : null;
  const settings = await findSettings(caller, named, token);
  const shortId =
    settings?.shortId ?? file?.shortId ?? named.remembered?.shortId ?? ("shortId" in named.name ? named.name.shortId : undefined);
  if (shortId === undefined) throw unknownShare();
  const [share, info, downloads, sales] = await Promise.all([
    openShare(api, { shortId, unlockToken: unlocked?.unlockToken }, code),
    findInfo(caller, shortId),
    caller.hasKey && settings !== null ? ifAllowed(api.call("listShareDownloads", { shortId, limit: DOWNLOADS })) : null,
    caller.hasKey && settings?.priceCents != null ? ifAllowed(api.call("listSales", { shortId, limit: MAX_SALES })) : null,
  ]);
  if (share === null && info === null && settings === null) throw unknownShare();
  return {
    shortId,
    link: withFragment(await shareLinkOf(api, settings?.alias ?? shortId), named.remembered),
    share,
    info,
    settings,
    downloads: downloads?.data ?? null,
    sales: sales?.data.filter(({ state }) => state === "paid").length ?? null,
    file,
  };
}

/** Opens the public page of a share; with its code, this includes the data that the code protects. Throws the error of a wrong code. */
async function openShare(
  api: SharingCaller["api"],
  { shortId, unlockToken }: { readonly shortId: string; readonly unlockToken: string | undefined },
  code: string | undefined,
): Promise<Output<"getShare"> | null> {
  const share = await ifAllowed(api.call("getShare", { shortId, unlockToken }));
  if (!share?.unlockRequired || code === undefined || unlockToken !== undefined) return share;
  const unlocked = await api.call("unlockDownload", { shortId, unlockCode: code });
  return await ifAllowed(api.call("getShare", { shortId, unlockToken: unlocked.unlockToken }));
}

const unknownShare = (): AppError =>
  new AppError(
    "NOT_FOUND",
    "The share was not found or has expired. Pass its link or short ID; a file's ID works with the key of its owner.",
  );

/** Finds the settings of a share; null if the caller may not change it. Rejects if a wrong token was passed. */
async function findSettings(caller: SharingCaller, named: NamedShare, token: string | undefined): Promise<ShareSettings | null> {
  if (token !== undefined) return await changeShareSettings(caller, named, {}, token);
  if (!caller.hasKey && named.remembered?.claimToken === undefined) return null;
  return await ifAllowed(changeShareSettings(caller, named, {}));
}

async function findInfo({ api }: SharingCaller, shortId: string): Promise<Info | null> {
  const { result } = await api.call("getFileInfo", { file_code: shortId });
  const [info] = result;
  return info?.status === 200 ? info : null;
}

/** Resolves to null if the server knows nothing for this caller. An invalid key is an error. */
async function ifAllowed<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AppError && (error.status === 403 || error.status === 404 || error.status === 409)) return null;
    throw error;
  }
}
