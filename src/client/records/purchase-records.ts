import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DAY_MS } from "../../lib/text/duration.ts";
import { parseJson } from "../../lib/text/parse-json.ts";
import { isAtServer } from "../server/server-address.ts";
import { withFileLock } from "./file-lock.ts";
import { type Environment, readFolder, stateFolder, writePrivateFile } from "./private-files.ts";

/** A checkout that this device opened, and the purchase. Anyone with `sessionId` or `purchaseToken` can download. */
const purchase = z.object({
  /** The address by which the client reaches the server. */
  server: z.string(),
  shortId: z.string(),
  /** The link of the share, as the server reports it. */
  url: z.string(),
  name: z.string(),
  /** The known IDs of the share's files. */
  fileIds: z.array(z.string()),
  sessionId: z.string(),
  checkoutUrl: z.string(),
  priceCents: z.number(),
  createdAt: z.string(),
  /** ISO time until which the purchase can be downloaded; null if it does not expire. */
  availableUntil: z.string().nullable(),
  /** The purchase token, once the checkout is paid. */
  purchaseToken: z.string().optional(),
});
export type Purchase = z.infer<typeof purchase>;

/** Paid and unpaid purchases of this device. Several processes may use the records at the same time. */
export interface PurchaseRecords {
  /** Remembers a purchase, in place of an earlier state of the same checkout. */
  save(purchase: Purchase): Promise<void>;
  /** Lists the purchases, newest first. */
  list(): Promise<readonly Purchase[]>;
  /** Lists the purchases of a share at a server, newest first. `id` is its short ID or the ID of one of its files. */
  findAll(id: string, server: string): Promise<readonly Purchase[]>;
  forget(purchase: Pick<Purchase, "server" | "sessionId">): Promise<void>;
  /** Opens checkouts one at a time, so that two commands do not open two for the same share. */
  whileOpening<T>(work: () => Promise<T>): Promise<T>;
}

/** The time that a purchase is kept after its end. A seller may extend a share that this device believes to have ended. */
const KEPT_MS = 30 * DAY_MS;
/** The time that an unpaid checkout is kept. Some payments take days to arrive. */
const UNPAID_KEPT_MS = 14 * DAY_MS;

/** Opens the records: a file for each checkout. Only the user can read it. */
export function openPurchaseRecords(env: Environment, nowMs: () => number = Date.now): PurchaseRecords {
  const folder = join(stateFolder(env), "purchases");
  const pathOf = ({ server, sessionId }: Pick<Purchase, "server" | "sessionId">): string =>
    join(folder, `${createHash("sha256").update(`${server}\n${sessionId}`).digest("hex").slice(0, 32)}.json`);
  const isKept = ({ purchaseToken, availableUntil, createdAt }: Purchase): boolean => {
    if (purchaseToken === undefined) return Date.parse(createdAt) + UNPAID_KEPT_MS > nowMs();
    return availableUntil === null || Date.parse(availableUntil) + KEPT_MS > nowMs();
  };

  async function list(): Promise<readonly Purchase[]> {
    const found: Purchase[] = [];
    for (const [name, text] of await readFolder(folder, ".json")) {
      const one = purchase.safeParse(parseJson(text)).data;
      if (one === undefined) continue;
      if (isKept(one)) found.push(one);
      else await rm(join(folder, name), { force: true });
    }
    return found.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  }

  return {
    list,
    save: (one) => writePrivateFile(pathOf(one), JSON.stringify(purchase.parse(one))),
    findAll: async (id, server) =>
      (await list()).filter((one) => (one.shortId === id || one.fileIds.includes(id)) && isAtServer(one, server)),
    forget: (one) => rm(pathOf(one), { force: true }),
    whileOpening: (work) => withFileLock(join(folder, "opening.lock"), work),
  };
}
