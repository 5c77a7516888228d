/** Decrypts several files into one ZIP with their own names, while they arrive. */
import { createArchiveNaming } from "../../../../src/lib/formats/archive-names.ts";
import { crc32 } from "../../../../src/lib/formats/crc32.ts";
import { type ReadFile, readSequence } from "../../../../src/lib/formats/file-sequence.ts";
import { writeZip, type ZipMember } from "../../../../src/lib/formats/zip.ts";
import { beginFile } from "../../../../src/transfer/encryption/chunk-stream.ts";
import { contentSize } from "../../../../src/transfer/encryption/chunks.ts";
import { toDecryptedPath } from "../../../../src/transfer/encryption/decrypted-name.ts";
import { DecryptionError } from "../../../../src/transfer/encryption/decryption-error.ts";
import { unwrapName } from "../../../../src/transfer/encryption/wrapped-name.ts";
import type { Open } from "./decrypt-in-worker.ts";
import type { Decryptor } from "./decryptor.ts";
import { gather } from "./gather.ts";

/** The largest file written as text that is added to a ZIP: its size is known only when all of it is decrypted. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

interface OpenedMember extends Omit<ZipMember, "name" | "read"> {
  /** The file's path, which is unchecked. */
  readonly path: string;
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * Opens a source that sends several files, as `file-sequence.ts` says. The first file is opened before this resolves, so that a wrong key is found
 * before anything is written. `onFile` receives the path of each file when it begins.
 */
export const openAsZip =
  (onFile: (path: string) => void): Open =>
  async (source, key, decryptor) => {
    const files = readSequence(source);
    const next = async (): Promise<OpenedMember | undefined> => {
      const { done, value } = await files.next();
      return done ? undefined : await openMember(value, key, decryptor);
    };
    const first = await next();
    const chooseName = createArchiveNaming();
    async function* members(): AsyncGenerator<ZipMember> {
      for (let member = first; member !== undefined; member = await next()) {
        const { path, body, ...entry } = member;
        onFile(path);
        yield { ...entry, name: chooseName(toDecryptedPath(path)), read: () => readAll(body) };
      }
    }
    return { name: undefined, body: toStream(writeZip(members(), crc32)) };
  };

async function openMember(file: ReadFile, key: string, decryptor: Decryptor): Promise<OpenedMember> {
  const { path, sizeBytes, modifiedMs, isExecutable, body } = file;
  if (!file.isEncrypted) return { path, sizeBytes, modifiedMs, isExecutable, crc32: undefined, body };
  const begun = await beginFile(body.getReader());
  if (begun.prefix === "text" && sizeBytes > MAX_TEXT_BYTES) throw new DecryptionError("unsupported");
  const opened = await unwrapName(await decryptor.decryptFile(begun, key));
  const named = {
    path: opened.name ?? path.replace(/\.age$/i, ""),
    modifiedMs: opened.modifiedMs || modifiedMs,
    isExecutable: opened.isExecutable || isExecutable,
    crc32: undefined,
  };
  if (opened.sizeBytes !== undefined) return { ...named, sizeBytes: opened.sizeBytes, body: opened.body };
  if (begun.prefix !== "text") return { ...named, sizeBytes: contentSize(begun.prefix.end, sizeBytes), body: opened.body };
  const blob = await gather(opened.body, () => undefined);
  return { ...named, sizeBytes: blob.size, body: blob.stream() };
}

async function* readAll(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

const toStream = (chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await chunks.return(undefined)),
    },
    { highWaterMark: 0 },
  );
