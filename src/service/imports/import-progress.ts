/** The progress of an import in this server instance. It is newer than the row, which is updated every second. */
export interface ImportProgress {
  readonly phase: "connecting" | "downloading" | "saving";
  readonly bytesDone: number;
  readonly bytesTotal: number | null;
  readonly name: string | null;
  readonly updatedAtMs: number;
}

export interface RunningImport {
  /** Fires, with an error as its reason, when the import must stop. */
  readonly signal: AbortSignal;
  state(): ImportProgress;
  update(change: Partial<Omit<ImportProgress, "updatedAtMs">>): void;
  abort(reason: unknown): void;
  /** Returns the current pace in bytes per second; undefined until it is known. */
  measure(): number | undefined;
}

/** The imports that this server instance runs. */
export interface RunningImports {
  find(id: string): RunningImport | undefined;
  start(id: string, first: { bytesDone: number; bytesTotal: number | null; name: string | null }): RunningImport;
  end(id: string): void;
  count(): number;
  /** Finds the slowest slow import; undefined if none is known to be slow. */
  findSlowest(): RunningImport | undefined;
}

export function createRunningImports(now: () => number): RunningImports {
  const byId = new Map<string, RunningImport>();
  return {
    find: (id) => byId.get(id),
    end: (id) => void byId.delete(id),
    count: () => byId.size,
    findSlowest: () => findSlowest(byId.values(), (running) => running.measure()),
    start(id, first) {
      const controller = new AbortController();
      const meter = createPaceMeter(now, first.bytesDone);
      let state: ImportProgress = { ...first, phase: "connecting", updatedAtMs: now() };
      const running: RunningImport = {
        signal: controller.signal,
        state: () => state,
        update: (change) => {
          state = { ...state, ...change, updatedAtMs: now() };
        },
        abort: (reason) => controller.abort(reason),
        measure: () => meter.measure(state.bytesDone),
      };
      byId.set(id, running);
      return running;
    },
  };
}

/** Minimum time over which a pace is measured. */
const WINDOW_MS = 15_000;

export interface PaceMeter {
  /** Returns the pace over the last 15 to 30 seconds, in bytes per second; undefined in the first 15 seconds. `totalBytes` is the count so far. */
  measure(totalBytes: number): number | undefined;
}

/** Creates a meter that starts at `totalBytes`. The caller must call `measure` every few seconds; otherwise the measured time grows. */
export function createPaceMeter(now: () => number, totalBytes = 0): PaceMeter {
  let before = { atMs: now(), bytes: totalBytes };
  let latest = before;
  return {
    measure(bytes) {
      const atMs = now();
      if (atMs - latest.atMs >= WINDOW_MS) [before, latest] = [latest, { atMs, bytes }];
      const elapsedMs = atMs - before.atMs;
      return elapsedMs < WINDOW_MS ? undefined : ((bytes - before.bytes) * 1000) / elapsedMs;
    },
  };
}

/** The pace below which an import is slow: if no slot is free, it can lose its slot to a caller without an import. */
const SLOW_BYTES_PER_SECOND = 256 * 1024;

/** Finds the slowest of the imports below `SLOW_BYTES_PER_SECOND`; undefined if no import is known to be slow. */
export function findSlowest<T>(imports: Iterable<T>, measure: (item: T) => number | undefined): T | undefined {
  let slowest: T | undefined;
  let minPace = SLOW_BYTES_PER_SECOND;
  for (const item of imports) {
    const pace = measure(item);
    if (pace === undefined || pace >= minPace) continue;
    slowest = item;
    minPace = pace;
  }
  return slowest;
}
