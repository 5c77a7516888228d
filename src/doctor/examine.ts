import { setTimeout as pause } from "node:timers/promises";
import { addresses } from "./addresses.ts";
import { dataFolder } from "./data-folder.ts";
import { database } from "./database.ts";
import type { Check, Finding, Subject } from "./finding.ts";
import { fail } from "./finding.ts";
import { machine } from "./machine.ts";
import { reasonOf } from "./reasons.ts";
import { s3Store } from "./s3-store.ts";
import { scanner } from "./scanner.ts";
import { server } from "./server.ts";
import { settings } from "./settings.ts";

const CHECKS: readonly Check[] = [settings, addresses, server, dataFolder, database, s3Store, scanner, machine];

const GRACE_MS = 3_000;

/**
 * Looks at everything that a server with this configuration needs, one after the other, and ends within the checks' time limits. Changes
 * nothing but for small tries that are removed again, and takes no lock that a running server would wait for. No secret is in a finding.
 */
export async function examine(subject: Subject): Promise<Finding[]> {
  const findings: Finding[] = [];
  const hide = createHider(secretsOf(subject));
  for (const check of CHECKS) for await (const finding of lookWithin(check, subject)) findings.push(hide(finding));
  return findings;
}

/** What a check finds until its time is over. */
export async function* lookWithin(check: Check, subject: Subject): AsyncGenerator<Finding> {
  const signal = AbortSignal.timeout(check.limitMs);
  const late = new Promise<"late">((resolve) => signal.addEventListener("abort", () => resolve("late"), { once: true }));
  const looking = check.look(subject, signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([looking.next(), late]);
      if (next === "late") {
        yield fail(
          check.what,
          `took longer than ${check.limitMs / 1000} s`,
          "Look whether that machine or disk is overloaded, and run this again.",
        );
        // What was tried is to be removed still, where that can be done.
        await Promise.race([looking.return?.(undefined), pause(GRACE_MS)]);
        return;
      }
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    yield fail(check.what, reasonOf(error), "Look at what the operating system says of it, and run this again.");
  }
}

function secretsOf({ config }: Subject): string[] {
  const secrets = [
    config.secret,
    config.database.token,
    config.storage.kind === "s3" ? config.storage.credentials?.secretAccessKey : undefined,
  ];
  if (URL.canParse(config.database.url)) {
    const { password, searchParams } = new URL(config.database.url);
    secrets.push(password, ...searchParams.values());
  }
  return secrets.filter((secret) => secret !== undefined && secret.length >= 4) as string[];
}

function createHider(secrets: readonly string[]): (finding: Finding) => Finding {
  const hide = (text: string): string => secrets.reduce((shown, secret) => shown.replaceAll(secret, "********"), text);
  return (finding) => ({ ...finding, detail: hide(finding.detail), ...(finding.mend === undefined ? {} : { mend: hide(finding.mend) }) });
}
