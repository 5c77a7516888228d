import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";
import { joinSwift, type OwnSwift, type SwiftOptions, startSwift, type TestSwift } from "./swift.ts";

export interface FaultySwift extends TestSwift, AsyncDisposable {
  /** The proxy in front of the store, without faults until `decide` is set; `endpoint` is the store itself. */
  readonly proxy: FaultyProxy;
}

/** Starts a faulty proxy in front of the store that all test files share. */
export async function startFaultySwift(): Promise<FaultySwift> {
  const swift = await joinSwift();
  const proxy = await startFaultyProxy(swift.endpoint);
  return { ...swift, proxy, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}

/** Starts a store for one test file alone, which can be paused, and a faulty proxy in front of it. */
export async function startOwnFaultySwift(options?: SwiftOptions): Promise<FaultySwift & OwnSwift> {
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
