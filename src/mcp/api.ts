import type { CallOptions } from "../service/client.ts";
import type { OperationName, Output, RequestInput } from "../service/contract.ts";

/** The interface through which tools call operations: in this process on the server, over HTTP in `filehost mcp`. Rejects with an AppError. */
export interface Api {
  /** Calls an operation. `options` are for calls over HTTP; the server applies the options of the request that it handles. */
  call<Name extends OperationName>(name: Name, input: RequestInput<Name>, options?: CallOptions): Promise<Output<Name>>;
  /** Finds the hosts of the server's addresses, with their ports. */
  findHosts(): Promise<readonly string[]>;
}
