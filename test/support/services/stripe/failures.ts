/** The fault of a request: an error, an incomplete response (`cut`), a connection that closes without a response (`drop`), or no response at all. */
export type Trouble = "cut" | "drop" | "hang" | "rate_limit" | "server_error";

export interface TroubleOptions {
  /** The number of requests; default: 1. */
  readonly times?: number;
  readonly method?: string;
  /** Whether the request has its effect nevertheless, without the client's knowledge. */
  readonly afterEffect?: boolean;
}

interface Planned {
  readonly trouble: Trouble;
  readonly path: RegExp | string;
  readonly method: string | undefined;
  readonly afterEffect: boolean;
  left: number;
}

/** Creates a plan of faults for the next requests. */
export function createFailures() {
  const planned: Planned[] = [];
  return {
    /** Plans a fault for the next requests whose path equals `path` or matches it. */
    plan(trouble: Trouble, path: RegExp | string, { times = 1, method, afterEffect = false }: TroubleOptions = {}): void {
      planned.push({ trouble, path, method, afterEffect, left: times });
    },
    clear: () => void planned.splice(0),
    /** Takes the first fault that matches a request. */
    take(method: string, path: string): Planned | undefined {
      const found = planned.find(
        (plan) =>
          plan.left > 0 &&
          (plan.method ?? method) === method &&
          (typeof plan.path === "string" ? plan.path === path : plan.path.test(path)),
      );
      if (found) found.left -= 1;
      return found;
    },
  };
}

/** The bodies of Stripe's errors that do not concern the request. */
export const TROUBLE_ANSWERS = {
  rate_limit: {
    status: 429,
    error: { message: "Request rate limit exceeded.", type: "invalid_request_error", code: "rate_limit" },
  },
  server_error: {
    status: 500,
    error: { message: "An unknown error occurred", type: "api_error" },
  },
} as const;
