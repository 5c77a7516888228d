import { AppError } from "../../errors.ts";
import { freeChunk } from "../../lib/system/chunk-memory.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import type { Caller } from "../callers/rate-limit-keys.ts";
import type { HttpContext, HttpEnv } from "../routing/env.ts";
import type { BodyReservation } from "./body-memory.ts";
import { declaredBytes, type IncomingBody, receiveBody } from "./receive-body.ts";

/** A request whose body is read into memory. */
export interface BufferedBodySource extends IncomingBody {
  readonly env: IncomingBody["env"] & Pick<HttpEnv["Bindings"], "bodyMemory">;
}

/** A whole body in memory. Disposing of it releases its reservation of memory. */
export interface BufferedBody extends Disposable {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface ReadBodyOptions {
  readonly caller: Caller;
  readonly maxBytes: number;
  /** The error for a body that exceeds `maxBytes`; default: BODY_TOO_LARGE. */
  readonly tooLarge?: AppError;
}

/**
 * Reads a whole body of at most `maxBytes` into memory. Throws BODY_TOO_LARGE or `tooLarge`, UNAVAILABLE or RATE_LIMITED if there is no memory for
 * it, and REQUEST_TIMEOUT if the client is too slow.
 */
export async function readBody(
  source: BufferedBodySource,
  { caller, maxBytes, tooLarge = bodyTooLarge(maxBytes) }: ReadBodyOptions,
): Promise<BufferedBody> {
  const sizeBytes = declaredBytes(source.req.raw);
  if ((sizeBytes ?? 0) > maxBytes) throw tooLarge;
  const reservation = source.env.bodyMemory.open(caller);
  try {
    const bytes = await bufferChunks(source, { reservation, sizeBytes, maxBytes, tooLarge });
    return { bytes, [Symbol.dispose]: () => reservation[Symbol.dispose]() };
  } catch (error) {
    reservation[Symbol.dispose]();
    throw error;
  }
}

const MAX_PAGE_FORM_BYTES = 16 * 1024;

/** Reads the fields of a form that a page sends. Throws as `readBody` does. */
export async function readPageForm(c: HttpContext, caller: Caller, maxBytes = MAX_PAGE_FORM_BYTES): Promise<URLSearchParams> {
  using body = await readBody(c, { caller, maxBytes });
  return new URLSearchParams(new TextDecoder().decode(body.bytes));
}

/** Returns whether the request has no body or an empty one. Deno has a stream for each POST, even without a header that announces a body. */
export const isEmpty = (request: Request): boolean =>
  request.body === null ||
  declaredBytes(request) === 0 ||
  !(request.headers.has("content-length") || request.headers.has("transfer-encoding"));

interface BufferOptions {
  readonly reservation: BodyReservation;
  readonly sizeBytes: number | undefined;
  readonly maxBytes: number;
  readonly tooLarge: AppError;
}

/**
 * Copies the chunks into one growing buffer and frees them, because the runtime's chunks take more memory than their bytes. Reserves memory for the
 * whole declared size first, so that two half-read bodies do not wait for each other.
 */
async function bufferChunks(source: BufferedBodySource, options: BufferOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { reservation, sizeBytes, maxBytes, tooLarge } = options;
  let buffer = new Uint8Array();
  let filled = 0;
  if (sizeBytes !== undefined) await reserve(reservation, sizeBytes);
  for await (const chunk of receiveBody(source, source.env.bodyMemory.pace)) {
    const needed = filled + chunk.length;
    if (needed > maxBytes) throw tooLarge;
    if (needed > buffer.length) {
      const capacity = Math.max(needed, Math.min(2 * buffer.length, sizeBytes ?? maxBytes));
      if (capacity > (sizeBytes ?? 0)) await reserve(reservation, capacity);
      if (isWholeBody(chunk, sizeBytes)) buffer = chunk;
      else buffer = grow(buffer.subarray(0, filled), capacity);
    }
    if (buffer !== chunk) {
      buffer.set(chunk, filled);
      freeChunk(chunk);
    }
    filled = needed;
  }
  return buffer.length === filled ? buffer : buffer.subarray(0, filled);
}

/** Reserves memory, without a promise in the usual case, in which memory is free. */
async function reserve(reservation: BodyReservation, bytes: number): Promise<void> {
  if (!reservation.tryReserve(bytes)) await reservation.reserve(bytes);
}

/** Returns whether a chunk is the whole body and fills its buffer, as in most requests. */
const isWholeBody = (chunk: Uint8Array, sizeBytes: number | undefined): chunk is Uint8Array<ArrayBuffer> =>
  chunk.length === sizeBytes && chunk.buffer instanceof ArrayBuffer && chunk.byteLength === chunk.buffer.byteLength;

function grow(bytes: Uint8Array<ArrayBuffer>, capacity: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(capacity);
  larger.set(bytes);
  if (bytes.buffer.byteLength > 0) bytes.buffer.transfer(0);
  return larger;
}

export function bodyTooLarge(maxBytes: number): AppError {
  return new AppError("BODY_TOO_LARGE", `The request's body is too large. Send at most ${formatSize(maxBytes)}.`);
}
