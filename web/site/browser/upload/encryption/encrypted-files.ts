import { upload as texts } from "#texts/site";
import { PermanentFailure } from "../failures.ts";
import { type BatchContext, MAX_SMALL_BYTES, type SentEntry, type SmallFile, sendFiles } from "../send-batch.ts";
import type { Encryptor } from "./encryptor.ts";
import type { EncryptedWhole, NamedFile } from "./worker-messages.ts";

/** Sends small files encrypted, in one request. Resolves to an entry for each file, and rejects, like `sendFiles`. */
export async function sendEncryptedFiles(
  files: readonly SmallFile[],
  encryptor: Encryptor,
  context: BatchContext,
): Promise<readonly SentEntry[]> {
  const encrypted = await Promise.all(files.map((file) => encryptor.encryptWhole(file)));
  const fitting = encrypted.filter((one) => one !== null).filter(isSmall);
  const readable = fitting.map(({ name, bytes }) => ({ path: name, file: new File([bytes], name) }));
  const sent = (await sendFiles(readable, context)).values();
  return encrypted.map((one) => {
    if (one === null) return { error: texts.changed };
    if (!isSmall(one)) return { needsParts: true };
    // The digest of an encrypted file does not identify its content.
    const { content: _, ...entry } = sent.next().value ?? { error: texts.refused };
    return entry;
  });
}

/** Whether an encrypted file can be sent with others. The encryption adds bytes to a file, so it may exceed the limit alone. */
const isSmall = ({ bytes }: EncryptedWhole): boolean => bytes.size <= MAX_SMALL_BYTES;

const PART_BYTES = 16 * 1024 ** 2;

/** Encrypts a large file as a whole: for a browser that cannot reach the store of the parts. Rejects with a sentence for people. */
export async function encryptFile(file: NamedFile, encryptor: Encryptor): Promise<SmallFile> {
  const begun = await encryptor.begin(file);
  const parts: Blob[] = [];
  for (let start = 0; begun && start < begun.sizeBytes; start += PART_BYTES) {
    const part = await encryptor.encryptPart({ ...file, ...begun, start, end: Math.min(begun.sizeBytes, start + PART_BYTES) });
    if (part === null) throw new PermanentFailure(texts.changed);
    parts.push(part.bytes);
  }
  if (begun === null) throw new PermanentFailure(texts.changed);
  return { path: begun.name, file: new File(parts, begun.name) };
}
