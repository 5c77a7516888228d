/** The bytes that are sent for a large file: its own, or their encryption. */
import type { Encryption } from "../../../../src/transfer/encryption/encrypt.ts";
import type { Digester } from "./digest.ts";
import type { Encryptor } from "./encryption/encryptor.ts";
import { checkReadable } from "./failures.ts";

/** The position of a part. */
export interface FilePart {
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

export interface PartSource {
  /** The path in the shipment, whose last segment is the name. */
  readonly path: string;
  readonly name: string;
  readonly type: string | undefined;
  readonly sizeBytes: number;
  /** The bytes that may be in memory before they are sent; undefined if they are read when they are sent. */
  readonly groupBytes?: number;
  /** Resolves to one digest for each part; null for a part that has changed or cannot be read. */
  digests(parts: readonly FilePart[]): Promise<readonly (string | null)[]>;
  /** Resolves to the bytes of a part whose digest was computed. */
  bytes(part: FilePart): Promise<Blob>;
  /** Rejects if the file has changed or cannot be read. */
  check(part: FilePart): Promise<void>;
  /** Forgets the bytes of a part that is stored. */
  release(part: FilePart): void;
}

interface ChosenFile {
  readonly path: string;
  readonly file: File;
}

export function plainSource({ path, file }: ChosenFile, digester: Digester): PartSource {
  const slice = ({ start, end }: FilePart): Blob => file.slice(start, end);
  return {
    path,
    name: file.name,
    type: file.type || undefined,
    sizeBytes: file.size,
    digests: (parts) => digester.digests(parts.map(slice)),
    bytes: async (part) => slice(part),
    check: (part) => checkReadable(slice(part)),
    release: () => undefined,
  };
}

/** The bytes of encrypted parts that are prepared together, per file. */
const GROUP_BYTES = 32 * 1024 ** 2;

/**
 * The state with which an encrypted upload continues: the secrets of its encryption, and the SHA-256 of each part that may have been sent. They show
 * whether the file still has the same content, because no encryption may be used for two contents.
 */
export interface SealedState {
  readonly encryption: Encryption;
  readonly name: string;
  readonly sizeBytes: number;
  /** By the position of the part. */
  readonly digests: Readonly<Record<number, string>>;
}

/** The error for a file whose content differs from what may have been sent. */
export class ContentChanged extends Error {}

/** `save` remembers the state, before bytes of these parts are sent. */
export function encryptedSource(
  { path, file }: ChosenFile,
  state: SealedState,
  { encryptor, save }: { readonly encryptor: Encryptor; save(state: SealedState): Promise<void> },
): PartSource {
  const { encryption, name, sizeBytes } = state;
  const sealed = new Map<number, Blob>();
  let known = state.digests;

  async function digestOf({ start, end }: FilePart): Promise<string | null> {
    const part = await encryptor.encryptPart({ encryption, path, file, start, end });
    if (part === null) return null;
    if (known[start] !== undefined && known[start] !== part.sha256) throw new ContentChanged();
    sealed.set(start, part.bytes);
    return part.sha256;
  }

  return {
    path: name,
    name,
    type: undefined,
    sizeBytes,
    groupBytes: GROUP_BYTES,
    async digests(parts) {
      const digests = await Promise.all(parts.map(digestOf));
      const found = parts.flatMap(({ start }, index) => (typeof digests[index] === "string" ? [[start, digests[index]] as const] : []));
      known = { ...known, ...Object.fromEntries(found) };
      await save({ ...state, digests: known });
      return digests;
    },
    async bytes({ start }) {
      const bytes = sealed.get(start);
      if (bytes === undefined) throw new Error("The part was not encrypted");
      return bytes;
    },
    check: () => checkReadable(file),
    release: ({ start }) => void sealed.delete(start),
  };
}
