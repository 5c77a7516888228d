import type { Output, ResponseOf } from "../../../../src/service/contract.ts";
import type { ServerWith } from "../accounts/accounts.ts";
import { type ApiResponse, type Body, type CallOptions, call, clientOf, type InputOf, type Upload } from "../api/api.ts";

/** The response to the creation of a delegation. */
export type Delegation = Output<"createDelegation">;

export type CompletedDelegation = ApiResponse<Body & { readonly data: Upload; readonly file: Upload }>;

/** Makes calls of an owner and of a worker with upload delegations. `getServer` is called each time, because suites start their server in a hook. */
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
    askComplete: ({ delegationToken }: Delegation, fields: object = {}): Promise<CompletedDelegation> =>
      post("/complete", { delegationToken, ...fields }),
    complete: ({ delegationToken }: Delegation, fields: { readonly sha256?: string } = {}): Promise<ResponseOf<"completeDelegation">> =>
      clientOf(getServer()).call("completeDelegation", { delegationToken, ...fields }),
    named: ({ delegationToken, uploadId, key }: Delegation) => ({ delegationToken, uploadId, key }),
  };
}
