import { freeChunk } from "../chunk-memory.ts";
import { describeBytes } from "../domain/tiers.ts";
import { AppError } from "../errors.ts";
import type { HttpContext } from "./env.ts";
import { receiveBody } from "./receive-body.ts";

/** The body's announced size in bytes; undefined where the sender does not say. */
export function declaredBytes(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

/** Whether nothing was sent as a body, not even an announcement of one. */
export const isEmpty = (request: Request): boolean => request.body === null || declaredBytes(request) === 0;

/**
 * The body as `receiveBody` gives it, for a reader that is done with each chunk when it asks for the next one, and keeps none: the memory of a chunk is freed then.
 */
export async function* streamBodyOnce(c: HttpContext): AsyncGenerator<Uint8Array> {
  for await (const chunk of receiveBody(c)) {
    yield chunk;
    freeChunk(chunk);
  }
}

/** The whole body, at most `maxBytes`; `tooLarge` is thrown before anything past that is read. */
export async function readBody(c: HttpContext, maxBytes: number, tooLarge = bodyTooLarge(maxBytes)): Promise<Uint8Array<ArrayBuffer>> {
  if ((declaredBytes(c.req.raw) ?? 0) > maxBytes) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of receiveBody(c)) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  const body = new Uint8Array(sizeBytes);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}

function bodyTooLarge(maxBytes: number): AppError {
  return new AppError("BODY_TOO_LARGE", `The body of this request may have ${describeBytes(maxBytes)} at most.`);
}
