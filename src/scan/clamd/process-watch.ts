import type { Socket } from "node:net";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import { type ClamdTarget, connectSocket } from "./connection.ts";

/**
 * An open session with one clamd process. clamd reports neither its start nor its limits, but a process that ends closes its connections. So what was
 * true of clamd when the session was opened is true while the session is open.
 */
export interface ProcessWatch {
  /** Whether the session is not known to have ended. */
  readonly isOpen: boolean;
  /** Asks clamd whether the session is still open. Never rejects, and resolves within the connect timeout. */
  confirm(): Promise<boolean>;
}

/** Shorter than any sensible `ReadTimeout` of clamd (120 seconds by default), after which clamd ends an idle session. */
const KEEP_ALIVE_MS = 10_000;
const SESSION_COMMAND = "zIDSESSION\0";
const PING_COMMAND = "zPING\0";
const PONG = /^\d+: PONG$/;

/** Opens a session, which does not keep the process of filehost running; returns a reason in words if that fails. */
export async function watchProcess(target: ClamdTarget): Promise<ProcessWatch | { readonly failure: string }> {
  const socket = await connectSocket(target);
  if ("failure" in socket) return { failure: `clamd cannot be reached (${socket.failure})` };
  socket.write(SESSION_COMMAND);
  const watch = watchSocket(socket, target.connectTimeoutMs);
  if (await watch.confirm()) return watch;
  return { failure: "clamd does not respond in a session (IDSESSION)" };
}

function watchSocket(socket: Socket, timeoutMs: number): ProcessWatch {
  let isOpen = true;
  let received = "";
  /** Resolvers of the pings that clamd has not answered yet. It answers in order. */
  const waiting: ((isOpen: boolean) => void)[] = [];
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(timer);
    for (const resolve of waiting.splice(0)) resolve(false);
    socket.destroy();
  };
  const confirm = (): Promise<boolean> => {
    if (!isOpen) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    waiting.push(resolve);
    socket.write(PING_COMMAND);
    return withTimeout(promise, timeoutMs, () => {
      end();
      return false;
    });
  };
  socket.on("data", (bytes: Buffer) => {
    const replies = (received + bytes.toString("latin1")).split("\0");
    received = replies.pop() ?? "";
    // Any other response is a report that clamd ends the session.
    for (const reply of replies) {
      if (PONG.test(reply)) waiting.shift()?.(true);
      else end();
    }
  });
  socket.on("error", end);
  socket.on("end", end);
  socket.on("close", end);
  socket.unref();
  const timer = setInterval(() => void confirm(), KEEP_ALIVE_MS);
  timer.unref();
  return {
    get isOpen() {
      return isOpen;
    },
    confirm,
  };
}
