/** What goes wrong with a request: an error, an answer that breaks off (`cut`), a connection closed without one (`drop`), or no end of waiting. */
export type Trouble = "cut" | "drop" | "hang" | "rate_limit" | "server_error";

export interface TroubleOptions {
  /** How many requests; 1 by default. */
  readonly times?: number;
  readonly method?: string;
  /** Whether the request has its effect nevertheless, of which the client does not learn. */
  readonly afterEffect?: boolean;
}

interface Planned {
  readonly trouble: Trouble;
  readonly path: RegExp | string;
  readonly method: string | undefined;
  readonly afterEffect: boolean;
  left: number;
}

/** Plans what goes wrong with the next requests. */
export function createFailures() {
  const planned: Planned[] = [];
  return {
    /** The next requests whose path is `path`, or fits it, fail. */
    plan(trouble: Trouble, path: RegExp | string, { times = 1, method, afterEffect = false }: TroubleOptions = {}): void {
      planned.push({ trouble, path, method, afterEffect, left: times });
    },
    clear: () => void planned.splice(0),
    /** Takes the first that fits a request. */
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

/** The bodies of Stripe's errors that are not about the request. */
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
