import { connect, type Socket } from "node:net";
import type { ClamdAddress } from "./clamd-address.ts";

/** How to reach a clamd, and how long to wait for it. */
export interface ClamdLink {
  readonly address: ClamdAddress;
  readonly connectTimeoutMs: number;
  /** The longest wait for clamd to take bytes, and for its answer. */
  readonly idleTimeoutMs: number;
}

/** How a connection ended: with an answer, or without one. */
export type ClamdEnd =
  | { readonly kind: "reply"; readonly text: string }
  | { readonly kind: "broken"; readonly reason: string }
  | { readonly kind: "timeout"; readonly reason: string };

/** One command's connection. Nothing here rejects: how it ended tells. */
export interface ClamdConnection {
  /** Resolves when the kernel has taken `bytes` (they may be reused then): true, or false where the connection has ended. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** How it ended, waiting for that up to `waitMs` (the idle timeout by default, which then is how it ended); undefined if not yet. */
  end(waitMs?: number): Promise<ClamdEnd | undefined>;
  close(): void;
}

const MAX_REPLY_BYTES = 64 * 1024;
const TERMINATOR = "\0";

/** Connects; gives a reason in words where that fails. */
export async function openConnection(link: ClamdLink): Promise<ClamdConnection | { readonly failure: string }> {
  const { address } = link;
  const socket = address.kind === "unix" ? connect({ path: address.path }) : connect({ host: address.host, port: address.port });
  const failure = await new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(`no connection within ${link.connectTimeoutMs} ms`), link.connectTimeoutMs);
    const settle = (reason?: string) => {
      clearTimeout(timer);
      resolve(reason);
    };
    socket.once("connect", () => settle());
    socket.once("error", (error) => settle(describe(error)));
  });
  if (failure === undefined) return attach(socket, link.idleTimeoutMs);
  socket.on("error", () => {});
  socket.destroy();
  return { failure };
}

function attach(socket: Socket, idleTimeoutMs: number): ClamdConnection {
  let ended: ClamdEnd | undefined;
  let announce: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const finish = (end: ClamdEnd) => {
    if (ended) return;
    ended = end;
    announce();
    socket.destroy();
  };

  let received = "";
  socket.on("data", (bytes: Buffer) => {
    received += bytes.toString("utf8");
    const at = received.indexOf(TERMINATOR);
    if (at >= 0) finish({ kind: "reply", text: received.slice(0, at) });
    else if (received.length > MAX_REPLY_BYTES) finish({ kind: "broken", reason: "an endless answer" });
  });
  socket.on("error", (error) => finish({ kind: "broken", reason: describe(error) }));
  socket.on("close", () => finish({ kind: "broken", reason: "the connection was closed without an answer" }));

  /** Resolves when `event` or the end comes; a wait that is too long is an end. */
  const until = async (event: Promise<void>, waitMs: number, onTimeout: () => void) => {
    const timer = setTimeout(onTimeout, waitMs);
    await Promise.race([event, over]);
    clearTimeout(timer);
  };
  const giveUp = (what: string) => finish({ kind: "timeout", reason: `${what} within ${idleTimeoutMs} ms` });

  return {
    async write(bytes) {
      if (ended) return false;
      const taken = new Promise<void>((resolve) => {
        // An error comes by its event too, and nothing must look like success here.
        socket.write(bytes, (error) => (error ? undefined : resolve()));
      });
      await until(taken, idleTimeoutMs, () => giveUp("took no bytes"));
      return ended === undefined;
    },
    async end(waitMs) {
      if (ended) return ended;
      let lapse: () => void = () => {};
      const lapsed = new Promise<void>((resolve) => {
        lapse = resolve;
      });
      if (waitMs === undefined) await until(over, idleTimeoutMs, () => giveUp("no answer"));
      else await until(lapsed, waitMs, lapse);
      return ended;
    },
    close: () => finish({ kind: "broken", reason: "closed by us" }),
  };
}

function describe(error: Error & { code?: string }): string {
  return error.code ?? error.message;
}
