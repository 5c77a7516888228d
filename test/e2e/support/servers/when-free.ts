import { until } from "../../../support/until.ts";

/** Repeats a request while a busy machine's database server has no room for it. */
export const whenFree = <T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> =>
  until("the database is free", async () => {
    const response = await ask();
    return response.status !== 503 && response;
  });
