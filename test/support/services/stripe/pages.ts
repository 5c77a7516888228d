import type { Stripe } from "stripe";
import type { SubscriptionControls } from "./billing.ts";
import { StripeFault } from "./fault.ts";
import type { CheckoutControls } from "./pay.ts";
import type { World } from "./route.ts";
import { type HostedLink, idOf } from "./state.ts";

/** The response of a page: a document or a redirect. */
export type PageAnswer = { readonly status: number; readonly html: string } | { readonly location: string };

interface Controls {
  readonly checkouts: CheckoutControls;
  readonly sellers: { finishOnboarding(id: string): void };
  readonly subscriptions: SubscriptionControls;
}

/** Responds to requests for the pages that Stripe hosts; undefined if the path is none of them. */
export function openPage({ state }: World, controls: Controls, path: string, form: URLSearchParams | undefined): PageAnswer | undefined {
  const [, kind = "", ...rest] = path.split("/");
  const last = rest.at(-1) ?? "";
  if (kind === "c" && rest[0] === "pay") {
    const session = state.sessions.get(last);
    return session ? showCheckout(session) : notFound();
  }
  if (kind !== "setup" && kind !== "express" && kind !== "p") return undefined;
  const link = state.links.get(last);
  if (!link) return notFound();
  // A form is sent from the page that the link opened.
  if (form) return link.kind === "onboarding" ? onboard(link) : changePlan(link, form);
  if (link.isUsed || link.expiresAt <= state.now()) return refuse(link);
  link.isUsed = link.kind !== "portal";
  return link.kind === "onboarding" ? showOnboarding() : link.kind === "dashboard" ? showDashboard(link) : showPortal(link);

  function showCheckout(session: Stripe.Checkout.Session): PageAnswer {
    if (session.status !== "open") return { status: 410, html: page("Checkout", "<p>This checkout has ended.</p>") };
    if (form?.get("action") === "cancel") return session.cancel_url ? { location: session.cancel_url } : notFound();
    return form ? pay(session, form) : { status: 200, html: checkoutPage(session, "") };
  }

  function pay(session: Stripe.Checkout.Session, form: URLSearchParams): PageAnswer {
    const payer = { email: form.get("email") ?? "" };
    const method = form.get("method");
    if (!/^[^\s@]+@[^\s@]+$/.test(payer.email)) return { status: 400, html: checkoutPage(session, "Your email is incomplete.") };
    try {
      if (method === "declined") {
        controls.checkouts.decline(session.id, payer);
        return { status: 200, html: checkoutPage(session, "Your card was declined.") };
      }
      if (method === "bank") controls.checkouts.payLater(session.id, payer);
      else controls.checkouts.pay(session.id, payer);
    } catch (error) {
      if (!(error instanceof StripeFault)) throw error;
      return { status: 200, html: checkoutPage(session, "Something went wrong. Your card was not charged.") };
    }
    return { location: (session.success_url ?? "").replaceAll("{CHECKOUT_SESSION_ID}", session.id) };
  }

  function checkoutPage(session: Stripe.Checkout.Session, problem: string): string {
    const items = state.terms.get(session.id)?.lineItems ?? [];
    const email = session.customer_email ?? "";
    return page(
      "Checkout",
      `${items.map((item) => `<p><span data-name>${escapeHtml(item.description ?? "")}</span> × ${item.quantity}</p>`).join("")}
<p data-amount>${format(session.amount_total ?? 0, session.currency ?? "")}</p>
${problem && `<p role="alert">${escapeHtml(problem)}</p>`}
<form method="post">
<p><label>Email <input name="email" type="email" value="${escapeHtml(email)}" required ${email && "readonly"}></label></p>
<p><label>Method <select name="method"><option value="card">Card</option>${session.mode === "payment" ? '<option value="bank">Bank account</option>' : ""}<option value="declined">A declined card</option></select></label></p>
<button name="action" value="pay">${session.mode === "subscription" ? "Subscribe" : "Pay"}</button>
${session.cancel_url ? '<button name="action" value="cancel" formnovalidate>Cancel</button>' : ""}
</form>`,
    );
  }

  function onboard({ subject, returnUrl }: HostedLink): PageAnswer {
    controls.sellers.finishOnboarding(subject);
    return { location: returnUrl ?? "/" };
  }

  function showDashboard({ subject }: HostedLink): PageAnswer {
    const balance = state.ledger.filter(({ account }) => account === subject).reduce((sum, { amountCents }) => sum + amountCents, 0);
    return { status: 200, html: page("Express dashboard", `<p>${escapeHtml(subject)}</p><p data-balance>${format(balance, "usd")}</p>`) };
  }

  function showPortal({ subject, returnUrl }: HostedLink): PageAnswer {
    const plans = [...state.subscriptions.values()].filter(({ customer, status }) => idOf(customer) === subject && status !== "canceled");
    const rows = plans.map(({ id, status, cancel_at: endsAt }) => {
      const [action, label] = endsAt === null ? ["cancel", "Cancel plan"] : ["resume", "Don't cancel plan"];
      const ends = endsAt === null ? "" : `, ends ${new Date(endsAt * 1000).toISOString()}`;
      return `<form method="post"><p>${id} (${status}${ends})</p><input type="hidden" name="subscription" value="${id}"><button name="action" value="${action}">${label}</button></form>`;
    });
    const back = returnUrl ? `<p><a href="${escapeHtml(returnUrl)}">Return</a></p>` : "";
    return { status: 200, html: page("Billing", rows.join("") + back) };
  }

  function changePlan(link: HostedLink, form: URLSearchParams): PageAnswer {
    const subscription = state.subscriptions.get(form.get("subscription") ?? "");
    if (!subscription || idOf(subscription.customer) !== link.subject) return notFound();
    if (form.get("action") === "resume") controls.subscriptions.resumeOnPortal(subscription.id);
    else controls.subscriptions.cancelOnPortal(subscription.id);
    return showPortal(link);
  }
}

function showOnboarding(): PageAnswer {
  return {
    status: 200,
    html: page("Onboarding", '<form method="post"><p>Your business, your bank account.</p><button>Finish</button></form>'),
  };
}

/** Redirects the seller from a used or old link of onboarding, to get a new one. */
const refuse = ({ refreshUrl }: HostedLink): PageAnswer =>
  refreshUrl === undefined
    ? { status: 410, html: page("Expired", "<p>This link has been used or has expired.</p>") }
    : { location: refreshUrl };

const notFound = (): PageAnswer => ({ status: 404, html: page("Not found", "<p>The page you were looking for could not be found.</p>") });

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>${title}</title><h1>${title}</h1>${body}</html>`;

const format = (cents: number, currency: string): string => `${(cents / 100).toFixed(2)} ${currency.toUpperCase()}`;

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
