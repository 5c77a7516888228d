/** The encryption of a share's files on the page, in workers (encryption, "Sending from the page"). */
import { upload as texts } from "#texts/site";
import type { FileKey } from "../../../../../src/transfer/encryption/encrypt.ts";
import { createWorkerPool } from "../../worker-pool.ts";
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

function startWorkers(count: number): Workers {
  const pool = createWorkerPool({ script: ENCRYPT_WORKER, count, toError: () => new PermanentFailure(texts.notLoaded) });
  return {
    call: (kind, input) => pool.call({ kind, input }),
    close: pool.close,
  };
}
