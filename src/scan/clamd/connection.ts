import { connect, type Socket } from "node:net";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import type { ClamdAddress } from "./address.ts";

/** A clamd's address and timeouts. */
export interface ClamdTarget {
  readonly address: ClamdAddress;
  readonly connectTimeoutMs: number;
  /** Maximum wait for clamd to accept bytes, and for its response. */
  readonly idleTimeoutMs: number;
}

/** The end of a connection, with a response or without one. */
export type ClamdEnd =
  | { readonly kind: "reply"; readonly text: string }
  | { readonly kind: "broken"; readonly reason: string }
  | { readonly kind: "timeout"; readonly reason: string };

/** The connection of one command. Never rejects: `end` reports errors. */
export interface ClamdConnection {
  /** Resolves to true when the kernel has copied `bytes`, which may then be reused; to false if the connection has ended. */
  write(bytes: Uint8Array): Promise<boolean>;
  /**
   * Waits up to `waitMs` for the end (by default the idle timeout, after which the connection ends) and returns it; undefined if it has not
   * ended.
   */
  waitForEnd(waitMs?: number): Promise<ClamdEnd | undefined>;
  close(): void;
}

const MAX_REPLY_BYTES = 64 * 1024;
const TERMINATOR = "\0";

/** Connects; returns a reason in words if that fails. */
export async function connectToClamd(target: ClamdTarget): Promise<ClamdConnection | { readonly failure: string }> {
  const socket = await connectSocket(target);
  return "failure" in socket ? socket : attach(socket, target.idleTimeoutMs);
}

/** Connects a socket, whose later errors are not uncaught; returns a reason in words if that fails. */
export async function connectSocket(target: ClamdTarget): Promise<Socket | { readonly failure: string }> {
  const { address } = target;
  const socket = address.kind === "unix" ? connect({ path: address.path }) : connect({ host: address.host, port: address.port });
  const { promise: connected, resolve } = Promise.withResolvers<string | undefined>();
  socket.once("connect", () => resolve(undefined));
  // The listener stays, because a later error without a listener would be an uncaught exception.
  socket.on("error", (error) => resolve(describe(error)));
  const failure = await withTimeout(connected, target.connectTimeoutMs, () => `no connection within ${target.connectTimeoutMs} ms`);
  if (failure === undefined) return socket;
  socket.destroy();
  return { failure };
}

function attach(socket: Socket, idleTimeoutMs: number): ClamdConnection {
  let ended: ClamdEnd | undefined;
  const { promise: whenEnded, resolve: resolveEnded } = Promise.withResolvers<void>();
  const finish = (end: ClamdEnd) => {
    if (ended) return;
    ended = end;
    resolveEnded();
    socket.destroy();
  };

  let received = "";
  socket.on("data", (bytes: Buffer) => {
    received += bytes.toString("utf8");
    const at = received.indexOf(TERMINATOR);
    if (at >= 0) finish({ kind: "reply", text: received.slice(0, at) });
    else if (received.length > MAX_REPLY_BYTES) finish({ kind: "broken", reason: "an endless response" });
  });
  socket.on("error", (error) => finish({ kind: "broken", reason: describe(error) }));
  socket.on("close", () => finish({ kind: "broken", reason: "the connection was closed without a response" }));

  /** Resolves when `event` does; ends the connection if that takes longer than the idle timeout. */
  const waitFor = (event: Promise<void>, missing: string): Promise<void> =>
    withTimeout(event, idleTimeoutMs, () => finish({ kind: "timeout", reason: `${missing} within ${idleTimeoutMs} ms` }));

  return {
    async write(bytes) {
      if (ended) return false;
      const written = new Promise<void>((resolve) => {
        // The `error` event reports errors. A failed write must not resolve like a successful one.
        socket.write(bytes, (error) => (error ? undefined : resolve()));
      });
      await waitFor(Promise.race([written, whenEnded]), "accepted no bytes");
      return ended === undefined;
    },
    async waitForEnd(waitMs) {
      if (ended) return ended;
      if (waitMs === undefined) await waitFor(whenEnded, "no response");
      else await withTimeout(whenEnded, waitMs, () => undefined);
      return ended;
    },
    close: () => finish({ kind: "broken", reason: "closed by filehost" }),
  };
}

function describe(error: Error & { code?: string }): string {
  return error.code ?? error.message;
}
