import { judgePair, PAIR_FIX, PAIR_PROBLEMS, type PairRecord, type PairState, parseMark, parseRecord } from "../../blobs/pair-state.ts";
import type { BlobStore } from "../../blobs/store.ts";
import type { Ctx, TransactionCtx } from "../../context.ts";
import { findServerState, saveServerState } from "../../db/server-state.ts";
import { AppError } from "../../errors.ts";
import { listLiveInstances } from "../../jobs/instances.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { matchesStore } from "./match-store.ts";

/** Maximum age of a generation. */
const RENEWAL_MS = DAY_MS;
const MAX_READS = 5;

type Store = Pick<BlobStore, "kind" | "marks">;

/**
 * Returns the name of a store's record. Each kind of store has a separate one, so that a change between two stores finds the previous record
 * unchanged.
 */
const nameOf = (store: Store) => `store_pair_${store.kind}` as const;

const newToken = (ctx: Pick<Ctx, "random">): string => ctx.random(16).toHex();

/** Reads both sides and compares them. Rejects with UNAVAILABLE if one cannot be read. */
export async function readPair(ctx: Ctx, store: Store = ctx.blobs): Promise<PairState> {
  for (let reads = 1; ; reads++) {
    const before = await findServerState(ctx.db, nameOf(store));
    const [identity, contender] = await Promise.all([store.marks.read("identity"), store.marks.read("contender")]);
    // Reads again, because another instance may have renewed the generation between the two reads.
    const isSame = (await findServerState(ctx.db, nameOf(store))) === before;
    if (isSame || reads === MAX_READS) return judgePair(parseRecord(before), parseMark(identity), contender !== undefined);
  }
}

/**
 * Returns the state of the pair. Pairs an unpaired store: a new installation, or one without marks from an earlier version whose rows match the
 * blobs.
 */
export async function ensurePair(ctx: Ctx): Promise<PairState> {
  const state = await readPair(ctx);
  if (state.kind !== "unpaired") return state;
  if (!(await matchesStore(ctx.db, ctx.blobs))) {
    // Another process that began to pair the store stages the mark, even if it was killed.
    const isBegun = (await findRecord(ctx, ctx.blobs)) !== undefined;
    if (!isBegun || !(await matchesStore(ctx.db, ctx.blobs, { countsStaged: false }))) return { kind: "problem", problem: "unmatched" };
  }
  const record = await ctx.transaction((ctx) => startPairing(ctx, ctx.blobs));
  await writeMark(ctx, ctx.blobs, record);
  return await readPair(ctx);
}

/** Records the ID and first generation for the store. Keeps the recorded ones if another process has begun. */
async function startPairing(ctx: TransactionCtx, store: Store): Promise<PairRecord> {
  const begun = await findRecord(ctx, store);
  if (begun) return begun;
  const record = { id: newToken(ctx), generation: null, next: newToken(ctx), holder: ctx.instanceId, renewedAtMs: ctx.now() };
  await saveRecord(ctx, store, record);
  return record;
}

/** Renews the generation of a pair, so that a copy of either side is noticed. Does nothing while another live instance renews it. */
export async function renewPair(ctx: Ctx): Promise<void> {
  if ((await ensurePair(ctx)).kind !== "paired") return;
  const record = await ctx.transaction(async (ctx) => {
    const current = await findRecord(ctx, ctx.blobs);
    if (!current) return undefined;
    const { holder } = current;
    if (holder !== null && holder !== ctx.instanceId && (await listLiveInstances(ctx)).has(holder)) return undefined;
    // Completes an interrupted renewal first, because the store may already have its generation.
    const renewed = { ...current, next: current.next ?? newToken(ctx), holder: ctx.instanceId };
    await saveRecord(ctx, ctx.blobs, renewed);
    return renewed;
  });
  if (record) await writeMark(ctx, ctx.blobs, record);
}

/** Gives the store the recorded ID and next generation, then records that it has them. */
async function writeMark(ctx: Ctx, store: Store, { id, generation, next }: PairRecord): Promise<void> {
  await store.marks.write("identity", JSON.stringify({ id, generation: next ?? generation }));
  if (next === null) return;
  await ctx.transaction(async (ctx) => {
    const current = await findRecord(ctx, store);
    if (current?.id !== id || current.next !== next) return;
    await saveRecord(ctx, store, { id, generation: next, next: null, holder: null, renewedAtMs: ctx.now() });
  });
}

