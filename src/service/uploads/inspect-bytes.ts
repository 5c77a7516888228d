import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { hasAgeHeader } from "../../lib/formats/age-header.ts";
import { type ContentTypeHints, detectContentType, SNIFF_BYTES, UNKNOWN_TYPE } from "./content-type.ts";

/** The properties of a file that its first bytes show. */
export interface InspectedBytes {
  readonly contentType: string;
  /** Whether the sender encrypted the file in the age format, so that the server cannot read it. */
  readonly isEncrypted: boolean;
}

type InspectCtx = Pick<Ctx, "config">;

/**
 * Inspects the first bytes of a file; no other function does so (encryption, "Encrypted files"). Throws ENCRYPTED_REFUSED if they are encrypted and
 * the server does not accept encrypted files.
 */
export async function inspectBytes(ctx: InspectCtx, head: Uint8Array, hints: ContentTypeHints): Promise<InspectedBytes> {
  refuseEncrypted(ctx, head);
  // Neither the declared type nor the name describes encrypted bytes.
  if (hasAgeHeader(head)) return { contentType: UNKNOWN_TYPE, isEncrypted: true };
  return { contentType: await detectContentType(head, hints), isEncrypted: false };
}

/** Throws ENCRYPTED_REFUSED as `inspectBytes` does, before the rest of a file arrives. */
export function refuseEncrypted({ config }: InspectCtx, head: Uint8Array): void {
  if (config.acceptsEncrypted || !hasAgeHeader(head)) return;
  throw new AppError(
    "ENCRYPTED_REFUSED",
    "This server does not accept encrypted files, because it cannot check them. Send the file unencrypted.",
  );
}

/** Inspects a blob of `sizeBytes` bytes that is in the store. */
export async function inspectBlob(
  ctx: Pick<Ctx, "config" | "blobs">,
  { key, sizeBytes }: { readonly key: string; readonly sizeBytes: number },
  hints: ContentTypeHints,
): Promise<InspectedBytes> {
  const head = new Uint8Array(Math.min(SNIFF_BYTES, sizeBytes));
  let length = 0;
  for await (const chunk of ctx.blobs.read(key, { range: { start: 0, end: head.length } })) {
    head.set(chunk.subarray(0, head.length - length), length);
    length = Math.min(head.length, length + chunk.length);
  }
  return await inspectBytes(ctx, head.subarray(0, length), hints);
}
