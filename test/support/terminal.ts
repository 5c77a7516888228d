import { constants } from "node:os";
import { resolve } from "node:path";
import { spawn } from "bun";
import { renderScreen } from "./screen.ts";

/** The executable that scripts/build.ts makes. */
export const PROGRAM = resolve(import.meta.dirname, "../../filehost");
const DEADLINE_MS = 100_000;
const KEYS = { enter: "\r", "ctrl-c": "\x03", "ctrl-d": "\x04", tab: "\t", backspace: "\x7f" } as const;

interface TerminalOptions {
  readonly cwd: string;
  /** Environment variables of the program. By default, `HOME` is `cwd` and no XDG folder is set. */
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** The program in place of ./filehost. */
  readonly program?: readonly string[];
}

/** A program in a pseudo-terminal, as a person sees and uses it. */
export interface TestTerminal extends AsyncDisposable {
  readonly pid: number;
  /** Returns all output, with its control sequences. */
  output(): string;
  /** Returns the text that the terminal shows now. */
  screen(): string;
  /** Resolves to the match when the output after the last match contains this text. Rejects after 100 s, or when the program ends without it. */
  waitFor(text: string | RegExp): Promise<RegExpExecArray>;
  type(text: string): void;
  press(key: keyof typeof KEYS): void;
  /** Changes the size, and tells the program. */
  resize(columns: number, rows?: number): void;
  /** Resolves to the exit code after the program has ended and all its output was read; 128 plus the signal's number if a signal ended it. */
  ended(): Promise<number>;
}

/** Starts the executable in a pseudo-terminal, without this process's FILEHOST_* variables. Its disposal ends it. */
export function startTerminal(
  words: readonly string[],
  { cwd, env = {}, columns = 80, rows = 24, program = [PROGRAM] }: TerminalOptions,
): TestTerminal {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(FILEHOST_|XDG_|NO_COLOR$|.*_PROXY$)/i.test(name));
  let width = columns;
  let output = "";
  let readTo = 0;
  let hasEnded = false;
  const changed = new EventTarget();
  const notify = (): void => void changed.dispatchEvent(new Event("change"));
  const decoder = new TextDecoder();
  const closed = Promise.withResolvers<void>();
  const child = spawn([...program, ...words], {
    cwd,
    env: { ...Object.fromEntries(inherited), HOME: cwd, TERM: "xterm-256color", ...env },
    terminal: {
      cols: columns,
      rows,
      data(_terminal, data) {
        output += decoder.decode(data, { stream: true });
        notify();
      },
      exit: () => closed.resolve(),
    },
  });
  const { terminal } = child;
  if (terminal === undefined) throw new Error("Bun made no pseudo-terminal.");
  const end = child.exited.then(async () => {
    await closed.promise;
    hasEnded = true;
    notify();
  });

  return {
    pid: child.pid,
    output: () => output,
    screen: () => renderScreen(output, width),
    async waitFor(text) {
      const pattern =
        typeof text === "string" ? new RegExp(RegExp.escape(text), "g") : new RegExp(text.source, `${text.flags.replace("g", "")}g`);
      const deadline = AbortSignal.timeout(DEADLINE_MS);
      for (;;) {
        pattern.lastIndex = readTo;
        const found = pattern.exec(output);
        if (found) {
          readTo = found.index + found[0].length;
          return found;
        }
        if (hasEnded || deadline.aborted)
          throw new Error(`The terminal ${hasEnded ? "ended" : "waited 100 s"} without ${text}. It shows:\n${renderScreen(output, width)}`);
        await new Promise<void>((resolve) => {
          for (const [target, name] of [
            [changed, "change"],
            [deadline, "abort"],
          ] as const)
            target.addEventListener(name, () => resolve(), { once: true });
        });
      }
    },
    type: (text) => void terminal.write(text),
    press: (key) => void terminal.write(KEYS[key]),
    resize(newColumns, newRows = rows) {
      width = newColumns;
      terminal.resize(newColumns, newRows);
    },
    async ended() {
      await end;
      return child.signalCode === null ? (child.exitCode ?? -1) : 128 + signalNumber(child.signalCode);
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await child.exited;
      terminal.close();
    },
  };
}

const signalNumber = (signal: string | number): number =>
  typeof signal === "number" ? signal : (constants.signals[signal as NodeJS.Signals] ?? 0);
