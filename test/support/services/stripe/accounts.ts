import { randomUUID } from "node:crypto";
import type { Stripe } from "stripe";
import { z } from "zod";
import { accountChanges, type NewAccount, newAccount } from "./account-fields.ts";
import { findAccount, toAccount } from "./account-shape.ts";
import { invalid } from "./fault.ts";
import { oneOf, paged, shared, text, webUrl } from "./form.ts";
import { type Route, route, toPage, type World } from "./route.ts";
import { mergeMetadata, PLATFORM } from "./state.ts";

/** The countries of sellers' accounts. */
const COUNTRIES =
  "AE AT AU BE BG BR CA CH CI CR CY CZ DE DK DO EC EE ES ET FI FR GB GH GI GR GT HK HR HU ID IE IN IT JP KE LI LT LU LV MT MX MY NL NO NZ PA PE PH PL PT RO RS SE SG SI SK SV TH TT US UY".split(
    " ",
  );
const LINK_SECONDS = 300;

export const accountRoutes: readonly Route[] = [
  route("GET", "/v1/account", z.strictObject(shared), ({ state }) => findAccount(state, PLATFORM)),
  route("POST", "/v1/accounts", newAccount, createAccount),
  route("GET", "/v1/accounts", z.strictObject(paged), ({ state }, page) =>
    toPage(
      [...state.accounts].filter(([key]) => key !== PLATFORM).map(([, account]) => account),
      page,
      "/v1/accounts",
    ),
  ),
  route("GET", "/v1/accounts/:id", z.strictObject(shared), ({ state }, _, id) => findAccount(state, id)),
  route("POST", "/v1/accounts/:id", accountChanges, updateAccount),
  route("DELETE", "/v1/accounts/:id", z.strictObject({}), deleteAccount),
  route(
    "POST",
    "/v1/account_links",
    z.strictObject({
      ...shared,
      account: text(),
      type: oneOf("account_onboarding", "account_update"),
      return_url: webUrl(),
      refresh_url: webUrl(),
      collection_options: z.strictObject({ fields: oneOf("currently_due", "eventually_due").optional() }).optional(),
    }),
    createAccountLink,
  ),
  route("POST", "/v1/accounts/:id/login_links", z.strictObject(shared), createLoginLink),
];

function createAccount({ state }: World, params: NewAccount): Stripe.Account {
  if (params.country !== undefined && !COUNTRIES.includes(params.country)) {
    const hint = "Try using a 2-character alphanumeric country code instead, such as 'US', 'EG', or 'GB'.";
    throw invalid(`Country '${params.country}' is unknown. ${hint}`, { code: "country_unsupported", param: "country" });
  }
  if (params.controller && params.type)
    throw invalid("You may not provide the `type` parameter and `controller` parameters simultaneously.", { param: "type" });
  const { card_payments: cards, transfers } = params.capabilities ?? {};
  if (cards?.requested && !transfers?.requested) {
    throw invalid("You cannot request the `card_payments` capability without the `transfers` capability.", { param: "capabilities" });
  }
  if (!state.hasConnect)
    throw invalid(
      "You can only create new accounts if you've signed up for Connect, which you can do at https://dashboard.stripe.com/connect.",
    );
  const account = toAccount(params, state.now());
  state.accounts.set(account.id, account);
  return account;
}

function updateAccount(
  { state, emit }: World,
  { metadata: values, business_profile: business, capabilities: wanted, expand: _, ...params }: z.output<typeof accountChanges>,
  id: string,
): Stripe.Account {
  const account = findAccount(state, id);
  Object.assign(account, params);
  account.metadata = mergeMetadata(account.metadata, values);
  if (business && account.business_profile) Object.assign(account.business_profile, business);
  for (const name of ["card_payments", "transfers"] as const) {
    if (wanted?.[name]?.requested && account.capabilities) account.capabilities[name] ??= account.details_submitted ? "active" : "inactive";
  }
  emit("account.updated", account, { account: id });
  return account;
}

function deleteAccount({ state }: World, _: object, id: string): Stripe.DeletedAccount {
  findAccount(state, id);
  const balance = state.ledger.filter(({ account }) => account === id).reduce((sum, { amountCents }) => sum + amountCents, 0);
  if (balance !== 0) throw invalid("This account cannot be deleted because it has a balance that is not zero.");
  state.accounts.delete(id);
  return { id, object: "account", deleted: true };
}

function createAccountLink(
  { state }: World,
  params: { readonly account: string; readonly type: string; readonly return_url: string; readonly refresh_url: string },
): Stripe.AccountLink {
  const account = findAccount(state, params.account);
  if (params.type === "account_update") {
    throw invalid(
      "You cannot create `account_update` type Account Links for this account. You can only create `account_onboarding` type Account Links.",
    );
  }
  const secret = randomUUID();
  const expiresAt = state.now() + LINK_SECONDS;
  state.links.set(secret, {
    kind: "onboarding",
    subject: account.id,
    returnUrl: params.return_url,
    refreshUrl: params.refresh_url,
    expiresAt,
    isUsed: false,
  });
  return { object: "account_link", created: state.now(), expires_at: expiresAt, url: `${state.baseUrl}/setup/e/${account.id}/${secret}` };
}

function createLoginLink({ state }: World, _: object, id: string): Stripe.LoginLink {
  const account = findAccount(state, id);
  if (account.controller?.stripe_dashboard?.type !== "express") {
    throw invalid("Login Links can only be created for accounts with access to the Express Dashboard.");
  }
  if (!account.details_submitted) throw invalid("Cannot create a login link for an account that has not completed onboarding.");
  const secret = randomUUID();
  const expiresAt = state.now() + LINK_SECONDS;
  state.links.set(secret, { kind: "dashboard", subject: id, returnUrl: undefined, refreshUrl: undefined, expiresAt, isUsed: false });
  return { object: "login_link", created: state.now(), url: `${state.baseUrl}/express/${id}/${secret}` };
}
