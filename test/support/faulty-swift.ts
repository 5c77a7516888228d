import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";
import { type SwiftOptions, startSwift, type TestSwift } from "./swift.ts";

export interface FaultySwift extends TestSwift {
  /** Before the store, and faultless until it is told otherwise; `endpoint` is the store itself. */
  readonly proxy: FaultyProxy;
}

/** A real store that can be had through a proxy which loses, cuts and refuses. */
export async function startFaultySwift(options?: SwiftOptions): Promise<FaultySwift> {
  const swift = await startSwift(options);
  const proxy = await startFaultyProxy(swift.endpoint);
  return {
    ...swift,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await swift[Symbol.asyncDispose]();
    },
  };
}
