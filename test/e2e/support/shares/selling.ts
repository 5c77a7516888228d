import assert from "node:assert/strict";
import type { TestServer } from "../../../support/server.ts";
import { startStripe, type TestStripe } from "../../../support/services/stripe.ts";
import { until } from "../../../support/until.ts";
import { withParts } from "../../../support/with-parts.ts";
import { type Account, addAccount, getMe } from "../accounts/accounts.ts";
import { clientOf, type Upload, type UploadForm, upload } from "../api/api.ts";
import { startPlainServer } from "../servers/plain-server.ts";
import { withDatabase } from "../servers/state.ts";

/** A server whose payment platform is `stripe`. */
export interface SellingServer extends TestServer {
  readonly stripe: TestStripe;
}

export interface SellingOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The accounts whose events the server receives: the platform's (the default), also the sellers', or none. */
  readonly events?: "platform" | "all" | "none";
}

/** Starts a Stripe for the test, and a server that sells with it. */
export const startSellingServer = async (options: SellingOptions = {}): Promise<SellingServer> =>
  await startAt(await startStripe(), options);

/** A server that sells, with a plan for Pro. */
export interface ProServer extends SellingServer {
  /** The ID of the plan's price at Stripe. */
  readonly price: string;
}

/** Starts a server that sells, with one plan: Pro for a month. */
export async function startProServer({ env, events }: SellingOptions = {}): Promise<ProServer> {
  const stripe = await startStripe();
  const price = stripe.addPlan();
  const plans = JSON.stringify([{ id: "pro", name: "Pro", stripePrice: price }]);
  return withParts(await startAt(stripe, { env: { ...env, FILEHOST_PLANS: plans }, ...(events && { events }) }), { price });
}

async function startAt(stripe: TestStripe, { env, events = "platform" }: SellingOptions): Promise<SellingServer> {
  const server = await startPlainServer({ ...stripe.env, ...env });
  const webhook = `${server.url}/api/stripe/webhook`;
  if (events === "all") stripe.sendEventsTo(webhook, { connect: true });
  if (events !== "none") stripe.sendEventsTo(webhook);
  return withParts(server, { stripe }, stripe);
}

/** Resolves to the end of an account's Pro when all events have arrived, in milliseconds; 0 without Pro. */
export async function readProEnd(server: SellingServer, key: string): Promise<number> {
  await server.stripe.webhooks.settled();
  const { tier, proUntil } = await getMe(server, key);
  return tier === "pro" ? Date.parse(proUntil ?? "") : 0;
}

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
