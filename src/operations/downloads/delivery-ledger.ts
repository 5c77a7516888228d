import { addSpan, coversWhole, type Span } from "../../domain/range.ts";

/** Which bytes of the deliveries under way have been sent; kept in memory, for the most recent ones. */
export interface DeliveryLedger {
  /** Adds a span; true when that makes the delivery whole, which also forgets it. */
  add(deliveryId: string, span: Span, sizeBytes: number): boolean;
}

const MAX_DELIVERIES = 10_000;

export function createDeliveryLedger(): DeliveryLedger {
  const deliveries = new Map<string, readonly Span[]>();
  return {
    add(deliveryId, span, sizeBytes) {
      const spans = addSpan(deliveries.get(deliveryId) ?? [], span);
      deliveries.delete(deliveryId);
      if (coversWhole(spans, sizeBytes)) return true;
      deliveries.set(deliveryId, spans);
      const [oldest] = deliveries.keys();
      if (deliveries.size > MAX_DELIVERIES && oldest !== undefined) deliveries.delete(oldest);
      return false;
    },
  };
}
