import { createPaceMeter, findSlowest } from "./pace-meter.ts";

/** How far an import of this process is: newer than its row, which is written each second or so. */
export interface LiveState {
  readonly phase: "connecting" | "downloading" | "saving";
  readonly bytesDone: number;
  readonly bytesTotal: number | null;
  readonly name: string | null;
  readonly updatedAtMs: number;
}

export interface LiveImport {
  /** Fires with its reason when the import is to end. */
  readonly signal: AbortSignal;
  state(): LiveState;
  update(change: Partial<Omit<LiveState, "updatedAtMs">>): void;
  abort(reason: unknown): void;
  /** Bytes a second lately; undefined as long as that is not known. */
  measure(): number | undefined;
}

/** The imports that this process runs. */
export interface LiveImports {
  find(id: string): LiveImport | undefined;
  start(id: string, first: { bytesDone: number; bytesTotal: number | null; name: string | null }): LiveImport;
  end(id: string): void;
  count(): number;
  /** The slowest of those that are slow; undefined where none is known to be. */
  findSlowest(): LiveImport | undefined;
}

export function createLiveImports(now: () => number): LiveImports {
  const running = new Map<string, LiveImport>();
  return {
    find: (id) => running.get(id),
    end: (id) => void running.delete(id),
    count: () => running.size,
    findSlowest: () => findSlowest(running.values(), (live) => live.measure()),
    start(id, first) {
      const controller = new AbortController();
      const meter = createPaceMeter(now, first.bytesDone);
      let state: LiveState = { ...first, phase: "connecting", updatedAtMs: now() };
      const live: LiveImport = {
        signal: controller.signal,
        state: () => state,
        update: (change) => {
          state = { ...state, ...change, updatedAtMs: now() };
        },
        abort: (reason) => controller.abort(reason),
        measure: () => meter.measure(state.bytesDone),
      };
      running.set(id, live);
      return live;
    },
  };
}