/**
 * Pairs a new store at the start of a server, or renews the generation at any age, so that a copy that was made while the server was stopped is
 * noticed. Logs any problem.
 */
export async function openStorePair(ctx: Ctx): Promise<void> {
  if ((await readPair(ctx)).kind === "paired") await renewPair(ctx);
  await keepStorePair(ctx);
  const state = await readPair(ctx);
  if (state.kind === "problem") ctx.log.error({ problem: state.problem }, `${PAIR_PROBLEMS[state.problem]} ${PAIR_FIX}`);
}

/**
 * Runs every minute: pairs a store, renews a generation that is a day old, and marks a store with another database's mark as contended, so that the
 * other server removes nothing either.
 */
export async function keepStorePair(ctx: Ctx): Promise<void> {
  const state = await ensurePair(ctx);
  if (state.kind === "paired") {
    const { renewedAtMs, next } = state.record;
    // A time in the future was written by a wrong clock.
    if (next !== null || Math.abs(ctx.now() - renewedAtMs) >= RENEWAL_MS) await renewPair(ctx);
  } else if (state.kind === "problem" && ["foreign", "diverged"].includes(state.problem)) {
    const { marks } = ctx.blobs;
    if ((await marks.read("contender")) === undefined) await marks.write("contender", JSON.stringify({ atMs: ctx.now() }));
  }
}

/** Pairs the store again, whatever marks exist, because an administrator says that both belong together. */
export async function adoptStore(ctx: Ctx, store: Store = ctx.blobs, id: string = newToken(ctx)): Promise<void> {
  const record = { id, generation: null, next: newToken(ctx), holder: ctx.instanceId, renewedAtMs: ctx.now() };
  const former = await findServerState(ctx.db, nameOf(store));
  await ctx.transaction((ctx) => saveRecord(ctx, store, record));
  try {
    await writeMark(ctx, store, record);
  } catch (error) {
    // The store has its former mark unless only the response was lost. In that case it can be adopted again.
    if (former !== undefined) await ctx.transaction((ctx) => saveServerState(ctx.db, nameOf(store), former));
    throw error;
  }
  await store.marks.remove("contender");
}

/** Gives the target of a copy the ID of its source, unless it is marked already. */
export async function pairCopy(ctx: Ctx, { source, target }: { readonly source: Store; readonly target: Store }): Promise<void> {
  if ((await readPair(ctx, target)).kind === "paired") return;
  await adoptStore(ctx, target, (await findRecord(ctx, source))?.id);
}

/** Throws CONFLICT if the store has the mark of another database. */
export async function checkNotForeign(ctx: Ctx, store: Store): Promise<void> {
  const state = await readPair(ctx, store);
  if (state.kind === "problem" && state.problem !== "unmarked")
    throw new AppError(
      "CONFLICT",
      "The target store belongs to another database, or to an older copy of this one. Choose another bucket, prefix or folder, or empty it with its mark.",
    );
}

async function findRecord(ctx: Pick<Ctx | TransactionCtx, "db">, store: Store): Promise<PairRecord | undefined> {
  return parseRecord(await findServerState(ctx.db, nameOf(store)));
}

const saveRecord = (ctx: Pick<TransactionCtx, "db">, store: Store, record: PairRecord): Promise<void> =>
  saveServerState(ctx.db, nameOf(store), JSON.stringify(record));

/** Returns the reason, as a sentence with advice, why no bytes may be removed from the store now; undefined if they may. */
export async function findRemovalStop(ctx: Ctx): Promise<string | undefined> {
  try {
    const state = await ensurePair(ctx);
    if (state.kind === "paired") return undefined;
    if (state.kind === "problem") return `${PAIR_PROBLEMS[state.problem]} Nothing is removed from it. See: filehost doctor`;
    return "The file store is not paired with the database yet.";
  } catch (error) {
    ctx.log.warn({ reason: String(error) }, "reading the mark of the file store failed; nothing is removed until it can be read");
    return "The file store or the database cannot be read. Nothing is removed.";
  }
}
