/** The cipher of chunks, ChaCha20-Poly1305: of the platform, which is several times as fast, or of the library where the platform has none. */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { TAG_BYTES } from "./encrypted-size.ts";

/** The cipher with one key. A nonce has 12 bytes. */
export interface ChunkCipher {
  /** Encrypts bytes into a buffer, which is TAG_BYTES longer. */
  seal(nonce: Uint8Array, bytes: Uint8Array, into: Uint8Array): Promise<void>;
  /** Decrypts bytes into a buffer, which is TAG_BYTES shorter. Rejects for changed bytes, and for a wrong key. */
  open(nonce: Uint8Array, sealed: Uint8Array, into: Uint8Array): Promise<void>;
}

export const createChunkCipher = async (key: Uint8Array): Promise<ChunkCipher> =>
  (await canUsePlatform()) ? await createPlatformCipher(key) : createLibraryCipher(key);

let isPlatformUsable: Promise<boolean> | undefined;

/** Resolves to whether the platform has the cipher, and encrypts like the library. The definition of the platform's cipher is a draft. */
function canUsePlatform(): Promise<boolean> {
  isPlatformUsable ??= (async () => {
    const [key, nonce, bytes] = [new Uint8Array(32), new Uint8Array(12), new Uint8Array(1)];
    const sealed = { platform: new Uint8Array(bytes.length + TAG_BYTES), library: new Uint8Array(bytes.length + TAG_BYTES) };
    try {
      await (await createPlatformCipher(key)).seal(nonce, bytes, sealed.platform);
    } catch {
      return false;
    }
    await createLibraryCipher(key).seal(nonce, bytes, sealed.library);
    return sealed.library.every((byte, index) => byte === sealed.platform[index]);
  })();
  return isPlatformUsable;
}

/** Rejects on a platform without the cipher. */
export async function createPlatformCipher(keyBytes: Uint8Array): Promise<ChunkCipher> {
  const name = "ChaCha20-Poly1305";
  // The types do not have this format.
  const format = "raw-secret" as "raw";
  const key = await crypto.subtle.importKey(format, new Uint8Array(keyBytes), { name }, false, ["encrypt", "decrypt"]);
  const parameters = (nonce: Uint8Array) => ({ name, iv: new Uint8Array(nonce), tagLength: 8 * TAG_BYTES });
  return {
    async seal(nonce, bytes, into) {
      into.set(new Uint8Array(await crypto.subtle.encrypt(parameters(nonce), key, bytes as Uint8Array<ArrayBuffer>)));
    },
    async open(nonce, sealed, into) {
      into.set(new Uint8Array(await crypto.subtle.decrypt(parameters(nonce), key, sealed as Uint8Array<ArrayBuffer>)));
    },
  };
}

export function createLibraryCipher(key: Uint8Array): ChunkCipher {
  return {
    async seal(nonce, bytes, into) {
      chacha20poly1305(key, nonce).encrypt(bytes, into);
    },
    async open(nonce, sealed, into) {
      chacha20poly1305(key, nonce).decrypt(sealed, into);
    },
  };
}
