import type { OperationDefinition } from "../../contract/operation.ts";
import { BATCH_UPLOAD, type BatchFile, DIRECT_UPLOAD } from "../../contract/scalars.ts";
import { AppError, invalidField } from "../../errors.ts";
import { freeChunk } from "../../lib/system/chunk-memory.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { checkUnknown } from "../../service/parse-input.ts";
import type { HttpContext } from "../routing/env.ts";
import { announcesDigest } from "./body-digests.ts";
import { type BodyReservation, FIRST_BYTES } from "./body-memory.ts";
import { type FormField, isForm, isFormFile, noFile, notForm, readForm } from "./form.ts";
import { type BufferedBody, bodyTooLarge, isEmpty, type ReadBodyOptions, readBody } from "./read-body.ts";
import { declaredBytes, receiveBody } from "./receive-body.ts";

/** Fields that describe the next file. */
const FILE_FIELDS = ["relativePath", "sha256", "modifiedAt", "executable"] as const;
type FileFields = Partial<Pick<BatchFile, (typeof FILE_FIELDS)[number]>>;
/** The field that is the folder of all files after it. */
const FOLDER_FIELD = "folderId";
/** The text that stands for null in this field. */
const NO_FOLDER = "null";
const isFileField = (name: string): boolean => FILE_FIELDS.some((field) => field === name);
/** Maximum numbers of files and fields: the fields of each file, and a few others. */
const LIMITS = { files: BATCH_UPLOAD.maxFiles, fields: (FILE_FIELDS.length + 1) * BATCH_UPLOAD.maxFiles + 50, fieldSize: 16 * 1024 };

/**
 * Reads a form up to its first file. Resolves to the fields before it and, as `file`, to all files, which are read on request: memory is reserved for
 * each until it is disposed of. Throws NO_FILE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED for a field of the definition after the first file, and as
 * `readBody` does.
 */
export async function readFileStream(
  c: HttpContext,
  options: ReadBodyOptions,
  definition: OperationDefinition,
): Promise<Record<string, unknown>> {
  const { input, ignoresFields = [] } = definition;
  const request = c.req.raw;
  const type = request.headers.get("content-type") ?? "";
  if (type === "" && isEmpty(request)) return {};
  if (!isForm(type)) throw notForm();
  if ((declaredBytes(request) ?? 0) > options.maxBytes) throw bodyTooLarge(options.maxBytes);
  const verified = announcesDigest(request) ? await readVerified(c, options) : undefined;
  const parts = readParts(c, type, { ...options, body: verified ? [verified.bytes] : receiveBody(c, c.env.bodyMemory.pace) });
  c.env.bufferedBody = {
    [Symbol.dispose]() {
      parts.return(undefined).catch(() => undefined);
      verified?.[Symbol.dispose]();
    },
  };
  const fields: Record<string, unknown> = {};
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    if (next.value instanceof IncomingFile)
      return { ...fields, file: filesFrom(next.value, parts, { leading: Object.keys(input.shape), ignoresFields }) };
    const { name, value } = next.value;
    fields[name] = name === FOLDER_FIELD && value === NO_FOLDER ? null : value;
  }
  throw noFile();
}

/** Maximum size of a form with an announced digest, which is read to its end first, because its files are otherwise stored while it arrives. */
const VERIFIED_BYTES = DIRECT_UPLOAD.maxFileBytes + DIRECT_UPLOAD.overheadBytes;

const readVerified = (c: HttpContext, { caller, maxBytes }: ReadBodyOptions): Promise<BufferedBody> =>
  readBody(c, {
    caller,
    maxBytes: Math.min(maxBytes, VERIFIED_BYTES),
    tooLarge: new AppError(
      "BODY_TOO_LARGE",
      `A batch with a digest of its whole body may have ${formatSize(VERIFIED_BYTES)}. Send the field sha256 before each file instead.`,
    ),
  });

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

interface ReadPartsOptions extends ReadBodyOptions {
  readonly body: Chunks;
}

type Parts = AsyncGenerator<FormField | IncomingFile, undefined>;

/**
 * Yields the files. `leading` lists the fields that must precede the first file, except `folderId`, which is also the folder of the files after it;
 * `ignoresFields` lists fields without a meaning.
 */
