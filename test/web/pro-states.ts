import type { ProView } from "../../web/settings/usage/pro-panel.tsx";
import { renderUsagePage, type UsagePageProps } from "../../web/settings/usage/usage-page.tsx";
import type { PageContext } from "../../web/site/page-context.ts";

/** The states of Pro on the settings' page of usage. */
export function proPages(page: PageContext, usage: UsagePageProps, hostile: string): Readonly<Record<string, string>> {
  const { pro: texts } = page.texts;
  const plans: ProView["plans"] = [
    { id: "pro", name: "Pro", price: { amount: 900, currency: "USD", count: 1, unit: "month" } },
    { id: "long", name: hostile, price: { amount: 99_999_999, currency: "EUR", count: 3, unit: "month" } },
    { id: "yen", name: "Pro for a year", price: { amount: 9000, currency: "JPY", count: 1, unit: "year" } },
    { id: "unknown", name: "Pro", price: undefined },
  ];
  const subscription = { plan: "Pro", isLate: false, paidUntilMs: Date.UTC(2030, 0, 1), endsThen: false };
  const show = (pro: Partial<ProView>, over: Partial<UsagePageProps> = {}) =>
    renderUsagePage(page, { ...usage, ...over, pro: { ...usage.pro, ...pro } });
  const asPro = { tier: "pro", proUntil: "2030-01-01T00:00:00Z" } as const;
  return {
    pro: show({ plans }),
    proProblem: show({ plans, hasPaid: true }, { problem: texts.problem }),
    proUnverified: show({ plans, isUnverified: true }, { tier: "anonymous" }),
    proWaiting: show({ plans }, { payment: "waiting" }),
    proReceived: show({ plans, subscription, hasPaid: true }, { ...asPro, payment: "received" }),
    proCancelled: show({ plans, subscription: { ...subscription, plan: hostile, endsThen: true }, hasPaid: true }, asPro),
    proLate: show({ plans, subscription: { ...subscription, plan: undefined, isLate: true }, hasPaid: true }, asPro),
    proGiven: show({ plans }, { tier: "pro", proUntil: null }),
    proElsewhere: show({ upgradeUrl: "https://pay.example.org/pro" }),
    proHadElsewhere: show({ upgradeUrl: "https://pay.example.org/pro" }, asPro),
  };
}
