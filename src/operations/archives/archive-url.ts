import type { Ctx } from "../../context.ts";
import type { SharePolicy } from "../../db/deliveries.ts";

/** What an archive's address carries; it delivers the files that the share had at `issuedAtMs`. */
export interface ArchiveParameters {
  readonly issuedAtMs: number;
  readonly untilMs: number;
  /** Names the grants of a limited share's files; empty otherwise. */
  readonly grantId: string;
  readonly signature: string;
}

type Signable = Omit<ArchiveParameters, "signature">;

/** An address of this server that streams a share's files as one ZIP. */
export function signArchiveUrl(ctx: Pick<Ctx, "addresses" | "keyring">, share: SharePolicy, parameters: Signable): string {
  const query = new URLSearchParams({
    i: parameters.issuedAtMs.toString(36),
    e: parameters.untilMs.toString(36),
    g: parameters.grantId,
    s: ctx.keyring.sign(signedText(share.short_id, share.generation, parameters)),
  });
  return `${ctx.addresses.contentUrl}/ar/${share.short_id}.zip?${query}`;
}

/** Reads the query of an archive's address; undefined where it has not that form. */
export function readArchiveParameters(query: URLSearchParams): ArchiveParameters | undefined {
  const issued = query.get("i") ?? "";
  const until = query.get("e") ?? "";
  const signature = query.get("s");
  if (!/^[0-9a-z]{1,10}$/.test(issued) || !/^[0-9a-z]{1,10}$/.test(until) || !signature) return undefined;
  return { issuedAtMs: Number.parseInt(issued, 36), untilMs: Number.parseInt(until, 36), grantId: query.get("g") ?? "", signature };
}

/** Whether this server issued the address, under the share's present protection. */
export function isSignedArchive(
  ctx: Pick<Ctx, "keyring">,
  { shortId, generation }: { shortId: string; generation: number },
  parameters: ArchiveParameters,
): boolean {
  return ctx.keyring.verify(signedText(shortId, generation, parameters), parameters.signature);
}

const signedText = (shortId: string, generation: number, { issuedAtMs, untilMs, grantId }: Signable): string =>
  ["archive", shortId, generation, issuedAtMs, untilMs, grantId].join("\n");
