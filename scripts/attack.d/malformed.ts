import { listByteRoutes } from "../../test/e2e/support/api/byte-routes.ts";
import { type Outcome as Sent, sendMalformed } from "../../test/e2e/support/api/malformed-requests.ts";
import { type Attack, GB } from "./attack.ts";
import { createAccountKey } from "./keys.ts";

/** The number of requests of each route. */
const REQUESTS = 1000;
/** The first seed of these requests, above the seeds of the tests. */
const FROM = 100_000;
const AT_ONCE = 4;

/** Sends malformed forms, heads and chunks, none of which may end the server or get a 500. */
export const malformedRequests: Attack = {
  name: "malformed",
  summary: `${REQUESTS} malformed requests for each route that takes or sends bytes`,
  roomBytes: 4 * GB,
  env: { FILEHOST_RATE_LIMITS: "off" },
  async start(target) {
    const email = "malformed@attack.example";
    await target.run("users", "create", "--email", email, "--name", "Malformed", "--tier", "pro", "--json");
    const routes = await listByteRoutes(target, await createAccountKey(target, email));
    const sent: Sent[] = [];
    const running = (async () => {
      for (const route of routes) sent.push(await sendMalformed(target, route, { from: FROM, count: REQUESTS, atOnce: AT_ONCE }));
    })();
    return {
      async end() {
        await running;
        const failed = sent.reduce((sum, one) => sum + one.failed.length, 0);
        const { status } = await fetch(`${target.url}/health`);
        return {
          text: `${routes.length * REQUESTS} sent, ${failed} × 500; health is ${status}`,
          isBounded: failed === 0 && status === 200,
        };
      },
    };
  },
};
