import { openStoreMarks } from "../blobs/open-store.ts";
import { judgePair, PAIR_FIX, PAIR_PROBLEMS, parseMark, parseRecord } from "../blobs/pair-state.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { DatabaseState } from "../db/inspect.ts";
import { countOf } from "../lib/text/count-of.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check-result.ts";
import { inspect } from "./database.ts";

const WHAT = "store and database";

/** Checks that the file store belongs to the database (storage, "A store and its database"), and counts the blobs without a file. */
export const storePair: Check = {
  what: WHAT,
  timeoutMs: 30_000,
  async *run(loaded: LoadedConfig) {
    let database: DatabaseState | undefined;
    try {
      database = await inspect(loaded);
    } catch {
      // The check of the database reports the reason.
      return;
    }
    const pair = await checkPair(loaded, database);
    yield pair;
    const damaged = database?.damagedFiles ?? 0;
    if (damaged > 0)
      yield fail(
        "stored bytes",
        "storedBytes",
        `${countOf(damaged, "file")} with damaged bytes, which nobody can download`,
        "List them: filehost audit --digests. Check the disk (smartctl -a, dmesg), copy the blobs from a backup and run filehost rescan ID, or have the files sent again.",
      );
    const unknown = database?.unknownBlobs ?? 0;
    if (unknown > 0 && pair.status !== "ok")
      yield warn("blobs without a file", "unknownBlobsKept", `${unknown} found, of which none is removed`, PAIR_FIX);
    else if (unknown > 0)
      yield warn(
        "blobs without a file",
        "unknownBlobs",
        `${unknown} found, which are removed 7 days later or after the quarantine time`,
        "List them: filehost audit. Remove them now: filehost cleanup --orphans. If files are missing, restore the database that has them first.",
      );
  },
};

async function checkPair({ config: { storage } }: LoadedConfig, database: DatabaseState | undefined): Promise<CheckResult> {
  await using store = await openStoreMarks(storage);
  try {
    const record = parseRecord(database?.storePairs[storage.kind]);
    const contender = await store.read("contender");
    const state = judgePair(record, parseMark(await store.read("identity")), contender !== undefined);
    if (state.kind === "paired") return ok(WHAT, "belong together");
    if (state.kind === "problem") return fail(WHAT, "storePair", PAIR_PROBLEMS[state.problem], PAIR_FIX);
    const isOlder = database?.schema.kind === "older";
    if (isOlder || !(await store.hasBlobs())) return ok(WHAT, "get an ID on the next start");
    return fail(WHAT, "storePair", PAIR_PROBLEMS.unmatched, PAIR_FIX);
  } catch {
    return ok(WHAT, "not compared: the store does not respond");
  }
}
