import type { Ctx } from "../../context.ts";

/**
 * `download`: issued for a download that was counted; `uploader`: the uploader's own, which on a limited share counts when it is used.
 */
export type UrlPurpose = "download" | "uploader";

/** What a signature is over; the query carries it so that nothing has to be kept. */
export interface SignedParameters {
  readonly purpose: UrlPurpose;
  readonly untilMs: number;
  /** The grant that bounds what is delivered; empty where the share has no limit. */
  readonly grantId: string;
  readonly signature: string;
}

interface Signable {
  readonly file: { readonly id: string; readonly name: string };
  readonly share: { readonly generation: number; readonly expires_at: number | null };
  readonly purpose: UrlPurpose;
  readonly untilMs: number;
  readonly grantId?: string;
}

const PURPOSE_CODE: Readonly<Record<UrlPurpose, string>> = { download: "d", uploader: "u" };

/** An address of this server that delivers a file until `untilMs`, and never beyond the share's own end. */
export function signDownloadUrl(ctx: Pick<Ctx, "addresses" | "keyring">, signable: Signable): string {
  const { file, share, purpose, grantId = "" } = signable;
  const untilMs = Math.min(signable.untilMs, share.expires_at ?? Number.POSITIVE_INFINITY);
  const until = Math.floor(untilMs / 1000).toString(36);
  const signature = ctx.keyring.sign(signedText(file.id, share.generation, { code: PURPOSE_CODE[purpose], until, grantId }));
  const grant = grantId === "" ? "" : `&g=${grantId}`;
  return `${ctx.addresses.contentUrl}/dl/${file.id}/${encodeURIComponent(file.name)}?p=${PURPOSE_CODE[purpose]}&e=${until}${grant}&s=${signature}`;
}

/** Reads the query of a signed address; undefined where it has not that form. */
export function readSignedParameters(query: URLSearchParams): SignedParameters | undefined {
  const code = query.get("p");
  const until = query.get("e") ?? "";
  const signature = query.get("s");
  if ((code !== "d" && code !== "u") || !/^[0-9a-z]{1,10}$/.test(until) || !signature) return undefined;
  return {
    purpose: code === "d" ? "download" : "uploader",
    untilMs: Number.parseInt(until, 36) * 1000,
    grantId: query.get("g") ?? "",
    signature,
  };
}

/** Whether the address was issued by this server for this file, under the share's present protection. */
export function isSigned(ctx: Pick<Ctx, "keyring">, fileId: string, generation: number, parameters: SignedParameters): boolean {
  const until = Math.floor(parameters.untilMs / 1000).toString(36);
  const text = signedText(fileId, generation, { code: PURPOSE_CODE[parameters.purpose], until, grantId: parameters.grantId });
  return ctx.keyring.verify(text, parameters.signature);
}

function signedText(
  fileId: string,
  generation: number,
  { code, until, grantId }: { code: string; until: string; grantId: string },
): string {
  return ["download", fileId, generation, code, until, grantId].join("\n");
}
