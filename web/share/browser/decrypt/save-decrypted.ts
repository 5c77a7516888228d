import { toDecryptedName } from "../../../../src/transfer/encryption/decrypted-name.ts";
import { DecryptionError } from "../../../../src/transfer/encryption/decryption-error.ts";
import { isHiddenName } from "../../../../src/transfer/encryption/is-hidden-name.ts";
import { decryptInWorker, type Open } from "./decrypt-in-worker.ts";
import { gather } from "./gather.ts";
import { createReplay, type Replay } from "./replay.ts";
import { startDownloadWorker } from "./stream-download.ts";

/** The largest file that is decrypted in memory. Larger ones are saved during decryption, if the browser supports it. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
/** The media type of the saved bytes, which no browser opens. */
const TYPE = "application/octet-stream";
const URL_MS = 60_000;

/** The server's refusal of the download. `html` is the page that explains it. */
export class DownloadRefused extends Error {
  constructor(readonly html: string) {
    super("refused");
  }
}

/** The error for a file that exceeds the memory, in a browser that can neither write to a file nor run a service worker. */
export class TooLarge extends Error {}

export interface SaveInput {
  /** The form of the download, with the tokens of an unlocked share. */
  readonly form: HTMLFormElement;
  /** The further fields of the request: which file or files it is for. */
  readonly fields: Readonly<Record<string, string>>;
  /** Names what is requested, for the next try after a wrong key. */
  readonly id: string;
  /** Decrypts what is requested. */
  readonly open: Open;
  /** The name of the encrypted file, or of a ZIP. */
  readonly name: string;
  readonly sizeBytes: number;
  /** The key: an identity or a passphrase. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Receives the loaded part, from 0 to 1. */
  onLoaded(share: number): void;
  onDecrypted(share: number): void;
  /** Runs before the key is tested, which may take seconds. */
  onKey(): void;
}

/** A part of the File System Access API, which is missing in the types of browsers. */
interface SaveFile {
  createWritable(): Promise<WritableStream<Uint8Array>>;
  getFile(): Promise<Blob>;
  remove?(): Promise<void>;
}
type Picker = (options: { readonly suggestedName: string }) => Promise<SaveFile>;

