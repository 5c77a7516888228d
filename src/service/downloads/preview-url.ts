import type { Ctx } from "../../context.ts";
import { signToken, toSignedQuery, verifyToken } from "../../lib/secrets/signed-token.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";

/** Validity of a preview's URL (limits, "Times"). */
const PREVIEW_URL_MS = 15 * MINUTE_MS;

/** The common path prefix of all previews. */
export const PREVIEW_PATH = "/pv/";

interface PreviewUrls {
  /** The URL of the file's bytes. */
  readonly bytesUrl: string;
  /** The URL of the reduced image of a file that has one. */
  readonly reducedUrl: string;
  /** The URL of a document of this server that shows the file. */
  readonly documentUrl: string;
}

interface Signable {
  readonly file: { readonly id: string; readonly name: string };
  readonly share: { readonly credentials_version: number; readonly expires_at: number | null };
}

/** The parameter, without a signature, that asks for the reduced image in place of the file's bytes. */
export const REDUCED_PARAMETER = "reduced";

/** Signs the URLs of a file's preview, which have the same signature (previews, "Signed URLs"). */
export function signPreviewUrls(ctx: Pick<Ctx, "urls" | "keyring" | "now">, signable: Signable): PreviewUrls {
  const { file } = signable;
  const base = `${ctx.urls.contentUrl}${PREVIEW_PATH}${file.id}`;
  const query = signQuery(ctx, signable);
  const bytesUrl = `${base}/${encodeURIComponent(file.name)}${query}`;
  return { bytesUrl, reducedUrl: `${bytesUrl}&${REDUCED_PARAMETER}=1`, documentUrl: base + query };
}

/** Signs the path, on this site, of the bytes of an encrypted file, which the page decrypts for a preview. */
export const signEncryptedPath = (
  ctx: Pick<Ctx, "keyring" | "now">,
  signable: Signable & { readonly share: { readonly short_id: string } },
): string => `/d/${signable.share.short_id}/encrypted/${signable.file.id}${signQuery(ctx, signable)}`;

function signQuery(ctx: Pick<Ctx, "keyring" | "now">, { file, share }: Signable): string {
  // Rounds to a whole minute, so that a page that is rendered again shows the same URL.
  const latestMs = Math.floor((ctx.now() + PREVIEW_URL_MS) / MINUTE_MS) * MINUTE_MS;
  const expiresAtMs = Math.min(latestMs, share.expires_at ?? Number.POSITIVE_INFINITY);
  const fields = [file.id, share.credentials_version];
  return toSignedQuery(signToken(ctx.keyring, "preview", fields, Math.floor(expiresAtMs / 1000)));
}

/** Returns whether the query of a preview's URL was signed for this file and the share's current credentials, and has not expired. */
export function isPreviewUrlValid(ctx: Pick<Ctx, "keyring" | "now">, { file, share }: Signable, query: URLSearchParams): boolean {
  const token = { expiry: query.get("e") ?? "", signature: query.get("s") ?? "" };
  const expiresAtSeconds = verifyToken(ctx.keyring, "preview", [file.id, share.credentials_version], token);
  return expiresAtSeconds !== undefined && ctx.now() < expiresAtSeconds * 1000;
}
