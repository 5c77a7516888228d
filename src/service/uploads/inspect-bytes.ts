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

/** The files that are accepted. */
interface Acceptance {
  /** Whether only encrypted files are accepted, because a request has a key. */
  readonly isEncryptedOnly?: boolean | undefined;
}

/**
 * Inspects the first bytes of a file; no other function does so (encryption, "Encrypted files"). Throws ENCRYPTED_REFUSED if they are encrypted and
 * the server does not accept encrypted files, ENCRYPTION_REQUIRED if they are not and only encrypted files are accepted.
 */
export async function inspectBytes(ctx: InspectCtx, head: Uint8Array, hints: ContentTypeHints & Acceptance): Promise<InspectedBytes> {
  checkAccepted(ctx, head, hints);
  // Neither the declared type nor the name describes encrypted bytes.
  if (hasAgeHeader(head)) return { contentType: UNKNOWN_TYPE, isEncrypted: true };
  return { contentType: await detectContentType(head, hints), isEncrypted: false };
}

/** Throws as `inspectBytes` does, before the rest of a file arrives. */
export function checkAccepted({ config }: InspectCtx, head: Uint8Array, { isEncryptedOnly = false }: Acceptance): void {
  if (!hasAgeHeader(head)) {
    if (isEncryptedOnly) throw encryptionRequired();
    return;
  }
  if (config.acceptsEncrypted) return;
  throw new AppError(
    "ENCRYPTED_REFUSED",
    "This server does not accept encrypted files, because it cannot check them. Send the file unencrypted.",
  );
}

export const encryptionRequired = (): AppError =>
  new AppError(
    "ENCRYPTION_REQUIRED",
    "This request accepts only files that are encrypted to its key. Send them on its page, or with `filehost up --request`.",
  );

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
