/** A part of a multipart body. Its `content` must be read before the next part is requested; the rest is skipped. */
export interface MultipartPart {
  /** The lines before the content, without the empty line after them. */
  readonly head: Uint8Array;
  /** The content. A chunk is valid until the next one, or the next part, is requested. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** A body that does not follow RFC 2046, or ends before its closing delimiter. */
export class MultipartError extends Error {
  override readonly name = "MultipartError";
}

const MAX_HEAD_BYTES = 80 * 1024;
/** Maximum number of spaces and tabs between a boundary and the end of its line. */
const MAX_PADDING_BYTES = 256;
const LINE_END = Buffer.from("\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");
const [CR, LF, DASH, SPACE, TAB] = [13, 10, 45, 32, 9];

/**
 * Reads a multipart body (RFC 2046, 5.1.1): yields its parts in order and returns after the closing delimiter and the end of `chunks`. Throws
 * MultipartError, also for a boundary after the closing delimiter, because the end of a part is then unknown. Requests a chunk only when it is
 * needed, and does not use the previous one afterwards.
 */
export async function* readMultipart(chunks: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<MultipartPart, undefined> {
  using reader = new DelimitedReader(chunks, boundary);
  await skip(reader.content());
  while (reader.delimiter === "next") {
    const head = await reader.head();
    yield { head, content: reader.content() };
    await skip(reader.content());
  }
  await skip(reader.epilogue());
}

async function skip(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}

/** The meaning of a delimiter line: a part follows, or the body ends. */
type Delimiter = "next" | "closing";

/** The line after a boundary: content, or a delimiter up to its line end at `end`; undefined if the next chunk decides. */
type Line = "content" | { readonly delimiter: Delimiter; readonly end: number } | undefined;

class DelimitedReader {
  /** The last delimiter; undefined before the first one, and in content. */
  delimiter: Delimiter | undefined;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #boundary: Buffer;
  /** The unread bytes. They begin with a line end, because the one before the first boundary may be missing. */
  #bytes: Buffer = LINE_END;
  #hasEnded = false;

  constructor(chunks: AsyncIterable<Uint8Array>, boundary: string) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#boundary = Buffer.from(`\r\n--${boundary}`);
  }

  /** Yields the bytes before the next delimiter. */
  async *content(): AsyncGenerator<Uint8Array, undefined> {
    yield* this.#untilDelimiter();
    if (this.delimiter === undefined) throw new MultipartError("The body ends before its closing delimiter.");
  }

  /** Yields the bytes after the closing delimiter. Throws if they contain a delimiter. */
  async *epilogue(): AsyncGenerator<Uint8Array, undefined> {
    this.delimiter = undefined;
    yield* this.#untilDelimiter();
    if (this.delimiter !== undefined) throw new MultipartError("A delimiter follows the closing one.");
  }

  /** Reads the lines of a part before its content. The line end of the delimiter is still unread; without lines, it begins the empty line. */
  async head(): Promise<Uint8Array> {
    for (;;) {
      const end = this.#bytes.indexOf(HEAD_END);
      if (end > MAX_HEAD_BYTES || (end < 0 && this.#bytes.length > MAX_HEAD_BYTES))
        throw new MultipartError("The head of a part is too long.");
      if (end >= 0) {
        const head = Buffer.from(this.#bytes.subarray(LINE_END.length, Math.max(end, LINE_END.length)));
        this.#bytes = this.#bytes.subarray(end + HEAD_END.length);
        this.delimiter = undefined;
        return head;
      }
      if (this.#hasEnded) throw new MultipartError("The body ends in the head of a part.");
      await this.#readMore();
    }
  }

  [Symbol.dispose](): void {
    // Does not await the return, which would wait for a requested chunk that may never arrive.
    this.#chunks.return?.().catch(() => undefined);
  }

  /** Yields the bytes before the next delimiter, and sets `delimiter`, which stays undefined if the chunks end first. */
  async *#untilDelimiter(): AsyncGenerator<Uint8Array, undefined> {
    while (this.delimiter === undefined) {
      const at = this.#bytes.indexOf(this.#boundary);
      const lineStart = at + this.#boundary.length;
      const line = at < 0 ? undefined : this.#line(lineStart);
      if (line === "content") yield* this.#take(lineStart);
      else if (line !== undefined) {
        const content = this.#bytes.subarray(0, at);
        // Runs before the content is passed on, because a reader that has enough does not request more.
        this.#bytes = this.#bytes.subarray(line.end);
        this.delimiter = line.delimiter;
        if (content.length > 0) yield content;
      } else {
        yield* this.#take(at < 0 ? this.#bytes.length - this.#undecidedBytes() : at);
        if (this.#hasEnded) return;
        await this.#readMore();
      }
    }
  }

  *#take(count: number): Generator<Uint8Array, undefined> {
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    if (count > 0) yield taken;
  }

  /** Reads the rest of a line that begins with the boundary. */
  #line(start: number): Line {
    const bytes = this.#bytes;
    const isClosing = bytes[start] === DASH && bytes[start + 1] === DASH;
    const paddingStart = isClosing ? start + 2 : start;
    let at = paddingStart;
    while (bytes[at] === SPACE || bytes[at] === TAB) at += 1;
    if (at - paddingStart > MAX_PADDING_BYTES) throw new MultipartError("The line of a boundary is too long.");
    const delimiter = isClosing ? "closing" : "next";
    if (bytes[at] === CR && bytes[at + 1] === LF) return { delimiter, end: at };
    const isUndecided = at === bytes.length || (at === bytes.length - 1 && (bytes[at] === CR || (at === start && bytes[at] === DASH)));
    if (!isUndecided) return "content";
    if (!this.#hasEnded) return undefined;
    return isClosing && at === bytes.length ? { delimiter, end: at } : "content";
  }

  /** Returns how many of the last bytes may be the beginning of a boundary, which has one CR. */
  #undecidedBytes(): number {
    const start = this.#bytes.lastIndexOf(CR);
    const last = this.#bytes.subarray(start);
    return start >= 0 && last.length < this.#boundary.length && last.equals(this.#boundary.subarray(0, last.length)) ? last.length : 0;
  }

  /** Appends the next chunk. Copies the unread bytes first, because their chunk becomes invalid. */
  async #readMore(): Promise<void> {
    const rest = Buffer.from(this.#bytes);
    this.#bytes = rest;
    const next = await this.#chunks.next();
    if (next.done) this.#hasEnded = true;
    else if (rest.length > 0) this.#bytes = Buffer.concat([rest, next.value]);
    else this.#bytes = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
  }
}
