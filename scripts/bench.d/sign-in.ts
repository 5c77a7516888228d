import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Contestant, Experiment } from "./bench.ts";
import { type Filehost, makeOwnerKey, startFilehost } from "./filehost.ts";
import { wrk } from "./load.ts";
import { cpuSeconds } from "./processes.ts";
import { insertShares } from "./rows.ts";
import { filesPerSecond } from "./uploads.ts";

const SHARES = 1000;
const PERSON = { email: "ada@bench.example", password: "correct horse battery", name: "Ada" };
/** Default settings, except for the limits that the load would exceed within a second. */
const LIMITS = {
  FILEHOST_RATE_LIMITS: "off",
  FILEHOST_LIMITS: JSON.stringify({ rates: { signIns: 1e9, passwordTries: 1e9 } }),
};

/** Measures sign-ins with a password, by 16 clients of one account. */
export const signIns: Experiment = {
  cases: ["sign-in"],
  async prepare(bench, stack) {
    const host = await startFilehost(bench, "sign-in", LIMITS);
    stack.defer(() => host.stop());
    await post(host, "/auth/sign-up", PERSON);
    return [
      {
        label: "passwords",
        pid: host.pid,
        async measure() {
          const value = await filesPerSecond(() => post(host, "/auth/sign-in", { login: PERSON.email, password: PERSON.password }));
          return [{ case: "sign-in", side: "ours", value }];
        },
      },
    ];
  },
};

/** Measures the processor time of look-ups of the same shares by 16 clients: without a credential, with a key, and with a session. */
export const callers: Experiment = {
  cases: ["share-anonymous", "share-key", "share-session"],
  async prepare(bench, stack) {
    const first = await startFilehost(bench, "callers");
    const key = await makeOwnerKey(bench, first);
    await first.stop();
    const path = join(bench.dir, "callers.names");
    await writeFile(
      path,
      insertShares(first.dataDir, { count: SHARES })
        .map(({ shortId }) => `${shortId}\n`)
        .join(""),
    );
    const host = await startFilehost(bench, "callers");
    stack.defer(() => host.stop());
    const { sessionToken } = await post(host, "/auth/sign-up", PERSON);
    const contestant = (name: string, credential?: string): Contestant => ({
      label: name,
      pid: host.pid,
      async measure() {
        const headers = credential === undefined ? [] : [`Authorization: Bearer ${credential}`];
        const targets = { mode: "random", path, prefix: "/api/files/share/", headers } as const;
        const cpuBefore = await cpuSeconds(host.pid);
        const { requests } = await wrk(bench, host.url, targets);
        return [{ case: name, side: "ours", value: (((await cpuSeconds(host.pid)) - cpuBefore) * 1000) / requests }];
      },
    });
    return [contestant("share-anonymous"), contestant("share-key", key), contestant("share-session", sessionToken)];
  },
};

async function post(host: Filehost, path: string, json: object): Promise<{ readonly sessionToken: string }> {
  const response = await fetch(`${host.url}/api${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(json),
  });
  const body = (await response.json()) as { data?: { sessionToken: string } };
  if (!body.data) throw new Error(`${path} returned ${response.status}: ${JSON.stringify(body)}`);
  return body.data;
}
