import { setTimeout } from "node:timers/promises";
import { AppError } from "../../errors.ts";
import { createWaitQueue } from "../../lib/concurrency/wait-queue.ts";
import { memoryPlan } from "../../lib/system/memory-plan.ts";
import { hashPassword, verifyPassword } from "../sign-in/password-hash.ts";

/** Maximum number of calls that wait, in total and of one caller, so that one caller does not keep others from unlocking. */
const MAX_WAITING = { total: 64, perKey: 8 } as const;
const WAIT_MS = 10_000;
/** Number of further tries of a patient call, and the pause before each: two minutes if it is refused at once. */
const PATIENCE = { tries: 24, pauseMs: 5_000 } as const;
const RETRY_SECONDS = 5;

/**
 * Hashes passwords of shares. A hash takes 32 MB and a processor for a moment, and anybody can ask for one, so few are computed at the same time.
 * Passwords of accounts are hashed elsewhere, so that guessing at shares does not keep people from signing in.
 */
export interface PasswordHasher {
  /**
   * Returns the hash of a password. Throws UNAVAILABLE if too many calls wait, in total or of this caller. A patient call then tries again for
   * minutes.
   */
  hash(caller: string, password: string, options?: { readonly isPatient?: boolean }): Promise<string>;
  /** Returns whether `hash` is the hash of `password`. Throws UNAVAILABLE as `hash` does. */
  verify(caller: string, guess: { readonly password: string; readonly hash: string }): Promise<boolean>;
}

export interface PasswordHasherOptions {
  readonly maxRunning?: number;
  readonly maxWaiting?: { readonly total: number; readonly perKey: number };
  readonly waitMs?: number;
  readonly patience?: { readonly tries: number; readonly pauseMs: number };
}

export function createPasswordHasher({
  maxRunning = memoryPlan.passwordHashes,
  maxWaiting = MAX_WAITING,
  waitMs = WAIT_MS,
  patience = PATIENCE,
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
  async function hashPatiently(hash: () => Promise<string>): Promise<string> {
    for (let tries = patience.tries; ; tries--) {
      try {
        return await hash();
      } catch (error) {
        if (tries === 0 || !(error instanceof AppError) || error.code !== "UNAVAILABLE") throw error;
        await setTimeout(patience.pauseMs);
      }
    }
  }
  return {
    hash: (caller, password, { isPatient = false } = {}) => {
      const hash = () => inTurn(caller, () => hashPassword(password));
      return isPatient ? hashPatiently(hash) : hash();
    },
    verify: (caller, guess) => inTurn(caller, () => verifyPassword(guess)),
  };
}

const tooManyHashes = (): AppError =>
  new AppError("UNAVAILABLE", "The server is checking too many passwords. Try again in a few seconds.", {
    retryAfterSeconds: RETRY_SECONDS,
  });
