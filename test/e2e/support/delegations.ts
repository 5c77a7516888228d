import assert from "node:assert/strict";
import type { ServerWith } from "./accounts.ts";
import { type Answer, type Body, type CallOptions, call } from "./api.ts";
import type { ProtectedUpload } from "./owned.ts";

/** What a delegation answers its owner. */
export interface Delegation {
  readonly delegationId: string;
  readonly delegationToken: string;
  readonly uploadUrl: string;
  readonly uploadId: string;
  readonly key: string;
  readonly chunkSize: number;
  readonly totalParts?: number;
  readonly expiresAt: string;
  readonly unlockCode?: string;
  readonly handoffUrl?: string;
}

export type Finished = Answer<Body & { readonly data: ProtectedUpload; readonly file: ProtectedUpload }>;

/** What an owner asks of delegations, and what the worker does with one; `made` is asked with each call, since servers begin in a hook. */
export function delegationCalls(made: () => ServerWith<"owner">) {
  const post = (path: string, json: object, options: CallOptions = {}): Promise<Finished> =>
    call(made(), "POST", `/api/files/upload-delegations${path}`, { ...options, json });
  const ask = (fields: object = {}, key = made().owner.key): Promise<Answer> => post("", fields, { key });
  return {
    post,
    ask,
    async delegate(fields: object = {}, key?: string): Promise<Delegation> {
      const { status, body } = await ask(fields, key);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data as Delegation;
    },
    put: (delegation: Pick<Delegation, "uploadUrl">, bytes: BodyInit, options: CallOptions = {}): Promise<Finished> =>
      call({ url: delegation.uploadUrl }, "PUT", "", {
        ...options,
        body: bytes,
        headers: { Accept: "application/json", ...options.headers },
      }),
    complete: (delegation: Delegation, fields: object = {}): Promise<Finished> =>
      post("/complete", { delegationToken: delegation.delegationToken, ...fields }),
    named: ({ delegationToken, uploadId, key }: Delegation): object => ({ delegationToken, uploadId, key }),
  };
}
