import assert from "node:assert/strict";
import type { TestServer } from "../../support/server.ts";
import type { TestStripe } from "../../support/stripe.ts";
import { type Account, addAccount } from "./accounts.ts";
import { clientOf, type Upload, type UploadForm, upload } from "./api.ts";

export interface TestSeller extends Account {
  /** At Stripe. */
  readonly account: string;
}

/** An account that is ready to sell. */
export async function addSeller(server: TestServer, stripe: TestStripe): Promise<TestSeller> {
  return await makeSeller(server, stripe, await addAccount(server));
}

/** Makes an account ready to sell. */
export async function makeSeller<Person extends { readonly key: string }>(server: TestServer, stripe: TestStripe, seller: Person) {
  const client = clientOf(server, { key: seller.key });
  await client.call("onboardSeller", {});
  const account = stripe.requests.findLast(({ path }) => path === "/v1/account_links")?.params.account ?? "";
  stripe.sellers.finishOnboarding(account);
  assert.equal((await client.call("getSellerStatus", {})).readyToSell, true);
  return { ...seller, account };
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
