import { formatSize } from "../../lib/text/format-size.ts";
import type { Terminal } from "../command.ts";
import type { JsonEvent, JsonOutput } from "./json-output.ts";
import { createRateMeter } from "./rate-meter.ts";
import { createStatusLine } from "./status-line.ts";
import { formatShortDuration, toPlain } from "./text.ts";
import { describeTransfer, renderBar, type TransferState, toProgressEvent } from "./transfer-line.ts";

const REDRAW_MS = 250;
const JSON_MS = 1000;
const PLAIN_MS = 10_000;

/** Calls `run` every `ms` milliseconds, until the returned function is called. */
export type Repeat = (ms: number, run: () => void) => () => void;

const repeatByTimer: Repeat = (ms, run) => {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
};

type Shown = Pick<Terminal, "err" | "isInteractive" | "columns" | "onResize">;

/** Runs `work` with a progress line that is redrawn until `work` ends, and then erased. Shows nothing if `err` is not a terminal. */
export async function showWhile<T>(terminal: Shown, work: (show: (render: () => string) => void) => Promise<T>): Promise<T> {
  const line = createStatusLine(terminal);
  const ends: (() => void)[] = [];
  try {
    return await work((render) => {
      if (!terminal.isInteractive || ends.length > 0) return;
      const draw = (): void => void line.draw(render);
      ends.push(repeatByTimer(REDRAW_MS, draw), terminal.onResize(draw));
    });
  } finally {
    for (const end of ends) end();
    await line.erase();
  }
}

export interface TransferProgress {
  /** Shows the state that `read` returns, from this call on. */
  show(read: () => TransferState): void;
  /** Prints a line for a person on standard error, but not with --json or --quiet. */
  note(line: string): Promise<void>;
  /** Prints a line on standard output. Ends the transfer with OutputClosed if nobody reads the output. */
  result(line: string): Promise<void>;
  /** Prints the event as a line on standard output, only with --json. Ends the transfer like `result`. */
  event(event: JsonEvent): Promise<void>;
}

interface TransferOptions {
  readonly terminal: Shown & Pick<Terminal, "out">;
  /** The output with `--json`; undefined without it. */
  readonly json: JsonOutput | undefined;
  readonly quiet: boolean;
  readonly repeat?: Repeat;
  readonly nowMs?: () => number;
}

/**
 * Runs `work` and shows its progress: a bar on a terminal, elsewhere a plain line every 10 seconds; with --json an event a second at most; nothing
 * with --quiet. Rejects with OutputClosed when nobody reads the events any more.
 */
export async function showTransfer<T>(options: TransferOptions, work: (progress: TransferProgress) => Promise<T>): Promise<T> {
  const { terminal, json, quiet, repeat = repeatByTimer, nowMs = () => performance.now() } = options;
  const line = createStatusLine(terminal);
  const hasBar = terminal.isInteractive && !json && !quiet;
  const closed = Promise.withResolvers<never>();
  let ends: (() => void)[] = [];
  const end = (): void => {
    for (const one of ends.splice(0)) one();
  };
  // A failed output ends the transfer, even if its work does not wait for the output.
  const out = (text: string): Promise<void> => terminal.out(text).catch(closed.reject);
  const print = async (event: JsonEvent): Promise<void> => await json?.line(event).catch(closed.reject);
  const progress: TransferProgress = {
    show(read) {
      end();
      const measure = createRateMeter(nowMs);
      const current = () => {
        const state = read();
        return { state, speed: measure(state.doneBytes, state.totalBytes) };
      };
      // The first reading is the point where the transfer resumes, which has no speed.
      current();
      if (json) ends = [repeat(JSON_MS, () => void print(toProgressEvent(current())))];
      else if (hasBar) {
        const draw = (): void => void line.draw((columns) => renderBar(current(), columns));
        draw();
        ends = [repeat(REDRAW_MS, draw), terminal.onResize(draw)];
      } else if (!quiet) ends = [repeat(PLAIN_MS, () => void terminal.err(`${toPlain(describeTransfer(current()))}\n`))];
    },
    async note(text) {
      if (hasBar) await line.print(text);
      else if (!json && !quiet) await terminal.err(`${toPlain(text)}\n`);
    },
    result: (text) => (hasBar ? line.whileErased(() => out(`${text}\n`)) : out(`${text}\n`)),
    event: print,
  };
  try {
    return await Promise.race([work(progress), closed.promise]);
  } finally {
    end();
    await line.erase();
  }
}

interface Progress {
  readonly done: { readonly files: number; readonly bytes: number };
  readonly total: { readonly files: number; readonly bytes: number };
  readonly failed: number;
}

/** Creates a function that renders `12 of 2000 files, 1.2 MB of 1 GB, 80 MB/s, 12 s left`. */
export function describeProgress(read: () => Progress, nowMs: () => number = () => performance.now()): () => string {
  const measure = createRateMeter(nowMs);
  measure(0, undefined);
  return () => {
    const { done, total, failed } = read();
    const { bytesPerSecond, msLeft } = measure(done.bytes, total.bytes);
    const parts = [
      `${done.files} of ${total.files} files`,
      `${formatSize(done.bytes)} of ${formatSize(total.bytes)}`,
      `${formatSize(bytesPerSecond)}/s`,
      ...(msLeft === undefined ? [] : [`${formatShortDuration(msLeft)} left`]),
      ...(failed > 0 ? [`${failed} failed`] : []),
    ];
    return parts.join(", ");
  };
}
