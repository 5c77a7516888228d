import type { Stripe } from "stripe";
import type { NewAccount } from "./account-fields.ts";
import { StripeFault } from "./fault.ts";
import { newId, PLATFORM, type State } from "./state.ts";

/** The data that Stripe requests from a new seller. */
const NEEDED = ["business_type", "external_account", "tos_acceptance.date", "tos_acceptance.ip"];

/** Finds the account with an ID. Throws a StripeFault, as for a foreign account. */
export function findAccount(state: State, id: string): Stripe.Account {
  const account = state.accounts.get(id);
  if (account) return account;
  const message = `The provided key 'sk_test_***' does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`;
  throw new StripeFault(403, { code: "account_invalid", message, type: "invalid_request_error" });
}

/** Adds the account whose secret key is in the settings. */
export function addPlatform(state: State): void {
  const account = toAccount(
    { country: "US", email: "operator@example.org", capabilities: { card_payments: { requested: true }, transfers: { requested: true } } },
    state.now(),
  );
  activate(account);
  account.type = "standard";
  account.controller = { type: "account" };
  state.accounts.set(PLATFORM, account);
}

export function toAccount({ controller = {}, ...params }: NewAccount, now: number): Stripe.Account {
  const { card_payments: cards, transfers } = params.capabilities ?? {};
  const none = { alternatives: [], current_deadline: null, disabled_reason: null, errors: [], pending_verification: [] };
  const dashboard = controller.stripe_dashboard?.type ?? "full";
  const empty = { currently_due: [], eventually_due: [], past_due: [] };
  return {
    id: newId("acct"),
    object: "account",
    business_profile: {
      annual_revenue: null,
      estimated_worker_count: null,
      mcc: null,
      minority_owned_business_designation: null,
      name: null,
      product_description: null,
      specified_commercial_transactions_act_url: null,
      support_address: null,
      support_email: null,
      support_phone: null,
      support_url: null,
      url: null,
    },
    business_type: params.business_type ?? null,
    capabilities: { ...(cards?.requested && { card_payments: "inactive" }), ...(transfers?.requested && { transfers: "inactive" }) },
    charges_enabled: false,
    controller: {
      fees: { payer: controller.fees?.payer ?? "account" },
      is_controller: true,
      losses: { payments: controller.losses?.payments ?? "stripe" },
      requirement_collection: controller.requirement_collection ?? "stripe",
      stripe_dashboard: { type: dashboard },
      type: "application",
    },
    country: params.country ?? "US",
    created: now,
    default_currency: "usd",
    details_submitted: false,
    email: params.email ?? null,
    external_accounts: { object: "list", data: [], has_more: false, url: "/v1/accounts/external_accounts" },
    future_requirements: { ...none, ...empty },
    metadata: params.metadata ?? {},
    payouts_enabled: false,
    requirements: { ...none, disabled_reason: "requirements.past_due", currently_due: NEEDED, eventually_due: NEEDED, past_due: NEEDED },
    tos_acceptance: { date: null, ip: null, user_agent: null },
    type: dashboard === "none" ? "custom" : dashboard === "express" ? "express" : "standard",
  };
}

/** Completes the seller's account with all data that Stripe requests. */
export function activate(account: Stripe.Account): void {
  account.details_submitted = true;
  setReadiness(account, { charges: true, payouts: true });
}

/** The abilities of a seller's account. */
export interface Readiness {
  /** Whether the account can take payments; also sets the capabilities card_payments and transfers. */
  readonly charges?: boolean;
  readonly payouts?: boolean;
}

export function setReadiness(
  account: Stripe.Account,
  { charges = account.charges_enabled, payouts = account.payouts_enabled }: Readiness,
): void {
  const due = charges && payouts ? [] : ["individual.verification.document"];
  account.charges_enabled = charges;
  account.payouts_enabled = payouts;
  for (const name of ["card_payments", "transfers"] as const) {
    if (account.capabilities?.[name] !== undefined) account.capabilities[name] = charges ? "active" : "inactive";
  }
  Object.assign(account.requirements ?? {}, {
    currently_due: due,
    eventually_due: due,
    past_due: due,
    disabled_reason: due.length === 0 ? null : "requirements.past_due",
  });
}
