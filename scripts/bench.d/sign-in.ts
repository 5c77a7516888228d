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
/** The default settings, except for the limits that the load would exceed within a second. */
const LIMITS = {
  FILEHOST_RATE_LIMITS: "off",
  FILEHOST_LIMITS: JSON.stringify({ rates: { signIns: 1e9, passwordTries: 1e9 } }),
};

/**
 * Measures the processor time of sign-ins with a password, by 16 clients: of one account, with a wrong password, and of an address without an account.
 */
export const signIns: Experiment = {
  cases: ["sign-in", "sign-in-wrong", "sign-in-unknown"],
  async prepare(bench, stack) {
    const host = await startFilehost(bench, "sign-in", LIMITS);
    stack.defer(() => host.stop());
    await signUp(host);
    const contestant = (name: string, login: object, expected: number): Contestant => ({
      label: name,
      pid: host.pid,
      async measure() {
        const cpuBefore = await cpuSeconds(host.pid);
        let done = 0;
        await filesPerSecond(async () => {
          const { status } = await send(host, "/auth/sign-in", login);
          if (status !== expected) throw new Error(`${name} returned ${status}`);
          done++;
        });
        return [{ case: name, side: "ours", value: (((await cpuSeconds(host.pid)) - cpuBefore) * 1000) / done }];
      },
    });
    const wrong = "wrong horse battery";
    return [
      contestant("sign-in", { login: PERSON.email, password: PERSON.password }, 200),
      contestant("sign-in-wrong", { login: PERSON.email, password: wrong }, 401),
      contestant("sign-in-unknown", { login: "nobody@bench.example", password: wrong }, 401),
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
    const sessionToken = await signUp(host);
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

/** Creates the account of a person, and resolves to the token of its session. */
export async function signUp(host: Filehost): Promise<string> {
  const { status, body } = await send(host, "/auth/sign-up", PERSON);
  if (!body.data) throw new Error(`sign-up returned ${status}: ${JSON.stringify(body)}`);
  return body.data.sessionToken;
}

async function send(host: Filehost, path: string, json: object) {
  const response = await fetch(`${host.url}/api${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(json),
  });
  return { status: response.status, body: (await response.json()) as { readonly data?: { readonly sessionToken: string } } };
}
