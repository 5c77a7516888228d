import { askSteadily } from "../bench.d/latency.ts";
import { type Attack, countStatuses, GB } from "./attack.ts";
import { ask, askJson } from "./http.ts";
import type { Target } from "./target.ts";

const KEYS = 20;
const REQUESTS = 100;
/** The pause between requests. A hundred keys with separate rates could not send as many. */
const ASK_EVERY_MS = 6;
const TESTS = 60;
/** The requests per minute of a free user. The attack may continue into a second minute. */
const RATE = 100;

/** Sends requests with many keys of one free user, and repeated tests of its webhook. */
export const manyKeys: Attack = {
  name: "keys",
  summary: `${KEYS} keys of one free account ask ${REQUESTS} times each, and ${TESTS} test webhooks are asked for`,
  roomBytes: 4 * GB,
  async start(target, { origin }) {
    const email = "keys@attack.example";
    await target.run("users", "create", "--email", email, "--name", "Keys", "--json");
    const keys: string[] = [];
    for (let n = 0; n < KEYS + 1; n++) keys.push(await createAccountKey(target, email));
    const [webhookKey = "", ...others] = keys;
    // The webhook is tested before the user's rate is used up.
    const tests = await testWebhook(target, { url: origin.webhookUrl, key: webhookKey });
    const wanted = others.flatMap((key) => Array.from({ length: REQUESTS }, () => key));
    const statuses: number[] = [];
    const running = askSteadily(
      ASK_EVERY_MS,
      async () => {
        const headers = { authorization: `Bearer ${wanted.pop()}` };
        statuses.push((await ask(`${target.url}/api/files/list`, { from: "198.51.100.30", headers })).status);
      },
      () => wanted.length === 0,
    );
    return {
      async end() {
        await running;
        const lists = statuses.filter((status) => status === 200).length;
        return {
          text: `lists: ${countStatuses(statuses)}; tests: ${countStatuses(tests)}, ${origin.webhooks()} sent`,
          isBounded: lists <= 2 * RATE && origin.webhooks() < TESTS,
        };
      },
    };
  },
};

/** Creates a key of an account. */
export async function createAccountKey(target: Target, email: string): Promise<string> {
  const made = /"(bc_[^"]+_[^"]+)"/.exec(await target.run("keys", "create", "--user", email, "--scope", "full", "--json"));
  if (made?.[1] === undefined) throw new Error("`filehost keys create` printed no key");
  return made[1];
}

async function testWebhook(target: Target, { url, key }: { url: string; key: string }): Promise<number[]> {
  const sender = { method: "POST", from: "198.51.100.31", headers: { authorization: `Bearer ${key}` } };
  const made = await askJson<{ data: { id: string } }>(`${target.url}/api/webhooks`, { ...sender, json: { url, events: ["file.ready"] } });
  const statuses: number[] = [];
  for (let n = 0; n < TESTS; n++) statuses.push((await ask(`${target.url}/api/webhooks/${made.data.id}/test`, sender)).status);
  return statuses;
}
