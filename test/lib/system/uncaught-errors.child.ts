import { EventEmitter } from "node:events";
import { connect, createServer } from "node:net";
import { receiveUncaughtErrors } from "../../../src/lib/system/uncaught-errors.ts";
import { createLogger } from "../../../src/log.ts";

/** Throws in every kind of callback of a process whose errors are caught as the server's are, then says that it still runs. */
const log = createLogger({ level: "info", format: "json" });
receiveUncaughtErrors(() => fail("a former receiver"));
receiveUncaughtErrors(({ error, kind }) => log.error({ err: error }, kind));

function fail(what: string): never {
  throw new Error(what);
}

const echo = createServer((socket) => socket.end("x"));
await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
const address = echo.address();
const port = typeof address === "object" && address !== null ? address.port : 0;

setTimeout(() => fail("timer"));
setImmediate(() => fail("immediate"));
queueMicrotask(() => fail("microtask"));
process.nextTick(() => fail("tick"));
setTimeout(() => new EventEmitter().emit("error", new Error("emitter")));
void Promise.reject(new Error("rejection"));
void Promise.reject(null);
AbortSignal.timeout(1).addEventListener("abort", () => fail("signal"));
const socket = connect(port, "127.0.0.1");
socket.on("data", () => fail("socket"));
socket.on("close", () => {
  echo.close();
  setTimeout(() => {
    process.stdout.write("running\n");
    process.exit(0);
  }, 50);
});
