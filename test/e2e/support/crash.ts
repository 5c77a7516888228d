import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { type CallPoint, killAt } from "./strace.ts";

/**
 * Kills the server at a call that `act` makes it do, and starts it again on the same data. Resolves to what `act` got before that,
 * undefined where it got no answer; rejects where the server does not come to the call.
 */
export async function dieAt<T>(server: TestServer, point: CallPoint, act: () => Promise<T>): Promise<T | undefined> {
  await using tracer = await killAt(server.pid, point);
  const acted = act().catch(() => undefined);
  await until(`the server dies at ${point.call} ${point.when}`, () => tracer.ended);
  const answer = await acted;
  await server.restart({ signal: "SIGKILL" });
  return answer;
}
