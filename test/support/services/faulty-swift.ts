import { type Relay, startRelay } from "../../scan/relay.ts";
import { type FaultyProxy, startFaultyProxy } from "../network/faulty-proxy.ts";
import { joinSwift, type TestSwift } from "./swift.ts";

export interface FaultySwift extends TestSwift, AsyncDisposable {
  /** The proxy in front of the store, without faults until `decide` is set; `endpoint` belongs to the store. */
  readonly proxy: FaultyProxy;
}

/** Starts a faulty proxy in front of the store that all test files share. */
export async function startFaultySwift(): Promise<FaultySwift> {
  const swift = await joinSwift();
  const proxy = await startFaultyProxy(swift.endpoint);
  return { ...swift, proxy, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}

/** Starts a relay in front of the store, which can delay requests and responses like a store that hangs. */
export async function relaySwift({ endpoint }: TestSwift): Promise<Relay & { readonly url: string }> {
  const { hostname, port } = new URL(endpoint);
  const relay = await startRelay({ kind: "tcp", host: hostname, port: Number(port) });
  return Object.assign(relay, { url: `http://127.0.0.1:${relay.address.port}` });
}
