import type { ServerWith } from "./accounts.ts";
import { type ApiResponse, type Body, type CallOptions, call, clientOf, type InputOf } from "./api.ts";
import type { ProtectedUpload } from "./shares.ts";

/** The response to the creation of a delegation. */
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

export type CompletedDelegation = ApiResponse<Body & { readonly data: ProtectedUpload; readonly file: ProtectedUpload }>;

/** Calls of an owner and of a worker with upload delegations. `getServer` is called each time, since suites start their server in a hook. */
export function delegationCalls(getServer: () => ServerWith<"owner">) {
  const post = (path: string, json: object, options: CallOptions = {}): Promise<CompletedDelegation> =>
    call(getServer(), "POST", `/api/files/upload-delegations${path}`, { ...options, json });
  const ask = (fields: object = {}, key = getServer().owner.key): Promise<ApiResponse> => post("", fields, { key });
  return {
    post,
    ask,
    async delegate(fields: object = {}, key?: string): Promise<Delegation> {
      const client = clientOf(getServer(), { key: key ?? getServer().owner.key });
      return (await client.call("createDelegation", fields as InputOf<"createDelegation">)).data;
    },
    put: (delegation: Pick<Delegation, "uploadUrl">, bytes: BodyInit, options: CallOptions = {}): Promise<CompletedDelegation> =>
      call({ url: delegation.uploadUrl }, "PUT", "", {
        ...options,
        body: bytes,
        headers: { Accept: "application/json", ...options.headers },
      }),
    complete: (delegation: Delegation, fields: object = {}): Promise<CompletedDelegation> =>
      post("/complete", { delegationToken: delegation.delegationToken, ...fields }),
    named: ({ delegationToken, uploadId, key }: Delegation): object => ({ delegationToken, uploadId, key }),
  };
}
