/** Several workers with the same script. Each works on one request at a time. */
export interface WorkerPool {
  /** Sends a request to the next idle worker, and resolves to its response. Rejects if the script cannot be loaded. */
  call<Response>(request: unknown, transfer?: readonly Transferable[]): Promise<Response>;
  /** Ends the workers. Unfinished calls reject with `reason`. Later calls start new workers. */
  close(reason?: unknown): void;
}

interface Call {
  readonly request: unknown;
  readonly transfer: readonly Transferable[];
  resolve(response: unknown): void;
  reject(error: unknown): void;
}

interface PoolOptions {
  /** The path of the script, which sends one message for each that it gets. */
  readonly script: string;
  /** The number of workers, which are started when they are needed. */
  readonly count: number;
  /** Makes the error for a script that cannot be loaded. */
  toError(): Error;
}

export function createWorkerPool({ script, count, toError }: PoolOptions): WorkerPool {
  const idle: Worker[] = [];
  const running = new Map<Worker, Call>();
  const waiting: Call[] = [];

  function startNext(): void {
    const isFull = idle.length === 0 && running.size >= count;
    const call = isFull ? undefined : waiting.shift();
    if (!call) return;
    const worker = idle.pop() ?? new Worker(script, { type: "module" });
    running.set(worker, call);
    worker.onmessage = ({ data }: MessageEvent) => {
      running.delete(worker);
      idle.push(worker);
      call.resolve(data);
      startNext();
    };
    worker.onerror = () => {
      running.delete(worker);
      // A worker may also fail between two requests.
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
      worker.terminate();
      call.reject(toError());
      startNext();
    };
    worker.postMessage(call.request, [...call.transfer]);
  }

  return {
    call: (request, transfer = []) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, transfer, resolve: resolve as Call["resolve"], reject });
        startNext();
      }),
    close(reason = new DOMException("", "AbortError")) {
      for (const worker of [...idle, ...running.keys()]) worker.terminate();
      for (const { reject } of [...running.values(), ...waiting]) reject(reason);
      for (const calls of [idle, waiting]) calls.length = 0;
      running.clear();
    },
  };
}
