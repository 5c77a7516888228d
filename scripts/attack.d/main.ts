import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { shareOutCores } from "../bench.d/cores.ts";
import { createProcesses, peakRssMb, resetPeak } from "../bench.d/processes.ts";
import { type Attack, MB } from "./attack.ts";
import { slowBodies } from "./bodies.ts";
import { visit } from "./client.ts";
import { idleConnections } from "./connections.ts";
import { emptyFiles } from "./empty-files.ts";
import { drippingImports } from "./imports.ts";
import { manyKeys } from "./keys.ts";
import { malformedRequests } from "./malformed.ts";
import { startOrigin } from "./origin.ts";
import { repeatedParts } from "./parts.ts";
import { formatResult, isHeld, type Result } from "./report.ts";
import { emptyReservations } from "./reservations.ts";
import { scanQueue } from "./scans.ts";
import { type Arena, startTarget } from "./target.ts";

const ATTACKS: readonly Attack[] = [
  repeatedParts,
  emptyReservations,
  slowBodies,
  drippingImports,
  scanQueue,
  idleConnections,
  manyKeys,
  emptyFiles,
  malformedRequests,
];

const USAGE = `usage: scripts/attack [--attack NAME]... [--rounds N] [--executable FILE] [--json]

Starts a server on loopback and attacks it as one caller that tries to exhaust shared resources; the attacks are bounded. Meanwhile a
normal client uploads 2 MB, waits for the scan, downloads, and imports 1 MB. The client's median times must not exceed three times those
on the idle server. Prints the times and the server's memory and disk use; exits with 1 if a limit was exceeded.

  --attack NAME      run only this attack; may be repeated
  --rounds N         rounds of the client, both idle and under attack (5)
  --executable FILE  the filehost executable to attack (./filehost)
  --json             print the results as JSON

attacks:
${ATTACKS.map(({ name, summary }) => `  ${name.padEnd(17)}  ${summary}`).join("\n")}

example: scripts/attack --attack bodies --executable ../filehost-before
`;

const { values } = parseArgs({
  options: {
    attack: { type: "string", multiple: true },
    rounds: { type: "string" },
    executable: { type: "string" },
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});

if (values.help) process.stdout.write(USAGE);
else process.exitCode = await main();

async function main(): Promise<number> {
  const rounds = Number(values.rounds ?? 5);
  if (!Number.isInteger(rounds) || rounds < 1) return refuse(`${values.rounds} is not a number of rounds.`);
  const unknown = values.attack?.find((name) => !ATTACKS.some((attack) => attack.name === name));
  if (unknown !== undefined) return refuse(`There is no attack ${unknown}.`);
  const root = join(import.meta.dirname, "..", "..");
  const processes = createProcesses();
  await mkdir(join(root, ".tools"), { recursive: true });
  const dir = await mkdtemp(join(root, ".tools", "attack-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  stack.defer(() => processes.endAll());
  const executable = resolve(values.executable ?? join(root, "filehost"));
  const arena: Arena = { executable, dir, processes, cores: await shareOutCores(processes), origin: stack.use(await startOrigin()) };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(130)));
  }
  const results: Result[] = [];
  for (const attack of ATTACKS.filter(({ name }) => values.attack?.includes(name) ?? true)) {
    process.stderr.write(`${attack.name}: ${attack.summary}\n`);
    const result = await run(attack, arena, rounds);
    results.push(result);
    if (!values.json) process.stdout.write(`${formatResult(result)}\n\n`);
  }
  if (values.json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  const missed = results.filter((result) => !isHeld(result)).map(({ name }) => name);
  process.stderr.write(missed.length === 0 ? "All limits kept.\n" : `Limits exceeded: ${missed.join(", ")}.\n`);
  return missed.length === 0 ? 0 : 1;
}

async function run(attack: Attack, arena: Arena, rounds: number): Promise<Result> {
  await using target = await startTarget(arena, attack);
  const { origin } = arena;
  const measure = async () => ({ memory: await peakRssMb(target.pid), disk: (await target.diskBytes()) / MB });
  // The first visit is a warm-up and does not count.
  await visit(target, { origin, rounds: 1 });
  await resetPeak(target.pid);
  const idle = await visit(target, { origin, rounds });
  const before = await measure();
  await resetPeak(target.pid);
  const standing = await attack.start(target, arena);
  const attacked = await visit(target, { origin, rounds, beforeRound: standing.renew?.bind(standing) });
  const during = await measure();
  const outcome = await standing.end();
  return {
    ...{ name: attack.name, summary: attack.summary, idle, attacked, outcome },
    memoryMb: { idle: before.memory, attacked: during.memory },
    diskMb: { idle: before.disk, attacked: during.disk },
  };
}

function refuse(reason: string): number {
  process.stderr.write(`${reason}\n\n${USAGE}`);
  return 2;
}
