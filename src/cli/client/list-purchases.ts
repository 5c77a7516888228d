import { openPurchaseRecords } from "../../client/records/purchase-records.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { formatDollars } from "../../lib/text/format-dollars.ts";
import type { Result, Terminal } from "../command.ts";
import { formatTable } from "../terminal/text.ts";
import { formatExpiry } from "./share-words.ts";

/** Lists the remembered purchases of this device, without a request to a server. Leaves out tokens and addresses of checkouts. */
export async function listPurchases(env: Terminal["env"], search: string, count: number): Promise<Result> {
  const isWanted = (name: string): boolean => name.toLowerCase().includes(search.toLowerCase());
  const all = (await openPurchaseRecords(env).list()).filter(({ name }) => isWanted(name));
  const purchases = all
    .slice(0, count)
    .map(({ server, shortId, url, name, fileIds, priceCents, createdAt, availableUntil, purchaseToken }) => ({
      server,
      shortId,
      url,
      name,
      fileIds,
      priceCents,
      currency: "usd",
      createdAt,
      availableUntil,
      state: purchaseToken === undefined ? ("open" as const) : ("bought" as const),
    }));
  const rows = purchases.map(({ priceCents, state, availableUntil, url, name }) => [
    formatDollars(priceCents),
    state === "open" ? "not paid" : "bought",
    formatExpiry(availableUntil),
    url,
    name,
  ]);
  return {
    data: purchases,
    text: formatTable(["PRICE", "STATE", "UNTIL", "LINK", "NAME"], rows, "This device remembers no purchases."),
    notes: all.length > purchases.length ? [`${purchases.length} of ${countOf(all.length, "purchase")}. To list all: --all`] : [],
  };
}
