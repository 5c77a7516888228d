import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestStripe } from "../../support/stripe.ts";
import { until } from "../../support/until.ts";
import { addAccount, getMe } from "../support/accounts.ts";
import { call, clientOf } from "../support/api.ts";
import { open } from "../support/oauth.ts";
import { homeOf, PERSONS_PASSWORD } from "../support/person.ts";
import { lastOf, openProCheckout, type ProServer, startProServer } from "../support/selling.ts";
import { withDatabase } from "../support/state.ts";

interface Subscriber {
  readonly id: string;
  readonly email: string;
  readonly session: string;
  readonly subscription: string;
}

/** selling, "Pro"; accounts, "Deleting an account" and "A disabled account". */
describe("the subscription of an account that is deleted or disabled", () => {
  let stripe: TestStripe;
  let server: ProServer;
  before(async () => {
    server = await startProServer({ env: { FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }) } });
    ({ stripe } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function signUp() {
    const email = `${crypto.randomUUID()}@example.org`;
    const { data } = await clientOf(server).call("signUp", { email, password: PERSONS_PASSWORD, name: "A person" });
    return { id: data.owner.id, email, session: data.sessionToken };
  }

  const openCheckout = (session: string): Promise<string> => openProCheckout(server, session);

  async function subscribe(): Promise<Subscriber> {
    const person = await signUp();
    stripe.checkouts.pay(await openCheckout(person.session), { email: person.email });
    await stripe.webhooks.settled();
    assert.equal((await getMe(server, person.session)).tier, "pro");
    const { id: subscription } = lastOf(stripe, "customer.subscription.created");
    return { ...person, subscription };
  }

  const hasEnded = (subscription: string) =>
    stripe.events("customer.subscription.deleted").some(({ data }) => (data.object as { id: string }).id === subscription);
  const isGone = (id: string) =>
    withDatabase(server, async (db) => (await db.selectFrom("users").select("id").where("id", "=", id).executeTakeFirst()) === undefined);

  test("ends when its owner deletes the account, as the page says", async () => {
    const { email, session, subscription } = await subscribe();
    const page = await (await open(`${homeOf(server)}/settings/delete`, session)).text();
    assert.match(page, /your subscription: no more payments are taken/);
    await clientOf(server, { key: session }).call("deleteMe", { confirm: email });
    await until("the subscription has ended", () => hasEnded(subscription));
    const other = await signUp();
    assert.ok(!(await (await open(`${homeOf(server)}/settings/delete`, other.session)).text()).includes("your subscription"));
  });

  test("ends when an administrator or a command deletes the account", async () => {
    const administrator = await addAccount(server, { isAdministrator: true });
    const first = await subscribe();
    const { key } = administrator;
    assert.equal((await call(server, "DELETE", `/api/admin/users/${first.id}`, { key, json: { confirm: first.email } })).status, 200);
    await until("the subscription has ended", () => hasEnded(first.subscription));
    const second = await subscribe();
    assert.equal((await server.run(["users", "delete", second.email, "--yes"])).code, 0);
    await until("the subscription has ended", () => hasEnded(second.subscription));
  });

  test("does not begin by a checkout that was open when the account was deleted", async () => {
    const { email, session } = await signUp();
    const checkout = await openCheckout(session);
    await clientOf(server, { key: session }).call("deleteMe", { confirm: email });
    await until("the checkout has ended", () =>
      stripe.events("checkout.session.expired").some(({ data }) => (data.object as { id: string }).id === checkout),
    );
  });

  test("needs no request to Stripe if Stripe does not know the customer", async () => {
    const { email, session } = await signUp();
    await openCheckout(session);
    const { id: customer } = lastOf(stripe, "customer.created");
    stripe.subscriptions.forgetCustomer(customer);
    const before = stripe.requests.length;
    await clientOf(server, { key: session }).call("deleteMe", { confirm: email });
    await until("Stripe was asked", () => stripe.requests.slice(before).some(({ path }) => path === `/v1/customers/${customer}`));
    await until("the job is done", () =>
      withDatabase(
        server,
        async (db) => (await db.selectFrom("jobs").select("id").where("subject", "=", customer).executeTakeFirst()) === undefined,
      ),
    );
  });

  test("takes no payments while the account is disabled", async () => {
    const { key } = await addAccount(server, { isAdministrator: true });
    const { id, session, subscription } = await subscribe();
    const { proUntil } = await getMe(server, session);
    const isPaused = () =>
      withPause(stripe.events("customer.subscription.updated").findLast(({ data }) => (data.object as { id: string }).id === subscription));
    const setDisabled = async (isDisabled: boolean) => {
      const { version } = (await clientOf(server, { key }).call("getUserDetails", { id })).data;
      await clientOf(server, { key }).call("changeUser", { id, version, isDisabled });
    };
    await setDisabled(true);
    await until("payments are paused", isPaused);
    const paid = stripe.events("invoice.paid").length;
    stripe.subscriptions.renew(subscription);
    assert.equal(stripe.events("invoice.paid").length, paid);
    await stripe.webhooks.settled();
    await setDisabled(false);
    await until("payments are taken again", () => !isPaused());
    await stripe.webhooks.settled();
    assert.equal((await getMe(server, session)).proUntil, proUntil);
    stripe.subscriptions.renew(subscription);
    await stripe.webhooks.settled();
    assert.ok(Date.parse((await getMe(server, session)).proUntil ?? "") > Date.parse(proUntil ?? ""));
  });

  test("ends after Stripe responds again, although the account was deleted meanwhile", async () => {
    const { id, email, session, subscription } = await subscribe();
    const before = stripe.requests.length;
    stripe.failures.plan("rate_limit", /^\/v1\/(subscriptions|checkout\/sessions)/, { times: 1000 });
    await clientOf(server, { key: session }).call("deleteMe", { confirm: email });
    await until("the account is removed", () => isGone(id));
    await until("Stripe was asked", () => stripe.requests.slice(before).some(({ path }) => path === "/v1/checkout/sessions"));
    // The last test: the server has another address from here on.
    await server.restart({ signal: "SIGKILL" });
    assert.ok(!hasEnded(subscription));
    stripe.failures.clear();
    await until("the subscription has ended", () => hasEnded(subscription));
  });
});

const withPause = (event: { readonly data: { readonly object: unknown } } | undefined): boolean =>
  (event?.data.object as { readonly pause_collection?: unknown } | undefined)?.pause_collection != null;
