import type { ReadStream } from "node:tty";
import { AppError } from "../../errors.ts";
import { Interrupted } from "./interrupt.ts";

export interface Questions {
  /** Asks a question, and resolves to the line of the answer. Rejects with Interrupted, or VALIDATION_FAILED at the end of the input. */
  ask(question: string): Promise<string>;
  /** Asks like `ask`, without showing the line. */
  askSecret(question: string): Promise<string>;
}

const KEYS = { interrupt: "\x03", end: "\x04", clear: "\x15" } as const;

/** Asks a person at a terminal questions, one after another. Lines that are typed in advance answer the next questions. */
export function createQuestions(input: ReadStream, show: (text: string) => Promise<unknown>): Questions {
  let ahead = "";
  // A read can end within a character, so the decoder keeps its state.
  const decoder = new TextDecoder();

  /** Passes typed text to `take` until it returns an answer and the rest of the input. */
  const read = (take: (typed: string) => { readonly answer: string; readonly rest: string } | undefined): Promise<string> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        input.off("data", receive);
        input.off("end", close);
        process.off("SIGINT", interrupt);
        input.pause();
      };
      const receive = (chunk: Uint8Array | string): void => {
        try {
          const taken = take(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
          if (taken === undefined) return;
          ahead = taken.rest;
          end();
          resolve(taken.answer);
        } catch (error) {
          end();
          reject(error);
        }
      };
      const close = (): void => {
        end();
        reject(noAnswer());
      };
      const interrupt = (): void => {
        end();
        reject(new Interrupted());
      };
      input.on("data", receive);
      input.on("end", close);
      process.on("SIGINT", interrupt);
      input.resume();
      if (ahead !== "") receive("");
    });

  return {
    async ask(question) {
      await show(question);
      let line = ahead;
      // The terminal itself edits the line.
      return await read((typed) => {
        line += typed;
        const found = /\r?\n|\r/.exec(line);
        return found ? { answer: line.slice(0, found.index), rest: line.slice(found.index + found[0].length) } : undefined;
      });
    },
    async askSecret(question) {
      const secret = new SecretLine(ahead);
      // Raw mode begins before the question, because the terminal would show text that is typed early.
      input.setRawMode(true);
      try {
        await show(question);
        return await read((typed) => secret.take(typed));
      } finally {
        input.setRawMode(false);
        await show("\n");
      }
    },
  };
}

/** A line of input that the terminal neither shows nor edits. */
class SecretLine {
  #characters: string[] = [];

  constructor(private ahead: string) {}

  take(typed: string): { readonly answer: string; readonly rest: string } | undefined {
    const keys = [...this.ahead, ...typed];
    this.ahead = "";
    for (const [index, key] of keys.entries()) {
      if (key === "\r" || key === "\n") return { answer: this.#characters.join(""), rest: keys.slice(index + 1).join("") };
      if (key === KEYS.interrupt) throw new Interrupted();
      if (key === KEYS.end && this.#characters.length === 0) throw noAnswer();
      if (key === "\x7f" || key === "\b") this.#characters.pop();
      else if (key === KEYS.clear) this.#characters = [];
      else if (key >= " ") this.#characters.push(key);
    }
    return undefined;
  }
}

const noAnswer = (): AppError => new AppError("VALIDATION_FAILED", "The question has no answer. Run the command again.");
