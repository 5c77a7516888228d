import assert from "node:assert/strict";
import { Encrypter } from "age-encryption";
import { withFragmentKey } from "../../../../src/transfer/encryption/fragment-key.ts";
import { createShareKey, type ShareKey } from "../../../../src/transfer/encryption/share-key.ts";
import { wrapName } from "../../../../src/transfer/encryption/wrapped-name.ts";
import type { TestServer } from "../../../support/server.ts";
import { clientOf, postUpload } from "../api/api.ts";
import { postBatch } from "../uploads/batches.ts";

/** When the sealed files were changed. */
const CHANGED_MS = Date.UTC(2026, 6, 1, 2, 3, 4);

/** Encrypts bytes for a public key. */
export async function encryptFor(recipient: string, bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return new Uint8Array(await encrypter.encrypt(bytes));
}

/** Wraps bytes with their name, which is thereby hidden. */
export function wrapFile(name: string, bytes: Uint8Array): Buffer {
  const { before, after } = wrapName({ name, sizeBytes: bytes.length, modifiedMs: CHANGED_MS, isExecutable: false });
  return Buffer.concat([before, bytes, after]);
}

/** Encrypts bytes and their name, as the page of the sender does. */
export const sealFile = (recipient: string, name: string, bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  encryptFor(recipient, wrapFile(name, bytes));

export interface SealedFile {
  readonly relativePath: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Encrypts files and their names, each with a hidden name. */
export const sealFiles = (recipient: string, files: Readonly<Record<string, Uint8Array>>): Promise<SealedFile[]> =>
  Promise.all(
    Object.entries(files).map(async ([name, bytes], index) => ({
      relativePath: `encrypted-${String(index).padStart(16, "0")}.tar.age`,
      bytes: await sealFile(recipient, name, bytes),
    })),
  );

/** The key of a share, and the ways to send files that are encrypted with it. Each resolves to the whole link. */
export interface SealingSender {
  readonly key: ShareKey;
  sendOne(name: string, bytes: Uint8Array, fields?: Readonly<Record<string, string>>): Promise<string>;
  sendSeveral(files: Readonly<Record<string, Uint8Array>>, settings?: ShareSettings): Promise<string>;
  /** Sends files that are encrypted already, or not at all. */
  sendFiles(files: readonly SealedFile[], settings?: ShareSettings): Promise<string>;
}

interface ShareSettings {
  readonly maxDownloads?: number;
  readonly title?: string;
}

export async function createSealingSender(server: Pick<TestServer, "url">): Promise<SealingSender> {
  const key = await createShareKey();
  const linkOf = (shortId: string): string => withFragmentKey(`${server.url}/d/${shortId}`, key.identity);
  const sendFiles: SealingSender["sendFiles"] = async (files, settings = {}) => {
    const { shortId, shareToken = "" } = (await clientOf(server).call("createShare", settings)).data;
    await postBatch(server, { shareShortId: shortId, shareToken }, files);
    return linkOf(shortId);
  };
  return {
    key,
    async sendOne(name, bytes, fields = {}) {
      const sealed = { bytes: await sealFile(key.recipient, name, bytes), name: "encrypted-0123456789abcdef.tar.age", fields };
      const { status, body } = await postUpload(server, sealed);
      assert.equal(status, 200, JSON.stringify(body));
      return linkOf(body.data.shortId);
    },
    sendSeveral: async (files, settings) => await sendFiles(await sealFiles(key.recipient, files), settings),
    sendFiles,
  };
}
