import { receivePaymentEvent } from "../../service/purchases/receive-event.ts";
import { readBody } from "../reading/read-body.ts";
import { respondJson } from "../responding/respond.ts";
import type { HttpContext } from "../routing/env.ts";

const MAX_EVENT_BYTES = 512 * 1024;

/** `POST {api_url}/stripe/webhook`: receives a report of Stripe (selling, "The webhook"). Stripe repeats the report after any status except 200. */
export async function postPaymentWebhook(c: HttpContext): Promise<Response> {
  using body = await readBody(c, { caller: { actor: undefined, address: c.env.address }, maxBytes: MAX_EVENT_BYTES });
  const signature = c.req.header("stripe-signature") ?? "";
  await receivePaymentEvent(c.env.ctx, { body: new TextDecoder().decode(body.bytes), signature });
  return respondJson(c, { received: true });
}
