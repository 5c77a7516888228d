import type { Stripe } from "stripe";
import { activate, findAccount, type Readiness, setReadiness } from "./account-shape.ts";
import { invalid } from "./fault.ts";
import type { World } from "./route.ts";
import type { State } from "./state.ts";

/** Throws a StripeFault if a seller's account cannot take payments or transfers. */
export function checkSeller(
  state: State,
  { destination, onBehalfOf }: { readonly destination: string | undefined; readonly onBehalfOf: string | undefined },
): void {
  for (const [id, param] of [
    [destination, "payment_intent_data[transfer_data][destination]"],
    [onBehalfOf, "payment_intent_data[on_behalf_of]"],
  ] as const) {
    if (id !== undefined && !state.accounts.has(id)) throw invalid(`No such destination: '${id}'`, { code: "resource_missing", param });
  }
  if (destination !== undefined && state.accounts.get(destination)?.capabilities?.transfers !== "active") {
    throw invalid(
      "Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments",
      { code: "insufficient_capabilities_for_transfer" },
    );
  }
  if (onBehalfOf === undefined) return;
  const account = state.accounts.get(onBehalfOf);
  if (account?.capabilities?.card_payments !== "active" || !account.charges_enabled) {
    throw invalid(
      "The connected account in `on_behalf_of` must have the card_payments capability enabled. Its onboarding is not complete, or Stripe has paused its payments.",
      { code: "account_invalid", param: "payment_intent_data[on_behalf_of]" },
    );
  }
}

/** Creates controls for the actions of a seller on Stripe's pages, and for Stripe's decisions about sellers. */
export function createSellerControls({ state, emit }: World) {
  const change = (id: string, act: (account: Stripe.Account) => void): void => {
    const account = findAccount(state, id);
    act(account);
    emit("account.updated", account, { account: id });
  };
  return {
    /** Submits all data that Stripe requests. */
    finishOnboarding: (id: string) => change(id, activate),
    /** Submits some data, after which Stripe requests more. */
    submitDetails: (id: string) => change(id, (account) => Object.assign(account, { details_submitted: true })),
    /** Closes the account, or ends the platform's access to it. */
    revoke(id: string): void {
      findAccount(state, id);
      state.accounts.delete(id);
      emit("account.application.deauthorized", { id: "ca_filehost", object: "application", name: "filehost" }, { account: id });
    },
    /** Enables or disables sellers for the operator at Stripe. */
    setConnect(isOn: boolean): void {
      state.hasConnect = isOn;
    },
    setReadiness: (id: string, readiness: Readiness) => change(id, (account) => setReadiness(account, readiness)),
  };
}
