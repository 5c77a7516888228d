import type { Challenge } from "../../lib/secrets/solve-challenge.ts";
import type { Output } from "../../service/contract.ts";
import type { RemoteApi } from "../server/remote-api.ts";

interface Registration {
  readonly api: Pick<RemoteApi, "call">;
  /** What the key is used for. */
  readonly label: string;
  /** Finds the nonce of a challenge, which takes processor time. */
  solve(challenge: Challenge, signal: AbortSignal): Promise<string>;
  readonly signal: AbortSignal;
  /** Called before each of the steps after the first. */
  onStep?(step: { readonly done: number; readonly total: number; readonly message: string }): void;
}

/**
 * Registers an agent, with the proof of work that this requires (agents, "Registration"). Rejects with the server's error, or that of `solve`. The signal
 * ends it before the account is created, and not afterwards: the answer has the only key.
 */
export async function registerAgent({ api, label, solve, signal, onStep }: Registration): Promise<Output<"registerAgent">> {
  const challenge = await api.call("requestChallenge", {}, { signal });
  onStep?.({ done: 1, total: 3, message: "Doing the proof of work." });
  const nonce = await solve(challenge, signal);
  onStep?.({ done: 2, total: 3, message: "Registering." });
  signal.throwIfAborted();
  return await api.call("registerAgent", { label, challenge_id: challenge.challenge_id, nonce });
}
