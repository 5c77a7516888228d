import type { LoadedConfig } from "../config/load.ts";
import { PaymentError } from "../pay/payments.ts";
import { openStripe } from "../pay/stripe.ts";
import { toPublicUrls } from "../public-urls.ts";
import { type Check, fail, ok, warn } from "./check-result.ts";

const WHAT = "selling";

/** Checks that Stripe accepts the key, and has the webhook and the plans' prices (selling, "The webhook"). */
export const payments: Check = {
  what: WHAT,
  timeoutMs: 60_000,
  async *run({ config }: LoadedConfig) {
    if (!config.payments) return;
    const webhookUrl = `${toPublicUrls(config, config.listen.port).apiUrl}/stripe/webhook`;
    const { webhookSecrets } = config.payments;
    try {
      const platform = await (await openStripe(config.payments)).readPlatform(webhookUrl);
      const { account, isLive, acceptsPayments, webhooks, apiVersion, wrongPlans } = platform;
      if (!acceptsPayments)
        yield fail(
          WHAT,
          "payments",
          `Stripe accepts no payments for ${account}`,
          "Finish the setup of your account in Stripe's dashboard.",
        );
      else yield ok(WHAT, `Stripe accepts ${isLive ? "payments" : "test payments"} for ${account}`);
      const enabled = webhooks.filter(({ isEnabled }) => isEnabled);
      if (enabled.length === 0 || webhookSecrets.length === 0)
        yield warn(
          WHAT,
          "payments",
          `no webhook leads to ${webhookUrl}: refunds are not noticed, and purchases only when buyers come back`,
          "Add it in Stripe's dashboard under Developers, Webhooks, and set FILEHOST_STRIPE_WEBHOOK_SECRET to its signing secret.",
        );
      const [fewest = []] = enabled.map(({ missingEvents }) => missingEvents).sort((one, other) => one.length - other.length);
      if (fewest.length > 0)
        yield warn(
          WHAT,
          "payments",
          `the webhook lacks ${fewest.join(", ")}`,
          "Select these events for the webhook in Stripe's dashboard.",
        );
      const otherVersion = enabled.find((webhook) => webhook.otherVersion !== undefined)?.otherVersion;
      if (otherVersion !== undefined)
        yield warn(
          WHAT,
          "payments",
          `the webhook sends events of Stripe's API ${otherVersion}; this server reads those of ${apiVersion}`,
          `Add the webhook again with the API version ${apiVersion}, which Stripe does not change later, and remove this one.`,
        );
      if (wrongPlans.length > 0)
        yield fail(
          WHAT,
          "payments",
          `no active recurring price for: ${wrongPlans.join(", ")}`,
          "Correct stripePrice of these plans in FILEHOST_PLANS.",
        );
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error;
      yield fail(
        WHAT,
        "paymentsUnreachable",
        `Stripe at ${config.payments.apiUrl}: ${error.message}`,
        "Check FILEHOST_STRIPE_SECRET_KEY, and that this server reaches Stripe.",
      );
    }
  },
};
