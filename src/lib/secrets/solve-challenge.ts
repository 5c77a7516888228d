import { Worker } from "node:worker_threads";
import { AppError } from "../../errors.ts";

export interface Challenge {
  readonly challenge_id: string;
  /** Number of zero bits with which the digest must begin. */
  readonly difficulty: number;
}

/**
 * The source of the worker, which tries nonces until the SHA-256 of `{challenge_id}:{nonce}` begins with the required number of zero bits. It is a
 * text, because a compiled executable has no files that a worker could load.
 */
const SOLVER = `
const { parentPort, workerData: { id, difficulty } } = require("node:worker_threads");
const { createHash } = require("node:crypto");
const isDone = (digest) => {
  let bits = 0;
  for (const byte of digest) {
    if (byte !== 0) return bits + Math.clz32(byte) - 24 >= difficulty;
    bits += 8;
  }
  return true;
};
for (let nonce = 0; ; nonce++)
  if (isDone(createHash("sha256").update(id + ":" + nonce).digest())) {
    parentPort.postMessage(String(nonce));
    break;
  }
`;

/** Maximum number of waiting proofs. More would take a processor from requests for minutes. */
const MAX_WAITING = 16;
/** Timeout of a proof. The hardest one takes some seconds. */
const TIMEOUT_MS = 60_000;

let last: Promise<unknown> = Promise.resolve();
const waiting = new Set<string>();

interface Solving {
  /** The caller that waits for the proof, which may wait for only one at a time. */
  readonly caller: string;
  readonly signal: AbortSignal;
}

/** Finds the nonce of a challenge in a separate thread, one challenge after the other. Throws UNAVAILABLE if too many wait. */
export async function solveChallenge(challenge: Challenge, { caller, signal }: Solving): Promise<string> {
  if (waiting.size >= MAX_WAITING || waiting.has(caller))
    throw new AppError("UNAVAILABLE", "Other agents are registering. Try again in a minute.", { retryAfterSeconds: 60 });
  waiting.add(caller);
  const nonce = last.then(() => solve(challenge, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])));
  last = nonce.catch(() => undefined);
  try {
    return await nonce;
  } finally {
    waiting.delete(caller);
  }
}

async function solve({ challenge_id: id, difficulty }: Challenge, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const worker = new Worker(SOLVER, { eval: true, workerData: { id, difficulty } });
  try {
    return await new Promise<string>((resolve, reject) => {
      worker.once("message", resolve);
      // The listener stays, because a second error without a listener would be an uncaught exception.
      worker.on("error", reject);
      worker.once("exit", () => reject(new Error("The thread ended without a nonce.")));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  } finally {
    await worker.terminate();
  }
}
