import { join, resolve } from "node:path";
import { ONE_DATABASE_THREAD, type TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { type CallPoint, killAt, runKilledAt } from "./strace.ts";

/**
 * Kills the server at a call that `act` makes it do, and starts it again on the same data. Resolves to what `act` got before that,
 * undefined where it got no answer; rejects where the server does not come to the call.
 */
export async function dieAt<T>(server: TestServer, point: CallPoint, act: () => Promise<T>, deadlineMs = 10_000): Promise<T | undefined> {
  await using tracer = await killAt(server.pid, point);
  const acted = act().catch(() => undefined);
  await until(`the server dies at ${point.call} ${point.when}`, () => tracer.ended, { deadlineMs });
  const answer = await acted;
  await server.restart({ signal: "SIGKILL" });
  return answer;
}

/** Runs `filehost {args}` on the server's data, killed at that call; resolves to whether it came so far. */
export async function commandDiesAt({ dataDir }: TestServer, args: readonly string[], point: CallPoint): Promise<boolean> {
  const program = join(resolve(import.meta.dirname, "../../.."), "filehost");
  return await runKilledAt([program, ...args], { ...process.env, ...ONE_DATABASE_THREAD, FILEHOST_DATA: dataDir }, point);
}
