/** The encryption of a share's files on the page, in workers (encryption, "Sending from the page"). */
import { upload as texts } from "#texts/site";
import type { FileKey } from "../../../../../src/transfer/encryption/encrypt.ts";
import { PermanentFailure } from "../failures.ts";
import type {
  BegunFile,
  EncryptedPart,
  EncryptedWhole,
  NamedFile,
  PartInput,
  ShareKeys,
  WorkerOperation,
  WorkerOperations,
  WorkerRequest,
  WorkerResponse,
} from "./worker-messages.ts";

/** The path of the worker's script, which is inserted when the scripts are bundled. */
declare const ENCRYPT_WORKER: string;

/** The number of workers. Each has the bytes of a part in memory. */
const MAX_WORKERS = 4;

/** Makes the keys of a share. Rejects with a sentence for people. */
export const createShareKeys = (): Promise<ShareKeys> => callEncryptionWorker("createKeys", {});

/** Runs one operation in a worker, which then ends. Rejects with a sentence for people. */
export async function callEncryptionWorker<Kind extends WorkerOperation>(
  kind: Kind,
  input: WorkerOperations[Kind]["input"],
): Promise<WorkerOperations[Kind]["result"]> {
  const workers = startWorkers(1);
  try {
    const result = await workers.call(kind, input);
    if (result === null) throw new PermanentFailure(texts.notLoaded);
    return result;
  } finally {
    workers.close();
  }
}

/** Encrypts the files of a share. Results are null for a file that has changed or cannot be read. Rejects if the script cannot be loaded. */
export interface Encryptor {
  begin(file: NamedFile): Promise<BegunFile | null>;
  encryptPart(part: PartInput): Promise<EncryptedPart | null>;
  encryptWhole(file: NamedFile): Promise<EncryptedWhole | null>;
  close(): void;
}

export function createEncryptor(fileKey: FileKey): Encryptor {
  const workers = startWorkers(Math.max(1, Math.min(MAX_WORKERS, navigator.hardwareConcurrency - 1)));
  return {
    // Other fields of the arguments may be functions, which cannot be sent to a worker.
    begin: ({ path, file }) => workers.call("begin", { path, file, fileKey }),
    encryptPart: ({ path, file, encryption, start, end }) => workers.call("encryptPart", { path, file, encryption, start, end }),
    encryptWhole: ({ path, file }) => workers.call("encryptWhole", { path, file, fileKey }),
    close: workers.close,
  };
}

interface Workers {
  call<Kind extends WorkerOperation>(kind: Kind, input: WorkerOperations[Kind]["input"]): Promise<WorkerOperations[Kind]["result"] | null>;
  close(): void;
}

interface Call {
  readonly request: WorkerRequest;
  resolve(result: WorkerResponse): void;
  reject(error: unknown): void;
}

/** Starts up to `count` workers, when they are needed. Each works on one request at a time. */
function startWorkers(count: number): Workers {
  const idle: Worker[] = [];
  const running = new Map<Worker, Call>();
  const waiting: Call[] = [];

  function startNext(): void {
    const isFull = idle.length === 0 && running.size >= count;
    const call = isFull ? undefined : waiting.shift();
    if (!call) return;
    const worker = idle.pop() ?? new Worker(ENCRYPT_WORKER, { type: "module" });
    running.set(worker, call);
    worker.onmessage = ({ data }: MessageEvent<WorkerResponse>) => {
      running.delete(worker);
      idle.push(worker);
      call.resolve(data);
      startNext();
    };
    worker.onerror = () => {
      running.delete(worker);
      worker.terminate();
      call.reject(new PermanentFailure(texts.notLoaded));
      startNext();
    };
    worker.postMessage(call.request);
  }

  return {
    call: (kind, input) =>
      new Promise((resolve, reject) => {
        // A worker responds to each kind with its result.
        waiting.push({ request: { kind, input } as WorkerRequest, resolve: resolve as Call["resolve"], reject });
        startNext();
      }),
    close() {
      for (const worker of [...idle, ...running.keys()]) worker.terminate();
      for (const { reject } of [...running.values(), ...waiting]) reject(new DOMException("", "AbortError"));
      for (const calls of [idle, waiting]) calls.length = 0;
      running.clear();
    },
  };
}
