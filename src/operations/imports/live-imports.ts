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
}

/** The imports that this process runs. */
export interface LiveImports {
  find(id: string): LiveImport | undefined;
  start(id: string, first: { bytesDone: number; bytesTotal: number | null; name: string | null }): LiveImport;
  end(id: string): void;
}

export function createLiveImports(now: () => number): LiveImports {
  const running = new Map<string, LiveImport>();
  return {
    find: (id) => running.get(id),
    end: (id) => void running.delete(id),
    start(id, first) {
      const controller = new AbortController();
      let state: LiveState = { ...first, phase: "connecting", updatedAtMs: now() };
      const live: LiveImport = {
        signal: controller.signal,
        state: () => state,
        update: (change) => {
          state = { ...state, ...change, updatedAtMs: now() };
        },
        abort: (reason) => controller.abort(reason),
      };
      running.set(id, live);
      return live;
    },
  };
}
