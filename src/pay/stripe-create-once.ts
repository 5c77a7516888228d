import { createHash, randomUUID } from "node:crypto";
import type { Stripe } from "stripe";

/**
 * Creates an object at Stripe, the same for the same call within a day. Stripe repeats a refusal for as long, also once it no longer holds: then it
 * is asked anew. `call`: what it depends on.
 */
export async function createOnce<Created>(
  call: readonly (string | undefined)[],
  create: (options: Stripe.RequestOptions) => Promise<Created>,
): Promise<Created> {
  // A hash, since Stripe limits the length.
  const idempotencyKey = createHash("sha256").update(JSON.stringify(call)).digest("hex");
  try {
    return await create({ idempotencyKey });
  } catch (error) {
    if (!isRepeated(error)) throw error;
    return await create({ idempotencyKey: randomUUID() });
  }
}

const isRepeated = (error: unknown): boolean =>
  error instanceof Error &&
  "headers" in error &&
  (error.headers as Stripe.errors.StripeError["headers"])?.["idempotent-replayed"] === "true";
