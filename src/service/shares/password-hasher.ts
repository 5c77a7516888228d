import { AppError } from "../../errors.ts";
import { createWaitQueue } from "../../lib/concurrency/wait-queue.ts";
import { memoryPlan } from "../../lib/system/memory-plan.ts";
import { hashPassword, verifyPassword } from "../sign-in/password-hash.ts";

/** Maximum number of calls that wait, in total and of one caller, so that one caller does not keep others from unlocking. */
const MAX_WAITING = { total: 64, perKey: 8 } as const;
const WAIT_MS = 10_000;
const RETRY_SECONDS = 5;

/**
 * Hashes passwords of shares. A hash takes 32 MB and a processor for a moment, and anybody can ask for one, so few are computed at the same time.
 * Passwords of accounts are hashed elsewhere, so that guessing at shares does not keep people from signing in.
 */
export interface PasswordHasher {
  /** Returns the hash of a password. Throws UNAVAILABLE if too many calls wait, in total or of this caller. */
  hash(caller: string, password: string): Promise<string>;
  /** Returns whether `hash` is the hash of `password`. Throws UNAVAILABLE as `hash` does. */
  verify(caller: string, guess: { readonly password: string; readonly hash: string }): Promise<boolean>;
}

export interface PasswordHasherOptions {
  readonly maxRunning?: number;
  readonly maxWaiting?: { readonly total: number; readonly perKey: number };
  readonly waitMs?: number;
}

export function createPasswordHasher({
  maxRunning = memoryPlan.passwordHashes,
  maxWaiting = MAX_WAITING,
  waitMs = WAIT_MS,
}: PasswordHasherOptions = {}): PasswordHasher {
  const queue = createWaitQueue(maxWaiting);
  let running = 0;
  const attempt = (): boolean => {
    if (running >= maxRunning) return false;
    running += 1;
    return true;
  };
  async function inTurn<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (!attempt()) await queue.wait({ key: caller, attempt, timeoutMs: waitMs, refusal: tooManyHashes });
    try {
      return await work();
    } finally {
      running -= 1;
      queue.wake();
    }
  }
  return {
    hash: (caller, password) => inTurn(caller, () => hashPassword(password)),
    verify: (caller, guess) => inTurn(caller, () => verifyPassword(guess)),
  };
}

const tooManyHashes = (): AppError =>
  new AppError("UNAVAILABLE", "The server is checking too many passwords. Try again in a few seconds.", {
    retryAfterSeconds: RETRY_SECONDS,
  });
