import { z } from "zod";
import { DAY_MS } from "../lib/text/duration.ts";
import type { Db } from "./database.ts";
import { findServerState, saveServerState } from "./server-state.ts";

/** Time for which a hop is shown to administrators. A server that still receives one stores another after a day. */
const SHOWN_MS = 2 * DAY_MS;

const stored = z.object({ hop: z.string(), seenAtMs: z.number() });

/** Stores a hop of a trusted proxy that is not an address (accounts, "The client's address"). Resolves to false if one was stored within a day. */
export async function saveUnknownClientAddress(db: Db, hop: string, nowMs: number): Promise<boolean> {
  const last = parse(await findServerState(db, "unknown_client_address"));
  // A time in the future was written by a wrong clock.
  if (last && Math.abs(nowMs - last.seenAtMs) < DAY_MS) return false;
  await saveServerState(db, "unknown_client_address", JSON.stringify({ hop, seenAtMs: nowMs }));
  return true;
}

/** Reads a stored hop from its value in the database; undefined if it is older than `SHOWN_MS`. */
export function readUnknownClientAddress(value: string | undefined, nowMs: number): string | undefined {
  const last = parse(value);
  return last && nowMs - last.seenAtMs < SHOWN_MS ? last.hop : undefined;
}

const parse = (value: string | undefined): z.infer<typeof stored> | undefined =>
  value === undefined ? undefined : stored.safeParse(JSON.parse(value)).data;
