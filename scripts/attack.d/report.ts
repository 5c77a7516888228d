import { quantile } from "../bench.d/latency.ts";
import type { Outcome } from "./attack.ts";
import { type Rounds, STEPS, type Step } from "./client.ts";

/** The effects of an attack on the server and the client. */
export interface Result {
  readonly name: string;
  readonly summary: string;
  readonly idle: Rounds;
  readonly attacked: Rounds;
  readonly memoryMb: { readonly idle: number; readonly attacked: number };
  readonly diskMb: { readonly idle: number; readonly attacked: number };
  readonly outcome: Outcome;
}

/** Maximum slowdown of the client, compared with the idle server. */
const BAR = 3;

/** Returns a step's median on the idle server and under attack, and their ratio. `failures` counts the failed rounds. */
function compare(step: Step, { idle, attacked }: Pick<Result, "idle" | "attacked">) {
  const failures = attacked[step].filter((value) => typeof value === "string");
  const idleMs = medianOf(idle[step]);
  const attackedMs = medianOf(attacked[step]);
  const isLost = failures.length > 0 || attacked[step].length === 0;
  const ratio = idleMs === undefined || attackedMs === undefined ? undefined : attackedMs / idleMs;
  return { idleMs, attackedMs, ratio, failures, reached: !isLost && ratio !== undefined && ratio <= BAR };
}

function medianOf(values: readonly (number | string)[]): number | undefined {
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.length === 0 ? undefined : quantile(numbers, 0.5);
}

export function formatResult(result: Result): string {
  const lines = STEPS.map((step) => {
    const { idleMs, attackedMs, ratio, failures, reached } = compare(step, result);
    const failed =
      failures.length === 0 ? "" : `; ${failures.length} of ${result.attacked[step].length} failed: ${[...new Set(failures)].join(", ")}`;
    return `  ${step.padEnd(9)} ${ms(idleMs)} idle, ${ms(attackedMs)} attacked, ${ratio === undefined ? "-" : ratio.toFixed(1)} × (bar ${BAR}) ${reached ? "reached" : "MISSED"}${failed}`;
  });
  const { memoryMb, diskMb } = result;
  return [
    `${result.name}: ${result.summary}`,
    ...lines,
    `  memory    ${memoryMb.idle.toFixed(0)} MB at most idle, ${memoryMb.attacked.toFixed(0)} MB attacked`,
    `  disk      ${diskMb.idle.toFixed(0)} MB idle, ${diskMb.attacked.toFixed(0)} MB attacked`,
    `  attacker  ${result.outcome.text}: ${result.outcome.isBounded ? "bounded" : "NOT BOUNDED"}`,
  ].join("\n");
}

const ms = (value: number | undefined): string => (value === undefined ? "-" : `${value.toFixed(0)} ms`);

export const isHeld = (result: Result): boolean => result.outcome.isBounded && STEPS.every((step) => compare(step, result).reached);
