import type { Ctx } from "../../context.ts";
import { type SignedToken, signToken, verifyToken } from "../../lib/secrets/signed-token.ts";

/**
 * The purpose of a signed URL. `download`: issued for a counted download; `uploader`: issued to the uploader, and counted on use if the share is
 * limited.
 */
export type UrlPurpose = "download" | "uploader";

/** The parameters in the query of a signed URL. */
export interface SignedParameters extends SignedToken {
  readonly purpose: UrlPurpose;
  /** The download grant of a limited share; empty if the share has no limit. */
  readonly grantId: string;
  /** The purchase that the URL was issued for; empty without one. A refund ends the URL. */
  readonly purchaseId: string;
}

interface Signable {
  readonly file: { readonly id: string; readonly name: string };
  readonly share: { readonly credentials_version: number; readonly expires_at: number | null };
  readonly purpose: UrlPurpose;
  readonly expiresAtMs: number;
  readonly grantId?: string;
  readonly purchaseId?: string;
}

const PURPOSE_CODE: Readonly<Record<UrlPurpose, string>> = { download: "d", uploader: "u" };

/** Signs a URL of this server for downloading a file. It expires at `expiresAtMs`, or with the share if that is earlier. */
export function signDownloadUrl(ctx: Pick<Ctx, "urls" | "keyring">, signable: Signable): string {
  const { file, share, purpose, grantId = "", purchaseId = "" } = signable;
  const expiresAtMs = Math.min(signable.expiresAtMs, share.expires_at ?? Number.POSITIVE_INFINITY);
  const fields = signedFields(file.id, share.credentials_version, { purpose, grantId, purchaseId });
  const { expiry, signature } = signToken(ctx.keyring, "download", fields, Math.floor(expiresAtMs / 1000));
  const grant = grantId === "" ? "" : `&g=${grantId}`;
  const purchase = purchaseId === "" ? "" : `&b=${purchaseId}`;
  return `${ctx.urls.contentUrl}/dl/${file.id}/${encodeURIComponent(file.name)}?p=${PURPOSE_CODE[purpose]}&e=${expiry}${grant}${purchase}&s=${signature}`;
}

/** Reads the query of a signed URL; undefined if it is malformed. */
export function readSignedParameters(query: URLSearchParams): SignedParameters | undefined {
  const code = query.get("p");
  const expiry = query.get("e");
  const signature = query.get("s");
  if ((code !== "d" && code !== "u") || !expiry || !signature) return undefined;
  const purpose = code === "d" ? "download" : "uploader";
  return { purpose, expiry, grantId: query.get("g") ?? "", purchaseId: query.get("b") ?? "", signature };
}

/**
 * Verifies the signature of a URL. Returns its expiry in milliseconds since 1970, even if it has passed; undefined if this server did not issue it
 * for this file and the share's current credentials.
 */
export function verifyDownloadUrl(
  ctx: Pick<Ctx, "keyring">,
  fileId: string,
  credentialsVersion: number,
  parameters: SignedParameters,
): number | undefined {
  const expiresAtSeconds = verifyToken(ctx.keyring, "download", signedFields(fileId, credentialsVersion, parameters), parameters);
  return expiresAtSeconds === undefined ? undefined : expiresAtSeconds * 1000;
}

const signedFields = (
  fileId: string,
  credentialsVersion: number,
  { purpose, grantId, purchaseId }: Pick<SignedParameters, "purpose" | "grantId" | "purchaseId">,
) => [fileId, credentialsVersion, purpose, grantId, ...(purchaseId === "" ? [] : [purchaseId])];
