import { freeChunk } from "../chunk-memory.ts";
import { describeBytes } from "../domain/tiers.ts";
import { AppError } from "../errors.ts";
import type { BodyHold } from "./body-memory.ts";
import type { Caller } from "./callers.ts";
import type { HttpContext, HttpEnv } from "./env.ts";
import { type ArrivingBody, receiveBody } from "./receive-body.ts";

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

/** A request whose body is read into memory. */
export interface HeldBodySource extends ArrivingBody {
  readonly env: ArrivingBody["env"] & Pick<HttpEnv["Bindings"], "bodyMemory">;
}

/** A whole body in memory, which it holds a share of until it is disposed of. */
export interface HeldBody extends Disposable {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface ReadBodyOptions {
  readonly caller: Caller;
  readonly maxBytes: number;
  /** Thrown before anything past `maxBytes` is read. */
  readonly tooLarge?: AppError;
}

/**
 * The whole body, at most `maxBytes`. Throws BODY_TOO_LARGE or `tooLarge`; UNAVAILABLE or RATE_LIMITED where there is no room for it; and
 * REQUEST_TIMEOUT where it comes too slowly.
 */
export async function readBody(
  source: HeldBodySource,
  { caller, maxBytes, tooLarge = bodyTooLarge(maxBytes) }: ReadBodyOptions,
): Promise<HeldBody> {
  const sizeBytes = declaredBytes(source.req.raw);
  if ((sizeBytes ?? 0) > maxBytes) throw tooLarge;
  const hold = source.env.bodyMemory.open(caller);
  try {
    const bytes = await gather(source, { hold, sizeBytes, maxBytes, tooLarge });
    return { bytes, [Symbol.dispose]: () => hold[Symbol.dispose]() };
  } catch (error) {
    hold[Symbol.dispose]();
    throw error;
  }
}

const MAX_PAGE_FORM_BYTES = 16 * 1024;

/** The fields that one of the pages' forms sends. Throws as `readBody` does. */
export async function readPageForm(c: HttpContext, caller: Caller): Promise<URLSearchParams> {
  using body = await readBody(c, { caller, maxBytes: MAX_PAGE_FORM_BYTES });
  return new URLSearchParams(new TextDecoder().decode(body.bytes));
}

interface Gathering {
  readonly hold: BodyHold;
  readonly sizeBytes: number | undefined;
  readonly maxBytes: number;
  readonly tooLarge: AppError;
}

/**
 * Copies the chunks into one buffer, which grows as they come, and frees them: the runtime's chunks are larger than what is in them. Room is
 * taken for all of a body whose size is announced, so that two that are half there do not wait for each other.
 */
async function gather(source: HeldBodySource, { hold, sizeBytes, maxBytes, tooLarge }: Gathering): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = new Uint8Array();
  let filled = 0;
  if (sizeBytes !== undefined) await makeRoom(hold, sizeBytes);
  for await (const chunk of receiveBody(source, source.env.bodyMemory.pace)) {
    const needed = filled + chunk.length;
    if (needed > maxBytes) throw tooLarge;
    if (needed > buffer.length) {
      const capacity = Math.max(needed, Math.min(2 * buffer.length, sizeBytes ?? maxBytes));
      if (capacity > (sizeBytes ?? 0)) await makeRoom(hold, capacity);
      if (isWhole(chunk, sizeBytes)) buffer = chunk;
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

async function makeRoom(hold: BodyHold, bytes: number): Promise<void> {
  if (!hold.tryHold(bytes)) await hold.hold(bytes);
}

/** Whether a chunk is all of a body, and all of its memory: most bodies come like this. */
const isWhole = (chunk: Uint8Array, sizeBytes: number | undefined): chunk is Uint8Array<ArrayBuffer> =>
  chunk.length === sizeBytes && chunk.buffer instanceof ArrayBuffer && chunk.byteLength === chunk.buffer.byteLength;

function grow(bytes: Uint8Array<ArrayBuffer>, capacity: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(capacity);
  larger.set(bytes);
  if (bytes.buffer.byteLength > 0) bytes.buffer.transfer(0);
  return larger;
}

function bodyTooLarge(maxBytes: number): AppError {
  return new AppError("BODY_TOO_LARGE", `The body of this request may have ${describeBytes(maxBytes)} at most.`);
}
