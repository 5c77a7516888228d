import type { Migration } from "../migrate.ts";

/** Until when a checkout for Pro may be paid, so that its payment is noticed without a report (selling, "Pro"). */
export const awaitedSubscriptions: Migration = {
  name: "0050-awaited-subscriptions",
  statements: [
    "ALTER TABLE subscriptions ADD COLUMN awaited_until INTEGER",
    "CREATE INDEX subscriptions_awaited ON subscriptions (awaited_until) WHERE awaited_until IS NOT NULL",
  ],
};
