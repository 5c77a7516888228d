import type { Bench, Contestant, Experiment } from "./bench.ts";
import { startFilehost } from "./filehost.ts";
import { askInTurn, get, quantile } from "./latency.ts";
import { findOwnerId, insertPlaces, insertShares } from "./rows.ts";
import type { Side } from "./samples.ts";
import { signUp } from "./sign-in.ts";

const LIST = "list-50-of-1m-places";
const METADATA = "share-of-1m-places";
const DOWNLOAD = "authorize-of-1m-places";
const PAGE = 50;
const ASKED = 200;

/**
 * Measures an account of a million files with 1.3 places each, beside one of as many files with one place each: the medians of any page of its list, of
 * the metadata of its shares, and of the authorization of a download.
 */
export const placeLookups: Experiment = {
  cases: [LIST, METADATA, DOWNLOAD],
  async prepare(bench, stack) {
    return [await account(bench, stack, "ours"), await account(bench, stack, "peer")];
  },
};

async function account(bench: Bench, stack: AsyncDisposableStack, side: Side): Promise<Contestant> {
  const count = bench.manyShares;
  const name = `places-${side}`;
  const first = await startFilehost(bench, name);
  const session = await signUp(first);
  await first.stop();
  const inserted = insertShares(first.dataDir, { count, ownerId: findOwnerId(first.dataDir) });
  const places = side === "ours" ? [...inserted, ...insertPlaces(first.dataDir, { count })] : inserted;
  await bench.processes.run("sync", []);
  const host = await startFilehost(bench, name);
  stack.defer(() => host.stop());
  let turn = 0;
  // A prime step visits shares and pages of the whole account, the same in each run.
  const next = (length: number): number => (turn++ * 7919) % length;
  const median = async (path: () => string): Promise<number> =>
    quantile(await askInTurn(ASKED, () => get(host.url + path(), { cookie: `session=${session}` })), 0.5);
  return {
    label: side === "ours" ? "1.3 places each" : "one place each",
    pid: host.pid,
    async measure() {
      return [
        { case: LIST, side, value: await median(() => `/api/files/list?limit=${PAGE}&page=${1 + next(count / PAGE)}`) },
        { case: METADATA, side, value: await median(() => `/api/files/share/${places[next(places.length)]?.shortId}`) },
        { case: DOWNLOAD, side, value: await median(() => `/api/files/download/${places[next(places.length)]?.id}`) },
      ];
    },
  };
}
