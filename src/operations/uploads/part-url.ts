import type { Ctx } from "../../context.ts";

export interface PartAddress {
  readonly sessionKey: string;
  readonly partNumber: number;
  readonly sha256: string;
  readonly untilMs: number;
}

/** An address of this server that takes one part, with the digest bound into it. */
export function signPartUrl(ctx: Pick<Ctx, "addresses" | "keyring">, part: PartAddress): string {
  const until = Math.floor(part.untilMs / 1000).toString(36);
  return `${ctx.addresses.contentUrl}/up/${part.sessionKey}/${part.partNumber}?d=${part.sha256}&e=${until}&s=${ctx.keyring.sign(signedText(part))}`;
}

/** Reads and checks a part's address; undefined where this server did not issue it, or where its time is over. */
export function readPartAddress(
  ctx: Pick<Ctx, "keyring" | "now">,
  { sessionKey, partNumber, query }: { sessionKey: string; partNumber: string; query: URLSearchParams },
): PartAddress | undefined {
  const until = query.get("e") ?? "";
  if (!/^[0-9a-z]{1,10}$/.test(until) || !/^\d{1,5}$/.test(partNumber)) return undefined;
  const address = { sessionKey, partNumber: Number(partNumber), sha256: query.get("d") ?? "", untilMs: Number.parseInt(until, 36) * 1000 };
  if (!ctx.keyring.verify(signedText(address), query.get("s") ?? "")) return undefined;
  return ctx.now() < address.untilMs ? address : undefined;
}

function signedText({ sessionKey, partNumber, sha256, untilMs }: PartAddress): string {
  return ["part", sessionKey, partNumber, sha256, Math.floor(untilMs / 1000)].join("\n");
}
