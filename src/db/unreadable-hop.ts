import { z } from "zod";
import { DAY_MS } from "../lib/text/duration.ts";
import type { Db } from "./database.ts";
import { findServerState, saveServerState } from "./server-state.ts";

/** How long a hop is shown to administrators; a server that still meets one stores another after a day. */
const SHOWN_MS = 2 * DAY_MS;

const stored = z.object({ hop: z.string(), seenAtMs: z.number() });

/** Stores a hop of a trusted proxy that is no address (accounts, "The client's address"). False if one was stored within a day. */
export async function saveUnreadableHop(db: Db, hop: string, nowMs: number): Promise<boolean> {
  const last = parse(await findServerState(db, "unreadable_hop"));
  // A time in the future is of a clock that was wrong.
  if (last && Math.abs(nowMs - last.seenAtMs) < DAY_MS) return false;
  await saveServerState(db, "unreadable_hop", JSON.stringify({ hop, seenAtMs: nowMs }));
  return true;
}

/** The hop that was stored in the last days, of the value in the database. */
export function readUnreadableHop(value: string | undefined, nowMs: number): string | undefined {
  const last = parse(value);
  return last && nowMs - last.seenAtMs < SHOWN_MS ? last.hop : undefined;
}

const parse = (value: string | undefined): z.infer<typeof stored> | undefined =>
  value === undefined ? undefined : stored.safeParse(JSON.parse(value)).data;
