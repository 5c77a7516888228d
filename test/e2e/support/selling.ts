import assert from "node:assert/strict";
import type { TestServer } from "../../support/server.ts";
import type { TestStripe } from "../../support/stripe.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount } from "./accounts.ts";
import { clientOf, type Upload, type UploadForm, upload } from "./api.ts";
import { withDatabase } from "./state.ts";

interface Person {
  readonly key: string;
}

interface AtStripe {
  /** The ID of the seller's account at Stripe. */
  readonly account: string;
}

export type TestSeller = Account & AtStripe;

/** Adds an account that is ready to sell. */
export const addSeller = async (server: TestServer, stripe: TestStripe): Promise<TestSeller> =>
  await becomeSeller(server, stripe, await addAccount(server));

/** Prepares an account for selling. */
export async function becomeSeller<One extends Person>(server: TestServer, stripe: TestStripe, person: One): Promise<One & AtStripe> {
  const client = clientOf(server, person);
  await client.call("onboardSeller", {});
  const account = stripe.requests.findLast(({ path }) => path === "/v1/account_links")?.params.account ?? "";
  stripe.sellers.finishOnboarding(account);
  assert.equal((await client.call("getSellerStatus", {})).readyToSell, true);
  return { ...person, account };
}

/** Opens a checkout for the only plan of Pro; resolves to its ID. */
export async function openProCheckout(server: TestServer, key: string): Promise<string> {
  const { checkoutUrl } = (await clientOf(server, { key }).call("createUpgradeCheckout", {})).data;
  return checkoutUrl.split("/").at(-1) ?? "";
}

/** Uploads a file with a price. */
export async function priced(server: TestServer, { key }: Pick<TestSeller, "key">, form: UploadForm, priceCents: number): Promise<Upload> {
  const file = await upload(server, form, { key });
  await clientOf(server, { key }).call("updateShareSettings", { fileId: file.id, priceCents });
  return file;
}

/** Buys a share. */
export async function buy(server: TestServer, stripe: TestStripe, shortId: string) {
  const client = clientOf(server);
  const { sessionId } = (await client.call("createCheckout", { shortId })).data;
  stripe.checkouts.pay(sessionId, { email: "buyer@example.org" });
  const { purchaseToken } = (await client.call("claimPurchase", { sessionId })).data;
  return { sessionId, purchaseToken };
}

/** Returns the object of the last event of a type. */
export function lastOf(stripe: TestStripe, type: Parameters<TestStripe["events"]>[0]): { readonly id: string } {
  const event = stripe.events(type).at(-1);
  assert.ok(event);
  return event.data.object as { id: string };
}

/** Waits until a bought download of a file is complete, and ends its grant, as happens after an hour. */
export async function endDownloads(server: TestServer, fileId: string): Promise<void> {
  await until("a download is complete", async () => {
    const nowMs = Date.now();
    return await withDatabase(server, async (db) => {
      const downloads = db
        .updateTable("purchase_downloads")
        .set({ ends_at: nowMs - 1 })
        .where("file_id", "=", fileId);
      const { numUpdatedRows } = await downloads.where("ends_at", ">", nowMs).executeTakeFirstOrThrow();
      const grants = db
        .updateTable("download_grants")
        .set({ expires_at: nowMs - 1 })
        .where("file_id", "=", fileId);
      await grants.where("completed_at", "is not", null).execute();
      return numUpdatedRows > 0n;
    });
  });
}
