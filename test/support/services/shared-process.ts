import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../until.ts";

/** The process ID of the run: of scripts/test if it runs all tests, otherwise of `bun test`, which is the parent of this process if it is a worker. */
const runPid = Number(process.env.TEST_RUN_PID ?? (process.env.BUN_TEST_WORKER_ID === undefined ? process.pid : process.ppid));

/** Returns the address of an abstract socket. Only one process can listen on it, and it ends with that process. */
const addressOf = (name: string, pid: number | string): string => `\0filehost-test-${name}-${pid}`;

/**
 * Joins a program that all test files of this run share, and resolves to its description, such as the URL of a store. The first caller starts
 * `{name}.child.ts` of this folder, which calls `runShared`.
 */
export async function joinShared<T>(name: string): Promise<T> {
  const address = addressOf(name, runPid);
  const known = await ask(address).catch(() => undefined);
  if (known === undefined) {
    const script = join(import.meta.dirname, `${name}.child.ts`);
    // setsid is used because bun kills the child processes of a test file when the file ends.
    spawn("setsid", ["--fork", process.execPath, script, String(runPid)], { stdio: "ignore" });
  }
  const description = known ?? (await until(`the shared ${name} runs`, () => ask(address), { deadlineMs: 90_000, everyMs: 50 }));
  const { shared, error } = JSON.parse(description) as { shared: T; error?: string };
  if (error !== undefined) throw new Error(error);
  return shared;
}

async function ask(path: string): Promise<string> {
  return await text(connect({ path }));
}

/**
 * Starts a shared program, sends its description to each `joinShared`, and stops it when the test run ends. Exits immediately if another process
 * already runs the program, and when the program did not start: the next `joinShared` starts it again.
 */
export async function runShared(name: string, start: () => Promise<AsyncDisposable>): Promise<void> {
  const [, , runPid = ""] = process.argv;
  const description = Promise.withResolvers<string>();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    void description.promise.then((text) => socket.end(text));
  });
  server.on("error", () => process.exit());
  server.listen({ path: addressOf(name, runPid) });
  await once(server, "listening");
  try {
    const shared = await start();
    description.resolve(JSON.stringify({ shared }));
    while (isRunning(Number(runPid))) await delay(200);
    await shared[Symbol.asyncDispose]();
  } catch (error) {
    description.resolve(JSON.stringify({ error: String(error) }));
    server.close();
    await once(server, "close");
  }
  process.exit();
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
