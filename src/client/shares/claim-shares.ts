import { invalidField } from "../../errors.ts";
import { ClientError } from "../client-error.ts";
import type { AnonymousShare, ShareRecords } from "../records/share-records.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { isSameServer, parseShareLink } from "../server/server-address.ts";

interface Claims {
  readonly api: RemoteApi;
  /** The server's address. */
  readonly url: string;
  readonly shares: ShareRecords;
}

export interface ClaimedShare {
  readonly shortId: string;
  readonly url: string;
  readonly name: string;
}

/** Lists the shares of this device that an account can claim at a server, oldest first. */
export async function listClaimable({ url, shares }: Pick<Claims, "url" | "shares">): Promise<readonly AnonymousShare[]> {
  return (await shares.list()).filter((share) => share.claimToken !== undefined && isSameServer(share.server, url)).toReversed();
}

/**
 * Claims an anonymous share for the account of the key (sharing, "Claiming"), with `token` or the remembered claim token. Forgets the share
 * afterwards. Rejects with the server's error, or NOT_FOUND for a share that is not remembered.
 */
export async function claimShare({ api, url, shares }: Claims, idOrUrl: string, token?: string): Promise<ClaimedShare> {
  const remembered = await shares.find(idOrUrl, url);
  const id = parseShareLink(idOrUrl)?.id ?? idOrUrl.trim();
  const claimToken = token ?? remembered?.claimToken;
  if (claimToken === undefined)
    throw new ClientError("NOT_FOUND", `This device has no claim token for ${id}.`, { advice: [{ kind: "passClaimToken" }] });
  const { fileId, name } = remembered ? nameOf(remembered) : await resolveFile(api, id);
  if (fileId === undefined) throw invalidField("ID", "The share has no file yet. Wait until it is uploaded.");
  const { shortCode } = await api.call("claimFile", { fileId, claimToken });
  if (remembered) await shares.forget(remembered);
  const { siteUrl } = await api.discoverServer();
  return { shortId: shortCode, url: `${siteUrl}/d/${shortCode}`, name };
}

const nameOf = ({ fileIds, shortId, name }: AnonymousShare) => ({ fileId: fileIds.length === 1 ? fileIds[0] : shortId, name });

/** Finds the ID of the only file of a share, or the ID of a shipment; returns IDs of files unchanged. */
async function resolveFile(api: RemoteApi, id: string): Promise<{ readonly fileId: string; readonly name: string }> {
  if (id.length > 12) return { fileId: id, name: id };
  const share = await api.call("getShare", { shortId: id });
  return { fileId: share.kind === "file" ? share.id : share.short_id, name: share.name };
}
