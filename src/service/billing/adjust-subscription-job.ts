import type { Ctx } from "../../context.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { HOUR_MS } from "../../lib/text/duration.ts";
import type { WantedSubscriptions } from "../../pay/payments.ts";
import { findUser } from "../accounts/users.ts";
import { usePayments } from "../selling/payments.ts";
import { ADJUST_SUBSCRIPTION_JOB, findSubscriberByCustomer } from "../selling/subscribers.ts";

const SLOTS = 2;

/**
 * Ends the subscription of a deleted account, or pauses the subscription of a disabled one (selling, "Pro"). Retries until the payment platform has
 * done so.
 */
export const adjustSubscriptionJob: JobKind<Ctx> = {
  name: ADJUST_SUBSCRIPTION_JOB,
  slots: () => ({ total: SLOTS }),
  async run(ctx, { subject: customer }) {
    if (!ctx.payments) return { kind: "reschedule", atMs: ctx.now() + HOUR_MS };
    let wanted = await findWanted(ctx, customer);
    let done: WantedSubscriptions | undefined;
    // Repeats until the state is unchanged, because the account may change during the request.
    while (wanted !== done) {
      const next = wanted;
      await usePayments(ctx, (payments) => payments.adjustSubscriptions(customer, next));
      done = next;
      wanted = await findWanted(ctx, customer);
    }
    return DONE;
  },
};

async function findWanted({ db }: Pick<Ctx, "db">, customer: string): Promise<WantedSubscriptions> {
  const subscriber = await findSubscriberByCustomer(db, customer);
  const user = subscriber && (await findUser(db, subscriber.user_id));
  if (!user || user.deleted_at !== null) return "ended";
  return user.disabled_at !== null ? "paused" : "running";
}
