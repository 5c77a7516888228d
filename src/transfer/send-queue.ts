import { type BatchLimits, planBatch } from "./plan-batch.ts";

export interface SendQueueOptions<Item> {
  /** The number of simultaneous requests with bytes. */
  readonly connections: number;
  readonly parallelBatches: number;
  readonly parallelLarge: number;
  /** The size up to which files are sent together. */
  readonly maxSmallBytes: number;
  /** Prevents new requests after it has aborted. */
  readonly signal: AbortSignal;
  limits?(): BatchLimits;
  /** Sends small files in one request. Never rejects. */
  sendTogether(items: readonly Item[]): Promise<void>;
  /** Sends a large file. Never rejects. */
  sendAlone(item: Item): Promise<void>;
}

/** Schedules files: small ones together, large ones alone, in several simultaneous requests. */
export interface SendQueue<Item> {
  /** Adds a file without starting it. `isAlone` sends a small file alone too. */
  add(item: Item, options?: { readonly isAlone: boolean }): void;
  /** Starts the requests that are possible now. Called again after files were added. */
  start(): void;
  clear(): void;
  /** Resolves when no file is being sent or waits. */
  whenIdle(): Promise<void>;
}

export function createSendQueue<Item extends { readonly sizeBytes: number }>(options: SendQueueOptions<Item>): SendQueue<Item> {
  const { connections, parallelBatches, parallelLarge, maxSmallBytes, signal } = options;
  const small: Item[] = [];
  const large: Item[] = [];
  const running = new Set<Promise<void>>();
  let batches = 0;
  let larges = 0;

  function run(work: Promise<void>, onEnd: () => void): void {
    const ended = work.finally(() => {
      onEnd();
      running.delete(ended);
      start();
    });
    running.add(ended);
  }

  function start(): void {
    while (batches < parallelBatches && small.length > 0 && !signal.aborted) {
      batches += 1;
      const count = planBatch(
        small.map(({ sizeBytes }) => sizeBytes),
        connections,
        options.limits?.(),
      );
      run(options.sendTogether(small.splice(0, count)), () => {
        batches -= 1;
      });
    }
    while (larges < parallelLarge && large.length > 0 && !signal.aborted) {
      larges += 1;
      const item = large.shift();
      if (item)
        run(options.sendAlone(item), () => {
          larges -= 1;
        });
    }
  }

  return {
    add: (item, { isAlone } = { isAlone: false }) => void (item.sizeBytes <= maxSmallBytes && !isAlone ? small : large).push(item),
    start,
    clear() {
      small.length = 0;
      large.length = 0;
    },
    async whenIdle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