async function* filesFrom(
  first: IncomingFile,
  parts: Parts,
  { leading, ignoresFields }: { readonly leading: readonly string[]; readonly ignoresFields: readonly string[] },
): AsyncGenerator<BatchFile> {
  yield first;
  let folderId: string | undefined;
  for await (const part of parts) {
    if (part instanceof IncomingFile) {
      part.folderId = folderId;
      yield part;
    } else if (part.name === FOLDER_FIELD) folderId = part.value;
    else if (leading.includes(part.name)) throw invalidField(part.name, `Send ${part.name} before the first file.`);
    else checkUnknown(ignoresFields, { [part.name]: part.value });
  }
}

/** Yields the fields and the complete files of a form in order. Continues only when the next part is requested. */
async function* readParts(c: HttpContext, type: string, { caller, maxBytes, body }: ReadPartsOptions): Parts {
  let fields: FileFields = {};
  for await (const entry of readForm(limitChunks(body, maxBytes), type, LIMITS)) {
    if (isFormFile(entry)) {
      const file = new IncomingFile({ relativePath: entry.name, ...fields }, entry.type, c.env.bodyMemory.open(caller));
      fields = {};
      let isTaken = false;
      try {
        for await (const chunk of entry.body) {
          file.add(chunk);
          await file.reserve();
        }
        file.isComplete = true;
        await file.reserve();
        yield file;
        isTaken = true;
      } finally {
        if (!isTaken) file[Symbol.dispose]();
      }
    } else if (isFileField(entry.name)) fields = { ...fields, [entry.name]: entry.value };
    else yield entry;
  }
}

/** Yields the chunks of a body of at most `maxBytes`. Each chunk is freed when the next one is requested. */
async function* limitChunks(body: Chunks, maxBytes: number): AsyncGenerator<Uint8Array> {
  let receivedBytes = 0;
  for await (const chunk of body) {
    receivedBytes += chunk.length;
    if (receivedBytes > maxBytes) throw bodyTooLarge(maxBytes);
    yield chunk;
    freeChunk(chunk);
  }
}

/** A file of a form, copied while it arrives. */
class IncomingFile implements BatchFile {
  isComplete = false;
  isTooLarge = false;
  folderId: string | undefined;
  #buffer = new Uint8Array();
  #sizeBytes = 0;
  #reservedBytes = 0;

  readonly relativePath: string;
  readonly sha256: string | undefined;
  readonly modifiedAt: string | undefined;
  readonly executable: string | undefined;

  constructor(
    { relativePath, sha256, modifiedAt, executable }: FileFields & Pick<BatchFile, "relativePath">,
    readonly type: string | undefined,
    private readonly reservation: BodyReservation,
  ) {
    this.relativePath = relativePath;
    this.sha256 = sha256;
    this.modifiedAt = modifiedAt;
    this.executable = executable;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#sizeBytes);
  }

  add(chunk: Uint8Array): void {
    const neededBytes = this.#sizeBytes + chunk.length;
    if (this.isTooLarge || neededBytes > BATCH_UPLOAD.maxFileBytes) {
      this.isTooLarge = true;
      this.#free();
      return;
    }
    if (neededBytes > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(neededBytes, Math.min(2 * this.#buffer.length, BATCH_UPLOAD.maxFileBytes)));
      larger.set(this.#buffer);
      this.#buffer.buffer.transfer(0);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#sizeBytes);
    this.#sizeBytes = neededBytes;
  }

  /**
   * Reserves memory for the received bytes. When a file exceeds the first bytes, reserves the maximum until it is complete, so that two half-read
   * files do not wait for each other.
   */
  async reserve(): Promise<void> {
    const bytes = this.isComplete || this.#sizeBytes <= FIRST_BYTES ? this.#sizeBytes : BATCH_UPLOAD.maxFileBytes;
    if (bytes < this.#reservedBytes) this.reservation.shrink(bytes);
    else if (!this.reservation.tryReserve(bytes)) await this.reservation.reserve(bytes);
    this.#reservedBytes = bytes;
  }

  [Symbol.dispose](): void {
    this.#free();
    this.reservation[Symbol.dispose]();
  }

  /** Frees the buffer immediately, because garbage collection would come many files later. */
  #free(): void {
    this.#buffer.buffer.transfer(0);
    this.#buffer = new Uint8Array();
    this.#sizeBytes = 0;
  }
}
