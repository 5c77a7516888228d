import type { Challenge } from "../../lib/secrets/solve-challenge.ts";
import type { Output } from "../../service/contract.ts";
import type { RemoteApi } from "../server/remote-api.ts";

interface Registration {
  readonly api: Pick<RemoteApi, "call">;
  /** The purpose of the key. */
  readonly label: string;
  /** Finds the nonce of a challenge, which uses processor time. */
  solve(challenge: Challenge, signal: AbortSignal): Promise<string>;
  readonly signal: AbortSignal;
  /** Runs before each step after the first. */
  onStep?(step: { readonly done: number; readonly total: number; readonly message: string }): void;
}

/**
 * Registers an agent, with the required proof of work (agents, "Registration"). Rejects with the server's error, or the error of `solve`. The signal
 * aborts only before the account is created, because the response has the only copy of the key.
 */
export async function registerAgent({ api, label, solve, signal, onStep }: Registration): Promise<Output<"registerAgent">> {
  const challenge = await api.call("requestChallenge", {}, { signal });
  onStep?.({ done: 1, total: 3, message: "Doing the proof of work." });
  const nonce = await solve(challenge, signal);
  onStep?.({ done: 2, total: 3, message: "Registering." });
  signal.throwIfAborted();
  return await api.call("registerAgent", { label, challenge_id: challenge.challenge_id, nonce });
}
