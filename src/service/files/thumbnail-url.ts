import type { Ctx } from "../../context.ts";
import { signToken, toSignedQuery, verifyToken } from "../../lib/secrets/signed-token.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";

/**
 * The interval of expiries: URLs expire at a full hour, at least one hour after they were issued. A page that is opened again within the hour has the
 * same URLs, so the browser does not load the thumbnails again.
 */
const URL_STEP_MS = HOUR_MS;

/** The common path prefix of all thumbnails. */
export const THUMBNAIL_PATH = "/thumb/";

type SignedShare = { readonly credentials_version: number; readonly expires_at: number | null };

/** Signs the URL of a file's thumbnail (thumbnails, "Their URLs"). */
export function signThumbnailUrl(ctx: Pick<Ctx, "urls" | "keyring" | "now">, fileId: string, share: SignedShare): string {
  const roundedMs = (Math.floor(ctx.now() / URL_STEP_MS) + 2) * URL_STEP_MS;
  const expiresAtMs = Math.min(roundedMs, share.expires_at ?? Number.POSITIVE_INFINITY);
  const token = signToken(ctx.keyring, PURPOSE, [fileId, share.credentials_version], Math.floor(expiresAtMs / 1000));
  return `${ctx.urls.contentUrl}${THUMBNAIL_PATH}${fileId}${toSignedQuery(token)}`;
}

/**
 * Verifies the query of a thumbnail's URL. Returns its expiry in milliseconds since 1970, even if it has passed; undefined if the signature is
 * invalid.
 */
export function verifyThumbnailUrl(
  ctx: Pick<Ctx, "keyring">,
  fileId: string,
  credentialsVersion: number,
  query: URLSearchParams,
): number | undefined {
  const token = { expiry: query.get("e") ?? "", signature: query.get("s") ?? "" };
  const seconds = verifyToken(ctx.keyring, PURPOSE, [fileId, credentialsVersion], token);
  return seconds === undefined ? undefined : seconds * 1000;
}

const PURPOSE = "thumbnail";
