import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { toMailbox } from "./mailbox.ts";

/** Returns the stored form of a blocked mailbox: a keyed hash, from which the address cannot be computed. */
const toHash = ({ keyring }: Pick<Ctx, "keyring">, address: string): string =>
  keyring.sign(JSON.stringify(["blocked-address", toMailbox(address)]));

/** Returns the URL with which a recipient blocks all mails of senders to an address (recipients, "Blocking"). It does not expire. */
export const blockUrl = ({ keyring, urls }: Pick<Ctx, "keyring" | "urls">, address: string): string =>
  `${urls.siteUrl}/block/${keyring.encrypt(JSON.stringify([PURPOSE, address]))}`;

const PURPOSE = "block-address";

/** Returns the address of a block URL's token; undefined if the token is not valid. */
export function readBlockToken({ keyring }: Pick<Ctx, "keyring">, token: string): string | undefined {
  try {
    const [purpose, address] = JSON.parse(keyring.decrypt(token)) as [string, string];
    return purpose === PURPOSE ? address : undefined;
  } catch {
    return undefined;
  }
}

export async function isAddressBlocked(ctx: Pick<Ctx, "keyring"> & { readonly db: Db }, address: string): Promise<boolean> {
  const hash = toHash(ctx, address);
  const row = await ctx.db.selectFrom("blocked_addresses").select("created_at").where("address_hash", "=", hash).executeTakeFirst();
  return row !== undefined;
}

/** Blocks mails of senders to an address, for the whole site, or allows them again. */
export async function setAddressBlocked(ctx: Pick<Ctx, "db" | "keyring" | "now">, address: string, isBlocked: boolean): Promise<void> {
  const hash = toHash(ctx, address);
  if (isBlocked) {
    await ctx.db
      .insertInto("blocked_addresses")
      .values({ address_hash: hash, created_at: ctx.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  } else await ctx.db.deleteFrom("blocked_addresses").where("address_hash", "=", hash).execute();
}
