/** The largest file that is decrypted in memory; larger ones are written to a file while they are decrypted, where the browser can. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
/** Bytes that no browser opens. */
const TYPE = "application/octet-stream";
const URL_MS = 60_000;

/** The server refused the download. `html` is the page that says why. */
export class Refused extends Error {
  constructor(readonly html: string) {
    super("refused");
  }
}

/** The file is too large for the memory, and this browser cannot write to a file. */
export class TooLarge extends Error {}

export interface SaveInput {
  /** The form of the download, with the tokens of an unlocked share. */
  readonly form: HTMLFormElement;
  readonly fileId: string;
  /** The name of the encrypted file. */
  readonly name: string;
  readonly sizeBytes: number;
  /** An identity or a passphrase. */
  readonly key: string;
  /** Receive what is done, of 1. */
  onLoaded(share: number): void;
  onDecrypted(share: number): void;
}

/** Part of the File System Access API, which the types of browsers lack. */
interface SaveFile {
  createWritable(): Promise<WritableStream<Uint8Array> & { abort(): Promise<void> }>;
  remove?(): Promise<void>;
}
type Picker = (options: { readonly suggestedName: string }) => Promise<SaveFile>;

const findPicker = (): Picker | undefined => (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker;

/** The bytes of a file that was loaded: after a wrong key they are not loaded, and not counted, again. */
const loaded = new Map<string, Blob>();

/** The response with a large file that no key has fitted yet: after a wrong key it is used again, and no other one is counted. */
const started = new Map<string, Replay>();

/**
 * Downloads a file, decrypts it and lets the browser save it, once all of it is verified. Rejects with Refused, TooLarge, the connection's error, the
 * AbortError of a person who chose no file, or an error whose `problem` says why it cannot be decrypted. Then nothing is saved.
 */
export async function saveDecrypted(input: SaveInput): Promise<void> {
  if (input.sizeBytes > MAX_MEMORY_BYTES) return await writeDecrypted(input);
  const { fileId, sizeBytes, name } = input;
  const blob = loaded.get(fileId) ?? (await load(input));
  loaded.clear();
  loaded.set(fileId, blob);
  const decrypted = await openDecrypted(blob.stream(), input);
  const chunks: BlobPart[] = [];
  await read(decrypted.body, sizeBytes, input.onDecrypted, (chunk) => void chunks.push(chunk as Uint8Array<ArrayBuffer>));
  offer(new Blob(chunks, { type: TYPE }), decrypted.name ?? plainName(name));
}

async function load(input: SaveInput): Promise<Blob> {
  const chunks: BlobPart[] = [];
  await read(await request(input), input.sizeBytes, input.onLoaded, (chunk) => void chunks.push(chunk as Uint8Array<ArrayBuffer>));
  return new Blob(chunks);
}

/** Writes to the file that a person chooses. The browser replaces that file only when all bytes are written. */
async function writeDecrypted(input: SaveInput): Promise<void> {
  const pick = findPicker();
  if (!pick) throw new TooLarge();
  // Before any other wait, because browsers ask only right after a click.
  const file = await pick.call(globalThis, { suggestedName: plainName(input.name) });
  const writable = await file.createWritable();
  try {
    const decrypted = await openStarted(input);
    const writer = writable.getWriter();
    await read(decrypted.body, input.sizeBytes, input.onDecrypted, (chunk) => writer.write(chunk));
    await writer.close();
  } catch (error) {
    await writable.abort().catch(() => undefined);
    await file.remove?.().catch(() => undefined);
    throw error;
  }
}

/** Begins to decrypt a large file. After a wrong key its response is kept for the next one. */
async function openStarted(input: SaveInput) {
  const { fileId } = input;
  const replay = started.get(fileId) ?? createReplay(await request(input));
  started.set(fileId, replay);
  try {
    const decrypted = await openDecrypted(replay.begin(), input);
    started.delete(fileId);
    replay.keepNoMore();
    return decrypted;
  } catch (error) {
    if (!(error instanceof Error && "problem" in error && error.problem === "wrongKey")) {
      started.delete(fileId);
      await replay.cancel();
    }
    throw error;
  }
}

/** A stream that can be read from its beginning again, until it keeps no more. */
interface Replay {
  begin(): ReadableStream<Uint8Array>;
  keepNoMore(): void;
  cancel(): Promise<void>;
}

function createReplay(body: ReadableStream<Uint8Array>): Replay {
  const reader = body.getReader();
  const kept = new Map<number, ReturnType<typeof reader.read>>();
  let isKeeping = true;
  return {
    begin() {
      let index = 0;
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          const next = kept.get(index) ?? reader.read();
          if (isKeeping) kept.set(index, next);
          else kept.delete(index);
          index += 1;
          const { done, value } = await next;
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: async (reason) => {
          if (!isKeeping) await reader.cancel(reason);
        },
      });
    },
    keepNoMore() {
      isKeeping = false;
    },
    cancel: () => reader.cancel().catch(() => undefined),
  };
}

/** The encrypted bytes, from this site: the policy of the page allows no other. */
async function request({ form, fileId }: SaveInput): Promise<ReadableStream<Uint8Array>> {
  const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  body.set("fileId", fileId);
  const response = await fetch(form.action.replace(/\/[^/]*$/, "/bytes"), { method: "POST", body, headers: { Accept: "text/html" } });
  if (!response.ok || !response.body || response.headers.get("Content-Type")?.startsWith("text/html"))
    throw new Refused(await response.text());
  return response.body;
}

/** Loads the library, and reads what is needed to begin. */
async function openDecrypted(bytes: ReadableStream<Uint8Array>, { key }: SaveInput) {
  const [{ decryptStream, readEnteredKey }, { unwrapName }] = await Promise.all([
    import("../../../src/transfer/encryption/decrypt.ts"),
    import("../../../src/transfer/encryption/wrapped-name.ts"),
  ]);
  return await unwrapName(await decryptStream(bytes, readEnteredKey(key)));
}

async function read(
  stream: ReadableStream<Uint8Array>,
  sizeBytes: number,
  onDone: (share: number) => void,
  take: (chunk: Uint8Array) => Promise<void> | void,
): Promise<void> {
  const reader = stream.getReader();
  let done = 0;
  onDone(0);
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    done += next.value.length;
    await take(next.value);
    onDone(sizeBytes === 0 ? 1 : done / sizeBytes);
  }
}

/** Without the extension of encrypted files, and without folders. */
const plainName = (name: string): string => name.replace(/^.*\//, "").replace(/\.age$/i, "") || "file";

/** Lets the browser save bytes, and open nothing. */
function offer(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/^.*\//, "");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), URL_MS);
}
