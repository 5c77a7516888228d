import type { Arena, Target } from "./target.ts";

/** An attack that exhausts one shared resource. */
export interface Attack {
  readonly name: string;
  readonly summary: string;
  /** The disk space for uploads, in bytes. */
  readonly roomBytes: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The limit of open files of the server's process. */
  readonly openFiles?: number;
  /** Starts the attack. Resolves when it is in progress and the client can start. */
  start(target: Target, arena: Arena): Promise<Standing>;
}

/** A running attack. */
export interface Standing {
  /** Runs before each of the client's rounds. */
  renew?(): Promise<void>;
  /** Stops the attack. */
  end(): Promise<Outcome>;
}

export interface Outcome {
  /** The resources that the attacker obtained, in a few words. */
  readonly text: string;
  /** Whether they are within the limits of one caller. */
  readonly isBounded: boolean;
}

export const MB = 1024 ** 2;
export const GB = 1024 ** 3;

/** Counts statuses, most frequent first: `17 × 200, 13 × 429`. 0: a request without a response; -1: a connection closed without one. */
export function countStatuses(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .toSorted((one, other) => other[1] - one[1])
    .map(([status, count]) => `${count} × ${status === 0 ? "held" : status === -1 ? "closed" : status}`)
    .join(", ");
}
