import { join, resolve } from "node:path";
import { ONE_DATABASE_THREAD, type TestServer } from "../../../support/server.ts";
import { until } from "../../../support/until.ts";
import { type CallPoint, killAt, runKilledAt } from "./strace.ts";

/**
 * Kills the server at a system call during `act`, and restarts it on the same data. Resolves to the result of `act`, undefined if it failed; rejects
 * when the server does not make the call.
 */
export async function killServerAt<T>(
  server: TestServer,
  point: CallPoint,
  act: () => Promise<T>,
  deadlineMs = 60_000,
): Promise<T | undefined> {
  await using tracer = await killAt(server.pid, point);
  const acted = act().catch(() => undefined);
  await until(`the server is killed at ${point.call} ${point.when}`, () => tracer.ended, { deadlineMs });
  const result = await acted;
  await server.restart({ signal: "SIGKILL" });
  return result;
}

/** Runs `filehost {args}` on the server's data and kills it at a system call. Resolves to whether it reached the call. */
export async function killCommandAt({ dataDir }: TestServer, args: readonly string[], point: CallPoint): Promise<boolean> {
  const program = join(resolve(import.meta.dirname, "../../../.."), "filehost");
  return await runKilledAt([program, ...args], { ...process.env, ...ONE_DATABASE_THREAD, FILEHOST_DATA: dataDir }, point);
}
