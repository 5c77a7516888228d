import assert from "node:assert/strict";
import { type ApiResponse, call } from "./api.ts";

type Server = { readonly url: string };

export interface Challenge {
  readonly challenge_id: string;
  readonly difficulty: number;
  readonly expires_at: string;
}

export interface Registration {
  readonly key: string;
  readonly owner_id: string;
  readonly key_prefix: string;
  readonly scope: string;
  readonly tier: string;
  readonly note: string;
}

/** The header of a trusted proxy that forwards a client's address; the server must trust 127.0.0.1. */
export const fromAddress = (address: string): Record<string, string> => ({ "X-Forwarded-For": address });

export const askChallenge = (server: Server, headers?: Record<string, string>): Promise<ApiResponse> =>
  call(server, "POST", "/api/agent/register/challenge", { headers });

export async function getChallenge(server: Server, headers?: Record<string, string>): Promise<Challenge> {
  const { status, body } = await askChallenge(server, headers);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Challenge;
}

/** Finds the first nonce that solves a challenge; with `wrong`, the first that does not. */
export function solve({ challenge_id, difficulty }: Challenge, { wrong = false } = {}): string {
  // Six times as fast as `createHash`, for hundreds of thousands of digests per agent.
  const digest = Buffer.alloc(32);
  for (let nonce = 0; ; nonce += 1) {
    Bun.SHA256.hash(`${challenge_id}:${nonce}`, digest);
    if (Math.clz32(digest.readUInt32BE()) >= difficulty !== wrong) return String(nonce);
  }
}

export const postRegistration = (server: Server, json: unknown, headers?: Record<string, string>): Promise<ApiResponse> =>
  call(server, "POST", "/api/agent/register", { json, headers });

/** Requests a challenge, solves it and registers an agent. */
export async function register(
  server: Server,
  { label, headers }: { label?: string; headers?: Record<string, string> } = {},
): Promise<Registration> {
  const challenge = await getChallenge(server, headers);
  const response = await postRegistration(server, { label, challenge_id: challenge.challenge_id, nonce: solve(challenge) }, headers);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body as unknown as Registration;
}
