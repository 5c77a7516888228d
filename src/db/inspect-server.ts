import { createClient } from "@libsql/client";
import { type DatabaseState, readState } from "./inspect.ts";
import { createServerFetch } from "./remote-faults.ts";
import { toRows } from "./remote-transaction.ts";

export interface ServerState extends DatabaseState {
  /** The median of a few. */
  readonly roundTripMs: number;
}

const ROUND_TRIPS = 5;

/**
 * Asks a libSQL server, each question once and no longer than `answerMs`. Throws the client's errors as they are; where the server refused
 * by HTTP, a `refusedWith` of that status is the error's.
 */
export async function inspectServer(options: {
  readonly url: string;
  readonly token: string | undefined;
  readonly answerMs: number;
}): Promise<ServerState> {
  const { url, token, answerMs } = options;
  const ask = createServerFetch(answerMs);
  let refusedWith: number | undefined;
  const client = createClient({
    url,
    authToken: token,
    intMode: "number",
    async fetch(request: Request) {
      const response = await ask(request);
      refusedWith = response.ok ? undefined : response.status;
      return response;
    },
  });
  try {
    const state = await readState(async (sql) => toRows(await client.execute(sql)));
    const timesMs: number[] = [];
    for (let i = 0; i < ROUND_TRIPS; i++) {
      const beginMs = performance.now();
      await client.execute("SELECT 1");
      timesMs.push(performance.now() - beginMs);
    }
    return { ...state, roundTripMs: timesMs.sort((a, b) => a - b)[Math.floor(ROUND_TRIPS / 2)] ?? 0 };
  } catch (error) {
    throw refusedWith === undefined ? error : Object.assign(new Error("The database's server refused", { cause: error }), { refusedWith });
  } finally {
    client.close();
  }
}
