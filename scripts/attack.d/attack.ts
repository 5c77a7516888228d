import type { Arena, Target } from "./target.ts";

/** One way to use up what all share. */
export interface Attack {
  readonly name: string;
  readonly summary: string;
  /** Disk that uploads may take, in bytes. */
  readonly roomBytes: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Most descriptors of the server's process. */
  readonly openFiles?: number;
  /** Begins; resolves when the attack stands and the visitor may come. */
  begin(target: Target, arena: Arena): Promise<Standing>;
}

/** An attack under way. */
export interface Standing {
  /** Before each of the visitor's rounds. */
  renew?(): Promise<void>;
  /** Ends it. */
  end(): Promise<Outcome>;
}

export interface Outcome {
  /** What the attacker got, in a few words. */
  readonly text: string;
  /** Whether that is no more than one caller may have. */
  readonly isBounded: boolean;
}

export const MB = 1024 ** 2;
export const GB = 1024 ** 3;

/** `17 × 200, 13 × 429`, most frequent first; 0 is a request that is still held, -1 a connection that was closed without an answer. */
export function countStatuses(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .toSorted((one, other) => other[1] - one[1])
    .map(([status, count]) => `${count} × ${status === 0 ? "held" : status === -1 ? "closed" : status}`)
    .join(", ");
}
