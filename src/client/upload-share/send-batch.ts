import { createHash } from "node:crypto";
import { AppError } from "../../errors.ts";
import type { Output } from "../../service/contract.ts";
import { sendThenCheckSource } from "../../transfer/failures.ts";
import type { Retry } from "../../transfer/retry.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { throwFailure } from "../server/retry.ts";
import { type FormPart, streamForm } from "../upload-file/form-stream.ts";
import { fileChanged, type LocalFile } from "../upload-file/local-file.ts";
import { attributesOf, type SentAttributes } from "../upload-file/sent-attributes.ts";
import type { LocalEntry } from "./collect.ts";

/** The time after which a request without progress, or without a response, has lost its connection. */
const IDLE_MS = 120_000;

export interface BatchOptions {
  readonly api: RemoteApi;
  readonly retry: Retry;
  /** Fields of all files: the shipment, and the token that adds to it. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Whether modification times and executable bits are sent. */
  readonly showsTimes: boolean;
  open(file: LocalEntry): Promise<LocalFile>;
  /** Receives a file that cannot be read, or was changed meanwhile. */
  onUnreadable(file: LocalEntry, error: unknown): void;
  /** Receives the number of bytes of files that were handed to the connection. */
  onSent(bytes: number): void;
}

export interface BatchedFile {
  readonly file: LocalEntry;
  /** The version of the sent bytes. */
  readonly version: string;
  readonly entry: Output<"uploadBatch">["files"][number];
}

interface ReadFile {
  readonly file: LocalEntry;
  readonly version: string;
  readonly attributes: SentAttributes;
  readonly bytes: Uint8Array;
}

/**
 * Sends small files in one request, with the memory of one file. Resolves to the files that could be read. Rejects if the request fails;
 * `proxyRefusalOf` recognizes the error if a proxy refused it.
 */
export async function sendBatch(files: readonly LocalEntry[], options: BatchOptions): Promise<readonly BatchedFile[]> {
  const left = new Set(files);
  let tries = 0;
  return await options.retry(async ({ signal }) => {
    const sent: Pick<ReadFile, "file" | "version">[] = [];
    options.onSent(0);
    const readable = readFiles(left, options);
    const idle = new AbortController();
    const watch = setTimeout(() => idle.abort(lostConnection()), IDLE_MS);
    try {
      const first = await readable.next();
      // A form needs at least one file.
      if (first.done) return [];
      watch.refresh();
      const form = streamForm(
        writeParts(first.value, readable, {
          ...options,
          onFile({ file, version, bytes }) {
            sent.push({ file, version });
            watch.refresh();
            sentBytes += bytes.length;
            options.onSent(sentBytes);
          },
        }),
      );
      let sentBytes = 0;
      const sizeBytes = [...left].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const source = { tries: tries++, sizeBytes, signal, check: async () => undefined };
      const { files: entries } = await sendThenCheckSource(source, () =>
        options.api
          .sendForm("uploadBatch", form, { signal: AbortSignal.any([signal, idle.signal]) })
          .catch((error: unknown) => throwFailure(idle.signal.aborted ? idle.signal.reason : error)),
      );
      if (entries.length !== sent.length) throw new AppError("UNAVAILABLE", "The server's response does not have each file. Try again.");
      return sent.flatMap((one, index) => entries.slice(index, index + 1).map((entry) => ({ ...one, entry })));
    } finally {
      clearTimeout(watch);
      // A pending read ends before another request reads the same files.
      await readable.return();
    }
  });
}

const lostConnection = (): AppError => new AppError("UNAVAILABLE", "The server stopped responding.");

async function* readFiles(left: Set<LocalEntry>, { open, showsTimes, onUnreadable }: BatchOptions): AsyncGenerator<ReadFile, void, void> {
  for (const file of left) {
    const read = await readFile(file, { open, showsTimes }).catch((error: unknown) => {
      left.delete(file);
      onUnreadable(file, error);
    });
    if (read) yield read;
  }
}

/** Reads a file, and closes it before this resolves. It is not known how long its bytes wait for the connection, or whether they are sent at all. */
async function readFile(file: LocalEntry, { open, showsTimes }: Pick<BatchOptions, "open" | "showsTimes">): Promise<ReadFile> {
  await using opened = await open(file);
  const bytes = new Uint8Array(opened.sizeBytes);
  if ((await opened.read(bytes, 0)) < bytes.length) throw fileChanged();
  await opened.checkUnchanged();
  return { file, version: opened.contentVersion, attributes: showsTimes ? attributesOf(opened) : {}, bytes };
}

async function* writeParts(
  first: ReadFile,
  rest: AsyncGenerator<ReadFile, void, void>,
  { fields, onFile }: Pick<BatchOptions, "fields"> & { onFile(file: ReadFile): void },
): AsyncGenerator<FormPart> {
  for (const [name, value] of fields) yield { name, value };
  for (let next: IteratorResult<ReadFile, void> = { value: first }; !next.done; next = await rest.next()) {
    const { file, attributes, bytes } = next.value;
    yield { name: "relativePath", value: file.path };
    yield { name: "sha256", value: createHash("sha256").update(bytes).digest("hex") };
    for (const [name, value] of Object.entries(attributes)) yield { name, value: String(value) };
    onFile(next.value);
    yield { name: "file", fileName: file.path.slice(file.path.lastIndexOf("/") + 1), bytes };
  }
}
