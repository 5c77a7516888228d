import { createHash } from "node:crypto";
import { AppError } from "../../errors.ts";
import { SNIFF_BYTES } from "./content-type.ts";

export interface MeasuredBody {
  /** The same bytes, in the same order; read it once, to its end. */
  readonly body: AsyncIterable<Uint8Array>;
  /** What is known when the end was reached. */
  result(): { readonly sizeBytes: number; readonly sha256: string; readonly head: Uint8Array };
}

export interface MeasureOptions {
  /** Bytes that were announced; the end before or after them is SIZE_MISMATCH. */
  readonly declaredBytes: number | undefined;
  /** Called before the first byte past it is passed on; answers how far it may go then, or throws. */
  readonly onGrowth: (sizeBytes: number) => Promise<number>;
  /** How far it may go without asking. */
  readonly allowedBytes: number;
}

/** Hashes and measures bytes on their way, and keeps the first ones for telling the type. */
export function measureBody(source: AsyncIterable<Uint8Array>, options: MeasureOptions): MeasuredBody {
  const hash = createHash("sha256");
  const head = new Uint8Array(SNIFF_BYTES);
  let sizeBytes = 0;
  let allowedBytes = options.allowedBytes;

  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      if (sizeBytes < SNIFF_BYTES) head.set(chunk.subarray(0, SNIFF_BYTES - sizeBytes), sizeBytes);
      sizeBytes += chunk.length;
      if (options.declaredBytes !== undefined && sizeBytes > options.declaredBytes) throw sizeMismatch(options.declaredBytes, sizeBytes);
      if (sizeBytes > allowedBytes) allowedBytes = await options.onGrowth(sizeBytes);
      hash.update(chunk);
      yield chunk;
    }
    if (options.declaredBytes !== undefined && sizeBytes !== options.declaredBytes) throw sizeMismatch(options.declaredBytes, sizeBytes);
  }

  return {
    body: pass(),
    result: () => ({ sizeBytes, sha256: hash.digest("hex"), head: head.subarray(0, Math.min(sizeBytes, SNIFF_BYTES)) }),
  };
}

function sizeMismatch(declaredBytes: number, sizeBytes: number): AppError {
  return new AppError("SIZE_MISMATCH", `The upload announced ${declaredBytes} bytes, but ${sizeBytes} arrived. Please send it again.`);
}
