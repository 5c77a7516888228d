import { type BatchFile, sha256Hex } from "../../contract/scalars.ts";
import { AppError, invalidField } from "../../errors.ts";
import { createFileDigests, type FileDigests } from "../../lib/formats/file-digests.ts";
import { toRelativePath } from "../../lib/text/file-name.ts";
import { type PublishInput, publishFields } from "../shares/contract.ts";
import { tooLargeForDirect } from "./too-large-for-direct.ts";
import { type StreamInput, toStream } from "./upload-stream.ts";

/** A file of a batch that may be stored. */
export interface CheckedFile extends FileDigests {
  readonly input: StreamInput;
  readonly bytes: Uint8Array;
  /** The path to store. */
  readonly relativePath: string;
}

/** Checks one file of a batch. Throws FILE_TOO_LARGE_FOR_DIRECT, VALIDATION_FAILED and DIGEST_MISMATCH. */
export function checkBatchFile(
  { relativePath: path, type, sha256: announced, bytes, isTooLarge, modifiedAt, executable, folderId }: BatchFile,
  publish: PublishInput,
  submission: StreamInput["submission"],
): CheckedFile {
  if (isTooLarge) throw tooLargeForDirect();
  const relativePath = publishFields.relativePath.safeParse(path).success ? toRelativePath(path) : null;
  if (relativePath === null)
    throw invalidField("relativePath", "Name each file: a path of at most 1,024 characters, with / between folders.");
  const digests = createFileDigests();
  digests.update(bytes);
  const computed = digests.digest();
  if (announced !== undefined) checkDigest(announced, computed.sha256);
  const name = relativePath.slice(relativePath.lastIndexOf("/") + 1);
  const input = {
    name,
    type,
    sizeBytes: bytes.length,
    body: toStream(bytes),
    publish: {
      ...publish,
      relativePath,
      ...readAttributes({ modifiedAt, executable }),
      ...(folderId !== undefined && { folderId: readFolder(folderId, submission) }),
    },
    submission,
  };
  return { input, bytes, relativePath, ...computed };
}

/** Reads the attributes of a file. Throws VALIDATION_FAILED for an invalid time or word. */
function readAttributes({
  modifiedAt,
  executable,
}: Pick<BatchFile, "modifiedAt" | "executable">): Pick<PublishInput, "modifiedAt" | "executable"> {
  const time = publishFields.modifiedAt.safeParse(modifiedAt);
  if (!time.success) throw invalidField("modifiedAt", "The time is not valid. Send a time such as 2026-07-01T02:03:05Z.");
  const word = publishFields.executable.safeParse(executable);
  if (!word.success) throw invalidField("executable", "Send true or false.");
  return { modifiedAt: time.data, executable: word.data };
}

/** Reads the folder of a file; `null` is no folder. Throws VALIDATION_FAILED for another text, and in a submission. */
function readFolder(folderId: string, submission: StreamInput["submission"]): string | null {
  if (submission) throw invalidField("folderId", "The account that asks decides where files are kept. Omit folderId.");
  if (folderId === "null") return null;
  const parsed = publishFields.folderId.safeParse(folderId);
  if (!parsed.success) throw invalidField("folderId", "The folder is not valid. Send its ID, or null for no folder.");
  return parsed.data ?? null;
}

function checkDigest(announced: string, sha256: string): void {
  const parsed = sha256Hex.safeParse(announced);
  if (!parsed.success) throw invalidField("sha256", "The digest is not valid. Send a SHA-256 as 64 hexadecimal digits.");
  if (parsed.data !== sha256) throw new AppError("DIGEST_MISMATCH", "The file does not match its announced SHA-256. Send it again.");
}
