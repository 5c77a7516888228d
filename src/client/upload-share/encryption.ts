import { createHash, randomUUID } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { AppError } from "../../errors.ts";
import { parseJson } from "../../lib/text/parse-json.ts";
import { MAX_NAME_BYTES, shorten } from "../../lib/text/stored-name.ts";
import {
  beginEncryption,
  createFileKey,
  encryptReader,
  encryptStream,
  type FileKey,
  openHeader,
} from "../../transfer/encryption/encrypt.ts";
import { encryptedSize } from "../../transfer/encryption/encrypted-size.ts";
import { readFragmentKey, toFragment } from "../../transfer/encryption/fragment-key.ts";
import { deriveNameDigest, deriveNonce, toHiddenName, withName } from "../../transfer/encryption/hidden-name.ts";
import { createShareKey, recipientOf } from "../../transfer/encryption/share-key.ts";
import { wrappedSize } from "../../transfer/encryption/wrapped-size.ts";
import { withFileLock } from "../records/file-lock.ts";
import {
  type Environment,
  makePrivateFolder,
  readFolder,
  readPrivateFile,
  stateFolder,
  UNFINISHED_MAX_AGE_MS,
  writePrivateFile,
} from "../records/private-files.ts";
import type { SourceTransform } from "./source-transform.ts";

/** The people who can decrypt: everybody with the whole link, the owners of keys, or those who know the passphrase. */
export type EncryptionTarget =
  /** `fragment`: the fragment of the link of the share that gets the files; undefined for a new key. */
  | { readonly kind: "link"; readonly fragment: string | undefined }
  | { readonly kind: "recipients"; readonly recipients: readonly string[] }
  | { readonly kind: "passphrase"; readonly passphrase: string };

export interface EncryptionOptions {
  readonly target: EncryptionTarget;
  readonly hidesNames: boolean;
  /** Whether the times and the executable bits are encrypted with hidden names. */
  readonly keepsTimes: boolean;
  /** The files and the server. The same command continues with the same key. */
  readonly subject: { readonly server: string; readonly sources: readonly string[]; readonly into: string | undefined };
  readonly env: Environment;
  /** Whether to continue an earlier upload, and to remember this one. */
  readonly resumes: boolean;
}

/** The encryption of an upload. `forget` is called when all its bytes are stored. */
export interface UploadEncryption {
  readonly transform: SourceTransform;
  forget(): Promise<void>;
}

/** The extension of encrypted files. */
const EXTENSION = ".age";

/** The secret from which the encryption of an upload is derived, so that a later process makes the same bytes. */
const remembered = z.object({
  id: z.string(),
  header: z.base64(),
  key: z.base64(),
  fragmentKey: z.string().optional(),
});
type Remembered = z.infer<typeof remembered>;

/** Continues the encryption of an interrupted upload, or begins one. Throws VALIDATION_FAILED for an invalid recipient. */
export async function openEncryption(options: EncryptionOptions): Promise<UploadEncryption> {
  const { resumes, env } = options;
  if (!resumes) return { transform: toTransform(await begin(options.target), options), forget: async () => undefined };
  const folder = join(stateFolder(env), "encryption");
  const path = join(folder, `${identify(options)}.json`);
  await makePrivateFolder(folder);
  await removeOld(folder);
  const state = await withFileLock(join(folder, "lock"), async () => {
    const found = remembered.safeParse(parseJson((await readPrivateFile(path)) ?? "")).data;
    if (found && (await isFor(found, options.target))) return found;
    const begun = await begin(options.target);
    await writePrivateFile(path, JSON.stringify(begun));
    return begun;
  });
  return { transform: toTransform(state, options), forget: () => rm(path, { force: true }) };
}

async function begin(target: EncryptionTarget): Promise<Remembered> {
  const identity = target.kind === "link" ? (readFragmentKey(target.fragment ?? "") ?? (await createShareKey()).identity) : undefined;
  const { header, key } = await createKey(target, identity);
  return {
    id: randomUUID(),
    header: Buffer.from(header).toString("base64"),
    key: Buffer.from(key).toString("base64"),
    ...(identity !== undefined && { fragmentKey: toFragment(identity) }),
  };
}

