import type { LoadedConfig } from "../config/load.ts";
import { withTimeout } from "../lib/concurrency/with-timeout.ts";
import { addresses } from "./addresses.ts";
import type { Check, CheckResult } from "./check-result.ts";
import { fail } from "./check-result.ts";
import { contentHost } from "./content-host.ts";
import { dataFolder } from "./data-folder.ts";
import { database } from "./database.ts";
import { explainError } from "./error-messages.ts";
import { machine } from "./machine.ts";
import { mail } from "./mail.ts";
import { payments } from "./payments.ts";
import { provider } from "./provider.ts";
import { s3Store } from "./s3-store.ts";
import { scanner } from "./scanner.ts";
import { server } from "./server.ts";
import { serverSecret } from "./server-secret.ts";
import { settings } from "./settings.ts";
import { storePair } from "./store-pair.ts";

const CHECKS: readonly Check[] = [
  settings,
  addresses,
  server,
  contentHost,
  dataFolder,
  database,
  serverSecret,
  s3Store,
  storePair,
  scanner,
  mail,
  provider,
  payments,
  machine,
];

const CLEANUP_TIMEOUT_MS = 3_000;

/**
 * Runs all checks for a server with this configuration, one after another, each within its time limit. Writes only small test files and
 * objects, removes them again, and takes no lock that a running server would wait for. Secrets are masked in the results.
 */
export async function runChecks(loaded: LoadedConfig): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const redact = createRedactor(secretsOf(loaded));
  for (const check of CHECKS) for await (const result of runCheck(check, loaded)) results.push(redact(result));
  return results;
}

/** Yields a check's results. Ends with a failure when the check throws or reaches its time limit. */
export async function* runCheck(check: Check, loaded: LoadedConfig): AsyncGenerator<CheckResult> {
  const signal = AbortSignal.timeout(check.timeoutMs);
  const late = new Promise<"late">((resolve) => signal.addEventListener("abort", () => resolve("late"), { once: true }));
  const running = check.run(loaded, signal)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([running.next(), late]);
      if (next === "late") {
        yield fail(
          check.what,
          "notRun",
          `took longer than ${check.timeoutMs / 1000} s`,
          "Check whether that machine or disk is overloaded, then run this again.",
        );
        // Gives the check time to remove its test files.
        await withTimeout(Promise.resolve(running.return?.(undefined)), CLEANUP_TIMEOUT_MS, () => undefined);
        return;
      }
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    yield fail(check.what, "notRun", explainError(error), "Check the operating system's log, then run this again.");
  }
}

function secretsOf({ config }: LoadedConfig): string[] {
  const secrets = [
    config.secret,
    config.database.token,
    config.mail?.server.credentials?.password,
    config.oidc?.clientSecret,
    config.payments?.secretKey,
    ...(config.payments?.webhookSecrets ?? []),
    config.storage.kind === "s3" ? config.storage.credentials?.secretAccessKey : undefined,
  ];
  if (URL.canParse(config.database.url)) {
    const { password, searchParams } = new URL(config.database.url);
    secrets.push(password, ...searchParams.values());
  }
  return secrets.filter((secret) => secret !== undefined && secret.length >= 4) as string[];
}

function createRedactor(secrets: readonly string[]): (result: CheckResult) => CheckResult {
  const redact = (text: string): string => secrets.reduce((shown, secret) => shown.replaceAll(secret, "********"), text);
  return (result) => ({ ...result, detail: redact(result.detail), ...(result.fix === undefined ? {} : { fix: redact(result.fix) }) });
}
