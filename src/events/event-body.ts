export interface EventFacts {
  readonly id: string;
  readonly type: string;
  readonly createdAtMs: number;
  readonly data: unknown;
}

/** An event as receivers get it: JSON, made once, so that every attempt sends the same bytes (interface, "Events"). */
export function toEventBody({ id, type, createdAtMs, data }: EventFacts): string {
  return JSON.stringify({ id, type, createdAt: new Date(createdAtMs).toISOString(), data });
}