const findPicker = (): Picker | undefined => (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker;

/** The bytes of what was loaded. After a wrong key they are not loaded, and not counted, again. */
const loaded = new Map<string, Blob>();

/** The responses with large files that no key has fitted yet. After a wrong key they are used again, so that no other download is counted. */
const started = new Map<string, Replay>();

/**
 * Downloads a file, or several for a ZIP, decrypts them in workers, and saves the result after all of it is verified. Rejects with DownloadRefused,
 * TooLarge, the connection's error, the DOMException of a browser that cannot store the file, the AbortError of the signal or of a person who chose no
 * file, or DecryptionError; then nothing is saved. Resolves to the hidden name, if the person chose another one before it was known.
 */
export async function saveDecrypted(input: SaveInput): Promise<string | undefined> {
  if (input.sizeBytes > MAX_MEMORY_BYTES) return await writeDecrypted(input);
  const { id, name, open, key, signal } = input;
  const blob = loaded.get(id) ?? (await load(input));
  loaded.clear();
  loaded.set(id, blob);
  input.onKey();
  const decrypted = await decryptInWorker({ openSource: async () => blob.stream(), open, key, signal });
  try {
    offer(await gatherAll(decrypted.body, { ...input, onDone: input.onDecrypted }), toDecryptedName(decrypted.name ?? plainName(name)));
    return undefined;
  } finally {
    decrypted.close();
  }
}

const load = async (input: SaveInput): Promise<Blob> => await gatherAll(await request(input), { ...input, onDone: input.onLoaded });

/** Writes to the file that a person chooses. The browser replaces that file only when all bytes are written. */
async function writeDecrypted(input: SaveInput): Promise<string | undefined> {
  const pick = findPicker();
  if (!pick) return await streamDecrypted(input);
  // The picker opens before any other wait, because browsers ask only right after a click.
  const file = await pick.call(globalThis, { suggestedName: suggestName(input.name) });
  const writer = (await file.createWritable()).getWriter();
  try {
    const decrypted = await openStarted(input);
    try {
      await read(decrypted.body, { ...input, onDone: input.onDecrypted }, (chunk) => writer.write(chunk));
      await writer.close();
      return decrypted.name;
    } finally {
      decrypted.close();
    }
  } catch (error) {
    await writer.abort().catch(() => undefined);
    await removeEmpty(file).catch(() => undefined);
    throw error;
  }
}

/** Gives the bytes to the browser as a download, while they are decrypted. A download that fails is incomplete, and the browser says so. */
async function streamDecrypted(input: SaveInput): Promise<undefined> {
  const worker = await startDownloadWorker();
  if (!worker) throw new TooLarge();
  const decrypted = await openStarted(input);
  try {
    const name = toDecryptedName(decrypted.name ?? plainName(input.name));
    await worker.save(name, countBytes(decrypted.body, { ...input, onDone: input.onDecrypted }), input.signal);
  } finally {
    decrypted.close();
  }
}

/** Passes on a stream, and reports its progress. */
function countBytes(stream: ReadableStream<Uint8Array>, { sizeBytes, onDone }: Reading): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let done = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader.read();
      if (next.done) return controller.close();
      done += next.value.length;
      onDone(done / sizeBytes);
      controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Removes the file of a failed download if it is empty. The browser created it, or emptied the file that the person chose to replace. */
async function removeEmpty(file: SaveFile): Promise<void> {
  if ((await file.getFile()).size === 0) await file.remove?.();
}

/** Begins to decrypt a large file. After a wrong key, the response is kept for the next key. */
async function openStarted(input: SaveInput) {
  const { id, open, key, signal } = input;
  input.onKey();
  let replay: Replay | undefined;
  const openSource = async (): Promise<ReadableStream<Uint8Array>> => {
    replay = started.get(id) ?? createReplay(await request(input));
    started.set(id, replay);
    return replay.begin();
  };
  try {
    const decrypted = await decryptInWorker({ openSource, open, key, signal });
    started.delete(id);
    replay?.keepNoMore();
    return decrypted;
  } catch (error) {
    // Before `openSource`, no download is counted, and an earlier response is kept.
    if (replay !== undefined && !(error instanceof DecryptionError && error.problem === "wrongKey")) {
      started.delete(id);
      await replay.cancel();
    }
    throw error;
  }
}

/** Requests the encrypted bytes from this site, because the policy of the page allows no other. */
async function request({ form, fields, signal }: SaveInput): Promise<ReadableStream<Uint8Array>> {
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const url = form.action.replace(/\/[^/]*$/, "/bytes");
  const response = await fetch(url, { method: "POST", body, headers: { Accept: "text/html" }, signal });
  if (!response.ok || !response.body || response.headers.get("Content-Type")?.startsWith("text/html"))
    throw new DownloadRefused(await response.text());
  return response.body;
}

interface Reading {
  readonly sizeBytes: number;
  onDone(share: number): void;
}

async function read(
  stream: ReadableStream<Uint8Array>,
  { sizeBytes, onDone }: Reading,
  take: (chunk: Uint8Array<ArrayBuffer>) => Promise<void> | void,
): Promise<void> {
  const reader = (stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  let done = 0;
  onDone(0);
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    done += next.value.length;
    await take(next.value);
    onDone(sizeBytes === 0 ? 1 : done / sizeBytes);
  }
}

function gatherAll(stream: ReadableStream<Uint8Array>, { sizeBytes, onDone }: Reading): Promise<Blob> {
  onDone(0);
  return gather(stream, (bytes) => onDone(sizeBytes === 0 ? 1 : bytes / sizeBytes), TYPE);
}

/** Removes the extension of encrypted files from a name. */
const plainName = (name: string): string => name.replace(/\.age$/i, "");

/** Returns a name for the picker. The decrypted file of a hidden name is not an archive, which the name says. */
function suggestName(name: string): string {
  const plain = toDecryptedName(plainName(name));
  return isHiddenName(`${plain}.age`) ? plain.replace(/\.tar$/, "") : plain;
}

/** Offers bytes for saving. The browser opens nothing. */
function offer(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), URL_MS);
}
