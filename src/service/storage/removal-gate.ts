import { PAIR_PROBLEMS } from "../../blobs/pair-state.ts";
import type { Ctx } from "../../context.ts";
import { ensurePair } from "./store-pair.ts";

/** Why no bytes may be removed from the store now: a sentence, and what to do. Undefined: they may be. */
export async function findRemovalStop(ctx: Ctx): Promise<string | undefined> {
  try {
    const state = await ensurePair(ctx);
    if (state.kind === "paired") return undefined;
    if (state.kind === "problem") return `${PAIR_PROBLEMS[state.problem]} Nothing is removed from it. See: filehost doctor`;
    return "The file store is not paired with the database yet.";
  } catch (error) {
    ctx.log.warn({ err: error }, "reading the mark of the file store failed; nothing is removed until it can be read");
    return "The file store or the database cannot be read. Nothing is removed.";
  }
}