async function createKey(target: EncryptionTarget, identity: string | undefined): Promise<FileKey> {
  if (target.kind === "passphrase") return await createFileKey({ passphrase: target.passphrase });
  if (identity !== undefined) return await createFileKey({ recipients: [await recipientOf(identity)] });
  const recipients = target.kind === "recipients" ? target.recipients : [];
  try {
    return await createFileKey({ recipients });
  } catch (error) {
    throw new AppError("VALIDATION_FAILED", "A recipient is not an age public key. Write it as age-keygen prints it: age1…", {
      cause: error,
    });
  }
}

/** Whether a remembered encryption is for the target. The passphrase may differ from the earlier process's. */
async function isFor({ header, key }: Remembered, target: EncryptionTarget): Promise<boolean> {
  if (target.kind !== "passphrase") return true;
  const opened = await openHeader(Buffer.from(header, "base64"), target.passphrase).catch(() => undefined);
  return opened !== undefined && Buffer.from(key, "base64").equals(opened);
}

/** Identifies an encryption without secrets. Equal commands, which make the same bytes of the same files, have the same identity. */
function identify({ target, hidesNames, keepsTimes, subject: { server, sources, into } }: EncryptionOptions): string {
  const to = target.kind === "recipients" ? [...target.recipients].sort() : target.kind === "link" ? [target.fragment ?? ""] : [];
  const paths = sources.map((source) => resolve(source));
  return createHash("sha256")
    .update(JSON.stringify([server, paths, into, target.kind, to, hidesNames, keepsTimes]))
    .digest("hex");
}

function toTransform(state: Remembered, { hidesNames, keepsTimes }: Pick<EncryptionOptions, "hidesNames" | "keepsTimes">): SourceTransform {
  const fileKey: FileKey = { header: Buffer.from(state.header, "base64"), key: Buffer.from(state.key, "base64") };
  /** The original names, by the shown names. */
  const names = new Map<string, string>();

  function hide(path: string): string {
    const shown = toHiddenName(fileKey, path);
    names.set(shown, path);
    return shown;
  }

  /** The paths whose names were shortened, by the shown paths. */
  const shortened = new Map<string, string>();

  /** Adds the extension to the name. A name that would be too long for it keeps its own extension, and two of them stay different. */
  function show(path: string): string {
    const slash = path.lastIndexOf("/") + 1;
    const [folders, name] = [path.slice(0, slash), path.slice(slash)];
    const maxBytes = MAX_NAME_BYTES - EXTENSION.length;
    if (Buffer.byteLength(name) <= maxBytes) return path + EXTENSION;
    const shown = folders + shorten(name, maxBytes) + EXTENSION;
    if ((shortened.get(shown) ?? path) === path) {
      shortened.set(shown, path);
      return shown;
    }
    const digest = deriveNameDigest(fileKey, path);
    const dot = name.lastIndexOf(".");
    const cut = shorten(name, maxBytes - digest.length - 1);
    return folders + (dot > 0 ? cut.replace(/(?=\.[^.]*$)/, `~${digest}`) : `${cut}~${digest}`) + EXTENSION;
  }

  return {
    id: state.id,
    fragmentKey: state.fragmentKey,
    hidesNames,
    path: (path) => (hidesNames ? hide(path) : show(path)),
    sizeBytes: (sizeBytes) => encryptedSize(fileKey, hidesNames ? wrappedSize(sizeBytes) : sizeBytes),
    async wrap(file) {
      const name = names.get(file.name);
      const source = name === undefined ? file : withName(keepsTimes ? file : { ...file, modifiedMs: 0, isExecutable: false }, name);
      // A file that was written since has another nonce, so that no nonce encrypts two different contents.
      const nonce = deriveNonce(fileKey, file.name, file.contentVersion);
      const { sizeBytes, read: readSealed } = encryptReader(beginEncryption(fileKey, nonce), source);
      // The version is checked before bytes are sent, not only at the end. Two contents under one nonce would let a server compute their difference.
      const read = async (buffer: Uint8Array, position: number): Promise<number> => {
        const filled = await readSealed(buffer, position);
        await file.checkUnchanged();
        return filled;
      };
      return { ...file, sizeBytes, read, variant: state.id, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
    },
    stream: (input) => encryptStream(beginEncryption(fileKey), input),
  };
}

async function removeOld(folder: string): Promise<void> {
  for (const name of (await readFolder(folder, ".json")).keys()) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - UNFINISHED_MAX_AGE_MS) await rm(join(folder, name), { force: true });
  }
}
